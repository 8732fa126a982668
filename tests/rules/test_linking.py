"""What ties files together, each part by itself: functions in circles, records between files, bases of classes."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olympus_rules.code.instructions import ClassCode
from olympus_rules.keyflow.domain.values import Class, Const, Function, Library, Map, Sequence, Value
from olympus_rules.keyflow.linking.analysis import Analysis
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.keyflow.linking.records import MAX_TERMS, TooLarge, read, read_class, write, write_class
from olympus_rules.keyflow.linking.recursion import ROUNDS, Frame, Stack
from olympus_rules.syntax import Document

HEADER = "import enum\nimport jax\nfrom jax import random\n\n\n"


def analysed(source: str, filename: str = "a.py") -> Analysis:
    """Return the analysis of a text, after its run."""
    analysis = Analysis(Document(filename, HEADER + textwrap.dedent(source)), Project().session)
    analysis.run()
    return analysis


# functions that call each other in a circle


@dataclass
class Draft:
    """A summary whose signature is a number; it changes until it has its final one."""

    name: str
    changes: bool
    lowest: list[int | None] = field(default_factory=list)
    withdrawn: int = 0
    row: int = 0
    forgotten: int = 0
    settle: Callable[[], object] = print

    def place(self) -> tuple[int]:
        return (self.row,)

    def is_settled(self) -> bool:
        return True

    def forget(self) -> None:
        self.forgotten += 1

    def changed(self) -> bool:
        return self.changes

    def hold(self, lowest: int | None) -> None:
        self.lowest.append(lowest)

    def withdraw(self) -> None:
        self.withdrawn += 1


def test_a_function_that_asks_for_nothing_unfinished_is_interpreted_once() -> None:
    stack, made = Stack(), list[Draft]()

    def interpret(frame: Frame) -> Draft:
        made.append(Draft("f", changes=True))
        return made[-1]

    assert stack.settle(interpret)
    assert [draft.lowest for draft in made] == [[None]] and stack.frames == []


@pytest.mark.parametrize("final", [1, 2, ROUNDS, ROUNDS + 5])
def test_a_function_that_calls_itself_is_interpreted_until_it_stays_as_it_is(final: int) -> None:
    stack, made = Stack(), list[Draft]()

    def interpret(frame: Frame) -> Draft:
        stack.ask(frame)
        made.append(Draft("f", changes=len(made) + 1 < final))
        return made[-1]

    assert stack.settle(interpret)
    assert len(made) == min(final, ROUNDS)
    assert [draft.withdrawn for draft in made] == [1] * (len(made) - 1) + [0]
    assert all(draft.lowest == [None] for draft in made)


def test_what_rests_on_an_unfinished_function_is_settled_with_it() -> None:
    stack, made, finals = Stack(), list[Draft](), list[bool]()

    def outer(frame: Frame) -> Draft:
        def inner(own: Frame) -> Draft:
            assert (frame.depth, own.depth) == (0, 1)
            stack.ask(frame)
            stack.rest_on(frame.depth)
            made.append(Draft("inner", changes=False))
            return made[-1]

        finals.append(stack.settle(inner))
        assert frame.drafts == [made[-1]]
        made.append(Draft("outer", changes=len(made) == 1))
        return made[-1]

    assert stack.settle(outer)
    assert finals == [False, False], "the inner function is final only with the outer one"
    first, _, again, last = made
    assert first.lowest == [0, None] and first.withdrawn == 1, "its summary rested on the first round"
    assert again.lowest == [0, None] and (again.withdrawn, last.withdrawn) == (0, 0)


def test_a_circle_is_interpreted_from_its_first_function_wherever_it_was_entered() -> None:
    stack, entered = Stack(), list[str]()

    def second(frame: Frame) -> Draft:
        def inner(own: Frame) -> Draft:
            stack.ask(frame)
            return first_draft

        stack.settle(inner)
        return Draft("second", changes=True, row=2)

    first_draft = Draft("first", changes=True, row=1, settle=lambda: entered.append("first"))
    assert stack.settle(second)
    assert entered == ["first"] and (first_draft.forgotten, first_draft.withdrawn) == (1, 0)


def test_a_function_beside_a_circle_is_final_at_once() -> None:
    stack, finals = Stack(), list[bool]()

    def outer(frame: Frame) -> Draft:
        finals.append(stack.settle(lambda _: Draft("helper", changes=False)))
        stack.ask(frame)
        return Draft("outer", changes=False)

    assert stack.settle(outer) and finals == [True]


def test_an_error_leaves_no_function_open() -> None:
    stack = Stack()

    def broken(frame: Frame) -> Draft:
        raise RecursionError

    with pytest.raises(RecursionError):
        stack.settle(broken)
    assert stack.frames == []


# records

PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(-1, 1), st.text(max_size=3))
VALUES: st.SearchStrategy[Value] = st.recursive(
    st.one_of(st.builds(Const, PLAIN, st.booleans()), st.builds(Library, st.sampled_from(["jax.random.key", "a.b"]))),
    lambda inner: st.one_of(
        st.builds(Sequence, st.sampled_from(["tuple", "list"]), st.lists(inner, max_size=3).map(tuple), st.booleans()),
        st.builds(
            Map, st.dictionaries(PLAIN, inner, max_size=3).map(lambda items: tuple(items.items())), st.booleans()
        ),
    ),
    max_leaves=6,
)
WRITER, READER = analysed(""), analysed("", "b.py")


@settings(max_examples=40)
@given(VALUES)
def test_a_value_is_the_same_in_the_file_that_reads_its_record(value: Value) -> None:
    text = json.dumps(write(WRITER.file, value))
    assert repr(read(READER.file, json.loads(text), "a.py")) == repr(value)


FUNCTIONS = {
    "consumes": "def f(key):\n    return random.normal(key)",
    "on one path": "def f(key, train):\n    return random.normal(key) if train == 'yes' else 0.0",
    "returns children": "def f(key):\n    left, right = random.split(key)\n    return left, {'b': right}",
    "a part": "def f(state):\n    random.normal(state.keys[0])\n    return state.keys[1:]",
    "writes": "def f(state, key):\n    state.key = random.fold_in(key, 1)",
    "returns a function": "def f(key):\n    def draw(n):\n        return random.normal(key, (n,))\n    return draw",
    "calls itself": "def f(key, n):\n    return random.normal(key) if n == 0 else f(random.split(key)[0], n - 1)",
    "a constructor": "def f(seed):\n    return random.key(seed)",
}


@pytest.mark.parametrize("source", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_a_function_has_its_signature_in_the_file_that_reads_its_record(source: str) -> None:
    writer, reader = analysed(source), analysed("", "b.py")
    definition = writer.file.module.definitions["f"]
    record = json.loads(json.dumps(write(writer.file, writer.file.function(definition))))  # type: ignore[arg-type]
    function = read(reader.file, record, "a.py")
    assert isinstance(function, Function) and function.code.is_foreign
    summary = reader.summariser.summary(function.code)
    assert summary is not None
    assert summary.signature(reader.file.terms) == writer.summariser.signatures()["f"]
    again = json.loads(json.dumps(write(reader.file, function)))
    assert again["value"][1]["uses"] == record["value"][1]["uses"], "a record of a record says the same"


def test_a_record_does_not_hang_on_what_was_interpreted_before() -> None:
    plain = analysed(FUNCTIONS["on one path"])
    late = analysed(f"def g(key, p, q):\n    return p == 1 or q == 2\n\n\n{FUNCTIONS['on one path']}")
    records = [write(each.file, each.file.function(each.file.module.definitions["f"])) for each in (plain, late)]  # type: ignore[arg-type]
    assert records[0] == records[1]


def test_a_summary_out_of_proportion_has_no_record() -> None:
    analysis = analysed("")
    fresh = [analysis.file.terms.fresh() for _ in range(MAX_TERMS + 1)]
    write(analysis.file, Sequence("tuple", tuple(fresh[1:])))
    with pytest.raises(TooLarge):
        write(analysis.file, Sequence("tuple", tuple(fresh)))


def test_a_class_of_another_file() -> None:
    body = "    kind = 1\n    key: jax.Array\n\n    @property\n    def draw(self):\n        ...\n"
    analysis = analysed(f"class Base:\n{body}")
    definition = analysis.file.module.definitions["Base"]
    assert isinstance(definition, ClassCode)
    found = read_class(
        json.loads(json.dumps(write_class(analysis.file, analysis.pytrees, definition, has_arrays=False))), "lib.Base"
    )
    assert (found.name, found.home, found.fields, set(found.values)) == ("Base", "lib.Base", ["key"], {"kind"})
    assert found.kinds == {name: code.kind for name, code in definition.methods.items()}


# classes and their bases

CLASSES = """
class A:
    x: int
    def draw(self): ...
    def label(self): raise NotImplementedError

