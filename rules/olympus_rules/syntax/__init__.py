"""Source text and its two trees: ``ast`` for the analysis, LibCST where something is reported or rewritten."""

from olympus_rules.syntax.document import Document
from olympus_rules.syntax.imports import ImportTable

__all__ = ["Document", "ImportTable"]
