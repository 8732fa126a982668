"""Guards that exclude each other: two uses of a key under them are no reuse, and their compatible twins are one."""

import textwrap

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.syntax import Document

HEAD = """
import enum
from jax import lax
import jax
import jax.numpy as jnp
from jax.random import fold_in, normal, split, uniform

class K(enum.Enum):
    A = 1
    B = 2

MODES = ("a", "b")
"""

TEMPLATE = """
def f(key, x, y):
    a = 0
    if {0}:
        a = normal(key)
    if {1}:
        a = uniform(key)
    return a
"""

# Pairs of conditions that exclude each other.
EXCLUSIVE = [
    ("isinstance(x, int)", "isinstance(x, str)"),
    ("isinstance(x, (int, float))", "isinstance(x, str | list)"),
    ("isinstance(x, int)", "not isinstance(x, int)"),
    ("type(x) is int", "type(x) is float"),
    ("type(x) == int", "isinstance(x, str)"),
    ("x.__class__ is int", "type(x) is str"),
    ("x is K.A", "x is K.B"),
    ("x == K.A", "x == K.B"),
    ("x in (K.A,)", "x is K.B"),
    ('x in ("a", "b")', 'x == "c"'),
    ('x in ("a", "b")', 'x not in ["a", "b", "c"]'),
    ("x in MODES", 'x == "c"'),
    ("x.dtype == jnp.float32", "x.dtype == jnp.int32"),
    ("0 < x < 3", "x >= 3"),
    ("0 < x < 3", "x == 7"),
    ("x < y", "x > y"),
    ("x < y", "x == y"),
    ("x <= 2", "x > 2"),
    ("x + 1 < y", "x >= y"),
    ('x.startswith("a")', 'not x.startswith("a")'),
    ("x.isdigit()", "not x.isdigit()"),
    ("jnp.any(x)", "not jnp.any(x)"),
    ("x.any()", "not x.any()"),
    ("unknown(x)", "not unknown(x)"),
    ("not x", "len(x) > 0"),
    ("len(x)", "len(x) == 0"),
    ("len(x) > 2", "len(x) < 2"),
    ("x is None", "x"),
    ("x is None", "x > 3"),
    ("x is not None and x > 3", "x is None"),
    ('x == ""', "x"),
    ("x", "x is False"),
    ("bool(x)", "not x"),
    ("x is None or y", "x is not None and not y"),
    ('x.get("mode") == "a"', 'x.get("mode") == "b"'),
    ('x["mode"] == "a"', 'x["mode"] == "b"'),
    ("x.n == 1", "x.n > 1"),
]

COMPATIBLE = [
    ("isinstance(x, int)", "isinstance(x, bool)"),
    ("isinstance(x, (int, float))", "isinstance(x, (float, str))"),
    ("isinstance(x, int)", "isinstance(y, str)"),
    ("x is K.A", "y is K.B"),
    ('x in ("a", "b")', 'x == "b"'),
    ('x in ("a", "b")', 'x != "a"'),
    ("0 < x < 3", "x >= 2"),
    ("x < y", "x < 3"),
    ("x", "len(x) > 2"),
    ("x is not None", "x"),
    ("x is None", "not x"),
    ("x", "y is False"),
    ("x.n >= 1", "x.n > 1"),
    ("x", "y"),
]

