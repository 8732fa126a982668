"""Instructions that move data: constants, variables, attributes, items, containers, calls, definitions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, cast

from olympus_rules.code import instructions as ir
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import (
    REST,
    dictionary,
    get_item,
    is_large,
    is_registry,
    map_choice,
)
from olympus_rules.keyflow.domain.arguments import Arguments, unpacked, unstarred
from olympus_rules.keyflow.domain.knowledge import is_key_name
from olympus_rules.keyflow.domain.memory import exchange, set_element
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Choice,
    Class,
    Condition,
    Const,
    Function,
    Library,
    Map,
    Sequence,
    SliceOf,
    Value,
)
from olympus_rules.keyflow.interpret import calls, containers, lists, named, operators, raising
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import bindings, words
from olympus_rules.libraries.names import canonical


def run_constant(flow: Flow, instruction: ir.Constant) -> None:
    """Put a constant into a register."""
    flow.registers[instruction.dst] = Const(instruction.value)


def run_load(flow: Flow, instruction: ir.Load) -> None:
    """Read a variable."""
    value = flow.env.get(instruction.name)
    if value is None:
        value = _lookup(flow, instruction.name)
    elif isinstance(value, Choice):
        value = map_choice(flow, value, lambda part: part)
    flow.registers[instruction.dst] = value


def run_store(flow: Flow, instruction: ir.Store) -> None:
    """Bind a variable."""
    value = flow.registers[instruction.src]
    if isinstance(value, Term):
        flow.knowledge.name(value, instruction.name)
        if instruction.name not in flow.code.reads:
            bindings.bound(flow, instruction, value)
        if instruction.fills:
            flow.knowledge.fill(value, true=instruction.fills == "true")
    if instruction.name in flow.code.outer_names:
        flow.env.values.setdefault(instruction.name, _lookup(flow, instruction.name))
        variable = flow.linker.names.variable(flow.code, instruction.name)
        if variable is not None:
            flow.events.writes.append((variable, presence.VARIABLE, value, flow.path))
    flow.env.set(instruction.name, value)


def run_assign(flow: Flow, instruction: ir.Assign) -> None:
    """Bind a temporary."""
    flow.env.set(instruction.name, flow.registers[instruction.src])


def run_import(flow: Flow, instruction: ir.Import) -> None:
    """Bind imported names."""
    for name, qualified in instruction.bindings:
        flow.env.set(name, flow.linker.names.library(qualified))


def run_attribute(flow: Flow, instruction: ir.Attribute) -> None:
    """Read an attribute."""
    value = flow.registers[instruction.obj]
    flow.registers[instruction.dst] = flow.attribute(value, instruction.name, instruction.node)


def run_set_attribute(flow: Flow, instruction: ir.SetAttribute) -> None:
    """Write an attribute."""
    value = flow.registers[instruction.src]
    if instruction.fills and isinstance(value, Term):
        flow.knowledge.fill(value, true=instruction.fills == "true")
    named.set_attribute(flow, flow.registers[instruction.obj], instruction.name, value)


def run_item(flow: Flow, instruction: ir.Item) -> None:
    """Read a subscript."""
    value, index = flow.registers[instruction.obj], flow.registers[instruction.index]
    if isinstance(value, Library):  # a dictionary of callables in another file
        found = flow.linker.lookups.outside(value.qualified, concerned=False)
        value = found if is_registry(found) else value
    if isinstance(index, Choice):
        index = map_choice(flow, index, lambda part: part)
    if flow.arrays is not None:
        flow.arrays.indexed(flow, value, index, instruction.node)
    seen = words.item(flow, value, index, instruction.node)
    if seen is None and isinstance(value, Term) and _is_row(instruction.node):
        seen = flow.knowledge.view(f"item {flow.terms.number()}", value, flow.knowledge.rank(value))
    if seen is None:
        seen = named.item(flow, value, index)
    flow.registers[instruction.dst] = get_item(flow, value, index) if seen is None else seen


def _is_row(node: ast.AST) -> bool:
    """Return whether a subscript takes several elements, as ``keys[jnp.arange(3)]``: an array with as many axes."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute) and index.func.attr == "arange"


def run_set_item(flow: Flow, instruction: ir.SetItem) -> None:
    """Write a subscript."""
    container, index = flow.registers[instruction.obj], flow.registers[instruction.index]
    named.set_item(flow, container, index, flow.registers[instruction.src], instruction.name)


def run_delete_item(flow: Flow, instruction: ir.DeleteItem) -> None:
    """Delete a subscript."""
    container, index = flow.registers[instruction.obj], flow.registers[instruction.index]
    if lists.is_list(flow, container):
        lists.shortened(flow, container, index, instruction.name)
    elif isinstance(container, Map) and isinstance(index, Const):
        rest = tuple(item for item in container.items if item[0] != index.value)
        exchange(flow, container, Map(rest, container.open), instruction.name)
    elif isinstance(container, Term) and isinstance(index, Const) and isinstance(index.value, str):
        set_element(flow, container, index, flow.terms.fresh())
    elif isinstance(container, Term):
        flow.forget(container)  # what follows moves up


