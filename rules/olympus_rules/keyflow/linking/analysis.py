"""The driver of one file: it interprets the functions that matter, and answers the questions of other files."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from olympus.signatures.signature import KeySignature
from olympus_rules.code.instructions import Block, ClassCode, FunctionCode
from olympus_rules.code.lowering import lower_module
from olympus_rules.code.relevance import Texts, mentioning, relevant
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import CALLABLE, is_constant, is_registry
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.places import NOWHERE
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import GENERAL, RECEIVER, Specialisation, Summary, Task
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import UNBOUND, Bound, Class, Const, Function, Library, Mapped, Partial, Value
from olympus_rules.keyflow.facts import Fact
from olympus_rules.keyflow.interpret import interpreter
from olympus_rules.keyflow.interpret.defaults import default_callable
from olympus_rules.keyflow.interpret.specialisation import MAX_SPECIALISATIONS, receiver
from olympus_rules.keyflow.interpret.summarising import summarise
from olympus_rules.keyflow.judging.order import unique
from olympus_rules.keyflow.linking import records
from olympus_rules.keyflow.linking.answers import STEPS, Need, Question
from olympus_rules.keyflow.linking.failures import Forgotten, contained, place_of, unknown_summary
from olympus_rules.keyflow.linking.hierarchy import Hierarchy
from olympus_rules.keyflow.linking.judges import judged
from olympus_rules.keyflow.linking.recursion import DEEPEST, Frame, Full
from olympus_rules.keyflow.linking.session import Session
from olympus_rules.keyflow.notes.array_objects import ArrayObjects, array_names
from olympus_rules.keyflow.notes.pytrees import Pytrees, variable_class
from olympus_rules.libraries.names import canonical
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import in_project, locate_name

__all__ = ["Analysis"]

EMPTY = ast.Module([], [])
EMPTY_BLOCK = Block()
EMPTY_CLASS = ast.ClassDef("", [], [], [], [])


class Analysis:
    """The analysis of one file: what its functions share.

    Attributes:
        table: the effects of library functions on keys.
        classes: objects whose class is known.
        generators: objects of libraries whose methods give fresh keys.
        functions: the value of each function after its decorators.
        pending: notes that become facts if their term is a key.
        placeholders: arrays of words that may turn out to be keys.
        started: the interpretation of each function, from its start.
        idle: functions whose text does not concern keys.
        imported: the packages that the file imports from.
        constructed: the key that each call of a constructor makes, by the callee's node.
        hierarchy: the classes that the file sees, with their bases.
        name: the module's name, by which other files know its functions.
        busy: whether an interpretation is in progress in it.
        judged: whether its own facts are known, so that it is kept only for the questions of other files.
        needs: the look-ups in other files, in order of first use.
        pytrees: the traits of classes as pytrees.
        arrays: looks for objects with ``__jax_array__``, ``None`` if there are none.
        follows_lanes: whether facts about draws shared by the lanes of a map are asked for.
    """

    def __init__(self, document: Document, session: Session) -> None:
        """Lower the file."""
        self.document, self.session = document, session
        self.busy = self.judged = False
        module = lower_module(
            document.tree,
            module=document.module,
            is_package=document.is_package,
            has_globals="global " in document.text or "globals()" in document.text,
            attached=document.attached,
        )
        places = session.places.get(document.path, NOWHERE).of(document.text)
        self.file = File(document, module, session.table, self, places)
        self.hierarchy = Hierarchy(self.file)
        self.pytrees = Pytrees(self.file)
        imported = {*module.imported.values(), *module.stars}
        self.needs: dict[Need, None] = dict.fromkeys(
            Need("project", name.partition(".")[0]) for name in sorted(imported)
        )
        names, asked = array_names(document, module.imported)
        self.needs |= dict.fromkeys(Need("array", qualified) for qualified in asked)
        self.arrays = None if names is None else ArrayObjects(self.file, self.pytrees, names)
        self.drafts: dict[Task, Summary] = {}
        self.provisional: dict[Task, int] = {}
        self._libraries: dict[str, Library] = {}
        self._variables: dict[str, ClassCode | None] = {}
        self._outside: dict[tuple[str, bool], Value | None] = {}
        self._running: dict[Task, Frame] = {}
        self._delayed: set[Task] = set()
        self._specialised: dict[tuple[FunctionCode, ...], set[Specialisation]] = {}
        self._waiting: list[FunctionCode] | None = None

    def run(self, asked: Collection[type[Fact]] | None = None, *, by_name: bool = True) -> list[Fact]:
        """Interpret the module and its functions, and judge what was recorded."""
        busy, self.busy = self.busy, True
        self.file.follows_lanes = asked is None or facts.SharedKey in asked
        waiting = list(self.prepare(by_name=by_name))
        while waiting:
            code = waiting.pop()
            self.summary(code)
            waiting += code.nested
        failures = self.session.failures
        if self.arrays is not None:
            contained(self.file, failures, self.file.module, "the search for array objects", self.arrays.finish)
        found = judged(self.file, failures, asked)
        self.busy, self.judged, self.session.failures = busy, True, []
        return unique([*found, *failures])

    def let_go(self) -> None:
        """Free what only this file's own facts needed; the rest answers the questions of other files."""
        if not self.judged or self.busy or not self.file.runs:
            return
        for definition in self.file.module.definitions.values():
            if isinstance(definition, ClassCode):
                self.pytrees.own(definition)
        self.file.let_go()
        self.document.let_go()
        codes = [self.file.module]
        while codes:
            code = codes.pop()
            codes += code.nested
            code.block, code.node, code.waiting = EMPTY_BLOCK, EMPTY, None
            for class_ in (code.owner, *code.definitions.values()):
                if isinstance(class_, ClassCode):
                    class_.node = EMPTY_CLASS

    def prepare(self, *, by_name: bool = False) -> list[FunctionCode]:
        """Interpret the module's level, and return its functions that concern keys."""
        if self._waiting is None or by_name:
            self.summary(self.file.module)
            variables = self.file.environments[self.file.module].values.items()
            callables = [
                str(name) for name, value in variables if isinstance(value, Function | Partial | Mapped | Bound)
            ]
            callables = [name for name in callables if name not in self.file.module.definitions]
            callables += [name for name, found in self.file.module.imported.items() if self._takes_keys(found)]
            callables += [  # attributes of classes
                name.rpartition(".")[2]
                for name, value in variables
                if isinstance(name, str)
                and "." in name
                and isinstance(value, Library)
                and self._takes_keys(value.qualified)
            ]
            by_name = by_name or self.file.table.takes_keys(self.file.imported - {"jax"}, self.document.text)
            arrays = self.arrays.mentions() if self.arrays is not None else ()
            texts = Texts(self.document)
            self._waiting = relevant(texts, self.file.module, callables, arrays, by_name=by_name)
            self._waiting += [
                code for code in self.file.module.nested if self.file.has_places(code) and code not in self._waiting
            ]
            wanted = relevant(texts, self.file.module, callables, arrays, by_name=False) if by_name else self._waiting
            self.file.idle = set(self.file.module.nested).difference(
                wanted
            )  # answers to other files do not depend on by_name
            if arrays:  # a method beside one that concerns arrays has the summary that it has without arrays
                keyed = relevant(texts, self.file.module, callables, by_name=False)
                self.file.idle.update(set(wanted).difference(keyed, mentioning(texts, self.file.module, arrays)))
        return self._waiting

    def _takes_keys(self, qualified: str) -> bool:
        """Return whether a library's function takes a key, or gives a callable that does."""
        model = self.file.table.get(qualified)
        row = self.file.table.get(model.returns).row if model.returns is not None else model.row
        return row is not None and bool(row.sinks)

    def close(self) -> None:
        """Cut the reference cycles, so that memory is freed at once and not by the garbage collector."""
        codes = [self.file.module]
        while codes:
            code = codes.pop()
            codes += code.nested
            for class_ in (code.owner, *code.definitions.values()):
                if isinstance(class_, ClassCode):
                    class_.methods = {}
            code.parent, code.nested, code.waiting, code.owner = None, [], None, None
            code.definitions = {}
        self.file.__dict__.clear()
        self.__dict__.clear()

    def summary(self, code: FunctionCode, given: Specialisation = GENERAL) -> Summary | None:
        """Return the summary of a function, interpreting it if need be.

        Args:
            code: the function.
            given: callables that its parameters hold, for a summary of its calls with these alone.

        Returns:
            While the function is being interpreted, its draft, or ``None`` if there is none yet.

        Raises:
            Forgotten: if the file has been judged, and the function was not interpreted before.
            Full: too many functions are being interpreted.
        """
        task = (code, given)
        found = self.file.summaries.get(task)
        if found is not None or code.is_foreign:
            if task in self.provisional:
                self.session.stack.rest_on(self.provisional[task])
            return found
        if task in self._running:
            self.session.stack.ask(self._running[task])
            return self.drafts.get(task)
        if task in self._delayed:
            self._cut(code)
            return None
        if self.judged:
            raise Forgotten
        if self.session.stack.is_full:
            raise Full(lambda: self.summary(code, given))
        self._summarise(task)
        return self.file.summaries.get(task)

    def _summarise(self, task: Task) -> None:
        """Interpret a function: again and again, if it is the outermost one and its callees fill the stack."""
        code, given = task

        def interpret(frame: Frame) -> Draft:
            self._running[task] = frame
            try:
                making = partial(interpreted, self, task)
                made = contained(self.file, self.session.failures, code, place_of(code), making)
            finally:
                del self._running[task]
            if made is not None:
                self.file.runs[task] = made[0]
            self.file.summaries[task] = unknown_summary(self.file, code) if made is None else made[1]
            return Draft(self, task)

        busy, self.busy = self.busy, True
        before = self.file.environments.get(code)
        stack = self.session.stack
        try:
            while True:
                try:
                    stack.settle(interpret)
                    break
                except Full as full:
                    if stack.frames:
                        raise
                    self._delayed.add(task)
                    full.settle()
                    self._delayed.discard(task)
        finally:
            if given and before is not None:
                self.file.environments[code] = before
            self.busy = busy

    def _cut(self, code: FunctionCode) -> None:
        """Note that the analysis goes on without the summary of a function."""
        name = "" if code.kind == "module" else code.name
        self.file.add(facts.Unfinished(node=code.node, confidence=Confidence.CERTAIN, function=name, circle=DEEPEST))

    def is_final(self, value: Value) -> bool:
        """Return whether the summary of a callable is final: it rests on no function still being interpreted."""
        while isinstance(value, Bound | Mapped | Partial):
            value = value.function
        task = (value.code, GENERAL) if isinstance(value, Function) else None
        return task not in self.provisional and task not in self._running

    def may_specialise(self, code: FunctionCode, given: Specialisation) -> bool:
        """Return whether to interpret a function for these callables, up to a limit of specialisations.

        Raises:
            Forgotten: if the file has been judged, and this is not one of those.
        """
        around = (value.code for slot, value in given if isinstance(slot, tuple) and isinstance(value, Function))
        known = self._specialised.setdefault((code, *around), set())
        if given and given not in known and len(known) < MAX_SPECIALISATIONS:
            if self.judged:
                raise Forgotten
            known.add(given)
        return given in known

    def signatures(self) -> dict[str, KeySignature]:
        """Return the key signature of each function of the file, by its name in the file."""
        general = {code: summary for (code, given), summary in self.file.summaries.items() if not given}
        found = {code.name: s.signature(self.file.terms) for code, s in general.items() if not code.is_foreign}
        return {name: signature for name, signature in found.items() if name != "<module>"}

    # other files

    def outside(self, qualified: str, *, concerned: bool) -> Value | None:
        """Return the value of a qualified name that other files of the project define or re-export.

        Args:
            qualified: the name as the imports of this file give it.
            concerned: whether keys depend on the answer; otherwise functions that concern keys suffice.

        Returns:
            ``None`` if the name is not of the project, its value is unknown, or it does not concern keys.
        """
        slot = (qualified, concerned)
        if slot not in self._outside:
            self.needs[Need("keys" if concerned else "name", qualified)] = None
            value, is_final = self._ask(qualified, concerned) if self.document.roots else (None, True)
            if not is_final:
                return value
            self._outside[slot] = value
        return self._outside[slot]

    def is_settled(self, qualified: str) -> bool:
        """Return whether what is known of a qualified name, concerning keys, can no longer change."""
        return (qualified, True) in self._outside

    def _ask(self, qualified: str, concerned: bool) -> tuple[Value | None, bool]:
        for step in range(STEPS):
            place = locate_name(self.document.roots, qualified)
            if place is None:
                return (
                    self.library(qualified) if step and not in_project(self.document.roots, qualified) else None
                ), True
            own = self.file.module.definitions.get(place[1]) if str(place[0]) == self.document.path else None
            if own is not None:  # the file imports itself through its package
                return (Class(own) if isinstance(own, ClassCode) else self.file.function(own)), True
            question = Question(str(place[0]), place[1], concerned)
            answer = self.session.answers.answer(question)
            if answer is None:
                return None, True
            if "alias" in answer:
                qualified = answer["alias"]
                continue
            if "class" in answer:
                class_ = records.read_class(answer["class"], qualified)
                self.hierarchy.inherit(class_, [self.library(base) for base in answer["class"]["bases"]])
                return Class(class_), True
            return records.read(self.file, answer, question.path), bool(answer["final"])
        return None, True

    def reach(self, function: Function, *, concerned: bool) -> Function | None:
        """Return a function of another file with its summary, ``None`` if it is out of reach."""
        if not function.code.is_foreign or (function.code, GENERAL) in self.file.summaries or not function.code.home:
            return function
        found = self.outside(function.code.home, concerned=concerned or function.code.is_property)
        if isinstance(found, Bound):  # a class method, which is bound by its attribute
            found = found.function
        if not isinstance(found, Function):
            return None
        return replace(
            found, captured=function.captured or found.captured, doubtful=function.doubtful or found.doubtful
        )

    def answer(self, name: str, concerned: bool) -> records.Record | None:
        """Return the file's answer to others about a name in it; ``final`` is whether it can no longer change."""
        busy, self.busy = self.busy, True  # a file that is asked on the way may ask this one, which stays open
        try:
            return self._answer(name, concerned)
        finally:
            self.busy = busy

    def _answer(self, name: str, concerned: bool) -> records.Record | None:
        self.prepare()
        plain, _, heir = name.partition(RECEIVER)
        head, _, rest = plain.partition(".")
        definition = self.file.module.definitions.get(head)
        if isinstance(definition, ClassCode):
            method = self.hierarchy.method(definition, rest) if rest else None
            if method is None and rest:
                attribute, _, inner = rest.partition(".")
                library = self.hierarchy.namespace(definition, attribute)
                return None if library is None else {"alias": f"{library.qualified}.{inner}".rstrip(".")}
            if method is None:
                described = records.write_class(self.file, self.pytrees, definition, has_arrays=self.arrays is not None)
                return {"class": described}
            function = self.file.function(method)
            if method.is_property:
                concerned = True  # a property is only asked for at a call site
            elif method.kind == "classmethod":
                function = Bound(function, Class(definition))
            if heir and method.is_foreign:
                return {"alias": f"{method.home.partition(RECEIVER)[0]}{RECEIVER}{heir}"}
            inheriting = self.hierarchy.known_class(Library(heir)) if heir else None
            given = GENERAL if inheriting is None else receiver(self.file, method, inheriting)
            return self._described(function, concerned, given)
        if head in self.file.module.imported:
            return {"alias": self.file.module.imported[head] + name[len(head) :]}
        if isinstance(definition, FunctionCode) and not rest:
            return self._described(self.file.function(definition), concerned)
        held = self.file.environments[self.file.module].get(head) if head in self.file.module.bound_once else None
        if (isinstance(held, (*CALLABLE, Const)) or is_constant(held)) and not rest:
            return self._described(held, concerned)
        for star in self.file.module.stars:
            self.needs[Need("place", f"{star}.{name}")] = None
            if (
                locate_name(self.document.roots, f"{star}.{name}") is not None
                or self.file.table.get(f"{star}.{name}").row
            ):
                return {"alias": f"{star}.{name}"}
        return None

    def _described(self, value: Value, concerned: bool, given: Specialisation = GENERAL) -> records.Record | None:
        """Return the record of a value, unless it is a function that is not worth interpreting."""
        function = value
        while isinstance(function, Bound | Mapped | Partial):
            function = function.function
        if isinstance(function, Function) and not function.code.is_foreign:
            if function.code in self.file.idle and not concerned:
                return None
            if self.judged and (function.code, given) not in self.file.summaries:
                raise Forgotten
        function = value.function if isinstance(value, Bound) else value
        if isinstance(function, Function):
            reached = self.reach(function, concerned=concerned)
            if reached is None or (function.code in self.file.idle and not concerned):
                return None
            value = Bound(reached, value.self) if isinstance(value, Bound) else reached
        try:
            record = records.write(self.file, value, given)
        except records.TooLarge:
            return None
        return record | {"final": self.is_final(value)}

    # names

    def library(self, qualified: str) -> Library:
        """Return the value of a qualified name; other roots of the JAX namespace are spelled ``jax``."""
        found = self._libraries.get(qualified)
        if found is None:
            found = self._libraries[qualified] = Library(canonical(qualified, self.session.roots))
        return found

    def outer_value(self, code: FunctionCode, name: str) -> Value:
        """Return the value of a name that a scope does not bind: a definition, an import or a variable."""
        scope = code.parent
        while scope is not None:
            if name in scope.local_names:
                return self._defined(scope, name)
            scope = scope.parent
        for star in self.file.module.stars:
            qualified = self.library(f"{star}.{name}").qualified
            if self.file.table.get(qualified).row is not None or self.outside(qualified, concerned=True) is not None:
                return Library(qualified)
        return Library(f"builtins.{name}" if hasattr(builtins, name) else f"{UNBOUND}.{name}")

    def variable(self, code: FunctionCode, name: str) -> Term | None:
        """Return the variable that a ``global`` or ``nonlocal`` name of a scope refers to."""
        scope = code.parent
        while scope is not None and name not in scope.local_names:
            scope = scope.parent
        return None if scope is None else self.file.terms.make("free", (scope, name))

    def _defined(self, scope: FunctionCode, name: str) -> Value:
        definition = scope.definitions.get(name)
        if isinstance(definition, FunctionCode):
            return self.file.function(definition)
        if isinstance(definition, ClassCode):
            return Class(definition)
        if name in scope.imported:
            return self.library(scope.imported[name])
        default = default_callable(self.file, scope, name) if name in scope.parameters else None
        if default is not None:
            return default
        is_local = name in scope.bound_once and name not in scope.parameters
        held = self.file.environments[scope].get(name) if is_local and scope in self.file.environments else None
        if isinstance(held, (*CALLABLE, Const)) or is_constant(held) or is_registry(held):
            return held
        term = self.file.terms.make("free", (scope, name))
        self.file.knowledge.name(term, name)
        if name in scope.parameters:
            self._captured_receiver(scope, name, term)
        elif isinstance(held, Term):
            if held in self.file.knowledge.origins:
                self.file.knowledge.origins.setdefault(term, self.file.knowledge.origins[held])
            if held in self.file.classes:
                self.file.classes.setdefault(term, self.file.classes[held])
        return term

    def _captured_receiver(self, scope: FunctionCode, name: str, term: Term) -> None:
        """Note the class of a method's object, which a function inside of the method reads."""
        is_receiver = scope.owner is not None and scope.parameters[:1] == (name,) and name in scope.bound_once
        if is_receiver and scope.owner is not None and scope.kind not in ("staticmethod", "classmethod"):
            self.file.classes.setdefault(term, scope.owner)

    def variable_class(self, qualified: str) -> ClassCode | None:
        """Return the class of a library's variables that stand for arrays, if the analysis looks for such objects."""
        if self.arrays is None:
            return None
        if qualified not in self._variables:
            self._variables[qualified] = variable_class(qualified)
        return self._variables[qualified]


