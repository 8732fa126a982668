"""What the solved graph says: where keys get to, by which paths, and where they leave the project."""
