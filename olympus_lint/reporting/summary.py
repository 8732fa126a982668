"""The lines after the findings: how many there are, how many can be fixed, and which were."""

from __future__ import annotations

import json
from collections import Counter

from olympus_lint.reporting.phrases import count, left_out
from olympus_lint.reporting.results import RunResult, can_fix, is_unsettled
from olympus_rules.rules import all_rules


def summary(run: RunResult) -> str:
    """Return the number of findings, of fixes, of possible fixes and of findings not shown, one sentence a line."""
    quiet = left_out(run.quiet)
    return f"{counted(run)}{quiet}\n" if quiet else counted(run)


def counted(run: RunResult) -> str:
    """Return the number of findings, of fixes and of possible fixes."""
    findings, fixed = len(run.findings), run.fixes.total()
    newer = len({error.filename for error in run.errors if error.is_newer})
    others = sum(not error.is_newer for error in run.errors)
    said = [count(others, "error")] if others else []
    said += [f"{count(newer, 'file')} of a newer Python not checked"] if newer else []
    errors = f" ({', '.join(said)})" if said else ""
    if not findings and not fixed:
        return f"Nothing found{errors}.\n" if errors else "All checks passed!\n"
    left = f" ({fixed} fixed, {findings} remaining)" if fixed else ""
    return f"Found {count(findings + fixed, 'finding')}{left}{errors}.\n{fixable(run)}"


def fixable(run: RunResult) -> str:
    """Return the lines about fixes that an option would apply; empty if there are none."""
    now = sum(can_fix(finding, unsafe=run.unsafe) for finding in run.findings)
    unsettled = 0 if run.unsafe else sum(map(is_unsettled, run.findings))
    hidden = sum(can_fix(finding, unsafe=True) for finding in run.findings) - now - unsettled
    lines = [f"[*] {now} fixable with the `--fix` option"] if now else []
    lines += [f"[?] {unsettled} fixable with the `--fix` option where that is safe"] if unsettled else []
    if not lines:
        return f"No safe fixes ({hidden} available with `--unsafe-fixes`).\n" if hidden else ""
    more = f" ({hidden} more with `--unsafe-fixes`)" if hidden else ""
    return ".\n".join(lines) + f"{more}.\n"


def fixes_list(run: RunResult) -> str:
    """Return the applied fixes, by file and rule."""
    lines = [f"Fixed {count(run.fixes.total(), 'finding')}:\n"] if run.fixes else []
    for file in run.files:
        if file.fixes:
            lines.append(f"- {file.filename}:\n")
            lines += [
                f"    {number} × {code} ({all_rules()[code].name})\n" for code, number in sorted(file.fixes.items())
            ]
    return "".join(lines)


def statistics(run: RunResult) -> list[dict[str, str | int]]:
    """Return a row for each rule with findings, the most frequent first."""
    found = Counter(finding.code for finding in run.findings)
    fixes = Counter(finding.code for finding in run.findings if can_fix(finding, unsafe=run.unsafe))
    rows = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [
        {"code": code, "name": all_rules()[code].name, "count": number, "fixable": fixes[code]} for code, number in rows
    ]


def statistics_table(run: RunResult) -> str:
    """Return the number of findings of each rule as a table; ``[*]`` marks rules with fixes."""
    rows = statistics(run)
    width = max((len(str(row["count"])) for row in rows), default=0)
    lines = (
        f"{row['count']:>{width}}  {row['code']}  {'[*]' if row['fixable'] else '[ ]'} {row['name']}\n" for row in rows
    )
    return "".join(lines)


def statistics_json(run: RunResult) -> str:
    """Return the number of findings and of fixes of each rule as a JSON array."""
    return json.dumps(statistics(run), indent=2) + "\n"
