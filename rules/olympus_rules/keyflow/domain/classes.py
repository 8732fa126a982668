"""The classes of objects, as far as their makers, annotations and declarations say."""

from __future__ import annotations

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.linker import NOTHING, Held
from olympus_rules.keyflow.domain.terms import CHANGED, Term
from olympus_rules.keyflow.domain.values import Class, Library
from olympus_rules.syntax.project import in_project

MAX_DEPTH = 3  # of objects in objects: a class may hold objects of its own class


def class_of(file: File, term: Term) -> ClassCode | None:
    """Return the class of an object; the object may be one of a subclass unless ``file.classes`` has it."""
    found = file.classes.get(term) or file.annotated.get(term)
    if found is None and term not in file.held:
        file.held[term] = NOTHING  # until it is known
        held = file.held[term] = _held(file, term)
        if held.class_ is not None:
            (file.classes if held.is_made else file.annotated)[term] = held.class_
        if held.part is not None:
            file.annotated_parts[term] = held.part
        return held.class_
    return found


def _held(file: File, term: Term) -> Held:
    """Return what is known of an object by where it is held, or by what gave it."""
    terms = file.terms
    operation = terms.operation(term)
    if operation == "attr" and _depth(file, term) <= MAX_DEPTH:
        owner = class_of(file, terms.args(term)[0])
        held = NOTHING if owner is None else file.linker.objects.held(owner, terms.data(term)[0])
        return held._replace(is_made=held.is_made and terms.args(term)[0] in file.classes)  # or one of a subclass
    if operation == "copy":
        original = terms.args(term)[0]
        return Held(class_of(file, original), is_made=original in file.classes)
    if operation == "item":
        container = terms.args(term)[0]
        if terms.operation(container) == "op" and terms.data(container)[0] == CHANGED:  # it is of its type still
            container = terms.args(container)[0]
        class_of(file, container)
        return Held(file.annotated_parts.get(container))
    if operation == "param":
        return file.linker.objects.parameter(*terms.data(term))
    callee = file.given_by.get(term)
    return NOTHING if callee is None else file.linker.objects.result(callee)


def _depth(file: File, term: Term) -> int:
    """Return in how many objects an object is, one in the other."""
    return sum(file.terms.operation(each) == "attr" for each in (term, *file.terms.ancestors(term)))


def requires_value(file: File, code: FunctionCode, name: str) -> bool:
    """Return whether a parameter has no default, and is annotated with a class: ``rngs: Rngs`` is not ``None``.

    An alias may stand for an optional type.
    """
    head, dot, rest = code.required_type(name).partition(".")
    type_ = file.linker.names.value_in(code.parent, head) if head else None
    if isinstance(type_, Library) and in_project(file.document.roots, type_.qualified):
        type_ = file.linker.lookups.outside(type_.qualified + dot + rest, concerned=True)
    return isinstance(type_, Class | Library)
