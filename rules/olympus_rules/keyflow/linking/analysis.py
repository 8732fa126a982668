"""The analysis of one file: its parts, its own facts, and what of it is kept for the questions of other files."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from olympus_rules.code.instructions import Block, ClassCode, FunctionCode
from olympus_rules.code.lowering import lower_module, may_bind_globals
from olympus_rules.code.relevance import Texts, constructors, mentioning, relevant
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.places import NOWHERE
from olympus_rules.keyflow.domain.values import Bound, Function, Library, Mapped, Partial
from olympus_rules.keyflow.facts import Fact
from olympus_rules.keyflow.judging.order import unique
from olympus_rules.keyflow.linking.answers import Need
from olympus_rules.keyflow.linking.failures import contained
from olympus_rules.keyflow.linking.hierarchy import Hierarchy
from olympus_rules.keyflow.linking.judges import judged
from olympus_rules.keyflow.linking.lookups import Lookups
from olympus_rules.keyflow.linking.names import Names
from olympus_rules.keyflow.linking.objects import Objects
from olympus_rules.keyflow.linking.session import Session
from olympus_rules.keyflow.linking.summariser import Summariser
from olympus_rules.keyflow.notes.array_objects import ArrayObjects, array_names
from olympus_rules.keyflow.notes.pytrees import Pytrees
from olympus_rules.syntax import Document

EMPTY = ast.Module([], [])
EMPTY_BLOCK = Block()
EMPTY_CLASS = ast.ClassDef("", [], [], [], [])


class Analysis:
    """The analysis of one file.

    Attributes:
        document: the file.
        length: the characters of its text.
        session: what the files of a project share.
        file: the tables that its functions fill.
        hierarchy: the classes that the file sees, with their bases.
        objects: the objects that attributes hold and that functions give.
        pytrees: the traits of classes as pytrees.
        arrays: looks for objects with ``__jax_array__``, ``None`` if there are none.
        names: what the names of the file stand for.
        lookups: what the file asks of other files.
        summariser: interprets its functions.
    """

    def __init__(self, document: Document, session: Session) -> None:
        """Lower the file."""
        self.document, self.length, self.session = document, len(document.text), session
        module = lower_module(
            document.tree,
            module=document.module,
            is_package=document.is_package,
            has_globals=may_bind_globals(document.text),
            attached=document.attached,
        )
        places = session.places.get(document.path, NOWHERE).of(document.text)
        self.file = File(document, module, session.table, self, places)
        self.hierarchy, self.objects, self.pytrees = Hierarchy(self.file), Objects(self.file), Pytrees(self.file)
        names, asked = array_names(document, module.imported)
        self.arrays = None if names is None else ArrayObjects(self.file, self.pytrees, names)
        self.names = Names(self.file, session.roots, has_arrays=names is not None)
        packages = (name.partition(".")[0] for name in sorted({*module.imported.values(), *module.stars}))
        needs = [*(Need("project", name) for name in packages), *(Need("array", qualified) for qualified in asked)]
        self.lookups = Lookups(self.file, session.answers, dict.fromkeys(needs))
        self.summariser = Summariser(self.file, session, self.arrays)
        self._waiting: list[FunctionCode] | None = None

    def run(self, asked: Collection[type[Fact]] | None = None, *, by_name: bool = True) -> list[Fact]:
        """Interpret the module and its functions, and judge what was recorded."""
        self.file.follows_lanes = self.file.maps and (asked is None or facts.SharedKey in asked)
        failures = self.session.failures
        self.summariser.busy += 1
        try:
            waiting = list(self.prepare(by_name=by_name))
            while waiting:
                code = waiting.pop()
                self.summariser.summary(code)
                waiting += code.nested
            if self.arrays is not None:
                contained(self.file, failures, self.file.module, "the search for array objects", self.arrays.finish)
            found = judged(self.file, failures, asked)
        finally:
            self.summariser.busy -= 1
        self.summariser.judged, self.session.failures = True, []
        return unique([*found, *failures])

    def prepare(self, *, by_name: bool = False) -> list[FunctionCode]:
        """Interpret the module's level, and return its functions that concern keys."""
        if self._waiting is None or by_name:
            file, module = self.file, self.file.module
            self.summariser.summary(module)
            callables = list(self._callables())
            by_name = by_name or file.table.takes_keys(file.imported - {"jax"}, self.document.text)
            arrays = self.arrays.mentions() if self.arrays is not None else ()
            texts = Texts(self.document)
            self._waiting = relevant(texts, module, callables, arrays, by_name=by_name)
            self._waiting += [code for code in module.nested if file.has_places(code) and code not in self._waiting]
            # answers to other files do not depend on by_name
            wanted = relevant(texts, module, callables, arrays, by_name=False) if by_name else self._waiting
            file.idle = set(module.nested).difference(wanted, constructors(module, wanted))
            if arrays:  # a method beside one that concerns arrays has the summary that it has without arrays
                keyed = relevant(texts, module, callables, by_name=False)
                file.idle.update(set(wanted).difference(keyed, mentioning(texts, module, arrays)))
        return self._waiting

    def _callables(self) -> Iterator[str]:
        """Return the names of variables, imports and attributes of classes that are callables, maybe of keys."""
        module = self.file.module
        variables = self.file.environments[module].values
        for name, value in variables.items():
            if isinstance(value, Function | Partial | Mapped | Bound) and str(name) not in module.definitions:
                yield str(name)
        yield from (name for name, qualified in module.imported.items() if self._takes_keys(qualified))
        for name, value in variables.items():
            owner, _, attribute = name.rpartition(".") if isinstance(name, str) else ("", "", "")
            if owner and isinstance(value, Library) and self._takes_keys(value.qualified):
                yield attribute

    def _takes_keys(self, qualified: str) -> bool:
        """Return whether a library's function takes a key, or gives a callable that does."""
        model = self.file.table.get(qualified)
        row = self.file.table.get(model.returns).row if model.returns is not None else model.row
        return row is not None and bool(row.sinks)

    def let_go(self) -> None:
        """Free what only this file's own facts needed; the rest answers the questions of other files."""
        if not self.summariser.judged or self.summariser.busy or not self.file.runs:
            return
        for definition in self.file.module.definitions.values():
            if isinstance(definition, ClassCode):
                self.pytrees.own(definition)
        self.file.let_go()
        self.document.let_go()
        for code, classes in self._codes():
            code.block, code.node, code.waiting = EMPTY_BLOCK, EMPTY, None
            for class_ in classes:
                class_.node = EMPTY_CLASS

    def close(self) -> None:
        """Cut the reference cycles, so that memory is freed at once and not by the garbage collector."""
        for code, classes in self._codes():
            for class_ in classes:
                class_.methods = {}
            code.parent, code.nested, code.waiting, code.owner = None, [], None, None
            code.definitions, code.block = {}, EMPTY_BLOCK  # the block makes the classes, which have their scope
        self.file.__dict__.clear()
        self.__dict__.clear()

    def _codes(self) -> Iterator[tuple[FunctionCode, list[ClassCode]]]:
        """Return each function of the file, with its class and the classes that are defined in it."""
        codes = [self.file.module]
        while codes:
            code = codes.pop()
            codes += code.nested
            yield code, [part for part in (code.owner, *code.definitions.values()) if isinstance(part, ClassCode)]