class B(A):
    y: int
    def draw(self): ...

class C(A):
    z: int
    def draw(self): ...
    label = None

class D(B, C):
    x: float

class Color(enum.Enum):
    RED = 1
    BLUE = 2
"""


def class_of(analysis: Analysis, name: str) -> ClassCode:
    """Return a class by its name."""
    found = analysis.file.module.definitions[name]
    assert isinstance(found, ClassCode)
    return found


@pytest.fixture(scope="module")
def classes() -> Analysis:
    return analysed(CLASSES)


@pytest.mark.parametrize(("name", "order"), [("A", "A"), ("B", "BA"), ("D", "DBCA")])
def test_the_order_of_bases_is_that_of_python(classes: Analysis, name: str, order: str) -> None:
    assert [each.name for each in classes.hierarchy.ancestry(class_of(classes, name))] == list(order)


@pytest.mark.parametrize(
    ("name", "method", "owner"), [("D", "draw", "B"), ("C", "draw", "C"), ("B", "label", "A"), ("A", "other", None)]
)
def test_a_method_is_that_of_the_first_class_that_has_it(
    classes: Analysis, name: str, method: str, owner: str | None
) -> None:
    found = classes.hierarchy.method(class_of(classes, name), method)
    assert (found and found.owner and found.owner.name) == owner


def test_a_name_that_a_class_binds_to_something_else_hides_the_method(classes: Analysis) -> None:
    assert classes.hierarchy.method(class_of(classes, "D"), "label") is None


def test_what_comes_after_a_class_for_an_object_of_another_one(classes: Analysis) -> None:
    of = lambda name: class_of(classes, name)
    found = classes.hierarchy.inherited(of("B"), "draw", of("D"))
    assert found is not None and found.owner is of("C"), "super() in B leads to C in an object of D"
    found = classes.hierarchy.inherited(of("B"), "draw", None)
    assert found is not None and found.owner is of("A")


def test_fields_of_bases_come_first(classes: Analysis) -> None:
    assert classes.hierarchy.fields(class_of(classes, "B")) == ["x", "y"]
    assert classes.hierarchy.fields(class_of(classes, "D")) == ["x", "z", "y"]


def test_methods_that_a_subclass_may_bind(classes: Analysis) -> None:
    hierarchy = classes.hierarchy
    assert hierarchy.may_be_overridden(class_of(classes, "A"), "other"), "it leaves a method to its subclasses"
    assert hierarchy.may_be_overridden(class_of(classes, "B"), "x") is False
    assert not hierarchy.may_be_overridden(class_of(classes, "D"), "draw")


def test_members_of_enumerations(classes: Analysis) -> None:
    hierarchy = classes.hierarchy
    assert hierarchy.members(class_of(classes, "Color")) == {"RED", "BLUE"}
    assert hierarchy.members(class_of(classes, "A")) == frozenset()
    assert hierarchy.is_constant(class_of(classes, "Color"), "red")
    assert hierarchy.is_constant(class_of(classes, "A"), "LIMIT")
    assert not hierarchy.is_constant(class_of(classes, "A"), "limit")


def test_bases_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    base = "class Base:\n    key: jax.Array\n\n    def draw(self):\n        return random.normal(self.key)\n"
    (tmp_path / "lib.py").write_text(HEADER + base)
    main = tmp_path / "main.py"
    main.write_text(HEADER + "from lib import Base\n\n\nclass Own(Base):\n    scale: float\n")
    project = Project()
    analysis = project.analysis(project.document(str(main), main.read_text()))
    analysis.run()
    own = class_of(analysis, "Own")
    assert [each.home for each in analysis.hierarchy.ancestry(own)] == ["", "lib.Base"]
    assert analysis.hierarchy.fields(own) == ["key", "scale"]
    method = analysis.hierarchy.method(own, "draw")
    assert method is not None and method.is_foreign and method.home.startswith("lib.Base.draw")
    reached = analysis.lookups.reach(Function(method), concerned=True)
    assert reached is not None and analysis.summariser.summary(reached.code) is not None
    assert isinstance(analysis.lookups.outside("lib.Base", concerned=False), Class)
