"""Whether an expression that is evaluated twice surely has one value.

An attribute is read by code if it is a property, a descriptor or made by ``__getattr__``, and an item with a name by
``__getitem__``: each read may advance a stream. Of an object of a known class this is seen; of any other object only
its use as a record, or as a dictionary, shows that it is one.
"""

from __future__ import annotations

from collections.abc import Iterator

from olympus_rules.code.instructions import ClassCode
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.summary import SAME_EACH_TIME
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Library, Map
from olympus_rules.libraries.names import IMMUTABLE_BASES


def is_steady(file: File, term: Term) -> bool:
    """Return whether nothing out of sight can give a term another value the next time."""
    return all(_is_plain(file, part) for part in _parts(file, term))


def may_be_computed(file: File, term: Term) -> bool:
    """Return whether code out of sight may compute an attribute in a term, of an object whose class is known."""
    attributes = (part for part in _parts(file, term) if file.terms.operation(part) == "attr")
    return any(class_of(file, file.terms.args(part)[0]) and not _is_plain(file, part) for part in attributes)


def is_immutable(file: File, class_: ClassCode) -> bool:
    """Return whether the objects of a class cannot be written to, as its bases say."""
    hierarchy = file.linker.hierarchy
    bases = (base for each in hierarchy.ancestry(class_) for base in hierarchy.bases.get(each, ()))
    return any(isinstance(base, Library) and base.qualified in IMMUTABLE_BASES for base in bases)


def _parts(file: File, term: Term) -> Iterator[Term]:
    """Return the terms that a term is computed from anew each time, each once."""
    seen = {term}
    waiting = [term]
    while waiting:
        part = waiting.pop()
        yield part
        if file.terms.operation(part) in SAME_EACH_TIME or file.terms.operation(part) == "op":
            fresh = set(file.terms.args(part)) - seen
            seen |= fresh
            waiting += fresh


def _is_plain(file: File, term: Term) -> bool:
    """Return whether the outermost operation of a term gives the same for the same operands."""
    terms = file.terms
    if terms.operation(term) == "free" and terms.data(term)[0] is file.module:
        return not file.binds_by_name
    if terms.operation(term) == "item":
        owner, index = terms.args(term)
        return not isinstance(terms.constant(index), str) or owner in file.plain or _is_display(file, owner)
    if terms.operation(term) != "attr":
        return True
    owner, name = terms.args(term)[0], terms.data(term)[0]
    if name in file.shared:
        return False
    class_ = class_of(file, owner)
    return owner in file.plain if class_ is None else not file.linker.hierarchy.may_compute(class_, name)


def _is_display(file: File, term: Term) -> bool:
    """Return whether a variable of an enclosing scope is bound to a dictionary there."""
    if file.terms.operation(term) != "free":
        return False
    scope, name = file.terms.data(term)
    return scope in file.environments and isinstance(file.environments[scope].get(name), Map)
