"""Questions and verdicts, as values and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, Self

Status = Literal["confirmed", "refuted", "inconclusive", "not reached"]
"""``confirmed``: it happens. ``refuted``: the places were reached with keys that are known, and it does not happen.
``inconclusive``: they were reached, and it cannot be told. ``not reached``: no execution came there."""

Tier = Literal["witness", "framework", "function", "recorded"]
"""How it was found out, weakest first: the function executed with stand-ins for unknown values; the function traced
among the definitions of its file, with real frameworks, and arguments that were guessed or given; the function of the
real module traced so; the user's own run."""


class Place(NamedTuple):
    """A place in a file, as findings have it: rows and columns from 1, in characters, the end exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Question:
    """One finding to judge.

    Attributes:
        code: the rule's code.
        place: what is flagged: of a reuse, the call that consumes the key again.
        other: the place of the earlier consumption or derivation; ``None`` where it is the same place in a loop.
        certain: whether the linter is certain, and so knows what the calls at the places do with keys.
        repeats: whether its one place is executed several times, with one key, as in a loop.
    """

    code: str
    place: Place
    other: Place | None = None
    certain: bool = False
    repeats: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_json` gives."""
        other = None if data["other"] is None else Place(*data["other"])
        return cls(data["code"], Place(*data["place"]), other, data["certain"], data.get("repeats", False))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a finding.

    Attributes:
        status: whether it is true.
        tier: how that was found out.
        reason: why, in a sentence without a full stop; ``None`` where the evidence says it all.
        evidence: lines that show it: equations with the shared identity marked, both chains of calls, key words.
    """

    status: Status
    tier: Tier
    reason: str | None = None
    evidence: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON, in the shape of the linter's output."""
        return {"status": self.status, "tier": self.tier, "evidence": list(self.evidence), "reason": self.reason}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_json` gives."""
        return cls(data["status"], data["tier"], data["reason"], tuple(data["evidence"]))


def too_long(seconds: float) -> str:
    """Return the end of a reason: what it names has been given up after that time."""
    return f"takes more than {seconds:g} s, the limit that --trace-timeout sets"
