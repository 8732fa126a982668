"""Annotations that describe the words of a key: jaxtyping's ``UInt32[Array, "2"]`` where the value is a key."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.facts import Fact, Reference
from olympus_rules.libraries.names import JAXTYPING

DTYPES = {f"{JAXTYPING}.{name}" for name in ("UInt32", "UInt", "Int", "Integer", "Num", "Shaped")}
WORDS = ("2", "4")
TYPED = ("Key", "PRNGKeyArray")


def word_annotations(file: File) -> Iterator[Fact]:
    """Return the annotations that describe words where the parameter or result of a function is a key."""
    if "jaxtyping" not in file.imported:
        return
    for (code, given), run in file.runs.items():
        if not given and isinstance(code.node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _of_function(file, run, code.node)


def _of_function(file: File, run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Fact]:
    terms = run.terms
    for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        if argument.annotation is not None:
            term = terms.make("param", (run.code, argument.arg))
            yield from _checked(file, run, argument.annotation, [term], argument.arg)
    if node.returns is not None and run.events.returns:
        results = [value for _, value in run.events.returns]
        if all(isinstance(value, Term) for value in results):
            yield from _checked(file, run, node.returns, [term for value in results for term in leaves(value)], "")


def _checked(file: File, run: Run, annotation: ast.expr, terms: list[Term], name: str) -> Iterator[Fact]:
    """Return a fact for each description of words in the annotation of values that are all known keys."""
    knowledge = run.knowledge
    if not terms or not all(knowledge.is_known(term) for term in terms):
        return
    parts = list(ast.walk(annotation))
    if any(isinstance(part, ast.Name | ast.Attribute) and dotted_name(part).endswith(TYPED) for part in parts):
        return  # the code handles both kinds
    for part in parts:
        match part:
            case ast.Subscript(value=dtype, slice=ast.Tuple(elts=[_, ast.Constant(value=str(shape))])):
                qualified = file.document.imports.resolve(dotted_name(dtype)) or ""
                if qualified in DTYPES and shape.split()[-1:] and shape.split()[-1] in WORDS:
                    by_source = all(term in knowledge.origins for term in terms)
                    yield Reference(
                        node=part,
                        confidence=Confidence.CERTAIN if by_source else Confidence.LIKELY,
                        key=name,
                        qualified=qualified,
                        context="words",
                    )
