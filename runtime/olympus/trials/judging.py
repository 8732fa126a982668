"""Judge the findings of a file by tracing the functions that they are in."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from olympus.trials.limits import Expired, limited
from olympus.trials.modules import Elsewhere, first_line, import_failed, imported, quiet
from olympus.trials.search import Hints, Search
from olympus.trials.subject import Unfit, steps
from olympus.verdicts.question import Question, Verdict, too_long
from olympus.witness.answer import by_function

SECONDS = 30.0  # for an import, if nobody says otherwise

LOADED: dict[tuple[str, str], ModuleType | str] = {}
"""The files that were imported, by path and module, or why that was not possible."""


def answer(
    file: str, module: str, folders: Sequence[Path], questions: Sequence[Question], hints: Hints
) -> list[Verdict]:
    """Judge the findings of one file by the functions that they are in: imports the file, which executes it.

    Args:
        file: the path of the file, as the questions have it.
        module: the name under which it is imported.
        folders: where the modules of its project are looked for.
        questions: the findings.
        hints: arguments for functions, as in ``{"pkg.mod:function": {"args": ["key", "f32[3,4]"]}}``; those of other
            modules are passed over.
    """
    try:
        text = Path(file).read_text("utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError) as error:
        return [_unreached(f"the file cannot be read: {first_line(error)}")] * len(questions)
    with quiet(file):
        found = loaded(file, module, folders)
        if isinstance(found, str):
            return [_unreached(found)] * len(questions)
        return judged(found, module, tree, questions, hints)


def judged(
    found: ModuleType, module: str, tree: ast.Module, questions: Sequence[Question], hints: Hints
) -> list[Verdict]:
    """Judge the findings of one file by the functions of a module.

    Args:
        found: the module.
        module: the name that hints have for it.
        tree: the source.
        questions: the findings.
        hints: arguments for functions.
    """
    own = {name.partition(":")[2]: hint for name, hint in hints.items() if name.partition(":")[0] == module}
    verdicts: dict[int, Verdict] = {}
    for function, indices in by_function(tree, questions).items():
        asked = [questions[index] for index in indices]
        verdicts.update(zip(indices, _of_function(found, function, asked, own), strict=True))
    return [verdicts[index] for index in range(len(questions))]


def _unreached(reason: str) -> Verdict:
    return Verdict("not reached", "function", reason)


def loaded(file: str, module: str, folders: Sequence[Path], seconds: float = SECONDS) -> ModuleType | str:
    """Import a file; return why if that fails. It is tried once: what an import does, it would do again.

    Args:
        file: the path of the file.
        module: the name under which it is imported.
        folders: where the modules of its project are looked for.
        seconds: after how much time to give up.
    """
    if (file, module) not in LOADED:
        try:
            with quiet(file), limited(seconds, again=1.0):
                LOADED[file, module] = imported(Path(file), module, folders)
        except Elsewhere as error:
            LOADED[file, module] = str(error)
        except SystemExit:
            LOADED[file, module] = f"importing {module} ended the program"
        except Expired:
            LOADED[file, module] = f"importing {module} {too_long(seconds)}"
        except BaseException as error:
            LOADED[file, module] = import_failed(module, error)
    return LOADED[file, module]


def _of_function(module: ModuleType, function: str, questions: Sequence[Question], own: Hints) -> list[Verdict]:
    """Judge the findings in one function."""
    if not function:
        reason = "it is not in a function, and what a module itself does happens at its import"
        return [_unreached(reason)] * len(questions)
    try:
        return Search(vars(module), questions, own).verdicts(steps(module, function))
    except Unfit as error:
        return [_unreached(str(error))] * len(questions)