def run_slice(flow: Flow, instruction: ir.Slice) -> None:
    """Build a slice."""
    parts = (instruction.lower, instruction.upper, instruction.step)
    lower, upper, step = (None if part is None else flow.registers[part] for part in parts)
    flow.registers[instruction.dst] = SliceOf(lower, upper, step)


def run_sequence(flow: Flow, instruction: ir.BuildSequence) -> None:
    """Build a tuple, list or set."""
    items: list[Value] = []
    is_open = False
    _check_stars(flow, instruction.items, instruction.node)
    for register, starred in instruction.items:
        value = containers.spread(flow, flow.registers[register]) if starred else flow.registers[register]
        if not starred:
            items.append(value)
        elif isinstance(value, Sequence) and not value.open:
            items.extend(value.items)
        else:
            is_open = True
            break
    written = list(getattr(instruction.node, "elts", ()))
    if 1 < len(items) == len(written) and all(isinstance(x, Term) for x in items) and len(set(items)) < len(items):
        flow.events.displays[tuple(items)] = written
    built = Sequence(instruction.kind, tuple(items), is_open)
    flow.registers[instruction.dst] = flow.terms.fresh() if is_large(built) else built


def _check_stars(flow: Flow, items: Iterable[tuple[int, bool]], node: ast.AST | None) -> None:
    """Check what is unpacked into a display or a call."""
    for number, (register, starred) in enumerate(items):
        if starred:
            written = (node.args if isinstance(node, ast.Call) else getattr(node, "elts", ()))[number:]
            if written and isinstance(written[0], ast.Starred):
                words.iterated(flow, flow.registers[register], written[0].value)


def run_map(flow: Flow, instruction: ir.BuildMap) -> None:
    """Build a dictionary."""
    parts: list[tuple[object, Value]] = []
    is_open = False
    for key, register in instruction.items:
        name = REST if key is None else flow.registers[key]
        is_open = is_open or not isinstance(name, Const | str)
        known = name.value if isinstance(name, Const) else name if key is None else ("unknown", len(parts))
        parts.append((known, flow.registers[register]))
    built = dictionary(flow, parts, is_open=is_open)
    flow.registers[instruction.dst] = flow.terms.fresh() if is_large(built) else built


def run_call(flow: Flow, instruction: ir.Call) -> None:
    """Call a value."""
    registers = flow.registers
    args = tuple([(registers[register], starred) for register, starred in instruction.args])
    keywords = tuple([(name, registers[register]) for name, register in instruction.keywords])
    if True in [starred for _, starred in args]:
        _check_stars(flow, instruction.args, instruction.node)
        args = unstarred(args)
    arguments = Arguments(
        args,
        unpacked(keywords) if None in [name for name, _ in keywords] else keywords,
        instruction.node,
        instruction.receiver,
        None if instruction.owner is None else registers[instruction.owner],
        asks=instruction.asks,
        decorates=instruction.decorates,
        closes=instruction.closes,
    )
    flow.ended = None
    registers[instruction.dst] = raising.called(flow, registers[instruction.func], arguments)
    if flow.ended is not None:
        flow.ledger.depart(flow.path, sure=flow.ended)
        flow.alive = not flow.ended


def run_binary(flow: Flow, instruction: ir.Binary) -> None:
    """Apply an operator or a comparison."""
    operands = [flow.registers[register] for register in instruction.operands]
    if isinstance(instruction.node, ast.AugAssign) and containers.merged(flow, instruction.operation, *operands):
        flow.registers[instruction.dst] = operands[0]
        return
    if instruction.operation in ("In", "NotIn"):
        operands[1] = containers.members(flow, operands[1])
    value = operators.binary(flow, instruction.operation, operands, instruction.node)
    if instruction.operation in ("In", "NotIn") and isinstance(operands[1], Term | Map):
        answer = presence.entry(flow, *operands)
        is_sure = isinstance(operands[1], Term) or answer == Const(True)  # a dictionary may get further items
        if answer is not None and is_sure:
            value = answer if instruction.operation == "In" else Condition("not", (answer,))
    flow.registers[instruction.dst] = value


def run_boolean(flow: Flow, instruction: ir.Boolean) -> None:
    """Combine conditions."""
    operands = tuple(flow.registers[register] for register in instruction.operands)
    flow.registers[instruction.dst] = Condition(instruction.operation, operands)


