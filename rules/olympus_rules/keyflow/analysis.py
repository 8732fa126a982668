"""The key flow's front door: the facts of one document."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable

from olympus.signature import KeySignature
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts, notes, verdicts
from olympus_rules.keyflow.access import CALLABLE
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.interpreter import Interpreter
from olympus_rules.keyflow.knowledge import Knowledge
from olympus_rules.keyflow.lowering import lower_module
from olympus_rules.keyflow.paths import Decisions
from olympus_rules.keyflow.references import references
from olympus_rules.keyflow.relevance import relevant
from olympus_rules.keyflow.summary import Summary, summarise
from olympus_rules.keyflow.terms import Term, Terms
from olympus_rules.keyflow.values import UNBOUND, Bound, Class, Const, Function, Library, Mapped, Partial, Value
from olympus_rules.signatures import LibraryFunction, SignatureTable, signatures
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import reexported

__all__ = ["Analysis", "analyse"]

RECURSION_LIMIT = 20_000  # a long chain of operators is a deep tree
DEFAULT_ROOTS = ("jax", "olympus")
# Private modules that people import the public functions from.
CANONICAL = {"jax._src.random": "jax.random", "jax._src.numpy": "jax.numpy", "jax.experimental.maps": "jax"}


def analyse(
    document: Document,
    roots: Iterable[str] = DEFAULT_ROOTS,
    asked: Collection[type[Fact]] | None = None,
    *,
    by_name: bool = True,
    packs: Iterable[str] = (),
) -> list[Fact]:
    """Return the facts of a document, each once, in the order of their places.

    Args:
        document: the parsed file.
        roots: the names under which the JAX namespace may be imported.
        asked: the types of facts that are wanted, all of them by default; others may be left out.
        by_name: whether facts about values that are keys by their name only are wanted.
        packs: the paths of the user's signature packs.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        analysis = Analysis(document, tuple(roots), signatures(tuple(packs)))
        found = analysis.run(asked, by_name=by_name)
        analysis.close()
        return found
    finally:
        sys.setrecursionlimit(limit)


