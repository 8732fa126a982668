"""The effects of all public functions of a package, each under its import names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.deriving.effects import Effect, Undecided, effect, is_abstract, returned
from olympus_rules.deriving.package import STEPS, Module, Package, definition, exports, public_names
from olympus_rules.keyflow.domain.summary import RECEIVER
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Function, Library, Mapped, Partial, Value
from olympus_rules.keyflow.linking.analysis import Analysis
from olympus_rules.keyflow.linking.driver import RECURSION_LIMIT
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.libraries import LibraryFunction
from olympus_rules.syntax.text import decode

HELD = (Function, Library, Mapped, Partial)  # the callable values of a variable


@dataclass(slots=True)
class Derived:
    """The rows derived from a package.

    Attributes:
        functions: the rows of its functions and classes, in the order of their names.
        methods: the rows of its methods by name.
        returns: functions that return a function with a row, by the name of that row.
        undecided: names of functions without a row, with the reason.
        broken: files that cannot be analysed, with the cause.
    """

    functions: list[LibraryFunction]
    methods: list[LibraryFunction]
    returns: dict[str, str]
    undecided: dict[str, str]
    broken: dict[str, str]


@dataclass(slots=True)
class Derivation:
    """Analyses the modules of a package one after the other.

    Attributes:
        package: the package.
        project: analyses it; its table lacks the rows that packs have for the package itself.
        modules: the names that each module offers, by its qualified name.
        effects: the effects of functions, and of classes by their constructors, by the name of the definition.
        methods: the effects of methods, by the method's name and the qualified name of the class.
        returned: the name and the row of the functions that functions make and return.
        held: functions that variables of modules hold, and whether some of their arguments are bound; constructors
            that classes inherit from other files.
        broken: files that cannot be analysed, with the cause.
    """

    package: Package
    project: Project
    modules: dict[str, Module] = field(default_factory=dict)
    effects: dict[str, Effect] = field(default_factory=dict)
    methods: dict[str, dict[str, Effect]] = field(default_factory=dict)
    returned: dict[str, tuple[str, LibraryFunction]] = field(default_factory=dict)
    held: dict[str, tuple[str, bool]] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def analyse(self) -> Iterator[str]:
        """Analyse one module after the other, and return the name of each as it is done."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
        try:
            for name, path in self.package.files.items():
                try:
                    document = self.project.document(str(path), decode(path.read_bytes()))
                    self._read(name, self.project.analysis(document))
                except Exception as error:  # a failure in one file does not stop the others
                    self.broken[str(path)] = " ".join(f"{type(error).__name__}: {error}".split())
                    self.project.reset()
                self.project.trim()
                yield name
        finally:
            sys.setrecursionlimit(limit)

    def _read(self, name: str, analysis: Analysis) -> None:
        analysis.summariser.summary(analysis.file.module)
        module, variables = analysis.file.module, analysis.file.environments[analysis.file.module]
        is_package = analysis.document.path.endswith("__init__.py")
        shown = Module(name, is_package, exports(analysis.document.tree), imported=module.imported, stars=module.stars)
        for bound in dict.fromkeys((*module.definitions, *sorted(module.bound_once))):
            code = module.definitions.get(bound)
            if "." in bound:
                continue  # a method, which comes with its class
            if isinstance(code, FunctionCode):
                self._read_function(f"{name}.{bound}", analysis, code)
            elif isinstance(code, ClassCode):
                self._read_class(f"{name}.{bound}", analysis, code)
            elif bound not in module.imported and isinstance(held := variables.get(bound), HELD):
                self._read_held(f"{name}.{bound}", analysis, held)
            else:
                continue
            shown.defined.append(bound)
        self.modules[name] = shown

    def _read_function(self, name: str, analysis: Analysis, code: FunctionCode) -> None:
        value = analysis.file.function(code)
        value = Function(code, doubtful=True) if isinstance(value, Term) else value
        self.effects[name] = effect(analysis, value)
        made = returned(analysis, value) if self.effects[name] is None else None
        if made is not None:
            self.returned[name] = made

    def _read_held(self, name: str, analysis: Analysis, held: Value) -> None:
        """Record a variable that holds a function, a mapped or compiled one, or a partial application of one."""
        is_partial = False
        while isinstance(held, Mapped | Partial):
            is_partial = is_partial or isinstance(held, Partial)
            held = held.function
        if isinstance(held, Function):
            self.held[name] = held.code.home, is_partial
            self.effects[name] = effect(analysis, held)
        elif isinstance(held, Library):
            self.held[name] = held.qualified, is_partial

    def _held_effect(self, name: str, steps: int = STEPS) -> Effect:
        """Return the effect of a name: for a variable, that of the function that it holds."""
        found = self.effects.get(name)
        home, is_partial = self.held.get(name, ("", False))
        target = definition(self.modules, home) if home and found is None and steps else None
        if target is not None:
            found = self._held_effect(target, steps - 1)
        return Undecided("it is a partial application") if found is not None and is_partial else found

    def _read_class(self, name: str, analysis: Analysis, class_: ClassCode) -> None:
        constructor = analysis.hierarchy.method(class_, "__init__")
        self.effects[name] = None if constructor is None else effect(analysis, analysis.file.function(constructor))
        if constructor is not None and constructor.is_foreign:
            self.held[name] = constructor.home.partition(RECEIVER)[0].removesuffix(".__init__"), False
        for method, code in list(class_.methods.items()):
            if method.startswith("_") or not method.isidentifier() or code.is_property or is_abstract(code):
                continue
            found = effect(analysis, analysis.file.function(code))
            if code.kind in ("classmethod", "staticmethod"):
                self.effects[f"{name}.{method}"] = found
            elif found is not None:
                self.methods.setdefault(method, {})[name] = found

    def result(self) -> Derived:
        """Return the rows of all public names, once all modules are analysed."""
        functions: list[LibraryFunction] = []
        returns: dict[str, str] = {}
        undecided: dict[str, str] = {}
        self.effects |= {name: self._held_effect(name) for name in self.held}
        public = public_names(self.modules)
        names = {known: target for known, target in public.items() if target in self.effects}
        for known, target in public.items():
            within = f"{target}."
            names |= {known + name[len(target) :]: name for name in self.effects if name.startswith(within)}
        names |= {target: target for target in list(names.values())}
        for known, target in sorted(names.items()):
            found = self.effects[target]
            if isinstance(found, LibraryFunction):
                functions.append(replace(found, qualified=known))
            elif found is not None:
                undecided[known] = found.reason
            elif target in self.returned:
                inner, row = self.returned[target]
                functions.append(replace(row, qualified=f"{known}.{inner}"))
                returns[f"{known}.{inner}"] = known
        methods: list[LibraryFunction] = []
        for name, by_class in sorted(self.methods.items()):
            if by_class.keys().isdisjoint(public.values()):
                continue
            merged = one_row(list(by_class.values()))
            if isinstance(merged, LibraryFunction):
                methods.append(replace(merged, qualified=name, method=True))
            else:
                undecided[f"method {name}"] = merged.reason
        return Derived(functions, methods, returns, undecided, self.broken)


