"""Objects of classes with ``__jax_array__`` (JEP 28661): where they cross transformations, and where JAX wants arrays.

All of this is inactive in files that neither define such a class nor import a name that may be one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.arguments import Arguments, parts
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.paths import PathCondition, both
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.summary import GENERAL
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Bound,
    Boundary,
    Choice,
    Class,
    Const,
    Function,
    Library,
    Map,
    Mapped,
    Partial,
    Sequence,
    SliceOf,
    Value,
)
from olympus_rules.keyflow.notes.annotated import annotations_of, named
from olympus_rules.keyflow.notes.pending import spelled
from olympus_rules.keyflow.notes.pytrees import ArrayClass, Pytrees, variable_class
from olympus_rules.libraries.names import (
    ANY_ARRAY,
    CONVERTING,
    DEVICE_PUT,
    LAX,
    MAKING_MODULES,
    NNX,
    PURE_MODULES,
    RANDOM,
    WITHOUT_DRAWING,
)
from olympus_rules.libraries.transformations import Transformation
from olympus_rules.syntax import Document
from olympus_rules.syntax.array_names import defines_arrays, imported_names, stands_for
from olympus_rules.syntax.project import Location

# Functions of jax.lax that take pytrees, or that read only the shape and dtype of their arguments.
TREES = frozenset(
    {
        "all_gather", "all_to_all", "associative_scan", "axis_index", "cond", "custom_linear_solve", "custom_root",
        "fori_loop", "full", "full_like", "map", "optimization_barrier", "pcast", "pmax", "pmean", "pmin", "ppermute",
        "pshuffle", "psum", "psum_scatter", "pswapaxes", "pvary", "scan", "stop_gradient", "switch", "while_loop",
        "with_sharding_constraint",
    }
)  # fmt: skip


def array_names(document: Document, imported: Mapping[str, str]) -> tuple[frozenset[str] | None, list[str]]:
    """Return the imported names of a file that may be classes with ``__jax_array__``, or share a module with one.

    Args:
        document: the file.
        imported: the qualified name of each imported name.

    Returns:
        The names, ``None`` if the file can have no objects of such classes; and the qualified names that were looked up
        in other files.
    """
    data = document.text.encode(errors="surrogatepass")
    place = Location(document.module, document.is_package, document.roots)
    found = {name for name, qualified in imported.items() if _is_variables(qualified, document.text)}
    asked = imported_names(data, place)
    found.update(name for qualified, name in asked.items() if stands_for(document.roots, qualified))
    return frozenset(found) if found or defines_arrays(data) else None, list(asked)


class _Argument(NamedTuple):
    """An argument of a call: its position or name, its value, and its expression if any."""

    position: int | None
    name: str | None
    value: Value
    node: ast.expr | None


class _Found(NamedTuple):
    """An object that stands for an array: its expression, its class, and the confidence in the class."""

    term: Term
    node: ast.expr | None
    class_: ArrayClass
    confidence: Confidence


class ArrayObjects:
    """The uses of such objects in one file.

    Attributes:
        names: the imported names that may be such classes, or share a module with one.
        bodies: functions of the file that are transformed, or called by a loop or conditional of JAX.
    """

    def __init__(self, file: File, pytrees: Pytrees, names: frozenset[str]) -> None:
        """Take the tables of the file."""
        self._file, self._linker, self._pytrees = file, file.linker, pytrees
        self.names = names
        self.bodies: dict[FunctionCode, tuple[str, Boundary | None]] = {}
        self._annotated: dict[Term, ClassCode] = {}
        self._arrays: set[Term] = set()
        self._crossed: set[tuple[FunctionCode, str]] = set()

    def mentions(self) -> frozenset[str]:
        """Return the names (classes, variables) whose mention shows that a function may concern such objects."""
        module = self._file.module
        definitions = module.definitions.items()
        known = [
            definition
            for _, definition in definitions
            if isinstance(definition, ClassCode) and self._pytrees.array_class(definition) is not None
        ]
        values = self._file.environments[module].values.items()
        held = {str(name) for name, value in values if isinstance(name, str) and self.concerns(value)}
        return self.names.union((class_.name for class_ in known), held)

    # objects

    def class_of(self, term: Term) -> tuple[ArrayClass, Confidence] | None:
        """Return the class of an object that stands for an array, and the confidence in it."""
        class_, confidence = self._file.classes.get(term), Confidence.CERTAIN
        if class_ is None:
            class_, confidence = self._annotated.get(term) or class_of(self._file, term), Confidence.LIKELY
        found = None if class_ is None else self._pytrees.array_class(class_)
        return None if found is None else (found, confidence)

    def given(self, arguments: Arguments) -> frozenset[Term]:
        """Return the objects among the arguments of a call.

        Their conversion by the callee is not tracked: the key flow treats ``jnp.asarray(x)`` as ``x`` there.
        """
        return frozenset(t for value in arguments.values() for t in leaves(value) if self.class_of(t) is not None)

    def concerns(self, value: Value) -> bool:
        """Return whether a value is such an object, or holds one."""
        return any(self.class_of(term) is not None for term in leaves(value))

    def _objects(self, path: PathCondition, value: Value, node: ast.expr | None) -> Iterator[_Found]:
        """Return the objects in a value and its containers, with their expressions."""
        if isinstance(value, Term):
            found = self.class_of(value)
            if found is not None:
                yield _Found(value, node, *found)
        elif isinstance(value, Sequence | Map):
            if not isinstance(value, Sequence) or value.kind not in ("stack", "spec"):
                for part, expression in parts(value, node):
                    yield from self._objects(path, part, expression)
        elif isinstance(value, Choice):
            arms = [part for condition, part in value.arms if both(path, condition) is not None]
            for part in arms:
                for inner in self._objects(path, part, node):
                    lower = min(inner.confidence, Confidence.LIKELY)
                    yield inner if len(arms) == 1 else inner._replace(confidence=lower)

    def parameter(self, flow: State, name: str, term: Term) -> None:
        """Record the class that the annotation of a parameter names."""
        annotation = annotations_of(flow.code.node).get(name)
        if annotation is None:
            return
        resolved = named(self._linker, flow.code.parent, annotation)
        if isinstance(resolved, Library) and resolved.qualified in ANY_ARRAY:
            self._arrays.add(term)
        elif isinstance(resolved, Class | Library):
            class_ = self._linker.hierarchy.known_class(resolved)
            if class_ is not None and self._pytrees.array_class(class_) is not None:
                self._annotated[term] = class_

    # calls

    def called(self, flow: State, function: Library, arguments: Arguments, result: Value) -> Value:
        """Check a call of a function from outside this file, and return the call's result."""
        qualified = function.qualified
        if function.traced:
            self.crossing(flow, function, arguments)
        model = self._file.table.get(qualified)
        if model.is_jax and model.transform is not None and model.transform.takes_apart:
            self._operands(flow, qualified, model.transform, arguments)
        elif qualified.startswith(f"{LAX}."):
            self._lax(flow, qualified, arguments)
        elif qualified.startswith(f"{RANDOM}."):
            self._random(flow, qualified, arguments)
        elif qualified == DEVICE_PUT:
            value = arguments.get(0, "x")
            if value is not None:
                argument = _Argument(0, "x", value, arguments.expression(0, "x"))
                self._given(flow, qualified, argument, arguments, plain=True)
        class_ = self._linker.names.variable_class(qualified)
        if class_ is not None:
            made = result if isinstance(result, Term) else flow.terms.fresh()
            self._file.classes[made] = class_
            return made
        if qualified.startswith(PURE_MODULES) and self.concerns(
            result
        ):  # `jnp.asarray(x)`, which the key flow sees through
            return flow.terms.make("op", (qualified, flow.terms.number()))
        return result

    def crossing(self, flow: State, function: Function | Library, arguments: Arguments) -> None:
        """Check the arguments of a transformed function."""
        code = function.code if isinstance(function, Function) else None
        parameters = code.parameters if code is not None else ()
        for position, name, value, node in _each(arguments):
            if position is not None and position < len(parameters):
                name = parameters[position]
            elif name in parameters:
                position = parameters.index(name)
            boundary = next((b for b in reversed(function.traced) if b.takes(position, name)), None)
            if boundary is not None:
                crosses = self._crosses(flow, boundary.name, "argument", value, node, arguments)
                if crosses and code is not None and name is not None:
                    self._crossed.add((code, name))

    def mapped(self, flow: State, mapped: Mapped, arguments: Arguments, axes: Iterable[Value]) -> None:
        """Check the arguments of a mapped function; ``axes`` are the axes of the positional arguments."""
        if mapped.name.startswith("filter_") or mapped.name == "vectorize":
            return
        known = list(axes)
        for position, _, value, node in _each(arguments):
            axis = known[position] if position is not None and position < len(known) else Const(0)
            if axis != Const(None):
                self._crosses(flow, f"jax.{mapped.name}", "argument", value, node, arguments)

    def body(self, function: Value, name: str, boundary: Boundary | None = None) -> None:
        """Record a function whose results cross a transformation; with a boundary its arguments cross it as well."""
        while isinstance(function, Bound | Partial | Mapped):
            function = function.function
        if isinstance(function, Function) and not function.code.is_foreign:
            boundary = function.traced[-1] if function.traced and boundary is None else boundary
            self.bodies.setdefault(function.code, (name, boundary))

    def _operands(self, flow: State, qualified: str, transform: Transformation, arguments: Arguments) -> None:
        for position, name, role in transform.takes_apart:
            value = arguments.get(position, name)
            if value is not None:
                self._crosses(flow, qualified, role, value, arguments.expression(position, name), arguments)
        functions = [value for value in arguments.values() if isinstance(value, Function | Bound | Partial)]
        for function in functions:
            self.body(function, qualified)

    def _crosses(
        self,
        flow: State,
        name: str,
        role: str,
        value: Value,
        node: ast.expr | None,
        arguments: Arguments,
    ) -> bool:
        """Record the objects in a value that cross a transformation, and return whether there are any."""
        crosses = False
        for found in self._objects(flow.path, value, node):
            place = found.node or node or arguments.node or flow.site
            if not found.class_.plain or place is None:
                continue
            if flow.terms.operation(found.term) == "param":  # `self`, perhaps of a registered subclass
                found = found._replace(confidence=Confidence.LIKELY)
            crosses = True
            self._note(facts.ArrayAtTransform, place, found, name, role)
        return crosses

    def _lax(self, flow: State, qualified: str, arguments: Arguments) -> None:
        if qualified in CONVERTING:
            return
        plain = qualified.rpartition(".")[2] in TREES
        for argument in _each(arguments):
            self._given(flow, qualified, argument, arguments, plain=plain)

    def _random(self, flow: State, qualified: str, arguments: Arguments) -> None:
        row = self._file.table.get(qualified).row
        parameters = row.parameters if row is not None else ("key",)
        keys = {*row.sinks, *row.folds} if row is not None else set()
        if qualified in WITHOUT_DRAWING or (row is not None and row.derive):
            keys.add(parameters[0])
        for argument in _each(arguments):
            position, name = argument.position, argument.name
            if position is not None:
                name = parameters[position] if position < len(parameters) else None
            if name in keys:
                self._given(flow, qualified, argument, arguments, role="key")
            elif name is not None and f"{qualified}({name})" not in CONVERTING:
                self._given(flow, qualified, argument, arguments, plain=True)

    def _given(
        self,
        flow: State,
        qualified: str,
        argument: _Argument,
        arguments: Arguments,
        *,
        plain: bool = False,
        role: str = "argument",
    ) -> None:
        """Record the objects in an argument; ``plain``: the function accepts objects of registered classes."""
        for found in self._objects(flow.path, argument.value, argument.node):
            place = found.node or argument.node or arguments.node or flow.site
            if place is not None and (found.class_.plain or not plain):
                self._note(facts.ArrayOutsideNumpy, place, found, qualified, role)

    # indices

    def indexed(self, flow: State, value: Value, index: Value, node: ast.Subscript) -> None:
        """Check ``value[index]``: an array does not accept such an object as an index, a dictionary does."""
        if not self._is_array(flow, value, index):
            return
        for part, expression in _index_parts(index, node.slice):
            for found in self._objects(flow.path, part, expression):
                self._note(facts.ArrayOutsideNumpy, found.node or node, found, "", "index")

    def _is_array(self, flow: State, value: Value, index: Value) -> bool:
        if isinstance(index, Sequence) and any(isinstance(part, SliceOf) for part in index.items):
            return True
        if not isinstance(value, Term):
            return False
        operation, data = flow.terms.operation(value), flow.terms.data(value)
        if operation == "attr" and data[0] == "at":
            return True
        if operation == "op":
            name = data[0] if isinstance(data, tuple) else data
            return isinstance(name, str) and name.startswith(MAKING_MODULES)
        return value in self._arrays

    # facts

    def _note(
        self,
        kind: type[facts.ArrayAtTransform] | type[facts.ArrayOutsideNumpy],
        node: ast.AST,
        found: _Found,
        function: str,
        role: str,
    ) -> None:
        subject, class_ = found.node, found.class_
        self._file.add(
            kind(
                node=node,
                confidence=found.confidence,
                key=node.arg if isinstance(node, ast.arg) else spelled(subject) if subject is not None else "",
                class_name=class_.name,
                plain=class_.plain,
                definition=class_.definition,
                place=class_.place,
                function=function,
                subject=subject,
                role=role,
            )
        )

    def finish(self) -> None:
        """Check the results of transformed functions, and the parameters annotated with such classes."""
        for code, (name, boundary) in self.bodies.items():
            run = self._run_of(code)
            if run is None:
                continue
            for node, value in _returned(code, [value for _, value in run.events.returns]):
                for found in self._objects(run.path, value, node):
                    if found.class_.plain:
                        self._note(facts.ArrayAtTransform, found.node or node, found, name, "result")
            if boundary is not None:
                self._parameters(code, boundary)

    def _run_of(self, code: FunctionCode) -> Run | None:
        """Return the result of a function's interpretation, the general one if there are several."""
        runs = self._file.runs
        return runs.get((code, GENERAL)) or next((run for (other, _), run in runs.items() if other is code), None)

    def _parameters(self, code: FunctionCode, boundary: Boundary) -> None:
        arguments = _arguments(code.node)
        for position, name in enumerate(code.parameters):
            term = self._file.terms.make("param", (code, name))
            known = self.class_of(term)
            if known is None or not known[0].plain or (code, name) in self._crossed or name not in arguments:
                continue
            if boundary.takes(position, name):
                found = _Found(term, None, known[0], min(known[1], Confidence.LIKELY))
                self._note(facts.ArrayAtTransform, arguments[name], found, boundary.name, "parameter")


