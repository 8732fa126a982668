"""A derived signature pack as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterable

from olympus_rules.deriving.derive import Derived
from olympus_rules.deriving.package import Package
from olympus_rules.libraries import LibraryFunction

WIDTH = 120
LISTS = ("parameters", "keywords", "sinks", "folds", "inspects", "forwards", "seeds")
WORDS = ("derive", "seed", "makes")

HEAD = """\
# What the functions of {name} {version} do with random keys, derived from their source by
# `olympus-lint --derive-pack {name}`. To use it, name the file in the settings:
#
#     [tool.olympus-lint]
#     signature-packs = ["{name}.toml"]
#
# Rows may be corrected by hand; docs/signature-packs.md explains the format.

roots = ["{name}"]
"""


def pack_text(package: Package, derived: Derived) -> str:
    """Return the text of a pack's file.

    Args:
        package: the package that it describes.
        derived: the rows derived from it.
    """
    parts = [HEAD.format(name=package.name, version=package.version or "(of unknown version)")]
    parts += [_row("functions", row) for row in derived.functions]
    parts += [_row("methods", row) for row in derived.methods]
    if derived.returns:
        lines = (f"{json.dumps(row)} = {json.dumps([name])}\n" for row, name in derived.returns.items())
        parts.append("".join(("[returns]\n", *lines)))
    if derived.undecided:
        reasons = (f"{name}: {reason}" for name, reason in derived.undecided.items())
        parts.append(_comment("Without a row, because what they do with keys cannot be told or written here:", reasons))
    if derived.broken:
        files = (f"{name}: {cause}" for name, cause in derived.broken.items())
        parts.append(_comment("Left out, because they cannot be analysed:", files))
    return "\n".join(parts)


def _row(section: str, row: LibraryFunction) -> str:
    lines = [f"[{section}.{json.dumps(row.qualified) if '.' in row.qualified else row.qualified}]"]
    for field in LISTS:
        names = getattr(row, field)
        if names:
            lines.append(_list(field, names))
    lines += [f"{field} = {json.dumps(getattr(row, field))}" for field in WORDS if getattr(row, field)]
    return "\n".join(lines) + "\n"


def _list(field: str, names: tuple[str, ...]) -> str:
    line = f"{field} = {json.dumps(names, ensure_ascii=False)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{field} = [", *(f"  {json.dumps(name, ensure_ascii=False)}," for name in names), "]"])


def _comment(head: str, lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in (f"# {head}", "#", *(f"# {' '.join(line.split())}" for line in lines)))