QUIET = {
    "an arm that leaves None": """
        def f(key, m):
            if m == "a":
                x = normal(key)
            elif m == "b":
                x = uniform(key)
            else:
                x = None
            if x is None:
                x = normal(key)
            return x
    """,
    "the last iteration": """
        def f(key, n):
            out = []
            for i in range(n):
                if i == n - 1:
                    out.append(normal(key))
            return out
    """,
    "an optional value of a counter": """
        def f(root, n, flag):
            for i in range(n):
                key = fold_in(root, i)
                first = None if i <= 1 else normal(key)
                if first is None and flag:
                    second = uniform(key)
    """,
    "the last iteration is left out, and its key used after the loop": """
        def f(key, n):
            for i in range(n):
                key, sub = split(key)
                if i != n - 1:
                    normal(sub)
            return normal(sub)
    """,
    "the last iteration over elements is left out": """
        def f(key, sizes):
            for i, n in enumerate(sizes):
                key, sub = split(key)
                if i + 1 < len(sizes):
                    normal(sub, (n,))
            return normal(sub)
    """,
    "the last iteration, otherwise": """
        def f(key, n):
            out = []
            for i in range(n):
                if i < n - 1:
                    out.append(i)
                else:
                    out.append(normal(key))
            return out
    """,
    "one element of a literal list": """
        def f(key, x):
            for n in [0, 1]:
                if n == 1:
                    x = x * normal(key)
            return x
    """,
    "one element of a literal list of text": """
        def f(key, x):
            for n in ("a", "b", "c"):
                if n == "b":
                    x = x * normal(key)
            return x
    """,
    "an exact loop": """
        def f(key, x):
            for n in range(3):
                if n == 2:
                    x = x * normal(key)
            return x
    """,
    "enumerated": """
        def f(key, xs):
            a = 0
            for n, x in enumerate(xs):
                if n == 0:
                    a = a + normal(key)
            return a
    """,
    "a branch that fails": """
        def f(key, m):
            if m == "a":
                x = normal(key)
                assert False
            return uniform(key)
    """,
    "an assertion about the other guard": """
        def f(key, m):
            if m == "b":
                x = normal(key)
            assert m == "a"
            return uniform(key)
    """,
    "a value that cond gives is not None": """
        def f(key, p):
            y = lax.cond(p, lambda: normal(key), lambda: uniform(key))
            if y is None:
                y = normal(key)
            return y
    """,
    "a scan of more than one step": """
        def f(key, n, xs):
            def body(c, i):
                k = key if n == 1 else fold_in(key, i)
                return c + normal(k), None
            return lax.scan(body, 0.0, jnp.arange(n))
    """,
    "a fori_loop of more than one step": """
        def f(key, n):
            def body(i, c):
                k = key if n == 1 else fold_in(key, i)
                return c + normal(k)
            return lax.fori_loop(0, n, body, 0.0)
    """,
    "an object that was made is not None": """
        class Box:
            pass

        def noise(key, x=None):
            if x is None:
                x = normal(key)
            return x

        def f(key):
            box = Box()
            return noise(key, box), noise(key, box)
    """,
    "match": """
        def f(key, x):
            a = 0
            match x:
                case None:
                    a = normal(key)
                case "a" | "b":
                    a = normal(key)
                case int():
                    a = uniform(key)
            if x == "c":
                a = uniform(key)
            return a
    """,
    "a helper that asks": """
        def is_text(x):
            return isinstance(x, str)

        def f(key, x):
            a = 0
            if is_text(x):
                a = normal(key)
            if isinstance(x, int):
                a = uniform(key)
            return a
    """,
    "the guard of the callee": """
        def draw(key, x):
            if isinstance(x, int):
                return normal(key)
            return 0

        def f(key, x):
            a = draw(key, x)
            if isinstance(x, str):
                a = uniform(key)
            return a
    """,
    "a loop over a constant of the module": """
        def f(key):
            a = normal(key)
            for name in MODES:
                key = fold_in(key, len(name))
            return a + normal(key)
    """,
}

FOUND = {
    "the first iteration is left out, and the key of the last one used after the loop": """
        def f(key, n):
            for i in range(n):
                key, sub = split(key)
                if i != 0:
                    normal(sub)
            return normal(sub)
    """,
    "an arm that leaves None": """
        def f(key, m):
            x = None
            if m == "a":
                x = normal(key)
            if m != "b":
                x = normal(key)
            return x
    """,
    "each iteration but the last": """
        def f(key, n):
            out = []
            for i in range(n):
                if i < n - 1:
                    out.append(normal(key))
            return out
    """,
    "two elements": """
        def f(key, x):
            for n in [0, 1, 2]:
                if n > 0:
                    x = x * normal(key)
            return x
    """,
    "a scan": """
        def f(key, n, xs):
            def body(c, i):
                k = key if n == 4 else fold_in(key, i)
                return c + normal(k), None
            return lax.scan(body, 0.0, jnp.arange(n))
    """,
}


def reuses(source: str) -> list[facts.Reuse]:
    document = Document("module.py", HEAD + textwrap.dedent(source))
    return [fact for fact in analyse(document) if isinstance(fact, facts.Reuse)]


def surest(source: str) -> Confidence | None:
    return max((fact.confidence for fact in reuses(source)), default=None)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("guards", EXCLUSIVE, ids=" and ".join)
def test_guards_that_exclude_each_other(guards: tuple[str, str], swapped: bool) -> None:
    assert reuses(TEMPLATE.format(*(guards[::-1] if swapped else guards))) == []


@pytest.mark.parametrize("guards", COMPATIBLE, ids=" and ".join)
def test_guards_that_hold_together(guards: tuple[str, str]) -> None:
    assert surest(TEMPLATE.format(*guards)) == Confidence.CERTAIN


@pytest.mark.parametrize("source", QUIET.values(), ids=QUIET)
def test_programs_that_use_a_key_once(source: str) -> None:
    assert reuses(source) == []


@pytest.mark.parametrize("source", FOUND.values(), ids=FOUND)
def test_programs_that_use_a_key_twice(source: str) -> None:
    assert surest(source) == Confidence.CERTAIN


TEST_IN_A_HELPER = """
def is_first(i):
    return i <= 0

def f(root, xs):
    for i, x in enumerate(xs):
        key = fold_in(root, i)
        if i > {0}:
            normal(key)
        wanted = is_first(i)
        if {1}:
            split(key)
"""


def test_the_answer_of_a_helper_is_read_later() -> None:
    assert surest(TEST_IN_A_HELPER.format(0, "wanted")) is None
    assert surest(TEST_IN_A_HELPER.format(0, "not wanted")) == Confidence.CERTAIN
    assert surest(TEST_IN_A_HELPER.format(-1, "wanted")) == Confidence.CERTAIN