def _is_variables(qualified: str, text: str) -> bool:
    """Return whether a name refers to variables of flax.nnx, or to their module."""
    return variable_class(qualified) is not None or (qualified == NNX and "nnx." in text)


def _each(arguments: Arguments) -> Iterator[_Argument]:
    """Return each argument of a call."""
    node = arguments.node
    nodes = node.args if node is not None else []
    shift = len(arguments.positional) - len(nodes)  # the object of a method call, and the bound arguments of a partial
    plain = shift >= 0 and not any(isinstance(part, ast.Starred) for part in nodes)
    for position, (value, starred) in enumerate(arguments.positional):
        if starred:
            break
        yield _Argument(position, None, value, nodes[position - shift] if plain and position >= shift else None)
    expressions = {keyword.arg: keyword.value for keyword in node.keywords} if node is not None else {}
    for name, value in arguments.keywords:
        if name is not None:
            yield _Argument(None, name, value, expressions.get(name))


def _index_parts(index: Value, node: ast.expr) -> Iterator[tuple[Value, ast.expr | None]]:
    """Return the parts of an index: the elements of a tuple, the bounds of slices."""
    if isinstance(index, Sequence) and index.kind == "tuple":
        for part, expression in parts(index, node):
            yield from _index_parts(part, expression or node)
    elif isinstance(index, SliceOf):
        bounds = (node.lower, node.upper, node.step) if isinstance(node, ast.Slice) else (None, None, None)
        for part_, expression in zip((index.lower, index.upper, index.step), bounds, strict=True):
            if part_ is not None:
                yield part_, expression
    else:
        yield index, node


def _returned(code: FunctionCode, values: list[Value]) -> list[tuple[ast.expr, Value]]:
    """Return the returned values, each with its expression, or all with the first one if the numbers differ."""
    if isinstance(code.node, ast.Lambda):
        return [(code.node.body, value) for value in values]
    nodes = [node.value for node in _returns(code.node) if node.value is not None]
    if len(nodes) == len(values):
        return list(zip(nodes, values, strict=True))
    return [(nodes[0], value) for value in values] if nodes else []


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    """Return the ``return`` statements of a function in the order of the text, without those of inner functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ):
            yield from _returns(child)


def _arguments(node: ast.AST) -> dict[str, ast.arg]:
    """Return the parameters of a definition by name."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return {}
    return {part.arg: part for part in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
