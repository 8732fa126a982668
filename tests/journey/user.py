"""A user with a project, and the transcript of what the user does."""

from __future__ import annotations

import difflib
import html.parser
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from .environment import HERE, Environment

__all__ = ["User", "visible"]

LONGEST = 1000
"""Characters of a line in a snapshot: the page of a rule is one line of a SARIF log."""
UNSEEN = {".git", ".olympus-lint-cache", ".pytest_cache", "__pycache__"}
"""Folders that users do not look into."""


class User:
    """A user at work in a copy of the project.

    Attributes:
        folder: the copy, a git repository of its own.
        environment: what is installed.
        variables: the environment variables of the commands.
        transcript: the lines that the snapshot has.
    """

    def __init__(self, folder: Path, environment: Environment) -> None:
        """Copy the project, and commit it."""
        self.folder = folder
        self.environment = environment
        self.variables = environment.variables | {"PRE_COMMIT_HOME": str(folder.parent / "pre-commit")}  # nobody else's
        self.transcript: list[str] = []
        shutil.copytree(HERE / "project", folder, ignore=shutil.ignore_patterns(*UNSEEN, "*.npz"))
        for command in ("init --quiet --initial-branch=main", "add --all", "commit --quiet --message=Project"):
            subprocess.run(["git", *command.split()], cwd=folder, env=self.variables, check=True)
        self._known = contents(folder)

    def run(self, command: str) -> None:
        """Run a line of the shell; note what it says, its exit status, and what it changes."""
        done = subprocess.run(command, shell=True, cwd=self.folder, env=self.variables, capture_output=True, text=True)
        said = [*done.stdout.splitlines(), *(f"stderr: {line}".rstrip() for line in done.stderr.splitlines())]
        self.note(f"$ {command}", *said, f"exit status {done.returncode}")
        self.changes()

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that a file has once, or make a file if the old text is empty."""
        path = self.folder / name
        text = path.read_text("utf-8") if path.exists() else ""
        assert not old or text.count(old) == 1, f"{name} has {text.count(old)} times {old!r}"
        path.write_text(text.replace(old, new) if old else text + new, "utf-8")
        self.note(f"The user edits {name}.")
        self.changes()

    def say(self, text: str) -> None:
        """Note why the next command is given."""
        self.note(f"## {text}", "")

    def note(self, *lines: str) -> None:
        """Add lines to the transcript."""
        self.transcript += lines

    def changes(self) -> None:
        """Note how the files differ from the last time."""
        now = contents(self.folder)
        for name in sorted(self._known.keys() | now):
            self.note(*difference(name, self._known.get(name), now.get(name)))
        self._known = now
        self.note("")

    def told(self) -> str:
        """Return the transcript, without what differs between two machines or two days."""
        shown = (line if len(line) <= LONGEST else f"{line[:LONGEST]} …" for line in self.transcript)
        text = "\n".join(shown).rstrip() + "\n"
        own = re.escape(version("olympus-lint"))
        for pattern, replacement in (
            (re.escape(str(self.folder)), "PROJECT"),
            (re.escape(str(self.environment.folder)), "FOLDER"),
            (rf"(olympus(?:-lint)?[ =]){own}", r"\1VERSION"),
            (rf"(^Version: ){own}", r"\1VERSION"),
            (rf'("version": "){own}"', r'\1VERSION"'),
            (rf"(rev: v){own}", r"\1VERSION"),
            (r"\b(in|of) \d+\.\d+ ?s\b", r"\1 TIME"),
            (r"python3\.\d+", "python3.N"),
        ):
            text = re.sub(pattern, replacement, text, flags=re.M)
        return text


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a project by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and UNSEEN.isdisjoint(path.relative_to(folder).parts)
    }


def difference(name: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    """Yield the lines that say how a file has changed, none if it has not."""
    if old == new:
        return
    if new is None:
        yield f"removed: {name}"
    elif b"\0" in new:
        yield f"written: {name}, not a text"
    elif old is None and name.endswith(".html"):
        yield f"written: {name}, which reads:"
        yield from (f"    {line}" for line in visible(new.decode()))
    else:
        lines = [(text or b"").decode().splitlines() for text in (old, new)]
        sides = (f"a/{name}" if old is not None else "/dev/null", f"b/{name}")
        yield from (line.rstrip() for line in difflib.unified_diff(*lines, *sides, lineterm=""))


def visible(page: str) -> list[str]:
    """Return the lines of text that an HTML page shows."""

    class Reader(html.parser.HTMLParser):
        hidden = 0
        text = ""

        def handle_starttag(self, tag: str, _: object) -> None:
            self.hidden += tag in {"script", "style"}
            self.text += "\n" if tag in {"br", "button", "div", "dt", "h1", "h2", "h3", "li", "p", "pre", "tr"} else ""
            self.text += " | " if tag in {"td", "th", "option"} else ""

        def handle_endtag(self, tag: str) -> None:
            self.hidden -= tag in {"script", "style"}

        def handle_data(self, data: str) -> None:
            self.text += "" if self.hidden else data

    reader = Reader()
    reader.feed(page)
    return [line.rstrip() for line in reader.text.splitlines() if line.strip()]
