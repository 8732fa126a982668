"""The tables that the functions of one file share during its analysis."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.finding import Confidence, Span
from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.environment import Environment
from olympus_rules.keyflow.domain.knowledge import Knowledge
from olympus_rules.keyflow.domain.linker import Held, Linker
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.paths import PathCondition
from olympus_rules.keyflow.domain.places import Places, span_of
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import Summary, Task
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import Function, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.libraries import Libraries, LibraryFunction
from olympus_rules.syntax import Document

OTHER_GENERATORS = frozenset({"cupy", "torch"})
MAPPING = ("mapping", "pmap", "shard_map", "vectorize")
OTHER_STATES = re.compile(
    r"\b(default_rng|RandomState|BitGenerator|SeedSequence|get_state|set_state|getstate|setstate"
    r"|random\.(Random|SystemRandom|Generator))\b"
)


class MadeAt(NamedTuple):
    """Where a key is made of a seed: the module, by its name, and the call in it, with how it is written."""

    module: str
    span: Span
    written: str


@dataclass(slots=True)
class Pending:
    """A fact that holds if a term proves to be a key.

    Attributes:
        term: the term.
        need: the condition on the term.
        path: its path condition; code behind a test for typed keys is aware of both kinds.
        build: makes the fact; returns ``None`` if it does not hold after all.
        metadata: whether the code reads shape or dtype, which no other random generator has.
        axes: for ``Need.FEWER_AXES``, the exclusive upper bound on the batch axes.
        at: the expression of the term, if the term has its own expression.
    """

    term: Term
    need: Need
    path: PathCondition
    build: Callable[[Confidence, KeyKind], Fact | None]
    metadata: bool = False
    axes: int = 0
    at: ast.AST | None = None


@dataclass(frozen=True, slots=True)
class Placeholder:
    """An array that may turn out to be raw keys.

    Attributes:
        node: the call that makes it.
        form: as in :class:`~olympus_rules.keyflow.facts.RawKeyLiteral`.
        variables: the variables in scope and their terms at the call.
    """

    node: ast.Call
    form: str
    variables: tuple[tuple[str, Term], ...]


class Made(NamedTuple):
    """An object that a class makes.

    Attributes:
        name: the class.
        structure: the class and its arguments as a term; objects of equal structure are equal.
        is_silent: whether the object draws nothing when it is called.
        kept: the keys that it keeps, and begins with each time it is called.
        number: which one it is.
        keeper: the class of the object that keeps them, which this one may wrap.
        wrapped: the function of which it is made, if it wraps one.
    """

    name: str
    structure: Term
    is_silent: bool
    kept: tuple[Value, ...]
    number: int
    keeper: str
    wrapped: FunctionCode | None


class File:
    """The tables that the interpretations of one file's functions fill.

    Attributes:
        document: the file.
        module: the code of its module level.
        name: the module name, by which other files refer to its functions.
        table: the effects of library functions on keys.
        linker: the driver, which gives access to other functions, classes and files.
        imported: the packages that the file imports from.
        folding_methods, inspecting_methods: methods of these packages' objects that fold or inspect a key.
        streams: arguments of the folding methods that are keys, or dictionaries of keys.
        initial: the streams from which a module draws its first parameters.
        undrawn: names of variables of a module that are given a key like a stream, of which nothing is drawn.
        layer_keywords: arguments by which the layers of these packages get a key.
        made_modules: functions of these packages that make a module of a function.
        states: functions of these packages by which a module reads a state that changes from call to call.
        applied: the function of which a module is made, by the module.
        copies: methods of these packages' objects that give a changed copy, with the fields that change.
        counting: whether the file imports modules of objects that count their draws.
        switches: methods that turn the draws of such an object on (true) or off.
        method_rows: the rows of their other methods, by name.
        generators: library objects whose methods return fresh keys.
        replicated: values of which there is a copy on each device.
        made: what the objects are made of that classes make here.
        rated: those of libraries that are made with a rate, which turns them off where it is 0.
        classes: objects whose class is known.
        annotated: parameters, and items of parameters, that are objects of a class as annotations say.
        annotated_parts: the classes of what is in parameters that are containers, as annotations say.
        given_by: the callee that gave an object.
        held: what declarations say of objects whose class was asked for.
        plain: objects of unknown classes that are records or dictionaries, as their use shows: fields of them are
            replaced in copies, or named items are written.
        shared: the names of attributes that are written to classes, and so to all their objects.
        type_tests: calls of ``isinstance`` for a class of the project: the object that is tested, and the class.
        functions: the value of each function after its decorators.
        idle: functions whose text does not concern keys.
        pending: facts that depend on whether their term is a key.
        others: further values of the expressions that pending facts may be about.
        placeholders: arrays of words that may turn out to be keys.
        filled_in_place: calls that make such an array and whose array is written to later.
        constructed: the key that each call of a constructor makes, by the callee's node.
        made_at: where keys are made of a seed, here or in a function that is called.
        seeds: the first key that each function makes from a literal seed.
        environments: the variables of each function interpreted so far.
        runs: the result of each interpretation.
        summaries: the summary of each interpretation, and those from other files that were asked for.
        unread: what reads the summaries from other files that were not asked for yet; most never are.
        places: the expressions that only keys reach, if the whole project was analysed.
        binds_by_name: whether a function binds a variable of the module under a name that is computed.
        follows_lanes: whether to record draws in the lanes of a map.
    """

    def __init__(
        self,
        document: Document,
        module: FunctionCode,
        table: Libraries,
        linker: Linker,
        places: Places,
    ) -> None:
        """Start with empty tables."""
        self.document, self.module, self.table, self.linker, self.places = document, module, table, linker, places
        self.name = document.module or Path(document.filename).stem
        self.terms = Terms()
        self.knowledge = Knowledge(self.terms)
        self.decisions = Decisions(self.terms)
        self.imported = {qualified.partition(".")[0] for qualified in document.imports.names.values()}
        if ".init(" in document.text and ".apply" in document.text:  # a functional module, from any library
            self.imported |= {"flax", "haiku"}
        self.folding_methods = table.methods(self.imported, "fold")
        self.streams, self.initial, self.undrawn, self.made_modules, self.states = (
            table.methods(self.imported, "fold", what)
            for what in ("streams", "parameters", "variables", "modules", "states")
        )
        self.layer_keywords = table.methods(self.imported, "layers", "keywords")
        self.applied: dict[Term, FunctionCode] = {}
        self.copies = table.copies(self.imported)
        counting = tuple(table.methods(self.imported, "counting", "modules"))
        self.counting = bool(counting) and any(name.startswith(counting) for name in document.imports.names.values())
        self.switches = {
            name: word == "on"
            for word in (("on", "off") if self.counting else ())
            for name in table.methods(self.imported, "counting", word)
        }
        self.inspecting_methods = table.methods(self.imported, "inspect")
        self.method_rows = table.method_rows(self.imported)
        self.generators: dict[Term, LibraryFunction] = {}
        self.replicated: set[Term] = set()
        self.made: dict[Term, Made] = {}
        self.classes: dict[Term, ClassCode] = {}
        self.annotated: dict[Term, ClassCode] = {}
        self.annotated_parts: dict[Term, ClassCode] = {}
        self.given_by: dict[Term, Value] = {}
        self.held: dict[Term, Held] = {}
        self.plain, self.rated, self.shared = set[Term](), set[Term](), set[str]()
        self.type_tests: dict[Term, tuple[Term, ClassCode]] = {}
        self.functions: dict[FunctionCode, Value] = {}
        self.idle: set[FunctionCode] = set()
        self.facts: list[Fact] = []
        self.pending: list[Pending] = []
        self.others: dict[ast.AST, set[Term]] = {}
        self.placeholders: dict[Term, Placeholder] = {}
        self.filled_in_place: set[ast.Call] = set()
        self.constructed: dict[ast.expr, Term] = {}
        self.made_at: dict[Term, MadeAt] = {}
        self.seeds: dict[tuple[FunctionCode, int, KeyKind], ast.Call] = {}
        self.environments: dict[FunctionCode, Environment] = {}
        self.runs: dict[Task, Run] = {}
        self.summaries: dict[Task, Summary] = {}
        self.unread: dict[FunctionCode, Callable[[], Summary]] = {}
        self._modules: dict[str, FunctionCode] = {}
        self.binds_by_name, self.follows_lanes = False, True

    def let_go(self) -> None:
        """Free what only the facts of this file rest on."""
        self.runs, self.pending, self.facts, self.constructed, self.others = {}, [], [], {}, {}
        self.environments = {self.module: self.environments[self.module]}
        self.decisions.let_go()

    def makes(self, key: Term, call: ast.AST) -> None:
        """Record the call that makes a key of a seed."""
        self.made_at[key] = MadeAt(self.name, self.document.span(call), ast.unparse(call))

    def add(self, fact: Fact) -> None:
        """Add a fact."""
        self.facts.append(fact)

    def function(self, code: FunctionCode) -> Value:
        """Return the value of a function after its decorators."""
        found = self.functions.get(code)
        return Function(code) if found is None else found

    def module_at(self, path: str) -> FunctionCode:
        """Return the code that represents the module level of another file."""
        if path not in self._modules:
            self._modules[path] = FunctionCode(path, ast.Module([], []), kind="module", is_foreign=True)
        return self._modules[path]

    def describes(self, qualified: str) -> bool:
        """Return whether a signature pack describes a name, parameter by parameter."""
        return self.table.get(qualified).row is not None

    @cached_property
    def restored(self) -> frozenset[str]:
        """The classes of generators of keys to which the text may give another state."""
        names = (name.rpartition(".") for name in self.table.methods(self.imported, "counting", "updated"))
        return frozenset(class_ for class_, _, method in names if method in self.document.text)

    @cached_property
    def drawing(self) -> frozenset[str]:
        """The names of functions of the file's libraries that draw, or give a key to draw from."""
        return self.table.drawing(self.imported - {"jax"})

    @cached_property
    def initialising_methods(self) -> frozenset[str]:
        """The folding methods that call a function, which they are given, with a key."""
        return self.table.methods(self.imported, "fold", "initialising")

    @cached_property
    def giving(self) -> frozenset[str]:
        """The functions of the file's libraries, and the methods of their objects, that give a fresh key, by name."""
        return self.table.giving(self.imported)

    @cached_property
    def lifted(self) -> dict[str, str]:
        """What arguments of maps of modules say, and the streams of layers, by name."""
        return self.table.lifted(self.imported)

    @cached_property
    def maps(self) -> bool:
        """Whether the text has the name of a transformation that maps, or a loop may repeat a key from hidden state."""
        if self.table.hides(self.imported):
            return True
        libraries = self.imported | {"jax"}
        names = (name for kind in MAPPING for name in self.table.methods(libraries, "transform", kind))
        return any(name.rpartition(".")[2] in self.document.text for name in names)

    @cached_property
    def has_other_generators(self) -> bool:
        """Whether the file uses generators of other libraries, whose states also have items and shapes.

        Then a name such as ``rng`` does not distinguish a raw key from such a state.
        """
        return not self.imported.isdisjoint(OTHER_GENERATORS) or OTHER_STATES.search(self.document.text) is not None

    def gets_keys_only(self, at: ast.AST) -> bool:
        """Return whether only keys reach an expression in the whole project."""
        return bool(self.places.ranks) and isinstance(at, ast.expr) and span_of(at) in self.places.ranks

    def may_get_keys(self, at: ast.AST | None) -> bool:
        """Return whether keys may get to an expression, or into what is there, as the whole project shows."""
        if not self.places or not isinstance(at, ast.expr):
            return False
        span, places = span_of(at), self.places
        return span in places.likely or span in places.possible or span in places.holders

    def has_places(self, code: FunctionCode) -> bool:
        """Return whether keys reach an expression of a function in the whole project."""
        first, last = getattr(code.node, "lineno", 0), getattr(code.node, "end_lineno", 0)
        return any(first <= row <= last for row in self._rows)

    @cached_property
    def _rows(self) -> list[int]:
        return sorted(self.places.rows())