class Analysis:
    """The analysis of one file: what its functions share.

    Attributes:
        table: what library functions do with keys.
        classes: objects whose class is known.
        generators: objects of libraries whose methods give fresh keys.
        functions: the value of each function after its decorators.
        pending: notes that become facts if their term is a key.
        started: the interpretation of each function, from its start.
        idle: functions whose text has nothing to do with keys.
        imported: the packages that the file imports from.
        constructed: the key that each call of a constructor makes, by the callee's node.
    """

    def __init__(
        self, document: Document, roots: tuple[str, ...] = DEFAULT_ROOTS, table: SignatureTable | None = None
    ) -> None:
        """Lower the file."""
        self.document = document
        self.roots = roots
        self.table = table or signatures()
        self.terms = Terms()
        self.knowledge = Knowledge(self.terms)
        self.decisions = Decisions(self.terms)
        self.module = lower_module(
            document.tree,
            module=document.module,
            is_package=document.is_package,
            has_globals="global " in document.text,
        )
        self.imported = imported = {qualified.partition(".")[0] for qualified in document.imports.names.values()}
        if ".init(" in document.text and ".apply" in document.text:  # a functional module, whoever made it
            imported |= {"flax", "haiku"}
        self.folding_methods = self.table.methods(imported, "fold")
        self.inspecting_methods = self.table.methods(imported, "inspect")
        self.method_rows = self.table.method_rows(imported)
        self.generators: dict[Term, LibraryFunction] = {}
        self.classes: dict[Term, ClassCode] = {}
        self.functions: dict[FunctionCode, Value] = {}
        self.idle: set[FunctionCode] = set()
        self.pending: list[notes.Pending] = []
        self.facts: list[Fact] = []
        self.constructed: dict[ast.expr, tuple[Term, Interpreter]] = {}
        self._sources: dict[str, str] = {}
        self._libraries: dict[str, Library] = {}
        self._summaries: dict[FunctionCode, Summary | None] = {}
        self.started: dict[FunctionCode, Interpreter] = {}
        self._running: set[FunctionCode] = set()
        self._seeds: dict[tuple[FunctionCode, int, KeyKind], ast.Call] = {}
        self.flows: list[Interpreter] = []

    def run(self, asked: Collection[type[Fact]] | None = None, *, by_name: bool = True) -> list[Fact]:
        """Interpret the module and the functions in it, and judge what was noted."""
        self.summary(self.module)
        variables = self.started[self.module].env.values.items()
        callables = [str(name) for name, value in variables if isinstance(value, Function | Partial | Mapped | Bound)]
        callables = [name for name in callables if name not in self.module.definitions]
        by_name = by_name or self.table.takes_keys(self.imported - {"jax"})
        waiting = relevant(self.document, self.module, callables, by_name=by_name)
        self.idle = set(self.module.nested).difference(waiting)
        while waiting:
            code = waiting.pop()
            self.summary(code)
            waiting += code.nested
        for flow in self.flows:
            self.facts += verdicts.judge(flow)
        self.facts += verdicts.stale_state(self)
        settled = list(verdicts.settle(self))
        self.facts += [fact for _, fact in settled]
        constructions = asked is None or facts.Construction in asked
        self.facts += references(self, verdicts.obstacles(self, settled) if constructions else None)
        return verdicts.unique(self.facts)

    def close(self) -> None:
        """Cut the references that go round, so that all of it is freed at once and not by the garbage collector."""
        codes = [self.module]
        while codes:
            code = codes.pop()
            codes += code.nested
            for class_ in (code.owner, *code.definitions.values()):
                if isinstance(class_, ClassCode):
                    class_.scope, class_.methods = None, {}
            code.parent, code.nested, code.waiting, code.owner = None, [], None, None
            code.definitions = {}
        for flow in self.started.values():
            flow.__dict__.clear()
        self.__dict__.clear()

    def add(self, fact: Fact) -> None:
        """Note a fact."""
        self.facts.append(fact)

    def summary(self, code: FunctionCode) -> Summary | None:
        """Return the summary of a function, interpreting it if need be; ``None`` while it is being interpreted."""
        if code in self._summaries:
            return self._summaries[code]
        if code in self._running:
            return None
        self._running.add(code)
        flow = self.started[code] = Interpreter(self, code)
        flow.run()
        self._running.discard(code)
        self.flows.append(flow)
        summary = self._summaries[code] = summarise(flow)
        return summary

    def signatures(self) -> dict[str, KeySignature]:
        """Return the key signature of each function of the file, by its name in the file."""
        found = {code.name: s.signature(self.terms) for code, s in self._summaries.items() if s is not None}
        return {name: signature for name, signature in found.items() if name != "<module>"}

    def method(self, class_: ClassCode, name: str, depth: int = 0) -> FunctionCode | None:
        """Return a method of a class or of its bases in this file."""
        if name in class_.methods:
            return class_.methods[name]
        if class_.scope is None or depth > 20:
            return None
        for base in class_.bases:
            found = class_.scope.definitions.get(base)
            if isinstance(found, ClassCode):
                method = self.method(found, name, depth + 1)
                if method is not None:
                    return method
        return None

    # names

    def library(self, qualified: str) -> Library:
        """Return the value of a qualified name; other roots of the JAX namespace are spelled ``jax``."""
        found = self._libraries.get(qualified)
        if found is None:
            name = qualified
            for root in self.roots:
                if qualified == root or qualified.startswith(f"{root}."):
                    name = f"jax{qualified[len(root) :]}"
            for private, public in CANONICAL.items():
                if name == private or name.startswith(private + "."):
                    name = public + name[len(private) :]
            found = self._libraries[qualified] = Library(name)
        return found

    def source_of(self, qualified: str) -> str:
        """Return where a name comes from that a module of the project passes on, the name itself for any other."""
        if qualified not in self._sources:
            found = reexported(self.document.roots, qualified) if self.document.roots else None
            self._sources[qualified] = qualified if found is None else self.library(found).qualified
        return self._sources[qualified]

    def outer_value(self, code: FunctionCode, name: str) -> Value:
        """Return what a name that a scope does not bind stands for: a definition, an import or a variable."""
        scope = code.parent
        while scope is not None:
            if name in scope.local_names:
                return self._defined(scope, name)
            scope = scope.parent
        for star in self.module.stars:
            qualified = self.library(f"{star}.{name}").qualified
            if self.table.get(qualified) is not None:
                return Library(qualified)
        return Library(f"builtins.{name}" if hasattr(builtins, name) else f"{UNBOUND}.{name}")

    def _defined(self, scope: FunctionCode, name: str) -> Value:
        definition = scope.definitions.get(name)
        if isinstance(definition, FunctionCode):
            return self.functions.get(definition) or Function(definition)
        if isinstance(definition, ClassCode):
            return Class(definition)
        if name in scope.imported:
            return self.library(scope.imported[name])
        held = self.started[scope].env.get(name) if scope in self.started and name in scope.bound_once else None
        if isinstance(held, (*CALLABLE, Const)):
            return held
        term = self.terms.make("free", (scope, name))
        self.knowledge.name(term, name)
        if type(held) is int and held in self.knowledge.origins:
            self.knowledge.origins.setdefault(term, self.knowledge.origins[held])
        return term

    def literal_seed(self, flow: Interpreter, node: ast.Call, seed: int, kind: KeyKind) -> None:
        """Note a key made from a literal seed; the second with one seed in one scope is of interest."""
        slot = (flow.code, seed, kind)
        first = self._seeds.setdefault(slot, node)
        where = "same-seed" if first is not node else "function-body"
        if where == "function-body" and flow.code.kind == "module":
            return
        self.add(
            facts.ConstantKey(
                node=node,
                confidence=Confidence.POSSIBLE,
                kind=kind,
                where=where,
                owner=flow.code.name,
                first=first if first is not node else None,
            )
        )
