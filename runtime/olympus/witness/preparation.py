"""Prepare the source of a file for execution with stand-ins: nodes keep their places, and errors do not end it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

Place = tuple[int, int, int, int]
"""Line, column, end line, end column: lines from 1, columns in UTF-8 bytes from 0, as ``ast`` has them."""

Asked = Mapping[Place, int]
"""Places whose operands are noted, each with its number."""

Branch = tuple[int, int]
"""Line and column of a statement or expression with a condition, as ``ast`` has them."""


TAKING = "__olympus_options__"
"""The function that a function with ``**options`` calls first."""
SIGNS: Mapping[type[ast.operator], str] = {ast.Pow: "**", ast.Mult: "*", ast.LShift: "<<"}
"""Operations whose result may be much larger than the operands."""


def compiled(
    file: str, text: str, module: str, branches: Collection[Branch] = (), asked: Asked | None = None
) -> list[CodeType]:
    """Compile the statements of a file for execution with stand-ins; every node keeps its place.

    Args:
        file: its path.
        text: its source.
        module: the name of its module.
        branches: the conditions that an execution can be told to decide.
        asked: the places whose operands are noted.

    Raises:
        SyntaxError: if it is no Python of this version.
    """
    package = module if Path(file).name == "__init__.py" else module.rpartition(".")[0]
    parsed = ast.parse(text, file)
    tree = Prepared(package, branches, asked).visit(parsed)
    statements = []
    for statement in tree.body:
        code = ast.Module([statement], [])
        statements.append(compile(ast.fix_missing_locations(code), file, "exec", dont_inherit=True))
    return statements


@lru_cache(maxsize=1024)
def compiled_file(file: Path, module: str) -> list[CodeType]:
    """Compile a file of the project, once; one that cannot be read or parsed is empty."""
    try:
        return compiled(str(file), file.read_text("utf-8"), module)
    except (OSError, SyntaxError, ValueError):
        return []


def call(name: str, *args: ast.expr | str | int, at: ast.AST) -> ast.expr:
    """Return a call of one of our functions, at the place of a node; a node without a place has that of its parent."""
    given = [each if isinstance(each, ast.expr) else ast.Constant(each) for each in args]
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), given, []), at)


def parted(test: ast.expr, change: Callable[[ast.expr, bool], ast.expr], *, positive: bool = True) -> ast.expr:
    """Change the parts of a condition between ``and``, ``or`` and ``not``, each with its polarity."""
    if isinstance(test, ast.BoolOp):
        test.values = [parted(value, change, positive=positive) for value in test.values]
        return test
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn | ast.IsNot):
        operator = ast.In() if isinstance(test.ops[0], ast.NotIn) else ast.Is()
        inside = ast.copy_location(ast.Compare(test.left, [operator], test.comparators), test)
        test = ast.copy_location(ast.UnaryOp(ast.Not(), inside), test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test.operand = parted(test.operand, change, positive=not positive)
        return test
    return change(test, positive)


def ending(body: Sequence[ast.stmt], name: str = "__olympus_left__") -> None:
    """Have the call noted that a block ends with: it may be one that does not return."""
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call | ast.Await):
        before = [call("__olympus_begun__", at=last)] if name == "__olympus_left__" else []
        last.value = call(name, *before, last.value, at=last.value)


def leaves(node: ast.AST) -> bool:
    """Return whether a statement or expression may leave the loop that it is in, or the function."""
    return isinstance(node, ast.Break | ast.Return | ast.Yield | ast.YieldFrom | ast.Await)


def is_ours(node: ast.AST) -> bool:
    """Return whether a node is a call of one of our functions."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("__olympus")


