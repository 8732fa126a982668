"""From the instructions of a project to edges between slots."""
