"""The files of a project, read into slots; which keys get where, and where they leave the project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import or_

from olympus_rules.code import instructions as ir
from olympus_rules.code.lowering import lower_module
from olympus_rules.keyflow.interpret.unknown import KEEPING_METHODS
from olympus_rules.reach.calls import Call, Calls
from olympus_rules.reach.classes import Classes, bound
from olympus_rules.reach.containers import Containers
from olympus_rules.reach.libraries import CHANGING, FILLING, MANY
from olympus_rules.reach.reading import Reader
from olympus_rules.reach.slots import Slot, Slots
from olympus_rules.reach.values import (
    OTHER,
    UNDIVIDED,
    WHOLE,
    BoundMethod,
    Class,
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Made,
    Member,
    Module,
    Object,
    Other,
    Partial,
    Place,
    Super,
    Value,
)
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import locate_name, module_file

__all__ = ["Exit", "Meeting", "ProjectReach", "reach"]

ROUNDS = 10
MOST_AXES = 3
IN_PROJECT = (Function, BoundMethod, Partial, Class, Object, Super)
CALLABLE = (*IN_PROJECT, Constructor, Library, Made, Module)
GIVING_BACK = frozenset(
    """
    copy flatten get item items pop popitem popleft ravel repeat reshape set setdefault squeeze swapaxes take
    transpose values
    """.split()  # noqa: SIM905
)
"""Methods of arrays and containers that give back what is in them."""
MEETING = frozenset(
    {
        "jax.lax.cond", "jax.lax.select", "jax.lax.switch", "jax.numpy.where", "jax.numpy.stack",
        "jax.numpy.concatenate", "jax.numpy.append", "jax.numpy.select", "jax.lax.select_n", "jax.numpy.array_equal",
        "jax.lax.scan", "jax.lax.fori_loop", "jax.lax.while_loop", "jax.numpy.vstack", "jax.numpy.hstack",
    }
)  # fmt: skip
UPDATE = re.compile(r"\.at\[.*\]\.set$", re.DOTALL)
"""How a call is written that puts keys among others: ``keys.at[i].set``."""


@dataclass(frozen=True, slots=True)
class Exit:
    """A call that hands keys to code which is no part of the project.

    Attributes:
        place: where it is.
        callee: how it is written.
        library: the qualified name of the library function; empty for one that nothing is known of.
        keys: the constructors of the keys.
        is_sure: whether nothing but keys comes to one of the arguments; where other things do as well, they may do
            so by another way than the keys.
    """

    place: Place
    callee: str
    library: str
    keys: frozenset[Place]
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Meeting:
    """A call that wants keys of one kind: those of each argument, by their constructors."""

    place: Place
    callee: str
    keys: tuple[frozenset[Place], ...]


class ProjectReach:
    """Which keys may be where in a project.

    Attributes:
        makers: the mentions of the constructor of raw keys; ``None`` while all that are spelled out count.
        expressions: the slots of each expression.
        origins: where a register was read from, for what is put into a container.
        reads: attributes that were read: the object, the name, and the result.
        vague: those of objects that may be of any class: the name and the result.
        writes: attributes that were written: the object, the name, and the value.
        nothing: registers that hold ``None``.
        method_results: calls of methods with the object of each.
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        makers: Iterable[Place] | None,
        roots: Iterable[str],
        packs: tuple[str, ...] = (),
    ) -> None:
        """Read the files of a project.

        Args:
            documents: the files by their absolute path.
            makers: the mentions of the constructor of raw keys; ``None`` for all that are spelled out.
            roots: the names under which the JAX namespace may be imported.
            packs: the paths of the user's signature packs.
        """
        self.packs = packs
        self.documents = documents
        self.makers = None if makers is None else frozenset(makers)
        self.roots = frozenset(roots)
        self.slots = Slots()
        self.classes = Classes(self.slots, method_names(documents.values()))
        self.containers = Containers(self)
        self.calls = Calls(self)
        self.expressions: dict[Place, list[Slot]] = {}
        self.origins: dict[Slot, Slot] = {}
        self.reads: list[tuple[Slot, str, Slot]] = []
        self.vague: set[tuple[str, Slot]] = set()
        self.writes: list[tuple[Slot, str, Slot]] = []
        self.nothing: set[Slot] = set()
        self.method_results: list[tuple[Slot, Call]] = []
        self._contents: dict[tuple[int, int], int] = {}
        self._named: dict[int, list[Slot]] = {}
        self._iterated: dict[int, list[Slot]] = {}
        self._opened: set[Object] = set()
        self._read_vaguely: set[tuple[str, Slot]] = set()
        self._blurred: set[Slot] = set()
        self._blurred_containers = 0
        self._of_rank: dict[tuple[int, int | None], int] = {}
        self.modules = {
            path: lower_module(
                document.tree,
                module=document.module,
                is_package=document.is_package,
                has_globals="global " in document.text,
            )
            for path, document in documents.items()
        }
        for path, module in self.modules.items():
            Reader(self, path, module).read()
        self._settle()

    # slots that readers share

    def variable(self, code: ir.FunctionCode, name: str) -> Slot:
        """Return the slot of a variable of a scope."""
        return self.slots.slot(code, name)

    def result(self, code: ir.FunctionCode) -> Slot:
        """Return the slot of what a function returns."""
        return self.slots.slot("result", code)

    def attribute(self, name: str) -> Slot:
        """Return the slot of all that is written to attributes of a name: what an object of any class may have."""
        slot = self.slots.slot("attribute", name)
        self.blur(slot)
        return slot

    def loose(self, name: str) -> Slot:
        """Return the slot of what is written to attributes of objects whose class is not known."""
        slot = self.slots.slot("loose", name)
        self.blur(slot)
        return slot

    def set_field(self, code: ir.ClassCode, name: str, source: Slot) -> None:
        """Write an attribute of the objects of a class; an object may stand for a batch of objects."""
        self.blur(self.classes.field(code, name))
        self.slots.lead(source, self.classes.field(code, name))
        self.slots.lead(source, self.attribute(name))

    def set_loose(self, name: str, source: Slot) -> None:
        """Write an attribute of an object whose class is not known."""
        self.slots.lead(source, self.loose(name))
        self.slots.lead(source, self.attribute(name))

    def element(self, container: Container, name: str | int | None) -> Slot:
        """Return the slot of an element; ``None`` stands for all of which the name is not known."""
        slot = self.slots.slot("element", container.display, name)
        if name is not None and slot not in self._named.setdefault(container.display, []):
            self._named[container.display].append(slot)
            if self.slots.bit(container) & self._blurred_containers:
                self.blur(slot)
            for watching in self._iterated.get(container.display, ()):
                self.slots.lead(slot, watching)
        return slot

    def elements(self, container: Container, name: str | int | None) -> list[Slot]:
        """Return the slots that hold an element: all, where its name is not known."""
        every = self.element(container, None)
        if name is not None:
            return [self.element(container, name), every]
        both = self.slots.slot("elements", container.display)
        if container.display not in self._iterated:
            self._iterated[container.display] = [both]
            for slot in (every, *self._named.get(container.display, ())):
                self.slots.lead(slot, both)
        return [both]

    def spill(self, source: Slot, container: Container) -> None:
        """Put all elements of something into a container."""
        self.iterate(source, self.element(container, None))

    def shift(self, source: Slot, target: Slot, axes: int | None) -> None:
        """Put the keys of a slot into another one, as arrays of so many more axes; ``None`` if that is not known."""

        if axes == 0:
            self.slots.lead_kinds(source, target, Key)
        else:
            self.slots.watch_mask(source, lambda keys: self.slots.put_mask(target, self._shifted(keys, axes)), Key)

    def _shifted(self, keys: int, axes: int | None) -> int:
        """Return the mask of keys with so many more axes."""
        found = self._of_rank.get((keys, axes))
        if found is None:
            found = 0
            for value in self.slots.listed(keys):
                assert isinstance(value, Key)
                rank = None if axes is None or value.rank is None else value.rank + axes
                found |= self.slots.bit(Key(value.maker, rank if rank in range(MOST_AXES + 1) else None))
            self._of_rank[keys, axes] = found
        return found

    def blur(self, slot: Slot) -> None:
        """Take keys that are in a slot, and in the containers there, for arrays of any rank."""
        if slot not in self._blurred:
            self._blurred.add(slot)
            self.shift(slot, slot, None)
            self.slots.watch_mask(slot, self.blur_elements, Container)

    def blur_elements(self, containers: int) -> None:
        """Take the keys in containers, as a mask, for arrays of any rank."""
        fresh = containers & ~self._blurred_containers
        self._blurred_containers |= fresh
        for container in self.slots.listed(fresh) if fresh else ():
            assert isinstance(container, Container)
            for element in (self.element(container, None), *self._named.get(container.display, ())):
                self.blur(element)

    def iterate(self, source: Slot, target: Slot) -> None:
        """Put each element of something into a slot."""

        opening = self.containers
        opening.open(
            source,
            opening.elements,
            opening.parts_of,
            lambda part: self.slots.lead(part, target),
            Container,
            Object,
        )
        self.slots.lead_kinds(source, target, *WHOLE)
        self.shift(source, target, -1)

    def opened(self, owner: Object) -> Slot:
        """Return the slot of what an object gives to those that iterate over it or take it apart."""
        slot = self.slots.slot("opened", owner)
        if owner not in self._opened:
            self._opened.add(owner)
            for name in owner.code.fields:  # of a named tuple
                self.slots.lead(self.classes.field(owner.code, name), slot)
            given = self.slots.slot("iterator", owner)
            for name in ("__getitem__", "__next__"):
                self.ask(owner, name, slot)
            if self.ask(owner, "__iter__", given):
                self.iterate(given, slot)
        return slot

    def ask(self, owner: Object, name: str, target: Slot) -> bool:
        """Put what a special method gives into a slot; say whether any class of the project has such a method."""
        if name not in self.classes.methods:
            return False

        def answer(method: Value) -> None:
            if isinstance(method, Member):
                self.slots.lead(self.result(method.code), target)

        self.slots.watch(self.classes.member(owner.code, name), answer, Member)
        return True

    def put_into(self, container: Slot, slot: Slot) -> None:
        """Put something into a container, wherever that was read from."""

        def fill(value: Value) -> None:
            if isinstance(value, Container):
                self.slots.lead(slot, self.element(value, None))
            elif isinstance(value, Object):
                self.slots.lead(slot, self.opened(value))

        self.slots.watch(container, fill, Container, Object)
        for _ in range(ROUNDS):  # an empty array, or what a function out of reach made
            self.shift(slot, container, None)
            if container not in self.origins:
                return
            container = self.origins[container]

    def canonical(self, qualified: str) -> str:
        """Return a qualified name under ``jax``."""
        head, dot, rest = qualified.partition(".")
        return f"jax{dot}{rest}" if head in self.roots else qualified

    def resolve(self, qualified: str, file: str, slot: Slot) -> None:
        """Put what a qualified name stands for into a slot."""
        document = self.documents[file]
        path = module_file(document.roots, qualified)
        if path is not None and str(path) in self.modules:
            self.slots.put(slot, Module(qualified, str(path)))
            return
        found = locate_name(document.roots, qualified)
        if found is None or str(found[0]) not in self.modules:
            self.slots.put(slot, Library(qualified))
            return
        first, *others = found[1].split(".")
        module = self.modules[str(found[0])]
        if first not in module.local_names:
            for star in module.stars:
                if not qualified.startswith(f"{star}."):
                    self.resolve(".".join([star, first, *others]), str(found[0]), slot)
            return
        step = self.variable(module, first)
        reader = Reader(self, str(found[0]), module)
        for number, name in enumerate(others):
            target = self.slots.slot("name", qualified, number)
            self.slots.watch(step, partial(reader.attribute_of, name=name, slot=target))
            step = target
        self.slots.lead(step, slot)

    def take_member(self, method: Value, owner: Object | Class, slot: Slot) -> None:
        """Put a method into a slot, as it is read from an object or a class; a property gives its result."""
        if isinstance(method, Made):
            self.slots.put(slot, method)
        if not isinstance(method, Member):
            return
        if method.code.is_property and isinstance(owner, Object):
            self.slots.lead(self.result(method.code), slot)
        else:
            self.slots.put(slot, bound(method, owner))

    # what is not known in the end

    def _settle(self) -> None:
        """Spread values; what is read of objects that nothing is known of may be of any object of the project."""
        self.slots.settle()
        for _ in range(ROUNDS):
            self._vague_reads()
            waiting, self.reads = self.reads, []
            for owner, name, slot in waiting:
                if any(isinstance(value, CALLABLE) for value in self.slots.values(owner)):
                    self.reads.append((owner, name, slot))
                    continue
                self.vague.add((name, slot))
            self._vague_reads()
            for owner, name, source in self.writes:
                if not any(isinstance(value, Class | Object) for value in self.slots.values(owner)):
                    self.set_loose(name, source)
            self._unknown_results()
            self._unknown_calls()
            self.slots.settle()
            if len(self.reads) == len(waiting) and not self.vague:
                break
        for slot, scope in self.slots.empty():
            if isinstance(scope, ir.FunctionCode) and slot not in self.nothing:
                self.slots.put(slot, OTHER)  # a number, or an argument of a caller that is not known
        self.slots.settle()

    def _vague_reads(self) -> None:
        """Read attributes of what may be an object of any class of the project."""
        while self.vague:
            waiting, self.vague = sorted(self.vague - self._read_vaguely), set()
            self._read_vaguely.update(waiting)
            for name, slot in waiting:
                self.slots.lead(self.attribute(name), slot)
                for method in self.classes.methods.get(name, ()):
                    if method.owner is not None:
                        self.take_member(Member(method), Object(method.owner), slot)
            self.slots.settle()

    def _unknown_results(self) -> None:
        """Methods of arrays and containers give back what is in the object."""
        rest = []
        for owner, call in self.method_results:
            if any(isinstance(value, CALLABLE) for value in self.slots.values(call.function)):
                rest.append((owner, call))
            elif call.callee.rpartition(".")[2] in GIVING_BACK:
                self.slots.lead_kinds(owner, call.result, *UNDIVIDED)
                self.shift(owner, call.result, None)
        self.method_results = rest
        self.slots.settle()

    def _unknown_calls(self) -> None:
        """What is made of a function, by something that nothing is known of, most likely does the same."""
        for call in self.calls.all:
            if any(isinstance(value, CALLABLE) for value in self.slots.values(call.function)):
                continue
            for slot in call.given:
                for value in self.slots.values(slot):
                    if isinstance(value, Function | BoundMethod | Partial):
                        self.slots.put(call.result, value)

    # answers

    def keys_at(self, place: Place) -> frozenset[Place]:
        """Return the constructors whose keys may be the value of an expression, or in it."""
        return self._keys(self.expressions.get(place, ()))

    def parameters(self) -> frozenset[tuple[str, int, int, str]]:
        """Return the parameters to which nothing but keys comes: file, line and column of the function, and name."""
        found = []
        for path, module in self.modules.items():
            waiting = list(module.nested)
            while waiting:
                code = waiting.pop()
                waiting += code.nested
                place = getattr(code.node, "lineno", 0), getattr(code.node, "col_offset", 0)
                for name in code.parameters:
                    if self._holds_keys_only(self.variable(code, name), strictly=True):
                        found.append((path, *place, name))
        return frozenset(found)

    def rank(self, place: Place) -> int | None:
        """Return how many axes the keys at an expression have, ``None`` where that is not known or not always so."""
        ranks = self._ranks(place)
        return ranks.pop() if len(ranks) == 1 else None

    def likely_rank(self, place: Place) -> int | None:
        """Return how many axes the keys at an expression have as far as that is known, ``None`` if it is not at all.

        The rank of keys in attributes is never known for sure, as an object may stand for a batch of objects.
        """
        ranks = self._ranks(place) - {None}
        return ranks.pop() if len(ranks) == 1 else None

    def _ranks(self, place: Place) -> set[int | None]:
        masks = [self.slots.mask(slot) & self._all_keys for slot in self.expressions.get(place, ())]
        return {value.rank for mask in masks for value in self.slots.listed(mask) if isinstance(value, Key)}

    def has_keys_only(self, place: Place) -> bool:
        """Say whether nothing but keys comes to an expression."""
        return any(self._holds_keys_only(slot) for slot in self.expressions.get(place, ()))

    def _keys(self, slots: Iterable[Slot]) -> frozenset[Place]:
        """Return the keys in slots, in the containers there, and in containers in these."""
        found = 0
        for slot in slots:
            mask = self.slots.mask(slot)
            found |= (mask & self._all_keys) | self._inside(mask & self._all_containers, 1)
        return frozenset(value.maker for value in self.slots.listed(found) if isinstance(value, Key))

    @cached_property
    def _all_keys(self) -> int:
        return self.slots.of_kinds(Key)

    @cached_property
    def _others(self) -> int:
        return self.slots.of_kinds(Other)

    @cached_property
    def _all_containers(self) -> int:
        return self.slots.of_kinds(Container)

    def _inside(self, containers: int, deeper: int) -> int:
        """Return the mask of the keys in containers, and in those in them."""
        found = self._contents.get((containers, deeper))
        if found is None:
            inside = 0
            for container in self.slots.listed(containers):
                inside |= self._held_by(container)
            found = inside & self._all_keys
            if deeper and inside & self._all_containers:
                found |= self._inside(inside & self._all_containers, deeper - 1)
            self._contents[containers, deeper] = found
        return found

    def _held_by(self, container: Value) -> int:
        """Return the mask of the elements of a container."""
        assert isinstance(container, Container)
        named = self._named.get(container.display, ())
        return reduce(or_, map(self.slots.mask, (self.element(container, None), *named)))

    def exported(self, path: str) -> frozenset[Place]:
        """Return the constructors whose keys other files may read, were there any that import a file.

        They are in a variable of the module or in an attribute, or a function gives them that is in one or is no
        inner one.
        """
        module = self.modules[path]
        waiting = [self.variable(module, name) for name in module.local_names]
        waiting += self.slots.named("attribute") + self.slots.named("field") + self.slots.named("loose")
        waiting += [self.result(method) for methods in self.classes.methods.values() for method in methods]
        seen: set[Slot] = set()
        found: frozenset[Place] = frozenset()
        while waiting:
            slot = waiting.pop()
            if slot not in seen:
                seen.add(slot)
                found |= self._keys([slot])
                waiting += [self.result(value.code) for value in self._callables(slot)]
        return found

    def exits(self) -> list[Exit]:
        """Return the calls that hand keys to libraries, or to callees that nothing is known of."""
        found = []
        for call in self.calls.all:
            keys = self._keys(call.given)
            if not keys:
                continue
            sure = any(self._holds_keys_only(slot) for slot in call.given)
            callees = self.slots.values(call.function)
            known = [value for value in callees if isinstance(value, CALLABLE)]
            kinds = (Library,) if self._keeps(call) else (Library, Made)
            libraries = sorted({self.canonical(v.qualified) for v in known if isinstance(v, kinds)})
            if (not known or call.place in self.calls.crowded) and not self._keeps(call):
                found.append(Exit(call.place, call.callee, "", keys, sure))
            if not any(isinstance(value, IN_PROJECT) for value in known):  # or the library is there by a merger
                found += [Exit(call.place, call.callee, name, keys, sure) for name in libraries if not is_jax(name)]
        return found

    def _holds_keys_only(self, slot: Slot, *, strictly: bool = False) -> bool:
        """Say whether nothing but keys comes to a slot; numbers and the unknown count ``strictly`` only.

        They come to many slots by way of containers whose elements are not told apart.
        """
        mask = self.slots.mask(slot)
        others = mask & ~self._all_keys & (-1 if strictly else ~self._others)
        return mask & self._all_keys != 0 and others == 0

    def _keeps(self, call: Call) -> bool:
        """Say whether a callee of which nothing is known is a method of an array or container, by its name."""
        if call.owner is None:
            return False
        name = call.callee.rpartition(".")[2]
        keeping = name in KEEPING_METHODS | FILLING | CHANGING | GIVING_BACK or name.startswith("assert")
        return keeping or ".at[" in call.callee or bool(self._keys([call.owner]))

    def meetings(self) -> list[Meeting]:
        """Return the calls of JAX that want keys of one kind in several arguments."""
        found = []
        for call in self.calls.all:
            names = {
                self.calls.counterpart(self.canonical(value.qualified))
                for value in self.slots.values(call.function)
                if isinstance(value, Library)
            }
            if names & MEETING:
                keys = tuple(dict.fromkeys(self._keys(slots) for slots in self._one_kind(call, names)))
                found.append(Meeting(call.place, call.callee, keys))
            elif call.owner is not None and UPDATE.search(call.callee):
                keys = tuple(dict.fromkeys(self._keys([slot]) for slot in (call.owner, *call.given[:1])))
                found.append(Meeting(call.place, call.callee, keys))
        return found

    def _one_kind(self, call: Call, names: set[str]) -> list[list[Slot]]:
        """Return what has to be of one kind: arguments, or what functions give, and the carry that they are given."""
        last = {name.rpartition(".")[2] for name in names}
        if not last & {"cond", "switch", "scan", "fori_loop", "while_loop"}:
            return [[slot] for slot in call.given]
        results = []
        for slot in call.given:
            functions = self._callables(slot)
            for value in functions if len(functions) <= MANY else ():  # else one pool of all that there is
                result = self.result(value.code)
                containers = [made for made in self.slots.values(result) if isinstance(made, Container)]
                carries = [part for made in containers for part in self.elements(made, 0)] if "scan" in last else []
                results.append(carries or [result])
        if last & {"cond", "switch"}:
            return results
        first = call.arguments[1:2] if "scan" in last else call.arguments[-1:]
        named = [slot for keyword, slot in call.keywords if keyword in ("init", "init_val")]
        return [*results, named or [slot for slot, _ in first]]

    def _callables(self, slot: Slot) -> list[Function | BoundMethod | Partial]:
        mask = self.slots.mask(slot)
        for container in self.slots.listed(mask & self._all_containers):
            mask |= self._held_by(container)
        values = self.slots.listed(mask & self.slots.of_kinds(Function, BoundMethod, Partial))
        return [value for value in values if isinstance(value, Function | BoundMethod | Partial)]


def method_names(documents: Iterable[Document]) -> set[str]:
    """Return the names of all functions in classes."""
    classes = [node for each in documents for node in ast.walk(each.tree) if isinstance(node, ast.ClassDef)]
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for class_ in classes for node in ast.walk(class_) if isinstance(node, functions)}


def is_jax(name: str) -> bool:
    """Say whether a canonical name is one of JAX, or of Python itself."""
    import sys

    package = name.partition(".")[0]
    return package in ("jax", "builtins") or package in sys.stdlib_module_names


def reach(
    documents: Mapping[str, Document],
    makers: Iterable[Place] | None,
    roots: Iterable[str] = ("jax",),
    packs: tuple[str, ...] = (),
) -> ProjectReach:
    """Return which keys may be where in a project; the arguments are those of :class:`ProjectReach`.

    Raises:
        TooLargeError: if it is too large to work that out.
    """
    return ProjectReach(documents, makers, roots, packs)
