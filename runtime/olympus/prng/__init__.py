"""Pluggable generators: register one under a name, and choose it by that name wherever JAX takes an ``impl``.

``register_prng_impl`` stands on ``jax.extend.random.define_prng_impl``. ``resolve`` turns a name into what JAX takes.
The ChaCha generators that come with this package (``chacha20``, ``chacha12``, ``chacha8``) are registered when one of
them is first asked for. Importing this package does not import JAX; its functions do.
"""

from olympus.prng.registry import register_prng_impl, resolve

__all__ = ["register_prng_impl", "resolve"]
