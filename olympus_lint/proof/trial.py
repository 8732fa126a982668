"""The trial of a migration: the user's command before and after it, what fails then, and what is withheld for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from olympus_lint.files.problems import printable
from olympus_lint.migration.migration import Migration, Withheld
from olympus_lint.proof.blame import Spot, culprits, places_of, spots_of
from olympus_lint.proof.commands import RECORDER, Ran, Runner, Setup
from olympus_lint.proof.outcomes import COMMAND, Change, Outcome, Outcomes, changes, outcomes_of
from olympus_lint.proof.trees import CheckError

ROUNDS = 3
"""How often something is withheld, and the command run again."""
NOT_FOUND = (126, 127)


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that passed before and fails now.

    Attributes:
        change: the test, before and now.
        places: the places of the report in its traceback and among the executed lines.
    """

    change: Change
    places: Sequence[Spot]

    @property
    def is_announced(self) -> bool:
        """Say whether the report names a place for it that a person has to review."""
        return any(spot.kind in ("left", "held back", "to check") for spot in self.places)


@dataclass(frozen=True, slots=True)
class Compared:
    """A run after the migration.

    Attributes:
        outcomes: its outcomes.
        seconds: its time.
        failures: the tests that passed before and fail now, twice in a row.
        unsteady: the tests that failed once, and passed when their files ran again.
    """

    outcomes: Outcomes
    seconds: float
    failures: Sequence[Failure]
    unsteady: Sequence[str] = ()


