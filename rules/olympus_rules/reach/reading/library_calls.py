"""Calls of library functions: what they return of their arguments, and what they hand to callables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from olympus_rules.code import instructions as ir
from olympus_rules.libraries import Model
from olympus_rules.libraries.names import CHOOSING, ERRORS
from olympus_rules.libraries.transformations import Transformation
from olympus_rules.reach.reading.attributes import Attributes
from olympus_rules.reach.reading.binding import CALLABLE, MANY, Binding, give_words
from olympus_rules.reach.reading.containers import ContainerCalls
from olympus_rules.reach.reading.giving_back import DATA_LEAVES, GivingBack
from olympus_rules.reach.reading.python_calls import PythonCalls
from olympus_rules.reach.reading.sites import Anywhere, Call, Given
from olympus_rules.reach.reading.spelled import axes_of_size
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.mapping import ANYHOW, MOST_AXES, Mapped, mapped_by, takes_words
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import (
    UNDIVIDED,
    Class,
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Made,
    Other,
    Place,
    Unknown,
    Value,
    Words,
)

CHANGING = frozenset({"replace", "_replace", "evolve", "tree_at"})
"""Functions and methods, by last name, that copy an object with new values of some attributes."""
COPYING = frozenset({"replace", "evolve"})
"""Those of them that take the new values by the names of attributes."""
FACTORIES = frozenset({"default_factory", "factory"})
"""Options whose function makes the default of a field."""
MAPPING = frozenset({"mapping", "pmap"})
"""Transformations that take an axis of each argument away."""
EACH = frozenset({"each", "starmap"})
"""Transformations that give what the function gives of each element."""
MAPPED = (Function, Constructor)
"""What is told from what it was before it was mapped."""
FUNCTION_NAMES = ("f", "fn", "fun", "func", "function")
"""Parameters of decorators that take the function."""


class LibraryCalls:
    """Calls of library functions, described by packs or unknown.

    Attributes:
        remade: the calls that derive keys from words, which JAX's flag makes typed, with their callees; ``None`` where
            nobody asks for them.
    """

    def __init__(self, heap: Heap, attributes: Attributes, binding: Binding) -> None:
        """Start without any call."""
        self.heap = heap
        self.slots = heap.slots
        self.attributes = attributes
        self.names = attributes.names
        self.binding = binding
        self.containers = ContainerCalls(attributes.trees)
        self.python = PythonCalls(heap, binding)
        self._made: Counter[Slot] = Counter()
        self.back = GivingBack(heap, attributes.names)
        self._restructured: set[Place] = set()
        self._namespaces: dict[Place, ir.ClassCode] = {}
        self.remade: dict[Place, str] | None = None

    def call(self, value: Library | Made, call: Call) -> None:
        """Call a library function: callables take the other arguments, and the result may hold all of them."""
        if value.qualified in ERRORS:
            self.slots.put(call.result, Made("builtins"))
            return
        model = self.names.model(value.qualified)
        if model.gives_objects:  # what is made of an object of the library is one of its objects, too
            for slot in call.given:
                self.slots.add_edge_of(slot, call.result, Made)
            if not call.arguments:
                self.slots.put(call.result, Made(model.qualified))  # a decorator that waits for its function
        if model.kind == "wraps":
            return  # it is told a function, and gives back another one
        if model.container == "namespace":
            self.namespace(model, call)
            return
        if model.row is not None and model.row.derive:
            self.derive(value, model.row.derive, call)
        if model.result == "derived" or (model.row is not None and model.row.derive):
            return
        is_class = model.is_class_of_python
        if (model.result is None and model.container is None) or is_class:
            self.slots.put(call.result, Made(model.root))
            looks_only = model.inspects or self.names.model(f"{model.root}.*").inspects
            if is_class or (model.is_unknown_of_python and not looks_only):
                self.python.pass_through(call, model.root, is_method=isinstance(value, Made))
        if self.slots.once("handing", call.place, model.qualified):
            write_attributes(self.attributes, value, model, call)
            if model.kind not in EACH and self.containers.call(model.container, call):
                self._restructured.add(call.place)
            if model.container is not None and model.transform is None:
                self.python.call_with_elements(call, model.container)
            self.hand_on(model, call)

    def namespace(self, model: Model, call: Call) -> None:
        """Make an object whose attributes are the keyword arguments."""
        fields = [keyword for keyword, _ in call.keywords if keyword is not None]
        code = self._namespaces.setdefault(
            call.place, ir.ClassCode(model.name, ast.ClassDef(model.name, [], [], [], []), fields=fields)
        )
        self.heap.classes.plain.add(code)  # no pytree, which may be a batch
        self.binding.construct(Class(code), call)

    def hand_on(self, model: Model, call: Call) -> None:
        """Copy the arguments of a library function to its result and to the callables among them."""
        transform = model.transform
        operands = transform.operands if transform is not None else 0
        is_over_leaves = transform is not None and transform.parts == "leaves"
        functions = {slot for slot, _ in call.arguments[: 1 if is_over_leaves else operands]}
        functions |= {slot for keyword, slot in call.keywords if is_over_leaves and keyword in FUNCTION_NAMES}
        rest = {slot for slot, _ in call.arguments[operands:]}
        factories = {slot for keyword, slot in call.keywords if keyword in FACTORIES}  # what they make is in the result
        kept = set(functions) | ({slot for _, slot in call.keywords} if model.name in COPYING else set())
        kept |= {slot for slot, _ in call.arguments[:1]} if model.is_jax and model.name in CHOOSING else set()
        for slot in call.given:
            if call.place not in self._restructured and slot not in kept:
                if transform is not None and transform.maps:
                    self.back.give_unmapped(slot, functions or {other for other, _ in call.arguments[:1]}, call, model)
                else:
                    self.back.give_if_unknown(slot, call, model)
            if slot in factories:
                continue
            self.hand_to(slot, slot, call, model)
            if transform is not None and transform.has_branches and slot not in rest:  # of a list, as `switch` takes it
                hand = partial(self.hand_to, slot=slot, call=call, model=model)
                self.heap.open(slot, self.heap.elements_pool, self.heap.parts_of, hand, Container)
        if model.kind == "scan":
            self.scan(call)

    def scan(self, call: Call) -> None:
        """Return the last carry of a scan, and the outputs of its body with an axis for the iterations."""
        body, carry = self.slots.slot("body", call.place), self.slots.slot("carry", call.place)
        rows = self.slots.slot("rows", call.place)
        pair = self.heap.made(call.result, 2)
        self.heap.copy_parts(body, carry, Container, name=0)
        self.heap.copy_parts(body, rows, Container, name=1)
        self.slots.add_edge(carry, self.heap.element(pair, 0))
        self.heap.stacked(rows, self.heap.element(pair, 1), 1)
        self.heap.shift(body, call.result, None)
        self.slots.add_edge_of(body, call.result, *UNDIVIDED)

    def derive(self, function: Library | Made, how: str, call: Call) -> None:
        """Return derived keys; a mapped function, which is ``Made``, changes their rank."""
        axes: int | None = None if isinstance(function, Made) else 0
        if how == "split" and axes == 0:
            size = [*call.node.args[1:2], *(option.value for option in call.node.keywords if option.arg == "num")]
            axes = axes_of_size(size[0]) if size else 1 if len(call.given) < 2 else None
        self.heap.shift(call.function, call.result, None)  # a key that `partial` has given
        for slot in call.given[:1]:
            self.heap.shift(slot, call.result, axes)
            if self.remade is None:  # else keys of any words
                self.slots.add_edge_of(slot, call.result, Other, Made)
        self.remake(call)

    def remake(self, call: Call) -> None:
        """Make keys where a call derives some from words: with JAX's flag they are typed, and otherwise raw."""
        remade = self.remade
        if remade is None:
            return

        def make(words: int) -> None:
            remade[call.place] = call.callee
            for value in self.slots.of(words, Words):
                self.slots.put(made, Key(call.place, value.rank))

        made = self.slots.slot("made", call.place)
        self.slots.watch_mask(call.result, make, Words)
        self.slots.add_edge(made, call.result)

    def hand_to(self, source: Slot, slot: Slot, call: Call, model: Model) -> None:
        """Call the callables of a slot: functions, and objects where a function is expected.

        Args:
            source: where the callables are: an argument, or an element of one.
            slot: the argument.
            call: the call.
            model: the library's function.
        """
        transform = model.transform
        kinds: tuple[type, ...] = (*(MAPPED if transform is None else CALLABLE), Unknown)
        mapped = mapped_by(call.node) if model.kind in MAPPING else None
        if model.kind in MAPPING and takes_words(call.node):
            self.slots.watch(source, lambda value: give_words(self.heap, value.code), Function)
        if mapped is not None:
            self.slots.watch(source, partial(self.map_over, mapped=mapped, result=call.result), *MAPPED)
            kinds = tuple(kind for kind in kinds if kind not in MAPPED)
        if model.kind == "value_and_grad":
            self.slots.watch(source, partial(self.pair_up, result=call.result), Function)
            kinds = tuple(kind for kind in kinds if kind is not Function)
        if not (model.keeps_axes or model.kind == "map"):
            self.binding.widen(source, *(kinds if mapped is not None else CALLABLE))
        if model.kind == "partial":
            count = sum(not starred for _, starred in call.arguments[1:])
            self.slots.watch(source, partial(self.bind_first, count=count, result=call.result), Function)
            self.slots.add_edge_of(source, call.result, *(kind for kind in kinds if kind is not Function))
        elif (not transform.runs) if transform is not None else may_return_function(slot, call, model):
            self.slots.add_edge_of(source, call.result, *kinds)
        if transform is not None:
            run = partial(self.run_all, slot=slot, call=call, transform=transform)
            hand = partial(self.hand_to_library, slot=slot, call=call, transform=transform)
            self.slots.watch_mask(source, run, *kinds)
            self.slots.watch(source, hand, Library, *((Made,) if transform.runs else ()))
            if transform.gives_function:
                self.slots.add_edge_of(source, call.result, Made)

    def run_all(self, values: int, *, slot: Slot, call: Call, transform: Transformation) -> None:
        """Call the callables of a mask."""
        for value in self.slots.listed(values & self.binding.told[0]):
            self.run(value, slot, call, transform)

    def run(self, value: Value, slot: Slot, call: Call, transform: Transformation) -> None:
        """Call a callable with the other arguments."""
        if isinstance(value, Unknown):
            self.binding.give_up(call)
            return
        if isinstance(value, Constructor) and not transform.runs:
            return  # it is in the result, and makes keys where that is called
        is_over = self.binding.is_over_limit(call.place)
        if is_over and not self.binding.takes_pair():
            return
        result = call.result
        if transform.kind in ("scan", "map"):
            result = self.slots.slot("body", call.place)
        if transform.kind == "map":
            self.heap.stacked(result, call.result, 1)
        if transform.parts == "leaves":
            result = self.mapped_tree(call)
        if transform.kind in EACH:
            result = self.heap.element(self.heap.made(call.result), None)
        self.binding.feed(value, self.handed_on(transform, slot, call), result, is_over=is_over)

    def mapped_tree(self, call: Call) -> Slot:
        """Return the slot of the new leaves of a tree, at any depth; the attributes of an object keep the old ones."""
        leaves = self.slots.slot("mapped", call.place)
        if self.slots.once("mapped", leaves):
            tree = Container(self.slots.slot("mapped tree", call.place), None)
            every = self.heap.element(tree, None)
            self.slots.add_edge(leaves, every)
            inner = self.slots.slot("mapped parts", call.place)
            self.slots.watch_mask(
                inner, lambda _: self.attributes.trees.hold(tree, every), Container
            )  # a tree of trees
            for slot in call.given[1:]:
                self.heap.iterate(slot, inner)
                self.slots.watch_mask(slot, lambda _: self.attributes.trees.hold(tree, call.result), Container)
                self.slots.watch_mask(slot, lambda _: self.slots.add_edge(leaves, call.result), Key, *DATA_LEAVES)
        return leaves

    def hand_to_library(self, value: Library | Made, *, slot: Slot, call: Call, transform: Transformation) -> None:
        """Call a library function, such as ``split``, which derives keys from the other arguments."""
        if not transform.runs:
            self.slots.put(call.result, value if transform.keeps_axes else Made(value.qualified))
        row = self.names.model(value.qualified).row
        if row is not None and row.derive and transform.kind == "partial":
            for other, _ in call.arguments[1:2]:
                self.slots.add_edge_of(other, call.result, Key)
        elif row is not None and row.derive and not transform.gives_function:
            for other in call.given:
                if other != slot and isinstance(value, Made):  # it is mapped
                    self.heap.shift(other, call.result, None)
                elif other != slot:
                    self.heap.copy_elements(other, call.result)
            self.remake(call)

    def handed_on(self, transform: Transformation, slot: Slot, call: Call) -> Sequence[Given]:
        """Return the arguments that a library passes to a callable: one sequence for each parameter."""
        positional = [other for other, _ in call.arguments]
        after = positional[positional.index(slot) + 1 + transform.after :] if slot in positional else None
        named = {keyword: other for keyword, other in call.keywords if keyword is not None}
        start = [named.get("init_val", positional[-1] if positional else -1)]
        match transform.kind:
            case "scan":
                return self.iterations([*(after or ()), -1, -1][:2], named, call)
            case "map":
                return self.iterations([-1, *(after or ()), -1][:2], named, call)[1:]
            case "associative_scan":
                elements = [*(after if after is not None else positional), -1][0]
                return [[named.get("elems", elements), call.result]] * 2
            case "fori_loop":
                return [[], start]
            case "while_loop":
                return [start]
            case "reduce" | "tree_reduce":
                return self.folded(transform, positional, call)
        if transform.has_branches:
            return [[other] for other in positional[transform.operands :]] + [[named.get("operand", -1)]]
        if transform.parts in ("items", "rows"):
            return self.unpacked(transform, after[:1], call) if after else []
        if transform.hands_on and after is not None:
            given = by_position([self.mapped(transform, other, call) for other in after], after, call)
            return [[], *given] if transform.kind == "tree_map_with_path" else given
        return []

    def iterations(self, given: list[Slot], named: dict[str, Slot], call: Call) -> Sequence[Given]:
        """Return the arguments of the body of a scan: the carry, and a row of the scanned arrays."""
        init, xs = given
        rows, row = named.get("xs", xs), self.slots.slot("row", call.place)
        if rows >= 0:
            self.heap.stacked(rows, row, -1)
        return [[named.get("init", init), self.slots.slot("carry", call.place)], [row]]

    def folded(self, transform: Transformation, positional: list[Slot], call: Call) -> Sequence[Given]:
        """Return the arguments of the function of a fold: the previous result, and an element."""
        each = self.mapped(transform, positional[1], call) if len(positional) > 1 else -1
        named = [other for keyword, other in call.keywords if keyword in ("initial", "initializer")]
        start = [*positional[2:3], *named, each][0]  # without a start, the first element is the first result
        if start >= 0:
            self.slots.add_edge(start, call.result)
        return [[start, call.result], [each]]

    def unpacked(self, transform: Transformation, given: list[Slot], call: Call) -> Sequence[Given]:
        """Return the items of an argument, or of its elements, one for each parameter."""
        (source,) = given
        if transform.parts == "rows":
            row = self.slots.slot("unpacked", call.place)
            self.heap.iterate(source, row)
            source = row
        parts = [self.slots.slot("unpacked", call.place, index) for index in range(MANY)]
        for index, part in enumerate(parts):
            self.heap.copy_parts(source, part, Container, name=index)
        return [[part] for part in parts]

    def mapped(self, transform: Transformation, slot: Slot, call: Call) -> Slot:
        """Return the argument of a mapped function: the elements or leaves of a slot, or the slot."""
        if not transform.parts:
            return slot
        each = self.slots.slot("each", call.place, slot)
        if self.slots.once("mapped", each):
            if transform.parts == "elements":
                self.heap.iterate(slot, each)
            else:
                self.attributes.trees.copy_leaves(slot, each)
                if any(keyword == "is_leaf" for keyword, _ in call.keywords):  # which may be any part of the tree
                    self.heap.copy_elements(slot, each, 0)
        return each

    # callables that are made of other ones

    def bind_first(self, function: Function, count: int, result: Slot) -> None:
        """Put a function into a slot, whose first arguments are bound, ``count`` of them."""
        if self._makes_many(function, result) or function.given is None:
            bound = replace(function, given=None, mapped=function.mapped.anywhere())
        elif function.is_made and function.given + count > len(function.code.parameters):
            bound = function
        else:
            bound = replace(function, given=function.given + count, mapped=function.mapped.after(count))
        self.slots.put(result, bound)

    def map_over(self, value: Function | Constructor, mapped: Mapped, result: Slot) -> None:
        """Put a function into a slot that is mapped over axes of its arguments; over the limit, of unknown axes."""
        if isinstance(value, Function):
            is_over = self._makes_many(value, result)
            both = ANYHOW if is_over else value.mapped.within(mapped)
            self.slots.put(result, replace(value, mapped=ANYHOW if both is None else both))
        else:
            axes = 1 if mapped.axes is None else mapped.axes
            self.slots.put(result, replace(value, axes=min(value.axes + axes, MOST_AXES)))

    def pair_up(self, function: Function, result: Slot) -> None:
        """Put a function into a slot that gives its result in a pair with the gradient."""
        self.slots.put(result, replace(function, is_paired=True))

    def _makes_many(self, function: Function, result: Slot) -> bool:
        """Count one more callable that a call makes; return whether there are too many, and it was made by a call.

        A call that makes very many of them is given what was joined before. Of callables that such calls have made,
        neither arguments nor axes are told apart: in the core of a framework each call takes what others give, and each
        function of the project would get a callable for each way to bind and map it again and again.
        """
        self._made[result] += 1
        return self._made[result] > MANY and function.is_made


