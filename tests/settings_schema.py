"""The JSON Schema of the settings, in the form that SchemaStore takes: written by ``python -m tests.tables``.

It describes the table ``tool.olympus-lint`` of a ``pyproject.toml``, and an ``olympus-lint.toml``. The names and types
are those of the settings' readers; the descriptions, defaults and examples stand on the page of the settings.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from olympus_lint.files.kinds import KINDS
from olympus_lint.project import settings
from olympus_lint.project.configuration import EXTEND
from olympus_lint.project.paths import LONGEST
from olympus_lint.project.settings import READERS
from olympus_lint.reporting.formats import format_names
from olympus_rules.finding import Confidence
from olympus_rules.rules import all_rules

ROOT = Path(__file__).parents[1]
FILE = ROOT / "olympus_lint" / "project" / "schema.json"
PAGE = "https://github.com/olympus-lint/olympus-lint/blob/main/docs/settings.md"
SECTION = re.compile(r"^### `([\w-]+)`\n\n(.+?)\n\n(.+?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")

Schema = dict[str, Any]


def array(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def of(name: str) -> Schema:
    """Return the schema that a definition names."""
    return {"$ref": f"#/definitions/{name}"}


PATH: Schema = {"type": "string", "minLength": 1}
BY_READER: Mapping[object, Schema] = {
    settings.read_bool: {"type": "boolean"},
    settings.read_selectors: array(of("selector")),
    settings.read_patterns: array(of("pattern")),
    settings.read_ignores: {"type": "object", "additionalProperties": array(of("selector"))},
    settings.read_extension: array({"type": "string", "pattern": f"^[^:]+(:({'|'.join(KINDS)}))?$"}),
    settings.read_roots: array({"type": "string", "pattern": r"^[^\s.]+(\.[^\s.]+)*$"}),
    settings.read_packs: array(PATH),
    settings.read_confidence: {"enum": [level.label for level in Confidence]},
    settings.read_version: {"type": "string", "pattern": r"^\d+(\.\d+)*$"},
    settings.read_traced: {
        "type": "object",
        "propertyNames": {"pattern": r"^[^:\s]+:[^:\s]+$"},
        "additionalProperties": of("traced"),
    },
}
BY_NAME: Mapping[str, Schema] = {
    "tests": {"enum": list(settings.PRESETS)},
    "output_format": {"enum": format_names()},
    "cache_dir": PATH,
    "baseline": PATH,
}


def definitions() -> dict[str, Schema]:
    """Return what several settings have in common."""
    codes = list(all_rules())
    groups = sorted({code[:length] for code in codes for length in (3, 4, 5)})
    names = [rule.name for rule in all_rules().values()]
    texts = {"type": "string"}
    return {
        "selector": {
            "description": "A code, a prefix of codes, a name, or ALL.",
            "enum": ["ALL", *groups, *codes, *names],
        },
        "pattern": {
            "description": "A name, or with a slash a path from the folder of this file; * matches slashes, too.",
            "type": "string",
            "maxLength": LONGEST,
        },
        "traced": {
            "description": "The arguments with which a function is traced.",
            "type": "object",
            "additionalProperties": False,
            "required": ["args"],
            "properties": {"args": {"anyOf": [array(texts), {"type": "object", "additionalProperties": texts}]}},
        },
    }


def documented(name: str, about: str, rest: str) -> Schema:
    """Return what the page says of a setting: its meaning, its default, an example, and where it stands."""
    plain = LINK.sub(r"\1", " ".join(about.split())).removesuffix(":")
    told: Schema = {"description": f"{plain}\n{PAGE}#{name}"}
    default = re.search(r"^- Default: `(.+)`$", rest, re.MULTILINE)
    if default is not None:
        told["default"] = tomllib.loads(f"value = {default[1]}")["value"]
    example = re.search(r"```toml\n(.+?)```", rest, re.DOTALL)
    if example is not None:
        told["examples"] = [tomllib.loads(example[1])["tool"]["olympus-lint"][name]]
    return told


def schema() -> Schema:
    """Return the schema."""
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    told = {name: documented(name, about, rest) for name, about, rest in SECTION.findall(page)}
    extend = "Another settings file, whose settings hold where this one says nothing."
    properties: dict[str, Schema] = {EXTEND: {**PATH, "description": f"{extend}\n{PAGE}"}}
    for name, reader in READERS.items():
        key = name.replace("_", "-")
        properties[key] = {**(BY_NAME.get(name) or BY_READER[reader]), **told[key]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://www.schemastore.org/olympus-lint.json",
        "title": "Settings of olympus-lint",
        "description": f"olympus-lint finds misuse of the random keys of JAX, and fixes it.\n{PAGE}",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "definitions": definitions(),
    }


def text() -> str:
    """Return the file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
