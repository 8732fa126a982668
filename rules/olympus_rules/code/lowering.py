"""Lowering: Python's syntax, in all its forms, to the instruction list."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from olympus_rules.code import instructions as ir
from olympus_rules.syntax.imports import bindings

__all__ = ["lower_module"]

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp

DECORATED_KINDS = {"staticmethod": "staticmethod", "classmethod": "classmethod"}
PROPERTY_DECORATORS = {"property": "property", "setter": "property", "cached_property": "cached_property"}
RAISING_CONTEXTS = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesWithLiteralMatch")
SEVERAL = 2
ASKING_METHODS = (
    "issubdtype",
    "startswith",
    "endswith",
    "isdigit",
    "isalpha",
    "isidentifier",
    "isupper",
    "lower",
    "upper",
    "strip",
)
CONDITION_NODES = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set, ast.Compare,
    ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp, ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop, ast.operator,
)  # fmt: skip
NEVER_RETURN = (
    "sys.exit",
    "exit",
    "quit",
    "os._exit",
    "os.abort",
    "pytest.fail",
    "pytest.skip",
    "self.skipTest",
)
ABSTRACT = ("abstractmethod", "abstractproperty")


def lower_module(
    tree: ast.Module,
    *,
    module: str = "",
    is_package: bool = False,
    has_globals: bool = False,
    attached: Sequence[ast.stmt] = (),
) -> ir.FunctionCode:
    """Lower a module; its functions are nested in the returned module code.

    The body of a module-level function is lowered on demand.

    Args:
        tree: the parsed module.
        module, is_package: its dotted name and whether it is an ``__init__``, for relative imports.
        has_globals: whether it may contain a ``global`` statement, or a call of ``globals``.
        attached: imports that the module carries out when somebody asks for their names.
    """
    code = ir.FunctionCode("<module>", tree, kind="module")
    if has_globals:
        code.rebound.update(_bound_by_name(tree))
    _Lowering(code, module, is_package, has_globals).run([*tree.body, *attached] if attached else tree.body)
    return code


class _Lowering:
    """Lowers the body of one scope; each nested function gets its own lowering."""

    def __init__(self, code: ir.FunctionCode, module: str, is_package: bool, has_globals: bool) -> None:
        self.code = code
        self.has_globals = has_globals  # if so, functions may bind the module's names, and no body is deferred
        self.module = module
        self.is_package = is_package
        self.out: list[Any] = code.block.body
        self.renames: list[dict[str, str]] = []
        self.bound: dict[str, int] = {}
        self.class_: ir.ClassCode | None = None
        self.temporaries = 0
        self.asking: set[ast.expr] = set()
        self.closing: set[ast.expr] = set()
        self.missing: dict[str, str] = {}

    def body(self, node: FunctionNode) -> None:
        """Lower the body of a function or lambda."""
        if isinstance(node, ast.Lambda):
            self.out.append(ir.Return(self.expr(node.body)))
            self.run([])
        else:
            self.ending(node.body)
            self.run(node.body)

    def ending(self, body: Sequence[ast.stmt]) -> None:
        """Record the call that a body ends with, if it is a statement: it may be one that does not return."""
        if body and isinstance(body[-1], ast.Expr):
            self.closing.add(body[-1].value)

    def run(self, body: Sequence[ast.stmt]) -> None:
        self.statements(body)
        code = self.code
        once = {name for name, count in self.bound.items() if count == 1 and name not in code.rebound}
        code.bound_once = once.union(set(code.parameters).difference(self.bound, code.rebound))
        code.definitions = {name: value for name, value in code.definitions.items() if name in once}
        code.imported = {
            name: value for name, value in code.imported.items() if self.bound.get(name, 0) == 0 or name in once
        }

    # names and registers

    def register(self) -> int:
        self.code.registers += 1
        return self.code.registers - 1

    def temporary(self) -> str:
        self.temporaries += 1
        return f"${self.temporaries}"

    def rename(self, name: str) -> str:
        for scope in reversed(self.renames):
            if name in scope:
                return scope[name]
        return name

    def bind(self, name: str) -> str:
        """Record that this scope binds a name, and return the name of its variable."""
        renamed = self.rename(name)
        if renamed == name and self.class_ is not None:
            renamed = self.renames[0].setdefault(name, f"{self.class_.name}.{name}")
        self.code.local_names.add(renamed)
        self.bound[renamed] = self.bound.get(renamed, 0) + 1
        return renamed

    def block(self, body: Sequence[ast.stmt]) -> ir.Block:
        return self.within(lambda: self.statements(body))

    def within(self, emit: Callable[[], Any]) -> ir.Block:
        """Run a function that emits instructions, and return these as a block."""
        block, outer = ir.Block(), self.out
        self.out = block.body
        try:
            emit()
        finally:
            self.out = outer
        return block

    # statements

    def statements(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            handler = STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)

    def stmt_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expr(node.value)
            if isinstance(node.value, ast.Call) and dotted_name(node.value.func) in NEVER_RETURN:
                self.out.append(ir.Jump("raise"))

    def stmt_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1 and (default := _default(node)) is not None:
            return self.stmt_If(default)
        src = self.expr(node.value)
        for target in node.targets:
            self.assign(target, src)

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self.class_ is not None and isinstance(node.target, ast.Name):
            self.class_.fields.append(node.target.id)
        if node.value is not None:
            self.assign(node.target, self.expr(node.value))

    def stmt_AugAssign(self, node: ast.AugAssign) -> None:
        left, right, dst = self.expr(node.target), self.expr(node.value), self.register()
        self.out.append(ir.Binary(dst, type(node.op).__name__, [left, right], node))
        self.assign(node.target, dst)

    def stmt_Return(self, node: ast.Return) -> None:
        self.out.append(ir.Return(self.expr(node.value) if node.value else None))

    def stmt_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Tuple | ast.List):
                self.stmt_Delete(ast.Delete(target.elts))
            elif isinstance(target, ast.Subscript):
                name = self.rename(target.value.id) if isinstance(target.value, ast.Name) else None
                obj, index = self.expr(target.value), self.expr(target.slice)
                self.out.append(ir.Item(self.register(), obj, index, target))
                self.out.append(ir.DeleteItem(obj, index, name))
            elif not isinstance(target, ast.Name):
                self.expr(target)

    def stmt_Raise(self, node: ast.Raise) -> None:
        if node.exc is not None:
            raised = self.expr(node.exc)
            if not _is_message(node.exc):
                self.opaque(node, [raised], "raise")
        self.out.append(ir.Jump("raise"))

    def stmt_Break(self, node: ast.Break) -> None:
        self.out.append(ir.Jump("break"))

    def stmt_Continue(self, node: ast.Continue) -> None:
        self.out.append(ir.Jump("continue"))

    def stmt_Assert(self, node: ast.Assert) -> None:
        block, test = self.test(node.test)
        if _is_simple(node.test):
            failed = self.within(lambda: self.out.append(ir.Jump("raise")))
            self.out.append(ir.Branch([(block, test, ir.Block())], failed))
        else:
            self.out.extend(block.body)

    def stmt_Global(self, node: ast.Global) -> None:
        self.code.outer_names.update(node.names)
        scope = self.code
        while scope.parent is not None:
            scope = scope.parent
        scope.rebound.update(node.names)

    def stmt_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.code.outer_names.update(node.names)
        scope = self.code.parent
        while scope is not None and scope.kind != "module":
            scope.rebound.update(node.names)
            scope = scope.parent

    def stmt_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        found = list(bindings(node, module=self.module, is_package=self.is_package))
        self.code.stars += [qualified for name, qualified in found if name == "*"]
        named = [(self.rename(name), qualified) for name, qualified in found if name != "*"]
        self.code.local_names.update(name for name, _ in named)
        for name, qualified in named:
            self.code.imported.setdefault(name, qualified)
        self.out.append(ir.Import(named))

    stmt_ImportFrom = stmt_Import

    def stmt_If(self, node: ast.If) -> None:
        arms: list[tuple[ir.Block, int, ir.Block]] = []
        while True:  # an elif chain is one Branch, so that a long one does not nest
            arms.append((*self.test(node.test), self.filling(node.body, _missing(node.test))))
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        self.out.append(ir.Branch(arms, self.filling(node.orelse, _missing(node.test, negated=True))))

    def filling(self, body: Sequence[ast.stmt], missing: dict[str, str]) -> ir.Block:
        """Lower a body before which the missing variables and attributes hold no value."""
        self.ending(body)
        outer, self.missing = self.missing, {**self.missing, **missing} if missing else self.missing
        block = self.block(body)
        self.missing = outer
        return block

    def test(self, node: ast.expr) -> tuple[ir.Block, int]:
        self.asking.update(_calls_asked(node))
        register: list[int] = []
        block = self.within(lambda: register.append(self.expr(node)))
        return block, register[0]

    def stmt_For(self, node: ast.For | ast.AsyncFor) -> None:
        iterable, element = self.expr(node.iter), self.register()

        def body() -> None:
            self.assign(node.target, element)
            for part in ast.walk(node.target):  # each iteration binds the target anew
                if isinstance(part, ast.Name):
                    self.bound[self.rename(part.id)] = SEVERAL
            self.statements(node.body)

        block = self.within(body)
        self.out.append(ir.Loop("loop", iterable, element, None, block, self.block(node.orelse), node.iter))

    stmt_AsyncFor = stmt_For

    def stmt_While(self, node: ast.While) -> None:
        test, body = self.test(node.test), self.block(node.body)
        self.out.append(ir.Loop("loop", None, -1, test, body, self.block(node.orelse)))

    def stmt_Try(self, node: Any) -> None:
        handlers = [self.within(partial(self.handler, handler)) for handler in node.handlers]
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.out.append(ir.Try(body, handlers, orelse, self.block(node.finalbody)))

    stmt_TryStar = stmt_Try

    def handler(self, handler: ast.ExceptHandler) -> None:
        if handler.name is not None:
            self.out.append(ir.Store(self.bind(handler.name), self.opaque(handler, operation="caught"), handler))
        self.statements(handler.body)

    def stmt_With(self, node: ast.With | ast.AsyncWith) -> None:
        raising = False
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and dotted_name(call.func).rpartition(".")[2] in RAISING_CONTEXTS:
                raising = True
            context, entered = self.expr(call), self.register()
            self.out.append(ir.Binary(entered, "with", [context], call))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, entered)
        if raising:
            self.out.append(ir.Raising(self.block(node.body)))
        else:
            self.statements(node.body)

    stmt_AsyncWith = stmt_With

    def stmt_Match(self, node: ast.Match) -> None:
        subject = self.expr(node.subject)
        arms: list[tuple[ir.Block, int, ir.Block]] = []
        orelse = ir.Block()
        for case in node.cases:
            body = self.within(partial(self.case_body, case, subject))
            if case.guard is None and _irrefutable(case.pattern):
                orelse = body
                break
            test = ir.Block()
            outer, self.out = self.out, test.body
            register = self.case_test(case, subject)
            self.out = outer
            arms.append((test, register, body))
        if arms:
            self.out.append(ir.Branch(arms, orelse))
        else:
            self.out.extend(orelse.body)

    def case_test(self, case: ast.match_case, subject: int) -> int:
        dst = self.pattern_test(case.pattern, subject)
        if case.guard is None:
            return dst
        self.capture(case.pattern, subject)
        self.asking.update(_calls_asked(case.guard))
        both = self.register()
        self.out.append(ir.Boolean(both, "and", [dst, self.expr(case.guard)]))
        return both

    def pattern_test(self, pattern: ast.pattern, subject: int) -> int:
        """Emit the condition under which a value matches a pattern, and return its register."""
        dst = self.register()
        if isinstance(pattern, ast.MatchValue):
            self.out.append(ir.Binary(dst, "Eq", [subject, self.expr(pattern.value)], pattern))
        elif isinstance(pattern, ast.MatchSingleton):
            constant = self.register()
            self.out.append(ir.Constant(constant, pattern.value, pattern))
            self.out.append(ir.Binary(dst, "Is", [subject, constant], pattern))
        elif isinstance(pattern, ast.MatchOr):
            self.out.append(ir.Boolean(dst, "or", [self.pattern_test(part, subject) for part in pattern.patterns]))
        elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
            return self.pattern_test(pattern.pattern, subject)
        elif isinstance(pattern, ast.MatchClass) and not (pattern.patterns or pattern.kwd_patterns):
            self.out.append(ir.Binary(dst, "isinstance", [subject, self.expr(pattern.cls)], pattern))
        else:
            self.out.append(ir.Binary(dst, "match", [subject], pattern))
        return dst

    def case_body(self, case: ast.match_case, subject: int) -> None:
        self.capture(case.pattern, subject)
        self.ending(case.body)
        self.statements(case.body)

    def capture(self, pattern: ast.pattern, subject: int) -> None:
        """Bind the names of a pattern: to the value, or to parts of it."""
        if isinstance(pattern, ast.MatchAs):
            if pattern.pattern is not None:
                self.capture(pattern.pattern, subject)
            if pattern.name is not None:
                self.out.append(ir.Store(self.bind(pattern.name), subject, pattern))
        elif isinstance(pattern, ast.MatchSequence):
            dsts = [self.register() for _ in pattern.patterns]
            stars = [number for number, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
            self.out.append(ir.Unpack(dsts, subject, stars[0] if stars else None, pattern))
            for part, dst in zip(pattern.patterns, dsts, strict=True):
                self.capture(part, dst)
        elif isinstance(pattern, ast.MatchStar) and pattern.name is not None:
            self.out.append(ir.Store(self.bind(pattern.name), subject, pattern))
        elif isinstance(pattern, ast.MatchOr) and _captures(pattern):
            self.capture_one(pattern.patterns, subject)
        elif isinstance(pattern, ast.MatchMapping | ast.MatchClass):
            for part, what in _parts_of(pattern):
                if _captures(part):
                    self.capture(part, self.opaque(part, [subject], f"match {what}"))
            rest = pattern.rest if isinstance(pattern, ast.MatchMapping) else None
            if rest is not None:
                self.out.append(ir.Store(self.bind(rest), self.opaque(pattern, [subject], "match rest"), pattern))

    def capture_one(self, patterns: Sequence[ast.pattern], subject: int) -> None:
        """Bind the names of the first pattern that matches; the last one matches if no other does."""
        arms = []
        for pattern in patterns[:-1]:
            test, outer = ir.Block(), self.out
            self.out = test.body
            register = self.pattern_test(pattern, subject)
            self.out = outer
            arms.append((test, register, self.within(partial(self.capture, pattern, subject))))
        self.out.append(ir.Branch(arms, self.within(partial(self.capture, patterns[-1], subject))))

    def stmt_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        dst = self.function(node, node.name)
        code = self.out[-1].code
        name = self.bind(node.name)
        accessors = {part.attr for part in node.decorator_list if isinstance(part, ast.Attribute)}
        if self.class_ is not None and "setter" in accessors:
            code.kind = "method"
            self.class_.methods[ir.setter(node.name)] = code
        elif self.class_ is not None and "deleter" not in accessors:
            self.class_.methods[node.name] = code
        self.code.definitions[name] = code
        self.out.append(ir.Store(name, dst, node))

    stmt_AsyncFunctionDef = stmt_FunctionDef

    def stmt_ClassDef(self, node: ast.ClassDef) -> None:
        bases = [self.expr(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases]
        for part in (*(keyword.value for keyword in node.keywords), *node.decorator_list):
            self.expr(part)
        code = ir.ClassCode(node.name, node)
        code.left_open = _left_open(node)
        outer = self.class_, self.renames
        self.class_, self.renames = code, [{}]
        body = self.block(node.body)
        code.values = _bound_values(code)
        self.class_, self.renames = outer
        dst, name = self.register(), self.bind(node.name)
        self.out.append(ir.MakeClass(dst, code, body, bases))
        self.code.definitions[name] = code
        self.out.append(ir.Store(name, dst, node))

    # targets

    def assign(self, target: ast.expr, src: int) -> None:
        if isinstance(target, ast.Name):
            self.out.append(ir.Store(self.bind(target.id), src, target, self.missing.get(target.id, "")))
        elif isinstance(target, ast.Tuple | ast.List):
            star = next((i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
            dsts = [self.register() for _ in target.elts]
            self.out.append(ir.Unpack(dsts, src, star, target))
            for part, dst in zip(target.elts, dsts, strict=True):
                self.assign(part.value if isinstance(part, ast.Starred) else part, dst)
        elif isinstance(target, ast.Attribute):
            fills = self.missing.get(dotted_name(target), "") if self.missing else ""
            self.out.append(ir.SetAttribute(self.expr(target.value), target.attr, src, target, fills))
        elif isinstance(target, ast.Subscript):
            name = self.rename(target.value.id) if isinstance(target.value, ast.Name) else None
            obj, index = self.expr(target.value), self.expr(target.slice)
            self.out.append(ir.SetItem(obj, index, src, target, name))

    # expressions

    def expr(self, node: ast.expr) -> int:
        handler = EXPRESSIONS.get(type(node))
        return self.opaque(node) if handler is None else handler(self, node)

    def opaque(self, node: ast.AST, operands: Sequence[int] = (), operation: str = "opaque") -> int:
        dst = self.register()
        self.out.append(ir.Binary(dst, operation, list(operands), node))
        return dst

    def expr_Constant(self, node: ast.Constant) -> int:
        dst = self.register()
        self.out.append(ir.Constant(dst, node.value, node))
        return dst

    def expr_Name(self, node: ast.Name) -> int:
        dst, name = self.register(), self.rename(node.id)
        self.code.reads.add(name)
        self.out.append(ir.Load(dst, name, node))
        return dst

    def expr_Attribute(self, node: ast.Attribute) -> int:
        obj, dst = self.expr(node.value), self.register()
        self.out.append(ir.Attribute(dst, obj, node.attr, node))
        return dst

    def expr_Subscript(self, node: ast.Subscript) -> int:
        obj, index, dst = self.expr(node.value), self.expr(node.slice), self.register()
        self.out.append(ir.Item(dst, obj, index, node))
        return dst

    def expr_Slice(self, node: ast.Slice) -> int:
        lower, upper, step = (self.expr(part) if part else None for part in (node.lower, node.upper, node.step))
        dst = self.register()
        self.out.append(ir.Slice(dst, lower, upper, step))
        return dst

    def expr_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> int:
        items = [
            (self.expr(item.value), True) if isinstance(item, ast.Starred) else (self.expr(item), False)
            for item in node.elts
        ]
        dst = self.register()
        self.out.append(ir.BuildSequence(dst, type(node).__name__.lower(), items, node))
        return dst

    expr_List = expr_Tuple
    expr_Set = expr_Tuple

    def expr_Dict(self, node: ast.Dict) -> int:
        items = [
            (None if key is None else self.expr(key), self.expr(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        dst = self.register()
        self.out.append(ir.BuildMap(dst, items))
        return dst

    def expr_Call(self, node: ast.Call) -> int:
        owner, receiver = None, None
        if isinstance(node.func, ast.Attribute):
            owner, func = self.expr(node.func.value), self.register()
            self.out.append(ir.Attribute(func, owner, node.func.attr, node.func))
            if isinstance(node.func.value, ast.Name):
                receiver = self.rename(node.func.value.id)
        else:
            func = self.expr(node.func)
        args = [
            (self.expr(arg.value), True) if isinstance(arg, ast.Starred) else (self.expr(arg), False)
            for arg in node.args
        ]
        keywords = [(keyword.arg, self.expr(keyword.value)) for keyword in node.keywords]
        dst = self.register()
        asks, closes = node in self.asking, node in self.closing
        self.out.append(ir.Call(dst, func, args, keywords, node, receiver, owner, asks, closes=closes))
        return dst

    def expr_BinOp(self, node: ast.BinOp) -> int:
        return self.opaque(node, [self.expr(node.left), self.expr(node.right)], type(node.op).__name__)

    def expr_UnaryOp(self, node: ast.UnaryOp) -> int:
        if isinstance(node.op, ast.Not):
            operand, dst = self.expr(node.operand), self.register()
            self.out.append(ir.Boolean(dst, "not", [operand]))
            return dst
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            value = node.operand.value
            if isinstance(value, int | float):
                return self.expr_Constant(ast.copy_location(ast.Constant(-value), node))
        return self.opaque(node, [self.expr(node.operand)], type(node.op).__name__)

    def expr_Compare(self, node: ast.Compare) -> int:
        operands = [self.expr(node.left), *(self.expr(part) for part in node.comparators)]
        parts = [
            self.opaque(node, sides, type(operation).__name__)
            for operation, sides in zip(node.ops, pairwise(operands), strict=True)
        ]
        if len(parts) == 1:
            return parts[0]
        dst = self.register()
        self.out.append(ir.Boolean(dst, "and", parts))
        return dst

    def expr_BoolOp(self, node: ast.BoolOp) -> int:
        operation = "and" if isinstance(node.op, ast.And) else "or"
        if any(_matters_when(part) for value in node.values[1:] for part in ast.walk(value)):
            return self.short_circuit(node.values, operation)
        operands = [self.expr(value) for value in node.values]
        dst = self.register()
        self.out.append(ir.Boolean(dst, operation, operands))
        return dst

    def short_circuit(self, values: Sequence[ast.expr], operation: str) -> int:
        """Lower ``a and b`` whose right side has an effect: it runs only if the left side leaves the result open."""
        name = self.temporary()
        if operation == "and":  # if the first value is true, it is not the result
            self.asking.update(_calls_asked(values[0]))
        first = self.expr(values[0])
        self.out.append(ir.Assign(name, first))
        rest = values[1:]

        def evaluate() -> None:
            right = self.short_circuit(rest, operation) if len(rest) > 1 else self.expr(rest[0])
            both = self.register()
            self.out.append(ir.Boolean(both, operation, [first, right]))
            self.out.append(ir.Assign(name, both))

        body, empty = self.within(evaluate), ir.Block()
        arm, orelse = (body, empty) if operation == "and" else (empty, body)
        self.out.append(ir.Branch([(ir.Block(), first, arm)], orelse))
        return self.read_temporary(name, values[0])

    def read_temporary(self, name: str, node: ast.AST) -> int:
        dst = self.register()
        self.out.append(ir.Load(dst, name, node))
        return dst

    def expr_IfExp(self, node: ast.IfExp) -> int:
        name = self.temporary()
        block, test = self.test(node.test)

        def arm(value: ast.expr) -> ir.Block:
            return self.within(lambda: self.out.append(ir.Assign(name, self.expr(value))))

        self.out.append(ir.Branch([(block, test, arm(node.body))], arm(node.orelse)))
        return self.read_temporary(name, node)

    def expr_NamedExpr(self, node: ast.NamedExpr) -> int:
        src = self.expr(node.value)
        # a walrus in a comprehension binds in the enclosing scope
        self.out.append(ir.Store(self.bind(node.target.id), src, node.target))
        return src

    def expr_Await(self, node: ast.Await | ast.Starred) -> int:
        return self.expr(node.value)

    expr_Starred = expr_Await

    def expr_Yield(self, node: ast.Yield | ast.YieldFrom) -> int:
        src = self.expr(node.value) if node.value else None
        decorators = getattr(self.code.node, "decorator_list", [])
        self.code.yields = not any(dotted_name(part).endswith("contextmanager") for part in decorators)
        self.out.append(ir.Return(src, leaves=False, is_spread=isinstance(node, ast.YieldFrom)))
        return self.opaque(node, [] if src is None else [src], "yield")

    expr_YieldFrom = expr_Yield

    def expr_JoinedStr(self, node: ast.JoinedStr) -> int:
        operands = [self.expr(part.value) for part in node.values if isinstance(part, ast.FormattedValue)]
        return self.opaque(node, operands, "format")

    def expr_Lambda(self, node: ast.Lambda) -> int:
        return self.function(node, "<lambda>")

    def comprehension(self, node: Comprehension, elements: Sequence[ast.expr]) -> int:
        name = self.temporary()
        self.loops(node.generators, 0, elements, name)
        dst = self.register()
        self.out.append(ir.Collect(dst, name, node))
        return dst

    def loops(
        self, generators: Sequence[ast.comprehension], depth: int, elements: Sequence[ast.expr], name: str
    ) -> None:
        if depth == len(generators):
            values = [self.expr(element) for element in elements]
            self.out.append(ir.Append(name, values[-1]))
            return
        generator = generators[depth]
        iterable, element = self.expr(generator.iter), self.register()
        scope: dict[str, str] = {}
        for part in ast.walk(generator.target):
            if isinstance(part, ast.Name):
                scope[part.id] = f"{part.id}{self.temporary()}"
        self.renames.append(scope)

        def body() -> None:
            self.assign(generator.target, element)
            self.filtered(generator.ifs, lambda: self.loops(generators, depth + 1, elements, name))

        block = self.within(body)
        self.renames.pop()
        self.out.append(ir.Loop("comprehension", iterable, element, None, block, ir.Block(), generator.iter))

    def filtered(self, conditions: Sequence[ast.expr], emit: Callable[[], None]) -> None:
        if not conditions:
            emit()
            return
        block, test = self.test(conditions[0])
        body = self.within(lambda: self.filtered(conditions[1:], emit))
        self.out.append(ir.Branch([(block, test, body)], ir.Block()))

    def expr_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> int:
        return self.comprehension(node, [node.elt])

    expr_SetComp = expr_ListComp
    expr_GeneratorExp = expr_ListComp

    def expr_DictComp(self, node: ast.DictComp) -> int:
        return self.comprehension(node, [node.key, node.value])

    # functions

    def function(self, node: FunctionNode, name: str) -> int:
        """Lower a function or lambda and emit the instruction that makes it."""
        args = node.args
        positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        keyword = [arg.arg for arg in args.kwonlyargs]
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        code = ir.FunctionCode(
            name=f"{self.class_.name}.{name}" if self.class_ is not None else name,
            node=node,
            parameters=(*positional, *keyword),
            positional=len(positional),
            vararg=args.vararg.arg if args.vararg else None,
            kwarg=args.kwarg.arg if args.kwarg else None,
            parent=self.code,
            owner=self.class_,
            kind=_kind(decorators, self.class_ is not None and not isinstance(node, ast.Lambda)),
        )
        defaults = [
            (parameter, self.expr(default), default)
            for parameter, default in [
                *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
                *((k, d) for k, d in zip(keyword, args.kw_defaults, strict=True) if d is not None),
            ]
        ]
        registers = [self.decorator(decorator) for decorator in decorators]
        inner = _Lowering(code, self.module, self.is_package, self.has_globals)
        inner.renames = [{k: v for k, v in scope.items() if "$" in v} for scope in self.renames]
        code.local_names.update(code.parameters, filter(None, (code.vararg, code.kwarg)))
        shadowed = code.local_names
        inner.renames = [{k: v for k, v in scope.items() if k not in shadowed} for scope in inner.renames]
        self.code.nested.append(code)
        code.waiting = partial(inner.body, node)
        if self.code.kind != "module" or isinstance(node, ast.Lambda) or self.has_globals:
            code.lower()
            self.code.reads |= code.reads
        dst = self.register()
        self.out.append(ir.MakeFunction(dst, code, defaults, registers))
        return dst

    def decorator(self, node: ast.expr) -> int:
        register = self.expr(node)
        last = self.out[-1] if self.out else None
        if isinstance(last, ir.Call) and last.node is node:
            last.decorates = True
        return register


def dotted_name(node: ast.expr) -> str:
    """Return ``a.b.c`` for a name with attributes; any other part becomes ``?``."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "?")
    return ".".join(reversed(parts))