def place_of(node: Any) -> Place:
    """Return the place of a node of a syntax tree."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def noted(number: int, value: ast.expr, *, first: bool = False) -> ast.expr:
    """Return an expression that notes a value that reaches a place."""
    return call("__olympus_noted__", value, number, first, at=value)


class Head(NamedTuple):
    """The head of a compound statement: statements before it, and an expression that cannot fail."""

    statements: list[ast.stmt]
    value: ast.expr


class Prepared(ast.NodeTransformer):
    """Makes a module ready for stand-ins; every node of the user keeps its place.

    There is one method for each kind of node, as in every transformer of a syntax tree.

    * Annotations are texts, and an unknown decorator changes nothing.
    * A statement that fails gives unknown values to its names, and the execution goes on. So does the head of a loop,
      of a condition, or of a ``with``.
    * Loops run a few iterations. Unknown values are taken not to lead to an error.
    * Keywords of unknown names are passed under names of ours.
    * Relative imports become absolute ones.
    """

    def __init__(self, package: str, branches: Collection[Branch], asked: Asked | None) -> None:
        self.package, self.branches, self.asked = package, branches, asked or {}

    def visit(self, node: ast.AST) -> Any:
        """Prepare a node, and note its operands at a place that is asked about."""
        own = isinstance(node, ast.expr | ast.AugAssign) and hasattr(node, "lineno") and not is_ours(node)
        number = self.asked.get(place_of(node)) if own else None
        if number is not None:
            self.note_operands(node, number)
        return super().visit(node)

    def note_operands(self, node: ast.AST, number: int) -> None:
        """Note the operands of an expression: of an index, an operation or a call."""
        seen = partial(noted, number)
        match node:
            case ast.BinOp():
                node.left, node.right = seen(node.left, first=True), seen(node.right)
            case ast.Subscript() | ast.Attribute() | ast.AugAssign():
                node.value = seen(node.value, first=True)
            case ast.Call():
                if isinstance(node.func, ast.Attribute):
                    node.func.value = seen(node.func.value, first=True)
                else:
                    node.func = seen(node.func, first=True)
                node.args = [each if isinstance(each, ast.Starred) else seen(each) for each in node.args]
                for keyword in node.keywords:
                    keyword.value = seen(keyword.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        """Prepare a function."""
        match node.body:
            case [*_, ast.If(body=[*_, ast.Return()]) as last, ast.Raise()]:
                last.test = self.unlikely(last.test, wanted=True)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg) and argument.annotation is not None:
                argument.annotation = ast.Constant(ast.unparse(argument.annotation))
        ending(node.body, "__olympus_last__")
        self.generic_visit(node)
        if node.args.kwarg is not None:
            name = node.args.kwarg.arg
            given = call(TAKING, ast.Name(name, ast.Load()), at=node)
            node.body.insert(0, ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], given), node))
        node.returns = None
        lazy = any(ast.unparse(each).endswith("contextmanager") for each in node.decorator_list)
        eager = isinstance(node, ast.FunctionDef) and not lazy and only_gives(node)
        self.decorated(node)
        if eager:
            node.decorator_list.append(ast.Name("__olympus_generator__", ast.Load()))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Prepare a class."""
        self.generic_visit(node)
        return self.decorated(node)

    def decorated(self, node: Any) -> Any:
        """Apply each decorator by a function of ours."""
        node.decorator_list = [call("__olympus_decorator__", each, at=each) for each in node.decorator_list]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """Make a relative import an absolute one."""
        if node.module == "__future__":
            return ast.copy_location(ast.Pass(), node)
        if node.level:
            base = self.package.split(".")
            base = base[: len(base) - node.level + 1]
            node.module = ".".join([*base, node.module] if node.module else base)
            node.level = 0
        return node

    # Statements that may fail.

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Go on with unknown values if it fails."""
        unpacked = [self.asked[place_of(target)] for target in node.targets if place_of(target) in self.asked]
        if unpacked:
            node.value = noted(unpacked[0], node.value, first=True)
        self.generic_visit(node)
        return self.guarded(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Go on with an unknown value if it fails."""
        self.generic_visit(node)
        sign = SIGNS.get(type(node.op))
        if sign is not None and is_repeatable(node.target):
            before = ast.parse(ast.unparse(node.target), mode="eval").body
            node.value = call("__olympus_operand__", placed(before, node.value), node.value, sign, at=node.value)
        return self.guarded(node, [node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Go on with an unknown value if it fails."""
        self.generic_visit(node)
        return self.guarded(node, [node.target]) if node.value is not None else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Go on if it fails."""
        self.generic_visit(node)
        return node if isinstance(node.value, ast.Constant) else self.guarded(node, [])

    def visit_Delete(self, node: ast.Delete) -> Any:
        """Go on if it fails."""
        self.generic_visit(node)
        return self.guarded(node, [])

    def visit_Return(self, node: ast.Return) -> Any:
        """Return an unknown value if it fails."""
        self.generic_visit(node)
        if node.value is None:
            return node
        return self.guard(node, [ast.Return(call("__olympus_failed__", at=node))])

    def guarded(self, node: ast.stmt, targets: Sequence[ast.expr]) -> ast.stmt:
        """Return a statement that gives unknown values to its names if it fails."""
        names = [
            each.id
            for target in targets
            for each in ast.walk(target)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        ]
        failed = partial(call, "__olympus_failed__", at=node)
        instead = [ast.Assign([ast.Name(name, ast.Store())], failed()) for name in names]
        return self.guard(node, instead or [ast.Expr(failed())])

    def guard(self, node: ast.stmt, instead: Sequence[ast.stmt]) -> ast.stmt:
        """Return a statement with what is done instead if it fails."""
        handler = ast.ExceptHandler(ast.Name("__olympus_error__", ast.Load()), None, list(instead))
        return ast.copy_location(ast.Try([node], [handler], [], []), node)

    # Operations and lookups.

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Let a result that would be too large be unknown."""
        self.generic_visit(node)
        sign = SIGNS.get(type(node.op))
        return node if sign is None else call("__olympus_operation__", node.left, node.right, sign, at=node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Let an unknown index find something."""
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not isinstance(node.ctx, ast.Load) or any(isinstance(p, ast.Slice | ast.Starred) for p in parts):
            return node
        constant = all(isinstance(part, ast.Constant) for part in parts)
        return node if constant else call("__olympus_item__", node.value, node.slice, at=node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Membership and identity of an unknown value are unknown."""
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.Is() | ast.IsNot() as sign], [ast.Constant(None)]):
                found = call("__olympus_none__", left, at=node)
            case ast.Compare(left, [ast.In() | ast.NotIn() as sign], [right]):
                found = call("__olympus_has__", left, right, at=node)
            case ast.Compare(left, [ast.Is() | ast.IsNot() as sign], [right]):
                found = call("__olympus_same__", left, right, at=node)
            case _:
                return node
        return found if isinstance(sign, ast.In | ast.Is) else ast.copy_location(ast.UnaryOp(ast.Not(), found), node)

    # Loops and conditions.

    def visit_Match(self, node: ast.Match) -> Any:
        """Note the calls that cases end with."""
        for case in node.cases:
            ending(case.body)
        return self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> Any:
        """Note the calls that handlers end with."""
        for handler in node.handlers:
            ending(handler.body)
        return self.generic_visit(node)

    def truth(self, test: ast.expr) -> ast.expr:
        """Return a condition as a truth value; a constant one is."""
        return test if isinstance(test, ast.Constant) else call("__olympus_truth__", test, at=test)

    def visit_For(self, node: ast.For) -> Any:
        """Run a few iterations."""
        self.generic_visit(node)
        head = self.head(node.iter)
        node.iter = call("__olympus_few__", head.value, at=head.value)
        return [*head.statements, node]

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        """Take a few elements."""
        self.generic_visit(node)
        if not node.is_async:
            node.iter = call("__olympus_few__", node.iter, at=node.iter)
        return node

    def visit_While(self, node: ast.While) -> Any:
        """Run a few iterations."""
        self.lead(node)
        is_endless = isinstance(node.test, ast.Constant) and node.test.value and not any(map(leaves, ast.walk(node)))
        self.generic_visit(node)
        if node.orelse:  # it runs when the condition fails, which the loop below cannot tell from its end
            test = self.truth(node.test)
            turn = call("__olympus_turn__", at=node.test)
            node.test = ast.copy_location(ast.BoolOp(ast.And(), [turn, test]), node.test)
            return node
        head = self.head(self.truth(node.test))
        end = ast.If(ast.UnaryOp(ast.Not(), head.value), [ast.Break()], [])
        target, turns = ast.Name("__olympus_number__", ast.Store()), call("__olympus_turns__", at=node.test)
        loop = ast.copy_location(ast.For(target, turns, [*head.statements, end, *node.body], []), node)
        return [loop, ast.copy_location(ast.Expr(call("__olympus_end__", at=node)), node)] if is_endless else loop

    def visit_If(self, node: ast.If) -> Any:
        """Decide an unknown condition against a branch that only raises an error."""
        self.lead(node)
        if node.body and isinstance(node.body[-1], ast.Raise):
            node.test = self.unlikely(node.test)
        elif node.orelse and isinstance(node.orelse[-1], ast.Raise):
            node.test = self.unlikely(node.test, wanted=True)
        ending(node.body)
        ending(node.orelse)
        self.generic_visit(node)
        head = self.head(self.truth(node.test))
        node.test = head.value
        return [*head.statements, node]

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Decide a traced condition, too."""
        self.lead(node)
        self.generic_visit(node)
        node.test = self.truth(node.test)
        return node

    def visit_With(self, node: ast.With) -> Any:
        """Go on with the body if its manager fails."""
        self.generic_visit(node)
        body: list[ast.stmt] = node.body
        for item in reversed(node.items):
            head = self.head(item.context_expr)
            item.context_expr = call("__olympus_context__", head.value, at=item.context_expr)
            body = [*head.statements, ast.copy_location(ast.With([item], body), node)]
        return body

    def visit_Call(self, node: ast.Call) -> Any:
        """Pass on keywords of unknown names, and leave numbers and conditions as they are."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("int" | "float" | "bool"), [number], []):
                return call("__olympus_plain__", node.func, number, at=node)
            case ast.Call(ast.Name("type"), [value], []):
                return call("__olympus_type_of__", value, at=node)
            case ast.Call(ast.Attribute(_, "__setattr__" | "__setitem__")):
                node.func = call("__olympus_writer__", node.func, at=node.func)
            case ast.Call(ast.Attribute(owner, "update")):
                node.func = call("__olympus_update_of__", owner, at=node.func)
        unnamed = [keyword for keyword in node.keywords if keyword.arg is None]
        if unnamed:
            node.func = call("__olympus_opened__", node.func, at=node.func)
        for place, keyword in enumerate(unnamed):
            keyword.value = call("__olympus_passed__", keyword.value, place, at=keyword.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> Any:
        """Merge unknown mappings into a dictionary."""
        self.generic_visit(node)
        if None not in node.keys:
            return node
        pairs: zip[tuple[ast.expr | None, ast.expr]] = zip(node.keys, node.values, strict=True)
        parts = [
            value if name is None else ast.copy_location(ast.Dict([name], [value]), value) for name, value in pairs
        ]
        return call("__olympus_merged__", *parts, at=node)

    def head(self, value: ast.expr) -> Head:
        """Return the head of a compound statement, evaluated before it: an unknown value if it fails."""
        if isinstance(value, ast.Name | ast.Constant):
            return Head([], value)
        name = "__olympus_head__"
        target = ast.copy_location(ast.Name(name, ast.Store()), value)
        made = ast.copy_location(ast.Assign([target], value), value)
        return Head([self.guarded(made, [target])], ast.copy_location(ast.Name(name, ast.Load()), value))

    def unlikely(self, test: ast.expr, *, wanted: bool = False) -> ast.expr:
        """Return a condition whose unknown parts make it false, or true if that is wanted."""
        return parted(test, lambda part, positive: call("__olympus_decided__", part, wanted == positive, at=part))

    def lead(self, node: ast.If | ast.While | ast.IfExp) -> None:
        """Make a condition one that an execution can be told to decide."""
        if (node.lineno, node.col_offset) in self.branches:
            at = (node.lineno, node.col_offset)

            def lean(part: ast.expr, positive: bool) -> ast.expr:
                match part:
                    case ast.Compare(left, [ast.Is()], [ast.Constant(None)]):
                        return call("__olympus_none__", left, *at, positive, at=part)
                return call("__olympus_lean__", part, *at, positive, at=part)

            node.test = parted(node.test, lean)

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Decide an asserted condition as true, and execute it, as it may use keys."""
        test = self.unlikely(node.test, wanted=True)
        return self.visit_Expr(ast.copy_location(ast.Expr(call("__olympus_holds__", test, at=node.test)), node))


def is_repeatable(target: ast.expr) -> bool:
    """Return whether a target may be evaluated once more."""
    return not any(isinstance(each, ast.Call | ast.NamedExpr | ast.Await) for each in ast.walk(target))


def placed(tree: ast.expr, at: ast.expr) -> ast.expr:
    """Return an expression with all of its nodes at the place of another one."""
    for each in ast.walk(tree):
        ast.copy_location(each, at)
    return tree


def only_gives(function: ast.FunctionDef) -> bool:
    """Return whether a function is a generator without ``send``, which may run when it is called."""
    waiting: list[ast.AST] = list(function.body)
    gives = False
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
            gives = True
            waiting += ast.iter_child_nodes(node.value)
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            return False
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return gives
