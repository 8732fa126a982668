"""Calls that surely draw from a variable, read from the text of a project alone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

DRAWS = frozenset(
    """
    ball bernoulli beta binomial bits categorical cauchy chisquare choice dirichlet double_sided_maxwell exponential f
    gamma generalized_normal geometric gumbel laplace loggamma logistic lognormal maxwell multivariate_normal normal
    orthogonal pareto permutation poisson rademacher randint rayleigh split t triangular truncated_normal uniform wald
    weibull_min
    """.split()  # noqa: SIM905 (a list of strings would have 38 lines)
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LAZY = (*SCOPES, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.IfExp, ast.BoolOp, ast.Compare)
"""What may leave a part of it out, or run it later."""
SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return, ast.AugAssign)
Steps = tuple[tuple[int, int], ...]
"""The blocks around a statement, each with the number of the statement in it."""


@dataclass(frozen=True)
class Draw:
    """A call that draws from a variable, in a statement that surely runs it.

    Attributes:
        key: the mention of the variable, an argument of the call.
        call: the call, of a function of ``jax.random`` or of the project.
        path: the blocks around the statement, each with the number of the statement in it.
        statement: the statement.
        is_direct: the callee is one of ``jax.random``.
    """

    key: ast.Name
    call: ast.Call
    path: Steps
    statement: ast.stmt
    is_direct: bool

    @property
    def name(self) -> str:
        """The variable."""
        return self.key.id


class Names:
    """What a file calls the functions of ``jax.random``, by its imports alone."""

    def __init__(self, tree: ast.Module) -> None:
        """Read the imports at any place in the file."""
        self.modules: set[str] = set()
        self.functions: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.modules |= {f"{a.asname or 'jax'}.random" for a in node.names if a.name == "jax"}
                self.modules |= {a.asname or "jax.random" for a in node.names if a.name == "jax.random"}
            elif isinstance(node, ast.ImportFrom) and node.module == "jax" and not node.level:
                self.modules |= {a.asname or a.name for a in node.names if a.name == "random"}
            elif isinstance(node, ast.ImportFrom) and node.module == "jax.random" and not node.level:
                self.functions |= {a.asname or a.name: a.name for a in node.names}

    def called(self, node: ast.expr) -> str:
        """Return the name of a function of ``jax.random``; empty for any other callee."""
        if isinstance(node, ast.Name):
            return self.functions.get(node.id, "")
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in self.modules:
            return node.attr
        return ""


@dataclass(eq=False)
class Source:
    """One file of a project.

    Attributes:
        path: where it is.
        tree: its code.
        names: what it calls the functions of ``jax.random``.
        drawing: parameters that a function surely draws from, by the function's name, or ``Class.name``.
        imported: the file and name behind each name that it imports from the project.
        parents: what each function and class stands in.
    """

    path: Path
    tree: ast.Module
    names: Names
    drawing: dict[str, tuple[list[str], set[str]]] = field(default_factory=dict)
    imported: dict[str, tuple[Path, str]] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks in a statement."""
    for name in ("body", "orelse", "finalbody"):
        yield from [block] if (block := getattr(statement, name, [])) else []
    for handler in getattr(statement, "handlers", []):
        yield handler.body
    for case in getattr(statement, "cases", []):
        yield case.body