def interpreted(analysis: Analysis, task: Task) -> tuple[Run, Summary]:
    """Interpret a function once."""
    code, given = task
    run = interpreter.interpret(analysis.file, code, dict(given), analysis.arrays)
    return run, summarise(analysis.file, run)


@dataclass(slots=True)
class Draft:
    """The summary of a function after one round."""

    analysis: Analysis
    task: Task

    def place(self) -> tuple[Any, ...]:
        """Return its place in the order of the sources."""
        code, given = self.task
        row, column = getattr(code.node, "lineno", 0), getattr(code.node, "col_offset", 0)
        return (self.analysis.document.path, row, column, len(given))

    def settle(self) -> None:
        """Compute the final summary of the function."""
        self.analysis.summary(*self.task)

    def is_settled(self) -> bool:
        """Return whether the function has a summary."""
        return self.task in self.analysis.file.summaries

    def forget(self) -> None:
        """Withdraw it, and all of the rounds before."""
        self.withdraw()
        del self.analysis.drafts[self.task]

    def changed(self) -> bool:
        """Return whether its key signature differs from that of the round before; an empty summary is like none."""
        terms = self.analysis.file.terms
        before, summary = self.analysis.drafts.get(self.task), self.analysis.file.summaries[self.task]
        if before is None or not before.says_something(terms):
            return summary.says_something(terms)
        return summary.signature(terms) != before.signature(terms)

    def hold(self, lowest: int | None) -> None:
        """Record the depth of the outermost unfinished function on which it rests, ``None`` if it is final."""
        if lowest is None:
            self.analysis.provisional.pop(self.task, None)
        else:
            self.analysis.provisional[self.task] = lowest

    def withdraw(self) -> None:
        """Withdraw it; it stays the draft until the next round has another one."""
        self.analysis.drafts[self.task] = self.analysis.file.summaries.pop(self.task)
        self.analysis.file.runs.pop(self.task, None)