ASKING_HELPER = """
def is_wanted(x):
    return x is not None

def f(key, x):
    match x:
        case _ if is_wanted(x):
            a = normal(key)
        case _:
            a = 0
    b = is_wanted(x) and 2
    return a, {0} and uniform(key), b
"""


def test_a_helper_is_read_where_its_result_is_only_asked() -> None:
    assert surest(ASKING_HELPER.format("not is_wanted(x)")) is None
    assert surest(ASKING_HELPER.format("is_wanted(x)")) == Confidence.CERTAIN


def test_what_needs_a_loop_without_iterations_is_possible_only() -> None:
    source = """
        def f(key, n):
            a = normal(key)
            for i in range(n):
                key = jax.random.key(i)
            return a + normal(key)
    """
    assert [fact.confidence for fact in reuses(source)] == [Confidence.POSSIBLE]


def test_unknown_conditions_may_exclude_each_other() -> None:
    assert surest(TEMPLATE.format("first(x)", "second(x)")) == Confidence.LIKELY
    assert surest(TEMPLATE.format('x.startswith("a")', 'not x.startswith("b")')) == Confidence.LIKELY
    assert surest(TEMPLATE.format("first(x)", "True")) == Confidence.CERTAIN


def test_names_that_may_stand_for_one_value() -> None:
    assert surest(TEMPLATE.format("isinstance(x, Round)", "isinstance(x, Blue)")) == Confidence.POSSIBLE


def test_an_object_that_is_false() -> None:
    source = """
        class Square:
            pass

        def f(key, x):
            if isinstance(x, Square):
                normal(key)
            if not x:
                uniform(key)
    """
    assert surest(source) == Confidence.POSSIBLE


def test_what_is_expected_to_raise_is_possible_only() -> None:
    source = """
        import pytest

        def test_it(key):
            a = normal(key)
            with pytest.raises(ValueError):
                check(11)
                a = normal(key)
            return a
    """
    assert surest(source) == Confidence.POSSIBLE


def test_two_maps_over_one_array_of_keys_are_two_uses_of_it() -> None:
    source = """
        def loss(x):
            key, data = x
            return data + normal(key)

        def both(key, data, n):
            keys = split(key, n)
            first = lax.map(loss, (keys, data))
            return first - lax.map(loss, (keys, -data))
    """
    (fact,) = reuses(source)
    assert fact.repeated_by == ""
    assert fact.first.node.lineno + 1 == fact.again.node.lineno


def test_a_functional_update_gives_an_object_with_another_key() -> None:
    source = """
        import equinox as eqx

        class Data(eqx.Module):
            key: jax.Array

            def __init__(self, key):
                self.key = key

            def batch(self):
                new_key, subkey = split(self.key)
                return eqx.tree_at(lambda m: m.key, self, new_key), normal(subkey, (3,))

            def get_batch(self):
                new, batch = self.batch()
                return new, batch

        def right(key):
            data = Data(key)
            data, first = data.get_batch()
            data, second = data.get_batch()
            return first + second

        def wrong(key):
            data = Data(key)
            _, first = data.get_batch()
            data, second = data.get_batch()
            return first + second
    """
    found = [(fact.node.lineno, fact.confidence) for fact in reuses(source) if fact.confidence > Confidence.POSSIBLE]
    assert found == [(reuses(source)[-1].node.lineno, Confidence.CERTAIN)]


def test_a_test_case_is_made_anew_for_each_test() -> None:
    source = """
        import unittest

        class Sampling(unittest.TestCase):
            def __init__(self, *args):
                super().__init__(*args)
                self.key = jax.random.key(0)

            def test_it(self):
                return normal(self.key)
    """
    assert surest(source) in (None, Confidence.POSSIBLE)


@pytest.mark.parametrize("asked", ["*pair", "key", "key, kind, 3", "key, *pair", "*pair, list"])
def test_a_type_test_with_other_arguments_than_two(asked: str) -> None:
    source = f"""
        def f(pair, key, kind):
            if isinstance({asked}):
                return key[0]
            return normal(key)

        def g():
            key = jax.random.PRNGKey(0)
            return f((key, list), key, list) + f((key,), key, list)
    """
    assert surest(source) in (Confidence.LIKELY, Confidence.CERTAIN)


@pytest.mark.parametrize(
    "head",
    [
        "@typing.runtime_checkable\nclass Keyed(typing.Protocol):\n    shape: tuple",
        "class Keyed(abc.ABC):\n    pass\nKeyed.register(jax.Array)",
        "class Keyed(metaclass=Meta):\n    pass",
        "class Base(abc.ABC):\n    pass\nclass Keyed(Base):\n    pass",
    ],
)
def test_a_class_may_take_keys_for_its_objects(head: str) -> None:
    body = """
def noise(key):
    if isinstance(key, Keyed):
        return normal(key)
    return 0

def main():
    key = jax.random.key(0)
    return noise(key) + noise(key)
"""
    assert surest(f"import abc\nimport typing\nfrom elsewhere import Meta\n{head}\n{body}") is not None
    assert surest(f"class Keyed:\n    pass\n{body}") is None
