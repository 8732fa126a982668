"""Trials of the real functions: the module is imported, and its functions are traced with guessed arguments.

This executes the user's code. :mod:`olympus.trials.specs` and :mod:`olympus.trials.names` do not import JAX.
"""
