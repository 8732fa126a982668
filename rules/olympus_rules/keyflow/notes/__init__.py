"""Uses of the words, shape, dtype and axes of keys, recorded where they happen and judged later."""
