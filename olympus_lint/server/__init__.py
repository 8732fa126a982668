"""The language server: findings, fixes and lineage while a file is being written."""
