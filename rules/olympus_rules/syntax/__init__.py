"""Source text and its two trees: ``ast`` for the analysis, LibCST where something is reported or rewritten."""

from olympus_rules.syntax.document import Document

__all__ = ["Document"]
