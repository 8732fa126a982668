"""What the checks of several files share: the open projects of the key flow, and the cache between runs."""