def _left_open(node: ast.ClassDef) -> frozenset[str]:
    """Return the names of the methods that a class leaves to its subclasses."""
    bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    is_protocol = any(dotted_name(base).rpartition(".")[2] == "Protocol" for base in bases)
    methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(each.name for each in methods if is_protocol or _is_abstract(each))


def _is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a method is left to subclasses: by its decorator, or because it raises an error that says so."""
    last = node.body[-1]
    if isinstance(last, ast.Raise) and last.exc is not None and "NotImplemented" in ast.unparse(last.exc):
        return True
    return any(dotted_name(each).endswith(ABSTRACT) for each in node.decorator_list)


def _missing(test: ast.expr, *, negated: bool = False) -> dict[str, str]:
    """Return the variables and attributes that a test shows to be ``None`` (``none``) or not true (``true``)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _missing(test.operand, negated=not negated)
    if isinstance(test, ast.BoolOp):
        return {name: kind for part in test.values for name, kind in _missing(part, negated=negated).items()}
    if isinstance(test, ast.Compare):
        asks = ast.IsNot if negated else ast.Is
        nothing = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        return {dotted_name(test.left): "none"} if nothing and isinstance(test.ops[0], asks) else {}
    return {dotted_name(test): "true"} if negated and isinstance(test, ast.Name | ast.Attribute) else {}