@dataclass(slots=True)
class Proof:
    """What the user's tests say of a migration.

    Attributes:
        command: the command.
        migration: the migration, without what was withheld.
        before: the outcomes before.
        seconds: the time of that run.
        repairs: whether something could be withheld.
        after: the run after the migration; ``None`` if it changes nothing.
        typed: the run after the migration in which JAX makes typed keys wherever ``PRNGKey`` is left.
        withheld: what was withheld, one sentence each.
        unseen: changed files that no test has imported; ``None`` if that is unknown.
        notes: what else has to be known.
    """

    command: str
    migration: Migration
    before: Outcomes
    seconds: float
    repairs: bool = False
    after: Compared | None = None
    typed: Compared | None = None
    withheld: list[str] = field(default_factory=list)
    unseen: list[str] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def stops(self) -> bool:
        """Say whether the migration must not be written."""
        return self.after is not None and bool(self.after.failures)

    @property
    def is_clean(self) -> bool:
        """Say whether everything passes that passed before."""
        return not any(each.failures for each in (self.after, self.typed) if each is not None)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be proved.

    Attributes:
        migrate: makes the migration, without something.
        bytes_of: the new content of the files that it changes, by the user's name.
        repairs: whether something may be withheld.
        tell: prints what happens.
    """

    migrate: Callable[[Withheld], Migration]
    bytes_of: Callable[[Migration], Mapping[str, bytes]]
    repairs: bool
    tell: Callable[[str], None]


def prove(runner: Runner, task: Task) -> Proof:
    """Run the user's command before and after a migration, and compare the outcomes.

    Raises:
        CheckError: the command cannot be run, or shows nothing.
    """
    return _Trial(runner, task).prove()


class _Trial:
    """One trial.

    Attributes:
        runner: runs the command.
        task: what is to be proved.
        proof: the result so far.
        withheld: what the migration leaves.
    """

    def __init__(self, runner: Runner, task: Task) -> None:
        """Make the migration, and run the command before it."""
        self.runner = runner
        self.task = task
        self.withheld = Withheld()
        migration = task.migrate(self.withheld)
        self._take(migration)
        runner.roots = runner.tree.import_roots(tuple(self.changes))
        before, seconds = self._before()
        self.proof = Proof(runner.command, migration, before, seconds, task.repairs)

    def prove(self) -> Proof:
        """Run the command after the migration, and withhold what it breaks."""
        proof, tell = self.proof, self.task.tell
        if self.changes:
            for number in range(ROUNDS + 1):
                tell("running the command after the migration")
                compared, traced = self._compare(typed=False)
                proof.after = compared
                may_go_on = self.task.repairs and number < ROUNDS
                if not compared.failures or not may_go_on or not self._withhold(compared, traced):
                    break
        tell("running the command with JAX_ENABLE_CUSTOM_PRNG=1")
        proof.typed, _ = self._compare(typed=True)
        proof.notes += self._notes()
        proof.unseen = self._unseen()
        return proof

    def _take(self, migration: Migration) -> None:
        """Go on with a migration."""
        self.migration = migration
        path_of = self.runner.tree.path_of
        self.changes = {path_of(name): data for name, data in self.task.bytes_of(migration).items()}
        self.spots = spots_of(migration, path_of)

    def _before(self) -> tuple[Outcomes, float]:
        """Run the command on the unchanged tree; import what the user's tree would give from the copy."""
        self.task.tell("running the command before the migration")
        ran = self.runner.run(Setup())
        outcomes = self._read(ran, "before the migration")
        further = [root for root in map(_root_of, outcomes.original.items()) if root not in self.runner.roots]
        if further:
            self.runner.roots += dict.fromkeys(further)
            ran = self.runner.run(Setup())
            outcomes = self._read(ran, "before the migration")
        _check_before(ran, outcomes, self.runner)
        foreign = sorted(set(outcomes.original) & set(self.changes))
        if foreign:
            raise CheckError(
                f"the tests import {foreign[0]} from {self.runner.tree.root}, and not from the copy in which it is "
                "migrated; install the project without build hooks (`pip install -e . --config-settings "
                "editable_mode=compat`), or run the tests by hand as the report says."
            )
        return outcomes, ran.seconds

    def _compare(self, *, typed: bool) -> tuple[Compared, Outcomes]:
        """Run the command after the migration; run the files of new failures again, and record what they execute."""
        setup = Setup(self.changes, typed=typed)
        ran = self.runner.run(setup)
        where = "with JAX_ENABLE_CUSTOM_PRNG=1" if typed else "after the migration"
        outcomes = self._read(ran, where)
        found = changes(self.proof.before, outcomes)
        if not found:
            return Compared(outcomes, ran.seconds, ()), outcomes
        again = self._again(found, setup)
        wanted = [each for each in self.spots if typed or each.kind != "held back"]
        steady = [replace(change, test=_latest(change.test, again)) for change in found]
        failures = [Failure(each, places_of(each, wanted)) for each in steady if not _passes(each)]
        unsteady = [each.test.name for each in steady if _passes(each)]
        return Compared(outcomes, ran.seconds, failures, unsteady), again

    def _again(self, found: Iterable[Change], setup: Setup) -> Outcomes:
        """Run the files of new failures again; what exceeds a limit then, fails."""
        self.task.tell("running the new failures again")
        watch: dict[str, set[int]] = {}
        for spot in self.spots:
            watch.setdefault(spot.file, set()).update(spot.rows)
        names = [change.test.name for change in found]
        only = () if COMMAND in names else tuple(dict.fromkeys(name.partition("::")[0] for name in names))
        return outcomes_of(self.runner.run(replace(setup, only=only, watch=watch)))

    def _read(self, ran: Ran, where: str) -> Outcomes:
        """Return the outcomes of a run.

        Raises:
            CheckError: it exceeded a limit.
        """
        outcomes = outcomes_of(ran)
        if ran.stopped:
            during = f" during {outcomes.running[-1]}" if outcomes.running else ""
            step = "raise --check-timeout, or name fewer tests" if "longer" in ran.stopped else "name fewer tests"
            raise CheckError(f"the command {ran.stopped} {where}{during}, and was stopped; {step}.{_shown(ran)}")
        return outcomes

    def _withhold(self, compared: Compared, traced: Outcomes) -> bool:
        """Withhold something for each failure, and migrate again; return whether there was something."""
        constructors, files = dict(self.withheld.constructors), dict(self.withheld.files)
        sentences: dict[str, None] = {}
        for failure in compared.failures:
            for spot in self._next_culprits(failure.change, traced):
                name = failure.change.test.name
                if spot.kind == "renamed" and (spot.filename, spot.number) not in constructors:
                    constructors[spot.filename, spot.number] = f"makes `{name}` fail if it is typed"
                    sentences[f"{spot.filename}:{spot.row} {spot.name} stays raw: `{name}` fails otherwise"] = None
                elif spot.kind == "rewritten" and spot.filename not in files:
                    files[spot.filename] = f"is made in a file that was withheld, since `{name}` fails otherwise,"
                    sentences[f"{spot.filename} stays as it is: `{name}` fails otherwise"] = None
        if not sentences:
            return False
        for sentence in sentences:
            self.task.tell(sentence)
        self.proof.withheld += sentences
        self.withheld = Withheld(constructors, files)
        self._take(self.task.migrate(self.withheld))
        self.proof.migration = self.migration
        return True

    def _next_culprits(self, change: Change, traced: Outcomes) -> Sequence[Spot]:
        return next((spots for spots in culprits(change, traced, self.spots) if spots), ())

    def _notes(self) -> list[str]:
        """Return what else has to be known."""
        before, notes = self.proof.before, []
        if not before.has_pytest:
            notes.append(
                "The command does not run pytest with the user's environment, so that only its exit status was "
                "compared, and from where it imports the project was not checked."
            )
        if before.original:
            example = min(before.original)
            notes.append(f"The tests import {example} from {self.runner.tree.root}, and not from the copy.")
        return notes

    def _unseen(self) -> list[str] | None:
        """Return the changed modules that no test imports."""
        if not self.proof.before.has_pytest:
            return None
        runs = [self.proof.before, *(each.outcomes for each in (self.proof.after, self.proof.typed) if each)]
        seen = frozenset[str]().union(*(each.copied for each in runs))
        return [name for name in self.changes if name.endswith(".py") and name not in seen]


