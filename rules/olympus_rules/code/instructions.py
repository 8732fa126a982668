"""The instruction list that Python's syntax is lowered to.

Instructions read and write numbered registers of one function; variables live in the environment by name.
Control flow stays structured: an instruction that branches or loops holds blocks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from olympus_rules.code.names import dotted_name
from olympus_rules.code.origins import Origin

Register = int
ADMITTING_NONE = frozenset({"Any", "None", "Optional", "object"})
"""The last names of types that ``None`` has; a type variable of one letter may stand for its type."""


class Instruction:
    """One step of a function."""

    __slots__ = ()


@dataclass(slots=True)
class Constant(Instruction):
    """Put a Python constant into a register."""

    dst: Register
    value: object
    node: ast.AST


@dataclass(slots=True)
class Load(Instruction):
    """Read a variable."""

    dst: Register
    name: str
    node: ast.AST


@dataclass(slots=True)
class Store(Instruction):
    """Bind a variable; ``fills`` is ``none`` if it held ``None``, ``true`` if it held nothing true, else empty."""

    name: str
    src: Register
    node: ast.AST
    fills: str = ""


@dataclass(slots=True)
class Assign(Instruction):
    """Bind a temporary that several branches write (conditional expressions, ``and``, ``or``)."""

    name: str
    src: Register


@dataclass(slots=True)
class Attribute(Instruction):
    """Read an attribute."""

    dst: Register
    obj: Register
    name: str
    node: ast.Attribute


@dataclass(slots=True)
class SetAttribute(Instruction):
    """Write an attribute; ``fills`` is as for a variable."""

    obj: Register
    name: str
    src: Register
    node: ast.AST
    fills: str = ""


@dataclass(slots=True)
class Item(Instruction):
    """Read a subscript."""

    dst: Register
    obj: Register
    index: Register
    node: ast.Subscript


@dataclass(slots=True)
class SetItem(Instruction):
    """Write a subscript; ``name`` is the variable that holds the container, if it is a variable."""

    obj: Register
    index: Register
    src: Register
    node: ast.AST
    name: str | None


@dataclass(slots=True)
class DeleteItem(Instruction):
    """Delete a subscript; ``name`` is the variable that holds the container, if it is a variable."""

    obj: Register
    index: Register
    name: str | None


@dataclass(slots=True)
class Slice(Instruction):
    """Build a slice."""

    dst: Register
    lower: Register | None
    upper: Register | None
    step: Register | None


@dataclass(slots=True)
class BuildSequence(Instruction):
    """Build a tuple, list or set; an item is (register, whether it is starred)."""

    dst: Register
    kind: str
    items: list[tuple[Register, bool]]
    node: ast.AST


@dataclass(slots=True)
class BuildMap(Instruction):
    """Build a dictionary; a key of ``None`` unpacks a mapping."""

    dst: Register
    items: list[tuple[Register | None, Register]]


@dataclass(slots=True)
class Call(Instruction):
    """Call a value.

    Attributes:
        args: positional arguments as (register, whether it is starred).
        keywords: keyword arguments; a name of ``None`` unpacks a mapping.
        receiver: the variable that holds the object of a method call, if it is a variable.
        owner: the register of that object.
        asks: whether only the truth of the result is used (``assert f(key)``, ``if not f(key)``).
        decorates: whether the result is a decorator (``@scaled(2)``).
        closes: whether it is the last statement of a branch, as a call is that does not return.
    """

    dst: Register
    func: Register
    args: list[tuple[Register, bool]]
    keywords: list[tuple[str | None, Register]]
    node: ast.Call
    receiver: str | None = None
    owner: Register | None = None
    asks: bool = False
    decorates: bool = False
    closes: bool = False


@dataclass(slots=True)
class Binary(Instruction):
    """Apply an operator, comparison or string formatting to registers."""

    dst: Register
    operation: str
    operands: list[Register]
    node: ast.AST


@dataclass(slots=True)
class Boolean(Instruction):
    """Combine conditions: ``and``, ``or`` or ``not``."""

    dst: Register
    operation: str
    operands: list[Register]


@dataclass(slots=True)
class Unpack(Instruction):
    """Unpack a value into registers; ``star`` is the index of the starred target."""

    dsts: list[Register]
    src: Register
    star: int | None
    node: ast.AST


@dataclass(slots=True)
class Block:
    """Instructions in order."""

    body: list[Instruction] = field(default_factory=list)


@dataclass(slots=True)
class Branch(Instruction):
    """Run the first arm whose test holds, else ``orelse``; an arm is (test block, test register, body)."""

    arms: list[tuple[Block, Register, Block]]
    orelse: Block


@dataclass(slots=True)
class Loop(Instruction):
    """Run a body once for each element (``iterable``) or while a test holds (``test``).

    Attributes:
        label: ``loop`` or ``comprehension``, for messages.
        element: the register that holds the element in the body.
        node: the expression that is iterated over.
    """

    label: str
    iterable: Register | None
    element: Register
    test: tuple[Block, Register] | None
    body: Block
    orelse: Block
    node: ast.expr | None = None


@dataclass(slots=True)
class Try(Instruction):
    """Run a body, its handlers and its ``else`` and ``finally``; ``catches`` has the exceptions of each handler."""

    body: Block
    handlers: list[Block]
    orelse: Block
    final: Block
    catches: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class Raising(Instruction):
    """Run a body that is expected to raise (``with pytest.raises(…)``)."""

    body: Block


@dataclass(slots=True)
class Append(Instruction):
    """Add an element to the result of a comprehension."""

    name: str
    src: Register


@dataclass(slots=True)
class Collect(Instruction):
    """Put the result of a comprehension into a register."""

    dst: Register
    name: str
    node: ast.AST


@dataclass(slots=True)
class Return(Instruction):
    """Return from the function (``yield`` passes a value out and continues, ``yield from`` each of its elements)."""

    src: Register | None
    leaves: bool = True
    is_spread: bool = False


@dataclass(slots=True)
class Jump(Instruction):
    """Leave the block: ``break``, ``continue`` or ``raise``, with the name of the exception if it has one."""

    kind: str
    exception: str = ""


@dataclass(slots=True)
class Import(Instruction):
    """Bind names to qualified names."""

    bindings: list[tuple[str, str]]


@dataclass(slots=True)
class MakeFunction(Instruction):
    """Build a function value; the innermost decorator is last."""

    dst: Register
    code: FunctionCode
    defaults: list[tuple[str, Register, ast.expr]]
    decorators: list[Register]


@dataclass(slots=True)
class MakeClass(Instruction):
    """Run a class body and build a class value."""

    dst: Register
    code: ClassCode
    body: Block
    bases: list[Register] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class FunctionCode:
    """A function, lambda or module body in lowered form.

    Attributes:
        name: the qualified name inside the file, for messages.
        node: the definition.
        parameters: positional parameters in order (``self`` included), then keyword-only ones.
        positional: the number of parameters that can be passed by position.
        vararg, kwarg: the names of ``*args`` and ``**kwargs``.
        parent: the enclosing function or module; ``None`` for the module.
        owner: the class whose method this is.
        kind: ``function``, ``method``, ``staticmethod``, ``classmethod``, ``property``, ``cached_property`` or
            ``module``.
        local_names: the names that the body binds.
        outer_names: those of them that ``global`` or ``nonlocal`` assigns to an enclosing scope.
        definitions: functions and classes bound exactly once in this scope, by name.
        imported: names bound by imports in this scope and nowhere else.
        rebound: names that nested functions may rebind.
        bound_once: names that one statement of this scope binds, and parameters that none binds again.
        reads: the names that the body or anything nested in it reads.
        nested: the functions defined in it, lambdas included.
        result: where its result comes from, as its annotation or its last statement says.
        yields: whether it is a generator, but not a context manager made from a generator.
        waiting: lowers the body of a function whose body was not needed yet.
        is_foreign: whether it is defined in another file, which provides its summary; it has no body here.
        home: the qualified name of a foreign function, empty if it has none.
        is_left_open: whether it is a foreign method that its class leaves to subclasses.
    """

    name: str
    node: ast.AST
    parameters: tuple[str, ...] = ()
    positional: int = 0
    vararg: str | None = None
    kwarg: str | None = None
    parent: FunctionCode | None = None
    owner: ClassCode | None = None
    kind: str = "function"
    block: Block = field(default_factory=Block)
    registers: int = 0
    local_names: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)
    definitions: dict[str, FunctionCode | ClassCode] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    rebound: set[str] = field(default_factory=set)
    bound_once: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    nested: list[FunctionCode] = field(default_factory=list)
    result: Origin | None = None
    yields: bool = False
    waiting: Callable[[], None] | None = None
    is_foreign: bool = False
    home: str = ""
    is_left_open: bool = False

    @property
    def every_parameter(self) -> tuple[str, ...]:
        """All parameters, those that take the rest of the arguments last."""
        return (*self.parameters, *filter(None, (self.vararg, self.kwarg)))

    @property
    def is_property(self) -> bool:
        """Whether reading it calls it."""
        return self.kind in ("property", "cached_property")

    @property
    def is_test(self) -> bool:
        """Whether its body only evaluates a condition and returns the truth value."""
        if not isinstance(self.node, ast.FunctionDef) or len(self.node.body) > 2:
            return False
        *before, last = self.node.body
        if not isinstance(last, ast.Return) or not all(isinstance(each, ast.Expr) for each in before):
            return False
        is_negation = isinstance(last.value, ast.UnaryOp) and isinstance(last.value.op, ast.Not)
        return is_negation or isinstance(last.value, ast.Compare | ast.BoolOp)

    def binder(self, name: str) -> FunctionCode | None:
        """Return the scope that binds a name as this one reads it; ``None`` for a builtin, or a name from a star."""
        scope: FunctionCode | None = self
        while scope is not None and name not in scope.local_names:
            scope = scope.parent
        return scope

    def imported_name(self, node: ast.expr) -> str | None:
        """Return the qualified name of an expression that is the name of an import, or attributes of one."""
        head, dot, rest = dotted_name(node).partition(".")
        scope = self.binder(head)
        found = scope.imported.get(head) if scope is not None else None
        return found and f"{found}{dot}{rest}"

    def required_type(self, name: str) -> str:
        """Return the type of a parameter without a default, ``Rngs`` for ``rngs: Rngs``; empty if it admits ``None``.

        The name may be that of an alias, which the text of the function does not show.
        """
        given = getattr(self.node, "args", None)
        if not isinstance(given, ast.arguments):
            return ""
        positional = [*given.posonlyargs, *given.args]
        needed = positional[: len(positional) - len(given.defaults)]
        needed += [arg for arg, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is None]
        annotation = next((arg.annotation for arg in needed if arg.arg == name), None)
        if not isinstance(annotation, ast.Name | ast.Attribute):
            return ""
        type_name = annotation.id if isinstance(annotation, ast.Name) else annotation.attr
        return dotted_name(annotation) if len(type_name) > 1 and type_name not in ADMITTING_NONE else ""

    def is_rate(self, name: str) -> bool:
        """Return whether a parameter is 0 by default, and no truth value."""
        default = self.default(name)
        return isinstance(default, ast.Constant) and type(default.value) in (int, float) and default.value == 0

    def default(self, name: str) -> ast.expr | None:
        """Return the default of a parameter."""
        given = getattr(self.node, "args", None)
        if not isinstance(given, ast.arguments):
            return None
        positional = [*given.posonlyargs, *given.args][::-1]
        pairs = [*zip(positional, given.defaults[::-1], strict=False),
                 *zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip
        return next((default for arg, default in pairs if arg.arg == name), None)

    def lower(self) -> None:
        """Lower the body if this has not happened yet."""
        if self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            waiting()


def setter(name: str) -> str:
    """Return the name under which a class stores the setter of a property."""
    return f"{name}="


@dataclass(slots=True, eq=False, repr=False)
class ClassCode:
    """A class: its methods by name, property setters included, and its annotated fields in order.

    Attributes:
        defaults: the numbers, truth values and texts that its body gives to fields.
        values: the names that its body binds to anything else.
        left_open: the names of the methods that it leaves to its subclasses.
        declared: where its objects' attributes come from, as annotations and its initialising methods say.
        scope: the scope of the definition.
        home: the qualified name of a class of another file, whose methods are looked up there.
        kinds: the kinds of that class's methods by name.
        heirs: the qualified names of the subclasses there, if that class leaves methods to them.
        line: the line of its definition there, if its objects stand for arrays.
        registered: whether that class itself is, or may be, registered as a pytree.
        inert: whether nothing that its subclasses inherit from it can register them.
    """

    name: str
    node: ast.ClassDef
    methods: dict[str, FunctionCode] = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)
    defaults: dict[str, object] = field(default_factory=dict)
    values: frozenset[str] = frozenset()
    left_open: frozenset[str] = frozenset()
    declared: dict[str, Origin] = field(default_factory=dict)
    scope: FunctionCode | None = None
    home: str = ""
    kinds: dict[str, str] = field(default_factory=dict)
    heirs: tuple[str, ...] = ()
    line: int = 0
    registered: bool = True
    inert: bool = False
