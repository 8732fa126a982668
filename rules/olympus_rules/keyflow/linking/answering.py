"""The answers of one file to the questions of others: what a name in it is, as a record."""

from __future__ import annotations

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.access import CALLABLE, is_constant, is_registry
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.linker import NOTHING, Held
from olympus_rules.keyflow.domain.summary import GENERAL, RECEIVER, Specialisation
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Bound, Class, Const, Function, Library, Mapped, Partial, Value
from olympus_rules.keyflow.interpret.defaults import supposed
from olympus_rules.keyflow.interpret.specialisation import receiver
from olympus_rules.keyflow.linking.analysis import Analysis
from olympus_rules.keyflow.linking.answers import Need
from olympus_rules.keyflow.linking.failures import Forgotten
from olympus_rules.keyflow.linking.objects import CALLED
from olympus_rules.keyflow.linking.records import Record, TooLarge, write, write_class
from olympus_rules.syntax.project import locate_name


def answer(analysis: Analysis, name: str, concerned: bool) -> Record | None:
    """Return a file's answer to others about a name in it; ``final`` is whether it can no longer change.

    Raises:
        Forgotten: the answer needs a function that was not interpreted, and whose body has been freed.
    """
    analysis.summariser.busy += 1
    try:
        analysis.prepare()
        file, module = analysis.file, analysis.file.module
        head, _, rest = name.partition(RECEIVER)[0].removesuffix(CALLED).partition(".")
        definition = module.definitions.get(head)
        if name.endswith(CALLED) and isinstance(definition, FunctionCode) and not rest:
            return _object(analysis, analysis.objects.result(Function(definition)))
        if isinstance(definition, ClassCode):
            return _of_class(analysis, definition, name, concerned)
        if head in module.imported:
            return {"alias": module.imported[head] + name[len(head) :]}
        if isinstance(definition, FunctionCode) and not rest:
            return _described(analysis, file.function(definition), concerned)
        held = file.environments[module].get(head) if head in module.bound_once else None
        if (isinstance(held, (*CALLABLE, Const)) or is_constant(held) or is_registry(held)) and not rest:
            return _described(analysis, held, concerned)
        if isinstance(held, Term) and rest and (record := _method(analysis, held, rest, concerned)) is not None:
            return record
        for qualified in (f"{star}.{name}" for star in module.stars):
            analysis.lookups.needs[Need("place", qualified)] = None
            if locate_name(analysis.document.roots, qualified) is not None or file.describes(qualified):
                return {"alias": qualified}
        return None
    finally:
        analysis.summariser.busy -= 1


def _of_class(analysis: Analysis, class_: ClassCode, name: str, concerned: bool) -> Record | None:
    """Return the answer about a class of the file, or about what it has under a name."""
    file, hierarchy = analysis.file, analysis.hierarchy
    plain, _, heir = name.partition(RECEIVER)
    rest = plain.partition(".")[2]
    if not rest.strip(CALLED):
        return {"class": write_class(file, analysis.pytrees, class_, has_arrays=analysis.arrays is not None)}
    method = hierarchy.method(class_, rest.removesuffix(CALLED))
    if method is not None and rest.endswith(CALLED):
        return _object(analysis, analysis.objects.result(Function(method), class_))
    if method is None:
        attribute, _, inner = rest.partition(".")
        overridden = hierarchy.method(class_, attribute) if inner else None
        if overridden is not None:
            return _object(analysis, analysis.objects.parameter(overridden, inner))
        library = hierarchy.namespace(class_, attribute)
        if library is None:
            return _object(analysis, analysis.objects.held(class_, rest))
        return {"alias": f"{library.qualified}.{inner}".rstrip(".")}
    function = file.function(method)
    if method.is_property:
        concerned = True  # a property is only asked for at a call site
    elif method.kind == "classmethod":
        function = Bound(function, Class(class_))
    if heir and method.is_foreign:
        return {"alias": f"{method.home.partition(RECEIVER)[0]}{RECEIVER}{heir}"}
    inheriting = hierarchy.known_class(Library(heir)) if heir else None
    given = GENERAL if inheriting is None else receiver(file, method, inheriting)
    return _described(analysis, function, concerned, given)


def _method(analysis: Analysis, instance: Term, name: str, concerned: bool) -> Record | None:
    """Return the record of a callable that an object of the file is given, or of its method, bound to it."""
    given = supposed(analysis.file, analysis.file.environments[analysis.file.module].get((instance, name, 0)))
    if given is not None:
        return _described(analysis, given, concerned)
    class_ = class_of(analysis.file, instance)
    method = None if class_ is None else analysis.hierarchy.method(class_, name)
    if method is None or method.kind != "method":
        return None
    return _described(analysis, Bound(analysis.file.function(method), instance), concerned)


def _object(analysis: Analysis, held: Held) -> Record | None:
    """Return the record of an object of which the class is known, or that of its elements."""
    if held == NOTHING:
        return None
    term = analysis.file.terms.fresh()
    if held.class_ is not None:
        analysis.file.classes[term] = held.class_
    if held.part is not None:
        analysis.file.annotated_parts[term] = held.part
    analysis.file.held[term] = held
    return write(analysis.file, term) | {"final": True}


def _described(analysis: Analysis, value: Value, concerned: bool, given: Specialisation = GENERAL) -> Record | None:
    """Return the record of a value, unless it is a function that is not worth interpreting."""
    function = value
    while isinstance(function, Bound | Mapped | Partial):
        function = function.function
    if isinstance(function, Function) and not function.code.is_foreign:
        if function.code in analysis.file.idle and not concerned:
            return None
        if analysis.summariser.judged and (function.code, given) not in analysis.file.summaries:
            raise Forgotten
    function = value.function if isinstance(value, Bound) else value
    if isinstance(function, Function):
        reached = analysis.lookups.reach(function, concerned=concerned)
        if reached is None or (function.code in analysis.file.idle and not concerned):
            return None
        value = Bound(reached, value.self) if isinstance(value, Bound) else reached
    try:
        record = write(analysis.file, value, given)
    except TooLarge:
        return None
    return record | {"final": analysis.summariser.is_final(value, given)}
