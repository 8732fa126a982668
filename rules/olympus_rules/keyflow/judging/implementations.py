"""The choice of a generator for a whole program, found by name, and raw keys, which do not record theirs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import Certainty
from olympus_rules.keyflow.facts import Fact, GlobalImplementation, KeyKind, Place
from olympus_rules.keyflow.notes.generators import implementation
from olympus_rules.keyflow.notes.pending import spelled
from olympus_rules.libraries.names import CONFIG, CONFIG_UPDATES
from olympus_rules.syntax.document import nodes_in

SETTINGS = {"jax_default_prng_impl": "default", "jax_enable_custom_prng": "custom"}
DEFAULT = "threefry2x32"


def implementations(file: File) -> Iterator[Fact]:
    """Return the global settings of the file, and the raw keys of non-default generators that its calls take."""
    text = file.document.text
    settings = "default_prng_impl" in text or "enable_custom_prng" in text
    if settings or "PRNG_IMPL" in text or "CUSTOM_PRNG" in text:
        yield from _settings(file)
    if not settings and "impl=" in text:
        yield from _raw_keys(file)


def _settings(file: File) -> Iterator[Fact]:
    for node in nodes_in(file.document.tree):
        found = _setting(file, node)
        if found is not None:
            form, setting = found
            assert isinstance(node, ast.expr | ast.stmt)
            yield GlobalImplementation(node=node, confidence=Confidence.CERTAIN, form=form, setting=setting)


def _setting(file: File, node: ast.AST) -> tuple[str, str] | None:
    """Return the form and the name of the setting that a node changes from JAX's default."""
    match node:
        case ast.Call(args=[_, ast.Constant(value="threefry2x32" | False)]):
            return None
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), _]):
            if name in SETTINGS and _resolved(file, function) in CONFIG_UPDATES:
                return SETTINGS[name], name
            if name.lower() in SETTINGS and _resolved(file, function) == "os.environ.setdefault":
                return SETTINGS[name.lower()], name
        case ast.Assign(targets=[ast.Subscript(value=environment, slice=ast.Constant(value=str(name)))]):
            if name.lower() in SETTINGS and _resolved(file, environment) == "os.environ":
                return SETTINGS[name.lower()], name
        case ast.Assign(targets=[ast.Attribute(attr=name) as target]):
            if name in SETTINGS and _resolved(file, target.value) == CONFIG:
                return SETTINGS[name], name
    return None


def _resolved(file: File, node: ast.expr) -> str:
    """Return the qualified name of an expression, empty when no import binds it."""
    qualified = file.document.imports.resolve(dotted_name(node))
    return file.linker.names.library(qualified).qualified if qualified else ""


def _raw_keys(file: File) -> Iterator[Fact]:
    """Return the raw keys that are made with a named generator and used as keys of the default one."""
    made = {
        term: (call, generator)
        for function, term in file.constructed.items()
        if isinstance(call := file.document.parents.get(function), ast.Call)
        and file.knowledge.kind(term) is KeyKind.RAW
        and (generator := implementation(call)) not in (None, DEFAULT)
    }
    for run in file.runs.values() if made else ():
        for use in run.ledger.consumptions:
            call, generator = made.get(file.terms.seed_of(use.term), (None, None))
            if call is not None and generator is not None and use.certainty == Certainty.KNOWN:
                yield GlobalImplementation(
                    node=call,
                    confidence=Confidence.LIKELY,  # another file, or the environment, may choose the same one
                    key=spelled(use.key) if use.key is not None else "",
                    kind=KeyKind.RAW,
                    form="raw-key",
                    setting=generator,
                    used=Place(use.node, use.what, use.key),
                )