def may_return_function(slot: Slot, call: Call, model: Model) -> bool:
    """Return whether an unknown function may return a function that it is given; it calls a callback at most.

    One that makes a container puts it into that, or makes elements with it.
    """
    callbacks = {other for keyword, other in call.keywords if keyword not in (None, *FUNCTION_NAMES)}
    if model.container is not None or (call.owner is not None and model.is_unknown_of_python):
        return False  # it calls the function, for each element or at some time
    return not model.makes_arrays and slot not in callbacks


def write_attributes(attributes: Attributes, value: Library | Made, model: Model, call: Call) -> None:
    """Write the attributes that a class of a library, or a function that copies an object, takes by their names.

    A class of which it is known what it does with keys has none of them for an attribute.
    """
    copied = [slot for slot, starred in call.arguments[:1] if not starred and model.name in COPYING]
    if copied and call.owner != copied[0]:
        attributes.write_copy(copied[0], call.keywords)
    elif model.name in CHANGING or (isinstance(value, Library) and model.name[:1].isupper() and model.row is None):
        for keyword, slot in call.keywords:
            attributes.set_named(None, keyword, slot)


def by_position(given: list[Slot], slots: Sequence[Slot], call: Call) -> list[Given]:
    """Return what is handed over for each argument; of a starred one, and after it, the position is not known."""
    starred = [number for number, slot in enumerate(slots) if (slot, True) in call.arguments]
    told = given if not starred else given[: starred[0]]
    return [*([each] for each in told), *([Anywhere(given[len(told) :])] if starred else [])]