def _default(node: ast.Assign) -> ast.If | None:
    """Return ``x = x or y`` and the like as ``if not x: x = y``, ``None`` for any other assignment."""
    target, value = node.targets[0], node.value
    if not isinstance(value, ast.BoolOp | ast.IfExp) or not isinstance(target, ast.Name | ast.Attribute):
        return None
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) and len(value.values) == 2:
        kept, made = value.values
        test: ast.expr = ast.copy_location(ast.UnaryOp(ast.Not(), kept), kept)
    elif isinstance(value, ast.IfExp):
        made, kept, test = value.body, value.orelse, value.test
        if dotted_name(kept) != dotted_name(target):
            made, kept, test = kept, made, ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
    else:
        return None
    if dotted_name(kept) != dotted_name(target) or "?" in dotted_name(target):
        return None
    return ast.If(test, [ast.copy_location(ast.Assign([target], made), node)], [])


def _matters_when(node: ast.AST) -> bool:
    """Return whether the conditional evaluation of an operand of ``and`` or ``or`` matters."""
    return isinstance(node, ast.Call | ast.NamedExpr) or (
        isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "dtype", "size")
    )


def _calls_asked(test: ast.expr) -> list[ast.Call]:
    """Return the calls that are operands of a condition."""
    if isinstance(test, ast.Call):
        return [test]
    if isinstance(test, ast.BoolOp):
        return [call for value in test.values for call in _calls_asked(value)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _calls_asked(test.operand)
    return []


def _is_simple(test: ast.expr) -> bool:
    """Return whether a condition compares names and constants, so that recording that it held is useful."""
    return all(
        isinstance(node, CONDITION_NODES) or (isinstance(node, ast.Call) and _only_asks(node.func))
        for node in ast.walk(test)
    )


def _only_asks(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) or (isinstance(function, ast.Attribute) and function.attr in ASKING_METHODS)


def _bound_by_name(tree: ast.Module) -> Iterator[str]:
    """Return the strings and keywords in definitions that take ``globals()`` for more than a look-up: it binds them."""
    for definition in tree.body:
        nodes = list(ast.walk(definition))
        looked_up = {part.value for part in nodes if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load)}
        calls = {part for part in nodes if isinstance(part, ast.Call) and dotted_name(part.func) == "globals"}
        if calls - looked_up:
            yield from (part.value for part in nodes if isinstance(part, ast.Constant) and isinstance(part.value, str))
            yield from (part.arg for part in nodes if isinstance(part, ast.keyword) and part.arg is not None)


