"""Suppression comments: reading them, applying them to findings, and writing them."""
