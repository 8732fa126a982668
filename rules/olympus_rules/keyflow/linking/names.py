"""What the names of one file stand for: definitions, imports, variables."""

from __future__ import annotations

import builtins

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.access import CALLABLE, is_constant, is_registry
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import UNBOUND, Class, Const, Library, Value
from olympus_rules.keyflow.interpret.defaults import default_callable
from olympus_rules.keyflow.notes.pytrees import variable_class
from olympus_rules.libraries.names import canonical


class Names:
    """The names of one file."""

    def __init__(self, file: File, roots: tuple[str, ...], *, has_arrays: bool) -> None:
        """Take the tables of the file.

        Args:
            file: the file.
            roots: the names under which the JAX namespace may be imported.
            has_arrays: whether objects with ``__jax_array__`` are looked for.
        """
        self._file, self._linker, self._roots, self._has_arrays = file, file.linker, roots, has_arrays
        self._libraries: dict[str, Library] = {}
        self._variables: dict[str, ClassCode | None] = {}

    def library(self, qualified: str) -> Library:
        """Return the value of a qualified name; other roots of the JAX namespace are spelled ``jax``."""
        found = self._libraries.get(qualified)
        if found is None:
            found = self._libraries[qualified] = Library(canonical(qualified, self._roots))
        return found

    def outer_value(self, code: FunctionCode, name: str) -> Value:
        """Return the value of a name that a scope does not bind: a definition, an import or a variable."""
        return self.value_in(code.parent, name)

    def value_in(self, scope: FunctionCode | None, name: str) -> Value:
        """Return the value of a name in a scope, as another scope inside of it sees it."""
        while scope is not None:
            if name in scope.local_names:
                return self._defined(scope, name)
            scope = scope.parent
        for star in self._file.module.stars:
            qualified = self.library(f"{star}.{name}").qualified
            is_described = self._file.describes(qualified)
            if is_described or self._linker.lookups.outside(qualified, concerned=True) is not None:
                return Library(qualified)
        return Library(f"builtins.{name}" if hasattr(builtins, name) else f"{UNBOUND}.{name}")

    def variable(self, code: FunctionCode, name: str) -> Term | None:
        """Return the variable that a ``global`` or ``nonlocal`` name of a scope refers to."""
        scope = None if code.parent is None else code.parent.binder(name)
        return None if scope is None else self._file.terms.make("free", (scope, name))

    def _defined(self, scope: FunctionCode, name: str) -> Value:
        definition = scope.definitions.get(name)
        if isinstance(definition, FunctionCode):
            return self._file.function(definition)
        if isinstance(definition, ClassCode):
            return Class(definition)
        if name in scope.imported:
            return self.library(scope.imported[name])
        default = default_callable(self._file, scope, name) if name in scope.parameters else None
        if default is not None:
            return default
        is_local = name in scope.bound_once and name not in scope.parameters
        held = self._file.environments[scope].get(name) if is_local and scope in self._file.environments else None
        if isinstance(held, (*CALLABLE, Const)) or is_constant(held) or is_registry(held):
            return held
        term = self._file.terms.make("free", (scope, name))
        self._file.knowledge.name(term, name)
        if name in scope.parameters:
            self._captured_receiver(scope, name, term)
        elif isinstance(held, Term):
            if held in self._file.knowledge.origins:
                self._file.knowledge.origins.setdefault(term, self._file.knowledge.origins[held])
            if held in self._file.classes:
                self._file.classes.setdefault(term, self._file.classes[held])
        return term

    def _captured_receiver(self, scope: FunctionCode, name: str, term: Term) -> None:
        """Note the class of a method's object, which a function inside of the method reads."""
        is_receiver = scope.owner is not None and scope.parameters[:1] == (name,) and name in scope.bound_once
        if is_receiver and scope.owner is not None and scope.kind not in ("staticmethod", "classmethod"):
            self._file.classes.setdefault(term, scope.owner)

    def variable_class(self, qualified: str) -> ClassCode | None:
        """Return the class of a library's variables that stand for arrays, if the analysis looks for such objects."""
        if not self._has_arrays:
            return None
        if qualified not in self._variables:
            self._variables[qualified] = variable_class(qualified)
        return self._variables[qualified]
