"""Findings of the linter against what traces show: is it true what the finding says?

The linter asks in its own process, and the answers come from another one that has JAX. What goes between them is plain
data, :class:`Question` and :class:`Verdict`. This module and :mod:`olympus.verdicts.question` do not import JAX.
"""

from olympus.verdicts.question import Place, Question, Status, Tier, Verdict, too_long

__all__ = ["Place", "Question", "Status", "Tier", "Verdict", "too_long"]
