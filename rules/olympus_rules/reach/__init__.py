"""Where the keys of each constructor get to, through all files of a project.

The key flow answers what happens to one identity on one path. A migration asks the opposite: which constructors may
have made the key at this place? That needs neither paths nor order, and has to hold for all of a project, so it is an
inclusion analysis over the same instructions: sets of values that spread from slot to slot until nothing changes.
"""
