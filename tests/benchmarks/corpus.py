"""Lint released packages and compare the findings with reviewed ones: see README.md beside this file."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from packages import DEFAULT_CACHE, HERE, fetch, load_packages
from reading import headline, lint_all, load_findings, run_command, save_findings, show, store_mark
from snapshot import MARKS, Seen, compare, false_alarm_share, load_reviews, refresh, save_reviews

MOST_FALSE_ALARMS = 0.05
LAST_RUN = "last-run.json"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return 0 when all is well, 1 when a person has to look, 2 on an error."""
    return run_command(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--cache", type=Path, default=DEFAULT_CACHE, help="where packages lie (%(default)s)")
    shared.add_argument("--snapshot", type=Path, default=HERE / "snapshot.jsonl", help="the reviewed findings")
    some = argparse.ArgumentParser(add_help=False)
    some.add_argument("packages", nargs="*", metavar="PACKAGE", help="default: all")
    parser = argparse.ArgumentParser(prog="corpus.py", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("fetch", parents=[shared, some], help="download and unpack the pinned packages")
    command.set_defaults(run=run_fetch)

    command = commands.add_parser("lint", parents=[shared, some], help="exit 1 when a finding has no review")
    command.add_argument("--update", action="store_true", help="forget reviews whose finding is gone")
    command.set_defaults(run=run_lint)

    command = commands.add_parser("review", parents=[shared, some], help="show findings of the last lint to review")
    command.add_argument("--code", help="only this rule")
    command.add_argument("--lines", type=int, default=6, help="source lines around each place (default: 6)")
    command.add_argument("--limit", type=int, default=20, help="findings to show (default: 20)")
    command.set_defaults(run=run_review)

    command = commands.add_parser("mark", parents=[shared], help="store a review")
    command.add_argument("ids", nargs="+", metavar="ID", help="as printed by review")
    command.add_argument("mark", choices=MARKS)
    command.add_argument("sentence", help="why")
    command.set_defaults(run=run_mark)

    command = commands.add_parser("summary", parents=[shared], help="exit 1 above 5 %% false alarms")
    command.set_defaults(run=run_summary)
    return parser


def run_fetch(options: argparse.Namespace) -> int:
    for package in load_packages(options.packages):
        print(f"{package.requirement}: {fetch(package, options.cache)}")
    return 0


def run_lint(options: argparse.Namespace) -> int:
    packages = load_packages(options.packages)
    findings, failed = lint_all(packages, options.cache)
    save_findings(options.cache / LAST_RUN, findings)
    reviews = load_reviews(options.snapshot)
    names = [package.name for package in packages]
    changes = compare(findings, reviews, names)
    for finding in changes.unreviewed:
        print(f"new  {headline(finding)}")
    for review in changes.gone:
        print(f"gone {headline(review.finding)} [{review.mark}: {review.sentence}]")
    if options.update:
        save_reviews(options.snapshot, refresh(findings, reviews, names).values())
    print(f"{len(findings)} findings, {len(changes.unreviewed)} without a review, {len(changes.gone)} gone")
    return 2 if failed else int(bool(changes.unreviewed))


def run_review(options: argparse.Namespace) -> int:
    names = {package.name for package in load_packages(options.packages)}
    folders = {package.name: package.folder(options.cache) for package in load_packages(sorted(names))}
    waiting = [
        finding
        for finding in compare(_last_run(options.cache), load_reviews(options.snapshot), ()).unreviewed
        if finding.package in names and options.code in (None, finding.code)
    ]
    return show(waiting, folders, options)


def _last_run(cache: Path) -> list[Seen]:
    return load_findings(cache / LAST_RUN, "corpus.py lint")


def run_mark(options: argparse.Namespace) -> int:
    reviews = load_reviews(options.snapshot)
    known = {review.finding.id: review.finding for review in reviews.values()}
    known |= {finding.id: finding for finding in _last_run(options.cache)}
    return store_mark(options, options.snapshot, reviews, known)


def run_summary(options: argparse.Namespace) -> int:
    reviews = list(load_reviews(options.snapshot).values())
    print(table("package", [(review.finding.package, review.mark) for review in reviews]))
    print(table("rule", [(review.finding.code, review.mark) for review in reviews]))
    print(table("confidence", [(review.finding.confidence, review.mark) for review in reviews]))
    share = false_alarm_share(reviews)
    print(f"{len(reviews)} findings reviewed; false alarms among likely or better: {share:.1%}")
    return int(share > MOST_FALSE_ALARMS)


def table(title: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Return counts of marks, one line for each group.

    Args:
        title: what the groups are.
        pairs: the group and the mark of each review.
    """
    counts = Counter(pairs)
    lines = [f"{title:14}" + "".join(f"{mark:>13}" for mark in MARKS)]
    for group in sorted({group for group, _ in counts}):
        lines.append(f"{group:14}" + "".join(f"{counts[group, mark]:13}" for mark in MARKS))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
