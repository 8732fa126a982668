"""The answers of a project's files to each other, within a run and between runs.

An answer is kept with the stamp of its file, which changes with the file's bytes and place, and with its *needs*: the
file's own look-ups in other files, each with a digest of the outcome. A kept answer holds while the stamp and all
digests are unchanged. So a file is analysed again only if it has changed, or if the answer of another file has; a
change that alters no answer does not propagate.

This module loads nothing of the interpreter: if all kept answers hold, nothing has to be interpreted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from olympus_rules.keyflow.linking.rests import Question, Rests
from olympus_rules.syntax import disk
from olympus_rules.syntax.array_names import forget_outlines, has_arrays, stands_for
from olympus_rules.syntax.project import forget_folders, in_project, locate, locate_name
from olympus_rules.syntax.stubs import ATTACHES, attached_stub

STEPS = 10  # from module to module, for a name that each of them re-exports
Record = dict[str, Any]


class Need(NamedTuple):
    """A look-up of a file in other files.

    Attributes:
        what: ``keys`` or ``name`` for the value of a qualified name, as keys depend on it or not; ``place`` for its
            file; ``project`` for whether it is one of the project; ``array`` for whether it may be a class with
            ``__jax_array__``.
        qualified: the name.
    """

    what: str
    qualified: str


class Traced(NamedTuple):
    """The outcome of a need: its digest, and the questions whose answers are in it."""

    digest: str
    questions: tuple[Question, ...]


Roots = tuple[Path, ...]
Outcome = tuple[str, str, str]  # the parts of a need, and a digest of its outcome
UNKNOWN = 1 << 30  # deeper than anything


class Kept(NamedTuple):
    """An answer in the memory.

    Attributes:
        stamp: the stamp of the file.
        digest: the digest of the answer.
        alias: the name to which the answer refers the question, empty for none.
        needs: the name under which the memory keeps the file's needs.
        length: how many of these count; a file looks up more as it answers more questions.
        text: the answer as JSON, which most runs need not read.
    """

    stamp: str
    digest: str
    alias: str
    needs: str
    length: int
    text: str


class Memory(Protocol):
    """Keeps answers from one run to the next."""

    def load(self, question: Question) -> Kept | None:
        """Return the answer that was kept last."""

    def save(self, question: Question, kept: Kept) -> None:
        """Keep an answer."""

    def load_needs(self, name: str) -> Sequence[Outcome] | None:
        """Return the needs of a file with their outcomes."""

    def save_needs(self, needs: Sequence[Outcome]) -> str:
        """Keep the needs of a file, and return the name under which they are kept."""


class Answers:
    """The answers of a run: from the memory if they still hold, else from an analysis.

    Whether a kept answer holds depends on other answers, which may depend on it. Such a cycle holds if nothing else in
    it fails; until that is known, its answers are assumed, and no analysis builds on them.

    Attributes:
        recalled: the number of answers from the memory.
    """

    def __init__(self, compute: Callable[[Question], Record | None], memory: Memory | None = None) -> None:
        """Start without any answers, and forget the known folders on disk.

        Args:
            compute: asks the file's analysis.
            memory: keeps answers between runs.
        """
        forget_folders()
        forget_outlines()
        self.recalled = 0
        self._compute = compute
        self._memory = memory
        self._known: dict[Question, Record | None] = {}
        self._held: dict[Question, Kept] = {}
        self._digests: dict[Question, str] = {}
        self._stamps: dict[str, str] = {}
        self._outcomes: dict[Roots, dict[Need, Traced]] = {}
        self._proven: dict[Question, str] = {}
        self._checked: dict[tuple[Roots, str], int] = {}  # how many of some kept needs hold
        self._uses: dict[str, dict[Roots, dict[Need, None]]] = {}
        self._open: set[str] = set()
        self._unsaved: dict[int, Group] = {}
        self._unsettled: list[Group] = []
        self._active: dict[Question, tuple[Kept, int]] = {}  # whose needs are being checked, with the depth
        self._assumed: dict[Question, tuple[Kept, int]] = {}  # that hold if the active one at that depth does
        self._fresh: set[Question] = set()  # to be answered by an analysis
        self._lowest = UNKNOWN

    # one run

    @property
    def number(self) -> int:
        """The number of answers that are known."""
        return len(self._known)

    def answer(self, question: Question) -> Record | None:
        """Return a file's answer about a name in it; ``None`` if it has none, or none that concerns keys."""
        if question in self._known:
            return self._known[question]
        if self._memory is not None and question not in self._fresh:
            if question in self._active or question in self._assumed:
                self._fresh.update(self._active, self._assumed)
                self._assumed.clear()
            else:
                self._recall(question)
            kept = self._held.get(question)
            if kept is not None and self._read(question, kept):
                return self._known[question]
            self._fresh.add(question)
        answer = self._compute(question)
        if answer is None or answer.get("final", True):
            return self._known.setdefault(question, answer)  # others may rest on one that was given meanwhile
        return answer

    def _read(self, question: Question, kept: Kept) -> bool:
        try:
            record = json.loads(kept.text)
        except (ValueError, RecursionError):
            return False
        if record is not None and not isinstance(record, dict):
            return False
        self._known[question] = record
        self.recalled += 1
        return True

    def forget(self, path: str) -> None:
        """Forget a file that has changed."""
        self._known = {question: answer for question, answer in self._known.items() if question.path != path}
        self._stamps.pop(path, None)
        forget_outlines()
        for known in (self._held, self._digests, self._outcomes, self._checked):
            known.clear()

    # from one run to the next

    def trust(self, proven: Mapping[Question, str]) -> None:
        """Take the digests of the answers that are known to be the same as in the run before."""
        self._proven = dict(proven)

    def present(self, question: Question) -> str | None:
        """Return the digest of a file's present answer, ``None`` if it has no final one."""
        found = self._present_digest(question)
        return None if found is None else found[0]

    def leave_open(self, path: str) -> None:
        """Record that it is not known what the result of a file rests on."""
        self._open.add(path)
        self._uses.setdefault(path, {})

    def rests(self) -> Rests:
        """Return what rests on what, as far as this run has looked."""
        rests = Rests()
        for path, uses in self._uses.items():
            traced = [self._outcome(roots, need, self._known_digest) for roots, needs in uses.items() for need in needs]
            settled = [each.questions for each in traced if each is not None]
            is_known = len(settled) == len(traced) and path not in self._open
            rests.asked[path] = {*chain.from_iterable(settled)} if is_known else None
        known = {question: self._known_digest(question) for question in [*self._held, *self._known]}
        rests.digests = {question: found[0] for question, found in known.items() if found is not None}
        return rests

    # between runs

    def stamp(self, path: str, data: bytes | None = None) -> str:
        """Return a text that changes with a file's bytes, its stub and its place; empty if it cannot be read.

        Args:
            path: the absolute path.
            data: its bytes, if they have been read already.
        """
        if data is not None or path not in self._stamps:
            try:
                data = disk.read(path) if data is None else data
            except OSError:
                return ""
            data += attached_stub(path, attaches=ATTACHES.encode() in data)
            place = locate(Path(path))
            where = f"{path}\0{place.module}\0{place.is_package}\0{[str(root) for root in place.roots]}\0"
            self._stamps[path] = blake2b(where.encode(errors="surrogatepass") + data, digest_size=16).hexdigest()
        return self._stamps[path]

    def keep(self, question: Question, roots: Roots, needs: dict[Need, None]) -> None:
        """Hand an answer to the memory at the next :meth:`flush`, with the needs of its file so far."""
        if self._memory is not None:
            _, _, waiting = self._unsaved.setdefault(id(needs), (roots, needs, []))
            waiting.append((question, self.stamp(question.path), len(needs)))

    def flush(self, *, finally_: bool = False) -> None:
        """Write answers to the memory.

        Args:
            finally_: whether to write those as well that rest on a cycle of files and have unsettled needs. Settling
                these could influence the analyses that are still to come.
        """
        groups, self._unsaved = [*self._unsaved.values(), *(self._unsettled if finally_ else ())], {}
        for roots, needs, waiting in groups:
            if self._memory is None:
                return
            path, most = waiting[0][0].path, max(length for _, _, length in waiting)
            settled = self.settled(path, roots, list(needs)[:most], finally_=finally_)
            name = self._memory.save_needs(settled)
            rest = [one for one in waiting if one[2] > len(settled)]
            if rest and not finally_:
                self._unsettled.append((roots, needs, rest))
            for question, stamp, count in waiting:
                if stamp and count <= len(settled) and question in self._known:
                    record = self._known[question]
                    alias = "" if record is None else record.get("alias", "")
                    text = json.dumps(record, separators=(",", ":"))
                    self._memory.save(question, Kept(stamp, self._digest(question), alias, name, count, text))

    def settled(self, path: str, roots: Roots, needs: Collection[Need], *, finally_: bool = False) -> list[Outcome]:
        """Return needs with their outcomes, up to the first without a final outcome.

        Args:
            path: the file.
            roots: the folders in which its imports are looked for.
            needs: its look-ups.
            finally_: whether to ask again for outcomes that were not final.
        """
        found: list[Outcome] = []
        self._use(path, roots, needs)
        for need in needs:
            outcome = self._outcome(roots, need, self._present_digest if finally_ else self._known_digest)
            if outcome is None:
                break
            found.append((*need, outcome.digest))
        return found

    def holds(self, path: str, needs: Iterable[Outcome]) -> bool:
        """Return whether all needs of a file have the same outcomes now."""
        roots, used = locate(Path(path)).roots, list[Need]()
        for what, qualified, known in needs:
            used.append(Need(what, qualified))
            outcome = self._outcome(roots, used[-1], self._present_digest)
            if outcome is None or outcome.digest != known:
                return False
        self._use(path, roots, used)
        return True

    def _use(self, path: str, roots: Roots, needs: Iterable[Need]) -> None:
        """Record that an answer or the result of a file rests on some needs."""
        if self._memory is not None:
            self._uses.setdefault(path, {}).setdefault(roots, {}).update(dict.fromkeys(needs))

    def _outcome(self, roots: Roots, need: Need, digest_of: Digester) -> Traced | None:
        """Return the outcome of a need: the files on the way, and the answer at the end."""
        known = self._outcomes.setdefault(roots, {})
        found = known.get(need)
        if found is not None:
            return found
        before, self._lowest = self._lowest, UNKNOWN
        questions: list[Question] = []
        trace = self._follow(roots, need, digest_of, questions)
        lowest, self._lowest = self._lowest, min(before, self._lowest)
        if trace is None:
            return None
        text = "\0".join(trace).encode(errors="surrogatepass")
        found = Traced(blake2b(text, digest_size=12).hexdigest(), tuple(questions))
        if lowest == UNKNOWN:
            known[need] = found
        return found

    def _follow(self, roots: Roots, need: Need, digest_of: Digester, asked: list[Question]) -> list[str] | None:
        """Return the files and answers on the way of a need, ``None`` if one is unknown; add the questions asked."""
        what, qualified = need
        if what == "project":
            return [str(in_project(roots, qualified))]
        if what == "array":
            return [str(has_arrays(roots, qualified)), str(stands_for(roots, qualified))]
        trace: list[str] = []
        for _ in range(STEPS):
            place = locate_name(roots, qualified)
            if place is None:
                return [*trace, str(in_project(roots, qualified))]
            trace.append(str(place[0]))
            if what == "place":
                break
            asked.append(Question(str(place[0]), place[1], what == "keys"))
            answer = digest_of(asked[-1])
            if answer is None:
                return None
            trace.append(answer[0])
            if not answer[1]:
                break
            qualified = answer[1]
        return trace

    def _digest(self, question: Question) -> str:
        """Return the digest of a known answer."""
        if question not in self._digests:
            kept = self._held.get(question) if question not in self._fresh else None
            self._digests[question] = kept.digest if kept else digest(self._known[question])
        return self._digests[question]

    def _known_digest(self, question: Question) -> tuple[str, str] | None:
        """Return the digest and the alias of an answer of this run."""
        if question in self._known:
            return self._digest(question), (self._known[question] or {}).get("alias", "")
        kept = self._held.get(question)
        return None if kept is None or question in self._fresh else (kept.digest, kept.alias)

    def _present_digest(self, question: Question) -> tuple[str, str] | None:
        """Return the digest and the alias of a file's present answer; the file is analysed if necessary."""
        found = self._known_digest(question)
        if found is not None:
            return found
        if question not in self._fresh:
            if question not in self._active and question not in self._assumed:
                self._recall(question)
            under_way = self._active.get(question) or self._assumed.get(question)
            if under_way is not None:
                kept, depth = under_way
                self._lowest = min(self._lowest, depth)
                return kept.digest, kept.alias
        self.answer(question)
        return self._known_digest(question)

    def _recall(self, question: Question) -> None:
        """Check whether a kept answer holds; it is assumed to while that rests on an active one."""
        kept = self._memory.load(question) if self._memory is not None else None
        if self._memory is None or kept is None:
            return
        if self._proven.get(question) == kept.digest:
            self._held[question] = kept
            return
        if kept.stamp != self.stamp(question.path):
            return
        needs = self._memory.load_needs(kept.needs)
        if needs is None or len(needs) < kept.length:
            return
        depth, first = len(self._active), len(self._assumed)
        before, self._lowest = self._lowest, UNKNOWN
        self._active[question] = (kept, depth)
        slot = (locate(Path(question.path)).roots, kept.needs)
        checked = self._checked.get(slot, 0)
        holds = self.holds(question.path, needs[checked : kept.length])
        del self._active[question]
        holds = holds and question not in self._fresh
        lowest, self._lowest = self._lowest, before
        if holds and lowest == UNKNOWN:
            self._checked[slot] = max(checked, kept.length)
        inner = list(self._assumed.items())[first:]
        if holds and lowest < depth:  # a part of a larger cycle
            self._lowest = min(before, lowest)
            self._assumed[question] = (kept, lowest)
            self._assumed.update({one: (known, min(low, lowest)) for one, (known, low) in inner})
            return
        for one, (known, _) in inner:
            del self._assumed[one]
            if holds:
                self._held[one] = known
        if holds:
            self._held[question] = kept


Group = tuple[Roots, dict[Need, None], list[tuple[Question, str, int]]]  # with the stamp, and the number of needs
Digester = Callable[[Question], tuple[str, str] | None]


def digest(answer: Record | None) -> str:
    """Return a short text that differs if the answer does."""
    return blake2b(json.dumps(answer, sort_keys=True).encode(), digest_size=12).hexdigest()