def surely(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a simple statement that run whenever it does."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, LAZY):
            yield from surely(child)


def statements(body: list[ast.stmt], path: Steps = ()) -> Iterator[tuple[ast.stmt, Steps]]:
    """Yield the statements of a function with their paths; those in a ``try`` may be left before their end."""
    for number, statement in enumerate(body):
        here = (*path, (id(body), number))
        yield statement, here
        if not isinstance(statement, (*SCOPES, ast.Try)):
            for block in blocks(statement):
                yield from statements(block, here)


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that statements bind, and those that their inner functions may."""
    every = [part for node in nodes for part in ast.walk(node)]
    names = {part.id for part in every if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    names |= {name for part in every if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names}
    names |= {
        part.name
        for part in every
        if isinstance(part, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and part.name
    }
    names |= {(a.asname or a.name) for p in every if isinstance(p, ast.Import | ast.ImportFrom) for a in p.names}
    return names | {part.name or "" for part in every if isinstance(part, ast.MatchAs | ast.MatchStar)}


def parameters(function: ast.FunctionDef) -> list[str]:
    """Return the parameters that take one argument each."""
    arguments = function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def mentions(call: ast.Call, drawing: tuple[list[str], set[str]]) -> Iterator[ast.Name]:
    """Yield the variables among the arguments of a call from which the callee draws."""
    names, drawn = drawing
    if any(isinstance(each, ast.Starred) for each in call.args):
        return
    for name, value in (*zip(names, call.args, strict=False), *((each.arg, each.value) for each in call.keywords)):
        if name in drawn and isinstance(value, ast.Name):
            yield value


class Project:
    """The files of a folder, and what their functions surely draw from."""

    def __init__(self, folder: Path) -> None:
        """Read the files; functions that pass a parameter on are followed three times."""
        self.sources: dict[Path, Source] = {}
        self._bound: dict[ast.AST, Counter[str]] = {}
        for path in sorted(folder.rglob("*.py")):
            try:
                tree = ast.parse(path.read_bytes())
            except (OSError, SyntaxError, ValueError, RecursionError):
                continue
            parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
            self.sources[path] = Source(path, tree, Names(tree), parents=parents)
        for source in self.sources.values():
            source.imported = dict(self._imports(source))
        for _ in range(3):
            for source in self.sources.values():
                source.drawing = dict(self._drawing(source))

    def _imports(self, source: Source) -> Iterator[tuple[str, tuple[Path, str]]]:
        for node in source.tree.body:
            if isinstance(node, ast.ImportFrom):
                tail = (node.module or "__init__").replace(".", "/") + ".py"
                if node.level:
                    found = [source.path.parents[node.level - 1] / tail]
                else:
                    found = [path for path in self.sources if path.as_posix().endswith(f"/{tail}")]
                if len(found) == 1 and found[0] in self.sources:
                    yield from ((a.asname or a.name, (found[0], a.name)) for a in node.names)

    def _drawing(self, source: Source) -> Iterator[tuple[str, tuple[list[str], set[str]]]]:
        """Yield the functions and methods that surely draw from a parameter, for names that are bound once."""
        for owner in (source.tree, *(each for each in source.tree.body if isinstance(each, ast.ClassDef))):
            times = self._times(owner)
            for function in owner.body:
                if not isinstance(function, ast.FunctionDef) or not all(
                    "jit" in ast.unparse(each) for each in function.decorator_list
                ):
                    continue
                if times[function.name] == 1 and (drawn := self._drawn(source, function)):
                    name = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
                    yield name + function.name, (parameters(function)[bool(name) :], drawn)

    def _times(self, owner: ast.Module | ast.ClassDef) -> Counter[str]:
        """Return how many statements of a file or class bind each name; an inner one's own names count, too."""
        if owner not in self._bound:
            self._bound[owner] = Counter(name for each in owner.body for name in bound([each]))
        return self._bound[owner]

    def _locals(self, function: ast.FunctionDef) -> Counter[str]:
        """Return the names that a function binds."""
        if function not in self._bound:
            self._bound[function] = Counter([*bound(function.body), *parameters(function)])
        return self._bound[function]

    def _drawn(self, source: Source, function: ast.FunctionDef) -> set[str]:
        """Return the parameters that every call of a function draws from."""
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(function)):
            return set()
        found = set()
        for draw in self.draws(source, function):
            before = function.body[: draw.path[0][1]]
            leaves = any(isinstance(part, ast.Return | ast.Raise | ast.Assert) for s in before for part in ast.walk(s))
            if len(draw.path) == 1 and not leaves and draw.name not in bound(before):
                found.add(draw.name)
        return found & set(parameters(function))

    def called(self, source: Source, function: ast.FunctionDef, callee: ast.expr) -> tuple[list[str], set[str]]:
        """Return the parameters of a callee, and those that it surely draws from."""
        if source.names.called(callee) in DRAWS:
            return ["key"], {"key"}
        match callee:
            case ast.Name(id=name) if name not in self._locals(function):
                if name in source.imported:
                    path, name = source.imported[name]
                    source = self.sources[path]
                return source.drawing.get(name, ([], set()))
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                owner = source.parents.get(function)
                if isinstance(owner, ast.ClassDef) and parameters(function)[:1] == ["self"]:
                    return source.drawing.get(f"{owner.name}.{name}", ([], set()))
        return [], set()

    def draws(self, source: Source, function: ast.FunctionDef) -> list[Draw]:
        """Return the draws of a function that its statements surely run."""
        found = []
        for statement, path in statements(function.body):
            for node in surely(statement) if isinstance(statement, SIMPLE) else ():
                if isinstance(node, ast.Call):
                    is_direct = bool(source.names.called(node.func))
                    for key in mentions(node, self.called(source, function, node.func)):
                        found.append(Draw(key, node, path, statement, is_direct))
        return found