def _check_before(ran: Ran, outcomes: Outcomes, runner: Runner) -> None:
    """Check that the run before the migration can show something.

    Raises:
        CheckError: no test passes, or the command fails or does not exist.
    """
    if not outcomes.has_pytest and ran.status in NOT_FOUND:
        raise CheckError(
            f"`{runner.command}` cannot be started in {runner.tree.here.as_posix()} of a copy of the tree; give a "
            f"command that the shell finds there, such as `python -m pytest`.{_shown(ran)}"
        )
    if not outcomes.has_pytest and f"'{RECORDER}'" in ran.output:
        raise CheckError(
            f"`{runner.command}` replaces PYTHONPATH, through which pytest finds what records its outcomes; set the "
            "variable for olympus-lint instead, before its name, and it is handed on"
        )
    if not outcomes.has_pytest and ran.status:
        raise CheckError(
            f"`{runner.command}` fails before the migration, with status {ran.status}, and so shows nothing; "
            f"does it need files that git ignores?{_shown(ran)}"
        )
    if outcomes.has_pytest and not outcomes.number("passed"):
        ran_any = any(test.status != "not collected" and name != COMMAND for name, test in outcomes.tests.items())
        cause = "fail" if ran_any else "did not run"
        raise CheckError(
            f"the tests of `{runner.command}` {cause} before the migration, and so show nothing; do they need files "
            f"that git ignores, or another Python?{_shown(ran)}"
        )


def _shown(ran: Ran) -> str:
    """Return the end of what a command has printed, after a line break."""
    lines = ran.output.strip().splitlines()[-10:]
    return "".join(f"\n  | {printable(line)}" for line in lines)


def _root_of(module: tuple[str, str]) -> str:
    """Return the folder from which a module is imported, relative to the root of the tree."""
    file, name = module
    path = PurePosixPath(file)
    depth = len(name.split(".")) + (path.stem == "__init__")
    return path.parents[min(depth, len(path.parents)) - 1].as_posix()


def _latest(test: Outcome, again: Outcomes) -> Outcome:
    """Return a failed test with the rows that it executes, or as it passes when it runs again."""
    now = again.tests.get(test.name, test)
    return now if now.status == "passed" else replace(test, executed=now.executed)


def _passes(change: Change) -> bool:
    return change.test.status == "passed"