def run_unpack(flow: Flow, instruction: ir.Unpack) -> None:
    """Unpack a value into registers."""
    value, dsts, star = flow.registers[instruction.src], instruction.dsts, instruction.star
    words.unpacked(flow, value, instruction)
    if isinstance(value, Term) and _are_unlike(instruction.node) and not flow.knowledge.is_candidate(value):
        flow.knowledge.records.add(value)
    for position, dst in enumerate(dsts):
        if star is None or position < star:
            index: Value = Const(position)
        elif position == star and isinstance(value, Term) and (length := flow.terms.length(value)) is not None:
            rest = range(star, length - (len(dsts) - star - 1))
            items = tuple(get_item(flow, value, Const(number)) for number in rest)
            flow.registers[dst] = Sequence("list", items)
            continue
        elif position == star:
            after = len(dsts) - star - 1
            index = SliceOf(Const(star), Const(-after) if after else None, None)
        else:
            index = Const(position - len(dsts))
        found = named.field(flow, value, index) if isinstance(value, Library | Term) else None
        flow.registers[dst] = get_item(flow, value, index) if found is None else found


def _are_unlike(targets: ast.AST) -> bool:
    """Return whether some of the targets of an assignment are named like keys, and others are not."""
    names = {part.id for part in getattr(targets, "elts", ()) if isinstance(part, ast.Name)} - {"_"}
    return len({is_key_name(name) for name in names}) == 2


def run_append(flow: Flow, instruction: ir.Append) -> None:
    """Append to the result of a comprehension."""
    flow.collected.setdefault(instruction.name, []).append((flow.path, flow.registers[instruction.src]))


def run_collect(flow: Flow, instruction: ir.Collect) -> None:
    """Finish a comprehension."""
    items = flow.collected.pop(instruction.name, [])
    whole = bool(items) and all(path == flow.path for path, _ in items)  # no iteration and no element was in doubt
    flow.registers[instruction.dst] = Sequence("list", tuple(value for _, value in items), not whole)


def run_make_function(flow: Flow, instruction: ir.MakeFunction) -> None:
    """Build a function value and wrap it in its decorators."""
    code = instruction.code
    defaults = tuple((name, flow.registers[register]) for name, register, _ in instruction.defaults)
    for name, register, node in instruction.defaults:
        bindings.default(flow, code, name, flow.registers[register], node)
    value: Value = Function(code, defaults=defaults)
    for register in reversed(instruction.decorators):
        value = calls.decorate(flow, flow.registers[register], value)
    value = _described(flow, code) or value
    flow.file.functions[code] = value
    flow.registers[instruction.dst] = value


def _described(flow: Flow, code: ir.FunctionCode) -> Library | None:
    """Return the public function that a function of JAX's private modules is, if a signature pack describes it."""
    if flow.code.kind != "module":
        return None
    private = f"{flow.file.document.module}.{code.name}"
    qualified = canonical(private)
    return Library(qualified) if qualified != private and flow.file.describes(qualified) else None


def run_make_class(flow: Flow, instruction: ir.MakeClass) -> None:
    """Run a class body and build a class value."""
    flow.linker.hierarchy.inherit(instruction.code, [flow.registers[base] for base in instruction.bases])
    flow.block(instruction.body)
    bindings.class_fields(flow, instruction)
    flow.registers[instruction.dst] = Class(instruction.code)


def _lookup(flow: Flow, name: str) -> Value:
    """Return the value of a name that this scope has not bound yet."""
    if name in flow.code.local_names and name not in flow.code.outer_names and flow.code.kind != "module":
        value: Value = flow.terms.fresh()
    else:
        value = _given_around(flow, name) or flow.linker.names.outer_value(flow.code, name)
    written = flow.env.get((value, presence.VARIABLE, 0)) if isinstance(value, Term) else None
    if written is not None:  # by a function that was called
        return cast(Value, written)
    if name not in flow.code.local_names:
        flow.env.values[name] = value  # the same for the whole function, so outside any layer
    return value


def _given_around(flow: Flow, name: str) -> Value | None:
    """Return the callable that a variable of an enclosing function is known to hold in this run."""
    scope = flow.code.parent
    while flow.given and scope is not None:
        if name in scope.local_names:
            return flow.given.get((scope, name))
        scope = scope.parent
    return None


HANDLERS: dict[type, Callable[[Flow, Any], None]] = {
    ir.Constant: run_constant,
    ir.Load: run_load,
    ir.Store: run_store,
    ir.Assign: run_assign,
    ir.Attribute: run_attribute,
    ir.SetAttribute: run_set_attribute,
    ir.Item: run_item,
    ir.SetItem: run_set_item,
    ir.DeleteItem: run_delete_item,
    ir.Slice: run_slice,
    ir.BuildSequence: run_sequence,
    ir.BuildMap: run_map,
    ir.Call: run_call,
    ir.Binary: run_binary,
    ir.Boolean: run_boolean,
    ir.Unpack: run_unpack,
    ir.Append: run_append,
    ir.Collect: run_collect,
    ir.Import: run_import,
    ir.MakeFunction: run_make_function,
    ir.MakeClass: run_make_class,
}
