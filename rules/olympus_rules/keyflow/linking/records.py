"""The values and summaries that a file exports to the files that import it, in a self-contained form.

A record is plain data (what JSON can hold), so that it can be kept between runs. It has a table of its own in which a
term is a number: ``[operation, data, argument, …]``. A file that imports the name reads the record into its own terms,
and from then on calls the function as one of its own.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import astuple, replace
from operator import itemgetter
from typing import Any, TypeVar

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.finding import Position, Span
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File, MadeAt
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.linker import NOTHING
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, bit_numbers
from olympus_rules.keyflow.domain.summary import GENERAL, RECEIVER, Captured, Specialisation, Summary
from olympus_rules.keyflow.domain.terms import CHOICE, Term
from olympus_rules.keyflow.domain.values import (
    Bound,
    Boundary,
    Choice,
    Class,
    Condition,
    Const,
    Function,
    Library,
    Map,
    Mapped,
    Partial,
    Sequence,
    Value,
)
from olympus_rules.keyflow.facts import KeyKind
from olympus_rules.keyflow.linking.hierarchy import heirs
from olympus_rules.keyflow.notes.pytrees import Pytrees

Record = dict[str, Any]
Found = TypeVar("Found")
MAX_TERMS = 2_000  # of one function
PLACELESS = ast.Pass()  # a consumption inside a function of another file has no place here


class TooLarge(Exception):
    """A summary is too large to export."""


def write(file: File, value: Value, given: Specialisation = GENERAL) -> Record:
    """Return the value of a module-level name as a record; ``given`` holds the callables passed to a function.

    Raises:
        TooLarge: it is a function whose summary is too large.
    """
    table = _Writer(file, file.module)
    table.given = given
    record: Record = {"value": table.value(value, inline=True)}
    return record | table.tables()


def write_class(file: File, pytrees: Pytrees, class_: ClassCode, *, has_arrays: bool) -> Record:
    """Return a class as a record: its fields, the names of its methods, its bases, its traits as a pytree.

    Args:
        file: the tables of its file.
        pytrees: the file's knowledge of its classes.
        class_: the class.
        has_arrays: whether the file may have objects with ``__jax_array__``.
    """
    table = _Writer(file, file.module)
    methods = {name: code.kind for name, code in class_.methods.items()}
    bases = [
        table.value(base) for base in file.linker.hierarchy.bases.get(class_, ()) if isinstance(base, Class | Library)
    ]
    names = [str(rest[0]) for kind, *rest in bases if kind == "library"]
    record: Record = {"name": class_.name, "fields": class_.fields, "methods": methods, "bases": names}
    record |= {"defaults": class_.defaults}
    record |= {"values": sorted(class_.values), "left_open": sorted(class_.left_open)}
    below = heirs(file, class_) if class_.left_open else []
    record["heirs"] = [home for each in below if (home := table.class_home(each))]
    own = pytrees.own(class_)
    record |= {"registered": own.registered, "inert": own.inert}
    if has_arrays and pytrees.array_class(class_) is not None:
        record["line"] = own.line
    return record


class _Writer:
    """Writes the values of one scope with their terms."""

    def __init__(self, file: File, code: FunctionCode, within: frozenset[FunctionCode] = frozenset()) -> None:
        self.file = file
        self.code = code
        self.within = within | {code}  # a function may return itself
        self.captured: tuple[Captured, ...] = ()
        self.given: Specialisation = GENERAL
        self.terms: list[list[Any]] = []
        self.tests: list[int] = []
        self._index: dict[Term, int] = {}
        self._bits: dict[int, int] = {}
        self._spelled: dict[tuple[Term, int], str] = {}
        self._paths: dict[PathCondition, list[list[int]]] = {}
        self._views: dict[str, str] = {}

    def tables(self) -> Record:
        """Return the written terms, the tests among them, and the facts known about them."""
        given = [[n, name, self.value(value)] for n, held in self._known(self.file.held) for name, value in held.given]
        classes = [[n, self.class_home(class_)] for n, class_ in self._known(self.file.classes)]
        parts = [[n, self.class_home(class_)] for n, class_ in self._known(self.file.annotated_parts)]
        calls = self._known(self.file.made_at)
        return {
            "terms": self.terms,
            "tests": self.tests,
            "classes": [row for row in classes if row[1]],
            "parts": [row for row in parts if row[1]],
            "ranks": [[n, rank] for n, rank in self._known(self.file.knowledge.used)],
            "rated": sorted(self._index[term] for term in self._index.keys() & self.file.rated),
            "given": given,
            "made": [[n, call.module, *astuple(call.span), call.written] for n, call in calls],
        }

    def _known(self, table: Mapping[Term, Found]) -> list[tuple[int, Found]]:
        """Return the numbers of the written terms that a table has, each with what it has."""
        return sorted(
            ((self._index[term], table[term]) for term in self._index.keys() & table.keys()), key=itemgetter(0)
        )

    def class_home(self, class_: ClassCode) -> str:
        """Return the qualified name of a class, empty for one inside a function."""
        known = self.file.module.definitions.get(class_.name) is class_
        return class_.home or (f"{self.file.name}.{class_.name}" if known else "")

    def _function_home(self, code: FunctionCode) -> str:
        """Return the qualified name of a function or method, empty for one inside a function.

        A function that its decorator replaces has none: its name is that of what the decorator made of it.
        """
        if code.is_foreign:
            return code.home
        held = self.file.function(code)
        if not isinstance(held, Function) or held.code is not code:
            return ""
        name = code.name.rpartition(".")[2]
        if code.owner is not None:
            home = self.class_home(code.owner)
            return f"{home}.{name}" if home and code.owner.methods.get(name) is code else ""
        known = self.file.module.definitions.get(code.name) is code
        return f"{self.file.name}.{name}" if known else ""

    def value(self, value: Value, *, inline: bool = False) -> list[Any]:
        """Return a value; a function is written in full if ``inline`` is true or it has no qualified name."""
        if isinstance(value, Term):
            return ["term", self.term(value)]
        if isinstance(value, Const) and _plain(value.value):
            return ["const", value.value, value.counter]
        if isinstance(value, Sequence):
            return ["sequence", value.kind, [self.value(item) for item in value.items], value.open]
        if isinstance(value, Map):
            items = [[key if _plain(key) else str(key), self.value(item)] for key, item in value.items]
            return ["map", items, value.open]
        if isinstance(value, Library):
            return ["library", value.qualified, *_traced(value)]
        if isinstance(value, Class) and (home := self.class_home(value.code)):
            return ["library", home]
        if isinstance(value, Choice):
            return ["choice", [[self.path(path), self.value(part)] for path, part in value.arms]]
        if isinstance(value, Condition):
            return ["condition", value.operation, [self.value(operand) for operand in value.operands]]
        if isinstance(value, Function | Partial | Bound | Mapped):
            return self.callable(value, inline)
        return ["term", self.opaque()]

    def callable(self, value: Function | Partial | Bound | Mapped, inline: bool) -> list[Any]:
        """Return a callable."""
        if isinstance(value, Bound):
            return ["bound", self.value(value.function, inline=inline), self.value(value.self)]
        if isinstance(value, Mapped):
            axes = [self.value(value.in_axes), self.value(value.out_axes)]
            return ["mapped", value.kind, self.value(value.function, inline=inline), *axes, value.name, value.splits]
        if isinstance(value, Partial):
            keywords = [[name, self.value(part)] for name, part in value.keywords]
            function = self.value(value.function, inline=inline)
            return ["partial", function, [self.value(part) for part in value.args], keywords]
        home = self._function_home(value.code)
        if home and not inline:
            return ["library", home, *_traced(value)]
        if value.code in self.within:
            return ["term", self.opaque()]
        defaults = [[name, self.value(part)] for name, part in value.defaults]
        captured = [
            [place, self.value(part)]
            for slot, part in value.captured
            if (place := _place(value.code, slot)) is not None
        ]
        given = self.given or _given(value.code, (*value.captured, *self.captured))
        written = self.function(value.code, given)
        return ["function", written, value.doubtful, defaults, captured, *_traced(value)]

    def function(self, code: FunctionCode, given: Specialisation) -> Record:
        """Return a function with its summary, which has terms of its own."""
        record: Record = {
            "name": code.name,
            "parameters": list(code.parameters),
            "positional": code.positional,
            "vararg": code.vararg,
            "kwarg": code.kwarg,
            "kind": code.kind,
            "reads": sorted(code.reads) if code.parent is not self.file.module else [],
            "home": self._function_home(code),
        }
        given = given if not code.is_foreign and self.file.linker.summariser.may_specialise(code, given) else GENERAL
        summary = self.file.linker.summariser.summary(code, given)
        if summary is None:
            return record
        table = _Writer(self.file, code, self.within)
        table.captured = summary.captured
        record["uses"] = [table.use(use) for use in summary.uses]
        record["returns"] = table.value(summary.returns)
        record["writes"] = [
            [table.term(term), name, table.value(value), table.path(path)] for term, name, value, path in summary.writes
        ]
        record["changes"] = [[table.term(term), name] for term, name in summary.changes]
        record["ends"] = summary.returning is None
        record["raised"] = [list(each) for each in summary.raised]
        handed = [*leaves(summary.returns), *(term for _, _, value, _ in summary.writes for term in leaves(value))]
        knowledge = self.file.knowledge
        record["filled"] = [
            [table.term(term), knowledge.filled.get(term, False)]
            for term in dict.fromkeys(handed)
            if knowledge.is_something(term)
        ]
        record["captured"] = [[name, table.value(value)] for (_, name), value in summary.captured]
        return record | table.tables()

    def use(self, use: Consumption) -> list[Any]:
        """Return a consumption."""
        return [
            self.term(use.term),
            use.what,
            int(use.certainty),
            self.path(use.path),
            use.draw,
            use.loop,
            use.count,
            use.sampler,
            use.computed,
            None if use.folded is None else self.term(use.folded),
            None if use.taken is None else sorted(use.taken),
        ]

    def path(self, path: PathCondition) -> list[list[int]]:
        """Return a condition as the numbers of the tests that hold and of those that fail."""
        known = self._paths.get(path)
        if known is None:
            known = self._paths[path] = self._path(path)
        return known

    def _path(self, path: PathCondition) -> list[list[int]]:
        tests = self.file.decisions.tests
        if (path[0] | path[1]).bit_count() < 2:  # nothing to sort, and nothing that rules out the others
            return [[self.test(bit) for bit in bit_numbers(mask)] for mask in path]
        holds, fails = [[(self._spelling(tests[bit]), bit) for bit in bit_numbers(mask)] for mask in path]
        subjects = {self._compared(tests[bit]) for _, bit in holds} - {None}
        if subjects:
            fails = [(text, bit) for text, bit in fails if self._compared(tests[bit]) not in subjects]
        return [[self.test(bit) for _, bit in sorted(part)] for part in (holds, fails)]

    def _compared(self, test: Term) -> Term | None:
        """Return the term that a test compares with a constant: equality with one constant rules out the others."""
        operation, data, *args = self.file.terms.parts[test]
        is_equality = operation == "op" and data == "Eq" and self.file.terms.operation(args[1]) == "const"
        return args[0] if is_equality else None

    def _spelling(self, term: Term, depth: int = 6) -> str:
        """Return a term as text, to sort tests by: their numbers depend on what was interpreted before."""
        found = self._spelled.get((term, depth))
        if found is None:
            found = self._spelled[term, depth] = self._spelt(term, depth)
        return found

    def _spelt(self, term: Term, depth: int) -> str:
        operation, data, *args = self.file.terms.parts[term]
        if operation in ("param", "free"):
            data = data[1]
        elif operation == "attr":
            data = data[0]
        elif operation not in ("const", "symbol", "counter") and not (operation == "op" and isinstance(data, str)):
            data = ""
        parts = [self._spelling(arg, depth - 1) for arg in args] if depth and data != "path" else []
        return f"{operation} {data!r}({', '.join(parts)})"

    def test(self, bit: int) -> int:
        """Return the number of a test."""
        found = self._bits.get(bit)
        if found is None:
            self.tests.append(self.term(self.file.decisions.tests[bit]))
            found = self._bits[bit] = len(self.tests) - 1
        return found

    def opaque(self) -> int:
        """Return a term that equals no other."""
        return self._add(["fresh", ""])

    def term(self, term: Term) -> int:
        """Return the number of a term."""
        found = self._index.get(term)
        if found is None:
            found = self._index[term] = self._add(self._parts(term))
        return found

    def _add(self, parts: list[Any]) -> int:
        if len(self.terms) >= MAX_TERMS:
            raise TooLarge
        self.terms.append(parts)
        return len(self.terms) - 1

    def _view(self, data: str) -> str:
        return self._views.setdefault(data, _view_name(data, len(self._views)))

    def _parts(self, term: Term) -> list[Any]:
        terms = self.file.terms
        operation, data = terms.operation(term), terms.data(term)
        if operation == "const":
            return ["const", data] if _plain(data) else ["fresh", ""]
        if operation == "param":
            return ["param", data[1].partition(RECEIVER)[0]] if data[0] is self.code else ["fresh", ""]
        if operation == "free":
            return ["free", _place(self.code, data)]
        if operation == "seed":
            data = data[0].value
        elif operation == "attr" or operation == "slice":
            data = list(data)
        elif operation == "list":
            data = data[1]
        elif operation == "op" and data == "path":
            parts = self.file.decisions.parts(term)
            assert parts is not None
            return ["path", self.path(parts)]  # decisions have other numbers in other files
        elif operation == "op" and isinstance(data, tuple) and data[0] == CHOICE:
            data = [self.path(path) for path in data[1:]]
        elif operation == "op":
            data = data if isinstance(data, str) else None
        elif operation == "view":
            data = self._view(str(data))
        elif operation == "fresh":
            data = data[0]
        elif operation in ("symbol", "counter"):
            pass
        else:
            data = None
        return [operation, data, *(self.term(arg) for arg in terms.args(term))]


def _traced(value: Function | Library) -> list[Any]:
    """Return the transformations around a function, an empty list if there are none."""
    return [[boundary.as_record() for boundary in value.traced]] if value.traced else []


def _view_name(data: str, number: int) -> str:
    """Return the name of a view, with its number (if any) replaced."""
    name, space, _ = data.partition(" ")
    return f"{name} {number}" if space else name


def _place(code: FunctionCode, slot: tuple[FunctionCode, str]) -> list[Any] | None:
    """Return a variable of an enclosing scope: the number of functions up, -1 for the module, and its name."""
    scope, name = slot
    up, around = 0, code.parent
    while around is not None and around is not scope:
        up, around = up + 1, around.parent
    return None if around is None else [-1 if around.kind == "module" else up, name]


def _slot(code: FunctionCode, place: list[Any]) -> tuple[FunctionCode, str]:
    """Return the variable of an enclosing scope that a place stands for."""
    up, name = place
    scope = code
    while scope.parent is not None and (place[0] < 0 or up >= 0):
        scope, up = scope.parent, up - 1
    return (scope, name)


def _given(code: FunctionCode, captured: tuple[Captured, ...]) -> Specialisation:
    """Return the captured functions without data, for which a closure can be interpreted once and for all."""
    return tuple(
        (slot, value)
        for slot, value in captured
        if slot[1] in code.reads
        and isinstance(value, Function)
        and not (value.captured or value.defaults or value.code.is_foreign)
    )


def _plain(value: object) -> bool:
    """Return whether JSON preserves a value."""
    return value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value))


def _boundaries(records: list[Any]) -> tuple[Boundary, ...]:
    return tuple(Boundary.from_record(record) for record in records)


def read(file: File, record: Record, path: str) -> Value:
    """Return the value of a record of another file in the terms of this one."""
    return _Reader(file, record, file.module_at(path)).value(record["value"])


def read_class(record: Record, home: str) -> ClassCode:
    """Return a class of another file; its methods are asked for by name on demand."""
    node = ast.ClassDef(record["name"], [], [], [], [])
    return ClassCode(
        record["name"],
        node,
        fields=list(record["fields"]),
        defaults=record["defaults"],
        values=frozenset(record["values"]),
        left_open=frozenset(record["left_open"]),
        home=home,
        kinds=dict(record["methods"]),
        heirs=tuple(record["heirs"]),
        line=record.get("line", 0),
        registered=record["registered"],
        inert=record["inert"],
    )


class _Reader:
    """Reads the values of one scope."""

    def __init__(self, file: File, record: Record, code: FunctionCode) -> None:
        self.file = file
        self.code = code
        self.terms: list[Term] = []
        self.tests: list[int] = record["tests"]
        self._views: dict[str, str] = {}
        for number, (operation, data, *args) in enumerate(record["terms"]):
            self.terms.append(self._term(number, operation, data, [self.terms[arg] for arg in args]))
        for table, place in ((file.classes, "classes"), (file.annotated_parts, "parts")):
            for number, home in record[place]:
                class_ = file.linker.lookups.outside(home, concerned=False)
                if isinstance(class_, Class):
                    table[self.terms[number]] = class_.code
        for number, name, value in record["given"]:
            known = file.held.get(self.terms[number], NOTHING)
            file.held[self.terms[number]] = known._replace(given=(*known.given, (name, self.value(value))))
        file.rated.update(self.terms[number] for number in record["rated"])
        for number, rank in record["ranks"]:
            file.knowledge.used.setdefault(self.terms[number], rank)
        for number, module, start, end, written in record["made"]:
            file.made_at[self.terms[number]] = MadeAt(module, Span(Position(*start), Position(*end)), written)

    def _term(self, number: int, operation: str, data: Any, args: list[Term]) -> Term:
        terms, own = self.file.terms, (self.code, number)
        if operation == "const":
            return terms.const(data)
        if operation == "param":
            return terms.make("param", (self.code, data))
        if operation == "free":
            return terms.make("free", _slot(self.code, data)) if data else terms.make("fresh", ("", own))
        if operation == "seed":
            return terms.make("seed", (KeyKind(data), own), *args)
        if operation == "attr" or operation == "slice":
            return terms.make(operation, tuple(data), *args)
        if operation == "op":
            if isinstance(data, list):
                data = (CHOICE, *(self.path(path) for path in data))
            return terms.make("op", data if data is not None else own, *args)
        if operation == "path":
            return self.file.decisions.whole(self.path(data))
        if operation == "view":
            if data not in self._views:
                self._views[data] = _view_name(data, terms.number())
            return terms.make("view", self._views[data], *args)
        if operation == "fresh":
            return terms.make("fresh", (data, own))
        if operation in ("symbol", "counter"):
            return terms.make(operation, data)
        if operation == "list":
            return terms.make("list", (own, data), *args)
        if operation in ("split", "clone", "copy"):
            return terms.make(operation, own, *args)
        return terms.make(operation, None, *args)

    def value(self, data: list[Any]) -> Value:
        """Return a value."""
        kind, *rest = data
        if kind == "term":
            return self.terms[int(rest[0])]
        if kind == "const":
            return Const(rest[0], rest[1])
        if kind == "sequence":
            return Sequence(rest[0], tuple(self.value(item) for item in rest[1]), rest[2])
        if kind == "map":
            return Map(tuple((key, self.value(item)) for key, item in rest[0]), rest[1])
        if kind == "library":
            library = self.file.linker.names.library(rest[0])
            return replace(library, traced=_boundaries(rest[1])) if len(rest) > 1 else library
        if kind == "choice":
            return Choice(tuple((self.path(path), self.value(part)) for path, part in rest[0]))
        if kind == "condition":
            return Condition(rest[0], tuple(self.value(operand) for operand in rest[1]))
        return self.callable(kind, rest)

    def callable(self, kind: str, rest: list[Any]) -> Value:
        """Return a callable."""
        if kind == "bound":
            return Bound(self.value(rest[0]), self.value(rest[1]))
        if kind == "mapped":
            function, in_axes, out_axes = (self.value(part) for part in rest[1:4])
            return Mapped(rest[0], function, in_axes, out_axes, name=rest[4], splits=rest[5])
        if kind == "partial":
            keywords = tuple((name, self.value(part)) for name, part in rest[2])
            return Partial(self.value(rest[0]), tuple(self.value(part) for part in rest[1]), keywords)
        record, doubtful, defaults, captured, *traced = rest
        code = self.function(record)
        slots = tuple((_slot(code, place), self.value(part)) for place, part in captured)
        given = tuple((n, self.value(v)) for n, v in defaults)
        return Function(code, doubtful, given, slots, _boundaries(traced[0]) if traced else ())

    def function(self, record: Record) -> FunctionCode:
        """Return a function; its summary becomes one of the analysis when it is asked for."""
        code = FunctionCode(
            record["name"],
            PLACELESS,
            tuple(record["parameters"]),
            record["positional"],
            record["vararg"],
            record["kwarg"],
            parent=self.code,
            kind=record["kind"],
            reads=set(record["reads"]),
            is_foreign=True,
            home=record["home"],
        )
        if "returns" in record:
            self.file.unread[code] = lambda: _Reader(self.file, record, code).summary(record)
        return code

    def summary(self, record: Record) -> Summary:
        """Return the summary of the function of this scope."""
        for term, true in record["filled"]:
            self.file.knowledge.fill(self.terms[term], true=true)
        return Summary(
            self.code,
            tuple(self.use(use) for use in record["uses"]),
            self.value(record["returns"]),
            tuple(
                (self.terms[term], name, self.value(value), self.path(path))
                for term, name, value, path in record["writes"]
            ),
            tuple(((self.code, name), self.value(value)) for name, value in record["captured"]),
            tuple((self.terms[term], name) for term, name in record["changes"]),
            returning=None if record["ends"] else ALWAYS,
            raised=tuple((exception, is_drawn) for exception, is_drawn in record["raised"]),
        )

    def use(self, record: list[Any]) -> Consumption:
        """Return a consumption."""
        term, what, certainty, path, draw, loop, count, sampler, computed, folded, taken = record
        return Consumption(
            PLACELESS,
            what,
            Certainty(certainty),
            self.path(path),
            self.terms[term],
            draw=draw,
            loop=loop,
            count=count,
            taken=None if taken is None else frozenset(taken),
            sampler=sampler,
            computed=computed,
            folded=None if folded is None else self.terms[folded],
        )

    def path(self, path: list[list[int]]) -> PathCondition:
        """Return a condition in the decisions of the analysis."""
        decisions = self.file.decisions
        holds, fails = 0, 0
        for number in path[0]:
            mask, excluded = decisions.outcomes(self.terms[self.tests[number]])[0]
            holds, fails = holds | mask, fails | excluded
        for number in path[1]:
            fails |= decisions.bit(self.terms[self.tests[number]])
        return holds, fails & ~holds
