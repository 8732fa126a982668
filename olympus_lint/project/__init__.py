"""Which files belong to a project, and which settings hold for each of them."""
