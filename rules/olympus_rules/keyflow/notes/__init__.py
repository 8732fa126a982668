"""What is done to the words, shape, dtype and axes of keys, noted where it happens and judged later."""