def one_row(effects: list[Effect]) -> LibraryFunction | Undecided:
    """Return the row of all methods of one name, if they take and return keys in the same way."""
    rows = [found for found in effects if isinstance(found, LibraryFunction)]
    undecided = [found for found in effects if isinstance(found, Undecided)]
    if undecided:
        return undecided[0]
    first = rows[0]
    if first.seed or first.derive or any(_keys(row) != _keys(first) for row in rows):
        return Undecided(
            "its row would be one of functions only" if first.seed or first.derive else "methods of this name differ"
        )
    shared = next(
        (n for n, names in enumerate(zip(*(row.parameters for row in rows), strict=False)) if len(set(names)) > 1),
        min(len(row.parameters) for row in rows),
    )
    named = _named(first)
    if named.intersection(first.parameters[shared:]):
        return Undecided("methods of this name differ")
    keywords = dict.fromkeys(name for row in rows for name in row.keywords if name in named)
    return replace(first, parameters=first.parameters[:shared], keywords=tuple(keywords))


def _named(row: LibraryFunction) -> frozenset[str]:
    """Return the parameters that take keys."""
    return frozenset((*row.sinks, *row.folds, *row.inspects, *row.forwards))


def _keys(row: LibraryFunction) -> tuple[object, ...]:
    """Return the parts of a row that concern keys: positions, names and fields."""
    fields = (row.sinks, row.folds, row.inspects, row.forwards, row.seeds)
    places = tuple((place, name) for place, name in enumerate(row.parameters) if name in _named(row))
    return places, *map(frozenset, fields), row.makes, row.seed, row.derive
