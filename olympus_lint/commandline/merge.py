"""``--merge``: the JSON reports of several runs, such as those of shards, as one report."""

from __future__ import annotations

import json
from argparse import Namespace
from functools import partial
from pathlib import Path

from olympus_lint.commandline.check import configuration_of, finish, options_over
from olympus_lint.project.settings import SettingsError
from olympus_lint.reporting.objects import result_of
from olympus_lint.reporting.results import FileResult, RunResult, shown_lines
from olympus_rules.rules import all_rules


def merge(args: Namespace) -> int:
    """Report the findings of the reports that the paths name; return the exit status.

    A finding that several reports have is told once, and so are those of a test that are not shown. The lines of the
    sources are shown where the files are here.

    Raises:
        SettingsError: a path is no report of the format ``json`` or ``json-lines``.
    """
    settings = configuration_of(args, options_over(args)).at(Path.cwd())
    told = [result for path in args.paths for result in read_report(path)]
    names = sorted({result.filename for result in told})
    files = {name: FileResult(name, later=partial(shown_lines, name, settings.kind_of(name))) for name in names}
    for finding in dict.fromkeys(finding for result in told for finding in result.findings):
        files[finding.filename].findings.append(finding)
    for result in told:
        files[result.filename].quiet = max(files[result.filename].quiet, result.quiet)
    return finish(RunResult(list(files.values()), unsafe=settings.unsafe_fixes), args, settings)


def read_report(path: str) -> list[FileResult]:
    """Return what a report says of files, one object after the other.

    Raises:
        SettingsError: it cannot be read, or is none.
    """
    try:
        text = Path(path).read_text("utf-8")
        objects = json.loads(text) if text.lstrip().startswith("[") else map(json.loads, text.splitlines())
        found = [result_of(each) for each in objects]
        codes = (finding.code for result in found for finding in result.findings)
        unknown = next((code for code in codes if code not in all_rules()), None)
        if unknown is not None:
            raise ValueError(f"no rule has the code {unknown!r}")
        return found
    except OSError as error:
        raise SettingsError(f"--merge: {path} cannot be read ({error.strerror}); name a report.") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        said = "it nests too deeply" if isinstance(error, RecursionError) else error
        cause = f"{path} is not a report of `--output-format json` or `json-lines` ({said})"
        raise SettingsError(f"--merge: {cause}; name a report.") from None