def _bound_values(class_: ir.ClassCode) -> frozenset[str]:
    """Return the names that a class body binds to other values than methods; an alias of a method is a method."""
    found: set[str] = set()
    for statement in class_.node.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if value is None or not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for name in [target.id for target in targets if isinstance(target, ast.Name)]:
            if isinstance(value, ast.Name) and value.id in class_.methods:
                class_.methods.setdefault(name, class_.methods[value.id])
            elif name not in class_.methods:
                found.add(name)
    return frozenset(found)


def _kind(decorators: Sequence[ast.expr], is_method: bool) -> str:
    for decorator in decorators:
        name = dotted_name(decorator).rpartition(".")[2]
        if is_method and name in DECORATED_KINDS:
            return DECORATED_KINDS[name]
        if is_method and name in PROPERTY_DECORATORS:
            return "cached_property" if any(map(_remembers, decorators)) else PROPERTY_DECORATORS[name]
    return "method" if is_method else "function"


def _remembers(decorator: ast.expr) -> bool:
    """Return whether a decorator caches results, so that equal calls execute the function once."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return dotted_name(function).rpartition(".")[2] in ("cache", "lru_cache")


def _parts_of(pattern: ast.MatchMapping | ast.MatchClass) -> Iterator[tuple[ast.pattern, str]]:
    """Yield the parts of a pattern, each with what it matches: an item, an attribute or a position, and its name."""
    if isinstance(pattern, ast.MatchMapping):
        for key, part in zip(pattern.keys, pattern.patterns, strict=True):
            name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
            yield part, f"item {name}"
    else:
        for position, part in enumerate(pattern.patterns):
            yield part, f"position {position}"
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            yield part, f"attribute {name}"


def _captures(pattern: ast.pattern) -> bool:
    """Return whether a pattern binds a name."""
    return any(getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(pattern))


def _is_message(raised: ast.expr) -> bool:
    """Return whether an exception is a class, or holds nothing but a text."""
    arguments = [*raised.args, *(keyword.value for keyword in raised.keywords)] if isinstance(raised, ast.Call) else []
    return isinstance(raised, ast.Call) and all(isinstance(each, ast.Constant | ast.JoinedStr) for each in arguments)


def _irrefutable(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _irrefutable(pattern.pattern))


def _handlers(prefix: str) -> dict[type[ast.AST], Callable[[_Lowering, Any], Any]]:
    """Return the methods for node types by type: ``expr_Call`` is the one for ``ast.Call``."""
    return {
        getattr(ast, name.removeprefix(prefix)): method
        for name, method in vars(_Lowering).items()
        if name.startswith(prefix) and hasattr(ast, name.removeprefix(prefix))
    }


STATEMENTS = _handlers("stmt_")
EXPRESSIONS = _handlers("expr_")
