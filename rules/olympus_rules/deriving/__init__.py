"""Signature packs from the source of a package."""
