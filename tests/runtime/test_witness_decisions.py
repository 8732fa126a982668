"""What a witness says of two places between which conditions decide: it confirms only what one run can come to."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jax", reason="a witness is traced with JAX")

from witnessed import verdict

GUARDED = """\
import enum
import jax.numpy as jnp
class K(enum.Enum):
    A = 1
    B = 2
class Shape:
    pass
class Square(Shape):
    pass
def f(key, x, n):
    a = 0
    if {first}:
        a = «1 jax.random.normal(key)»
    if {second}:
        a = a + «2 jax.random.uniform(key)»
    return a
"""
EXCLUSIVE = (
    ("isinstance(x, int)", "isinstance(x, str)"),
    ("type(x) is int", "type(x) is float"),
    ("type(x) == int", "type(x) == float"),
    ("x is K.A", "x is K.B"),
    ("x == K.A", "x == K.B"),
    ("x is K.A", "x is not K.A"),
    ("x in ('a', 'b')", "x == 'c'"),
    ("x in ('a', 'b')", "x not in ('a', 'b')"),
    ("x in {'a', 'b'}", "x == 'c'"),
    ("x == 'a'", "x in ['b', 'c']"),
    ("x.dtype == jnp.float32", "x.dtype == jnp.int32"),
    ("0 < x < 3", "x >= 3"),
    ("0 < x < 3", "x <= 0"),
    ("x > 3", "x == 2"),
    ("x.startswith('a')", "not x.startswith('a')"),
    ("not x", "len(x) > 0"),
    ("len(x)", "len(x) == 0"),
    ("len(x) == 1", "len(x) == 2"),
    ("x.shape[0] == 1", "x.shape[0] == 2"),
    ("x.ndim == 1", "x.ndim > 1"),
    ("x is None", "x"),
    ("x == ''", "x"),
    ("x", "x is False"),
    ("x is True", "x is False"),
    ("x is True", "x is None"),
    ("x is None", "x == 3"),
    ("x is None", "isinstance(x, dict)"),
    ("not (x and n)", "x and n"),
    ("x or n", "not x and not n"),
    ("x == 3", "x != 3"),
    ("bool(x)", "not x"),
    ("bool(x)", "x is None"),
    ("n - 1 == 0", "n == 2"),
    ("x.ndim == 0", "x.shape == (3,)"),
    ("x.ndim == 1", "x.shape == ()"),
    ("len(x.shape) == 2", "x.ndim < 2"),
    ("x in {K.B}", "x is not K.B"),
    ("x is not None and x is not K.A", "x is not K.B"),
    ("isinstance(x, bool)", "type(x) is not bool"),
    ("len(x) % 2", "len(x) == 0"),
    ("1 in x", "len(x) == 0"),
    ("x.startswith('a')", "x == 'c'"),
    ("x.lower() == 'a'", "x.isdigit()"),
    ("x * 2 == 4", "x == 3"),
    ("jnp.issubdtype(x.dtype, jnp.floating)", "x.dtype == jnp.int32"),
    ("isinstance(x, Square)", "not isinstance(x, Shape)"),
    ("jnp.any(x > 0)", "jnp.all(x <= 0)"),
    ("x[0] == 'a'", "x.startswith('b')"),
    ("x[0] == 1", "x == [2]"),
    ("len(x) == 1 and x[0] == 'a'", "x[-1] == 'b'"),
    ("x[:2] == 'ab'", "x[0] == 'b'"),
    ("abs(x) < 1", "x > 2"),
    ("int(x) == 1", "int(x) == 2"),
    ("x.upper() == 'A'", "x == 'b'"),
    ("x.shape == ()", "x.size == 3"),
    ("x.ndim == 0", "x.size == 0"),
    ("max(x, 0) > 1", "x < 0"),
    ("min(x, 3) == 3", "x < 2"),
    ("x // 2 == 1", "x > 5"),
    ("x % 3 == 0", "x % 6 == 1"),
    ("x & 1", "x % 2 == 0"),
    ("x ** 2 > 9", "abs(x) < 2"),
    ("x.get('a') == 1", "'a' not in x"),
    ("x['a']", "'a' not in x"),
    ("hasattr(x, 'a')", "isinstance(x, int)"),
    ("callable(x)", "isinstance(x, str)"),
    ("getattr(x, 'a', None)", "not hasattr(x, 'a')"),
    ("isinstance(x, int)", "x.a > 0"),
    ("bool(x)", "not x"),
    ("len(x) > 0 and all(x)", "not any(x)"),
    ("x + n > 3", "x < 1 and n < 1"),
    ("x.dtype.kind == 'f'", "x.dtype == jnp.int32"),
    ("x.dtype.name == 'float32'", "x.dtype == jnp.int32"),
    ("len(x.shape) == 1", "x.ndim == 2"),
    ("x.shape[0] == 2", "x.shape == (3,)"),
    ("x.shape[-1] == 2", "x.shape == (3,)"),
    ("x.shape[0] == 2", "x.ndim == 0"),
    ("not x.shape", "x.ndim == 1"),
    ("x in n", "n == {}"),
    ("isinstance(x, str)", "x.ndim == 1"),
    ("x is None", "x.ndim == 1"),
    ("x.strip()", "not x"),
    ("x.shape[:1] == (2,)", "x.shape == (3,)"),
    ("x.shape[1:] == (2,)", "x.ndim == 1"),
    ("jnp.ndim(x) == 1", "x.ndim == 2"),
    ("jnp.shape(x) == ()", "x.ndim == 2"),
    ("x.size > 0", "x.shape[0] == 0"),
    ("isinstance(x, (list, tuple)) and len(x) == 2", "x[0] == 1 and x == (2, 3)"),
    ("jnp.issubdtype(x.dtype, jnp.integer)", "x.dtype == jnp.float32"),
    ("jnp.issubdtype(x.dtype, jnp.integer)", "jnp.issubdtype(x.dtype, jnp.floating)"),
    ("round(x) == 1", "x > 4"),
    ("-x > 0", "x > 0"),
    ("not x.startswith('a')", "x.split('.')[0] == 'ab'"),
    ("x.split('.')[0] == 'a'", "x == 'b'"),
    ("'a' in x.split(',')", "x == ''"),
    ("x.count('a') > 0", "x == 'b'"),
    ("x.replace('a', '') == x", "x == 'a'"),
    ("x.lower() == 'a'", "x.isdigit()"),
    ("x.name == 'A'", "x is K.B"),
    ("x.value == 1", "x is K.B"),
    ("x == K.A.value", "x == 2"),
    ("type(x).__name__ == 'int'", "isinstance(x, str)"),
    ("type(x).__name__ == 'Square'", "isinstance(x, str)"),
    ("issubclass(x, Shape)", "issubclass(x, K)"),
    ("sum(x) > 0", "x == []"),
    ("set(x) == {1}", "x == [2]"),
    ("tuple(x) == (1,)", "x == [2]"),
    ("sorted(x)[0] == 1", "x == [2]"),
    ("list(x) == [1]", "x == (2,)"),
    ("str(x) == 'a'", "x == 'b'"),
    ("x / 2 == 1", "x == 4"),
    ("x * 2 == 4", "x == 4"),
    ("x[0][0] == 1", "x == [[2]]"),
    ("n in (1, 2) and x == n", "x == 3"),
    ("x == n", "x < n"),
    ("x == n and n == 1", "x == 2"),
    ("x is n", "x is None and n is not None"),
    ("x.any()", "not x.any()"),
    ("x.any()", "(x == 0).all()"),
    ("x.all()", "not x.any()"),
    ("x and n", "not x"),
    ("divmod(x, 2)[1] == 1", "x % 2 == 0"),
    ("f'{x}' == 'a'", "x == 'b'"),
    ("x.__class__ is int", "isinstance(x, str)"),
    ("x.__class__ == Square", "isinstance(x, int)"),
    ("isinstance(x, type(n))", "x is None and n == 1"),
    ("x < 1 < n", "n < 1"),
    ("x @ n == 1", "x is None"),
    ("x and x[0]", "x == []"),
    ("x.sum() == 0", "x.sum() > 0"),
    ("jnp.sum(x) == 0", "jnp.sum(x) > 0"),
    ("jnp.sum(x) == 0", "x.sum() > 0"),
    ("x.mean() > 0", "(x < 0).all()"),
    ("jnp.isnan(x)", "x > 0"),
    ("jnp.array_equal(x, n)", "(x != n).any()"),
    ("x != x", "x > 1"),
    ("float(x) > 1", "x < 0"),
    ("isinstance(x, bool)", "x == 'a'"),
    ("isinstance(x, bool) and x", "x == 2"),
    ("x % 2", "x == 4"),
    ("x[-1] == 'a'", "x.endswith('b')"),
    ("x[0:1] == [1]", "x == [2]"),
    ("x[:1] == 'a'", "x.startswith('b')"),
    ("not (x.ndim == 1 or x.ndim > 1)", "x.shape != ()"),
    ("x.dtype == jnp.bfloat16", "x.dtype not in (jnp.float32, jnp.bfloat16)"),
    ("x[:1] == 'a'", "not x.startswith('a')"),
)
COMPATIBLE = (
    ("isinstance(x, int)", "x > 3"),
    ("isinstance(x, int)", "isinstance(n, str)"),
    ("type(x) is int", "type(n) is float"),
    ("x is K.A", "n is K.B"),
    ("x in ('a', 'b')", "x == 'b'"),
    ("x.dtype == jnp.float32", "x.shape[0] == 3"),
    ("0 < x < 3", "x >= 2"),
    ("x.startswith('a')", "not x.startswith('b')"),
    ("not x", "len(n) > 0"),
    ("len(x)", "len(x) == 2"),
    ("x is None", "not x"),
    ("bool(x)", "x is not None"),
    ("x is None", "n is None"),
    ("x is not None", "x"),
    ("x == 'a'", "x"),
    ("x", "x is True"),
    ("x or n", "not x"),
    ("x != 3", "x != 4"),
    ("x.ndim == 1", "x.shape == (3,)"),
    ("x.ndim > 1", "x.shape != ()"),
    ("len(x) % 2", "len(x) > 2"),
    ("1 in x", "len(x) == 1"),
    ("x.startswith('a')", "x.endswith('b')"),
    ("x.lower() == 'a'", "x != 'a'"),
    ("x * 2 == 4", "x > 1"),
    ("x < n", "n < 2"),
    ("0.25 < x < 0.75", "x != 0.5"),
    ("x == 'first'", "x in ('first', 'second')"),
    ("x.a == 3", "x.b == 4"),
    ("x['mode'] == 'train'", "x['n'] > 100"),
    ("len(x) > 1000", "len(x) < 2000"),
    ("jnp.issubdtype(x.dtype, jnp.floating)", "x.dtype != jnp.float32"),
    ("isinstance(x, Square)", "isinstance(x, Shape)"),
    ("x is not K.A", "x is not None"),
    ("hasattr(x, 'a')", "x.a > 3"),
    ("'mode' in x", "x['mode'] == 'train'"),
    ("jnp.any(x > 0)", "n.ndim == 1"),
    ("jnp.any(x.a > 0)", "x.b == 3"),
    ("x is not None", "jnp.any(x.a > 0)"),
    ("x.a.ndim == 1", "not x.b.shape"),
    ("isinstance(x, Square)", "x.side > 3"),
)


@pytest.mark.parametrize(("first", "second"), [*EXCLUSIVE, *(pair[::-1] for pair in EXCLUSIVE[::4])])
def test_what_cannot_hold_together_is_not_confirmed(first: str, second: str, tmp_path: Path) -> None:
    found = verdict(GUARDED.format(first=first, second=second), tmp_path)
    assert found.status != "confirmed", found


@pytest.mark.parametrize(("first", "second"), COMPATIBLE)
def test_what_can_hold_together_is_confirmed(first: str, second: str, tmp_path: Path) -> None:
    found = verdict(GUARDED.format(first=first, second=second), tmp_path)
    assert found.status == "confirmed", found


IN_A_LOOP = """
class Shape:
    pass
def f(root, xs):
    for i, x in enumerate(xs):
        key = jax.random.fold_in(root, i)
        if {first}:
            y = «1 jax.random.normal(key)»
        if {second}:
            y = «2 jax.random.uniform(key)»
    return y"""


@pytest.mark.parametrize(("first", "second"), [("type(x) is Shape", "type(x) is not int"), ("x is True", "x")])
def test_elements_are_values_of_their_own(first: str, second: str, tmp_path: Path) -> None:
    found = verdict(IN_A_LOOP.format(first=first, second=second), tmp_path)
    assert found.status == "confirmed", found


APART = {
    "elements of what is counted": """
import jax.numpy as jnp
def f(root, xs):
    for i, x in enumerate(xs):
        key = jax.random.fold_in(root, i)
        if not jnp.issubdtype(x.dtype, jnp.floating):
            y = «1 jax.random.normal(key)»
        if x.dtype == jnp.float32:
            y = «2 jax.random.uniform(key)»
    return y""",
    "a condition that fails": """
def f(key, x):
    y = 1.0
    if x != True:
        y = «1 jax.random.split(key)»[0]
    if y == 1.0:
        return «2 jax.random.normal(key)»""",
    "one arm of a chain leaves it None": """
def f(key, mode, x):
    if mode == 'a':
        y = «1 jax.random.normal(key)»
    elif mode == 'b':
        y = None
    else:
        y = x + 1
    if y is None:
        y = «2 jax.random.uniform(key)»
    return y""",
    "elements of pairs": """
def f(key, xs):
    for i, (name, x) in enumerate(xs.items()):
        own = jax.random.fold_in(key, i)
        if x == '':
            y = «1 jax.random.normal(own)»
        if x:
            y = «2 jax.random.uniform(own)»
    return y""",
    "what is asserted in a loop": """
def f(key, xs):
    for i, x in enumerate(xs):
        own = jax.random.fold_in(key, i)
        if x is not None:
            y = «1 jax.random.normal(own)»
        assert x is None
        y = «2 jax.random.uniform(own)»
    return y""",
    "what was drawn is one number": """
def f(key, x):
    y = 1.0 if x else «1 jax.random.uniform(key)»
    if y == 1.0:
        y = «2 jax.random.normal(key)»
    return y""",
    "early exits": """
def f(key, x):
    if x is None:
        return «1 jax.random.normal(key)»
    if x == 3:
        return 0
    return «2 jax.random.uniform(key)»""",
    "the last turn": """
def f(key, n):
    for i in range(n):
        if i == n - 1:
            y = «1 jax.random.normal(key)»
            break
        key, sub = jax.random.split(key)
        if i >= n - 1:
            y = «2 jax.random.uniform(key)»
    return y""",
    "once, in the last turn, by order": """
def f(key, n):
    y = 0
    for i in range(n):
        if i > n - 2:
            y = «12 jax.random.normal(key)»
    return y""",
    "once, in the last turn": """
def f(key, n):
    y = 0
    for i in range(n):
        if i == n - 1:
            y = «12 jax.random.normal(key)»
    return y""",
    "a branch that draws and fails": """
def f(key, x):
    if x:
        y = «1 jax.random.normal(key)»
        assert False
    return «2 jax.random.uniform(key)»""",
    "a helper that draws and fails": """
def g(key):
    y = «1 jax.random.normal(key)»
    raise ValueError(y)
def f(key, x):
    if x:
        g(key)
    return «2 jax.random.uniform(key)»""",
    "what is asserted": """
def f(key, x):
    if x is None:
        y = «1 jax.random.normal(key)»
    assert x is not None
    return «2 jax.random.uniform(key)»""",
    "what would be an error": """
def f(key, x):
    y = 0
    if x == 3:
        y = «1 jax.random.normal(key)»
    if x > 2:
        raise ValueError(x)
    return y + «2 jax.random.uniform(key)»""",
    "lazy initialisation": """
class A:
    def sample(self):
        if self.params is None:
            self.params = «12 jax.random.normal(self.key)»
        return self.params""",
    "lazy initialisation in a loop": """
def f(key, xs):
    y = None
    for x in xs:
        if y is None:
            y = «12 jax.random.normal(key)»
    return y""",
    "lazy initialisation of what may be there": """
def f(key, xs, y):
    for x in xs:
        if y is None:
            y = «12 jax.random.normal(key)»
    return y""",
    "a dictionary that remembers": """
class A:
    def __init__(self, key):
        self.key = key
        self.cache = {}
    def sample(self):
        if 'value' not in self.cache:
            self.cache['value'] = «12 jax.random.normal(self.key)»
        return self.cache['value']""",
    "a cached property": """
import functools
class A:
    def __init__(self, key):
        self.key = key
    @functools.cached_property
    def noise(self):
        return «12 jax.random.normal(self.key)»
    def use(self):
        return self.noise + self.noise""",
    "an object that another one may write": """
def f(state, update):
    a = «1 jax.random.normal(state.rng)»
    update(state)
    return a + «2 jax.random.normal(state.rng)»""",
    "an object that its method may write": """
def f(state):
    a = «1 jax.random.normal(state.rng)»
    state.update()
    return a + «2 jax.random.normal(state.rng)»""",
    "an object that a function of a library may write": """
from somewhere import update
def f(state):
    a = «1 jax.random.normal(state.rng)»
    update(state)
    return a + «2 jax.random.normal(state.rng)»""",
    "an object of the user's that a callback may write": """
class Trainer:
    def __init__(self, key):
        self.key = key
    def run(self, callback):
        a = «1 jax.random.normal(self.key)»
        callback(self)
        return a + «2 jax.random.normal(self.key)»
def f(key, callback):
    return Trainer(key).run(callback)""",
    "one key per turn": """
def f(key, n):
    y = «1 jax.random.normal(key)»
    for i in range(n):
        key = jax.random.key(i)
    return y + «2 jax.random.normal(key)»""",
    "a number in each turn": """
def f(key):
    y = 0
    for i in (1, 2, 3):
        y += «12 jax.random.normal(jax.random.fold_in(key, i))»
    return y""",
    "one turn, or keys of their own": """
def f(key, n):
    def body(c, i):
        k = key if n == 1 else jax.random.fold_in(key, i)
        return c, «12 jax.random.normal(k)»
    return jax.lax.scan(body, 0, jax.numpy.arange(n))""",
    "one turn, or keys of their own, in a loop": """
def f(key, n):
    y = 0
    for i in range(n):
        k = key if n == 1 else jax.random.fold_in(key, i)
        y += «12 jax.random.normal(k)»
    return y""",
    "one turn, or keys of their own, by length": """
def f(key, xs):
    y = 0
    for i, x in enumerate(xs):
        k = key if len(xs) == 1 else jax.random.fold_in(key, i)
        y += «12 jax.random.normal(k)»
    return y""",
    "an initial value of one of two branches": """
def f(key, x, p):
    y = jax.lax.cond(p, lambda: None, lambda: x)
    if p:
        a = «1 jax.random.normal(key)»
        return a
    return y, «2 jax.random.uniform(key)»""",
    "a second replace": """
import dataclasses
@dataclasses.dataclass
class State:
    rng: object
    x: object
def f(s):
    key, sub = jax.random.split(s.rng)
    a = «1 jax.random.normal(sub)»
    s = dataclasses.replace(s, rng=key)
    s = dataclasses.replace(s, x=a)
    key, sub = jax.random.split(s.rng)
    return s, «2 jax.random.normal(sub)»
def g(key):
    return f(State(key, 0))""",
    "a second _replace": """
import typing
class State(typing.NamedTuple):
    rng: object
    x: object
def f(key):
    s = State(key, 0)
    key, sub = jax.random.split(s.rng)
    a = «1 jax.random.normal(sub)»
    s = s._replace(rng=key)
    s = s._replace(x=a)
    key, sub = jax.random.split(s.rng)
    return s, «2 jax.random.normal(sub)»""",
    "a second replace of something unknown": """
def f(s):
    key, sub = jax.random.split(s.rng)
    a = «1 jax.random.normal(sub)»
    s = s.replace(rng=key)
    s = s.replace(x=a)
    key, sub = jax.random.split(s.rng)
    return s, «2 jax.random.normal(sub)»""",
    "a guard between split and replace": """
def f(state):
    key, sub = jax.random.split(state.rng)
    a = «1 jax.random.normal(sub)»
    if state.tx is None:
        raise ValueError("no")
    state = state.replace(rng=key)
    key, sub = jax.random.split(state.rng)
    return a + «2 jax.random.normal(sub)»""",
    "a dictionary that a body updates": """
def f(key, n):
    def body(i, c):
        c["key"], sub = jax.random.split(c["key"])
        c["y"] = c["y"] + «12 jax.random.normal(sub)»
        return c
    return jax.lax.fori_loop(0, n, body, {"key": key, "y": 0.0})""",
    "a list that a body updates": """
def step(c):
    c[0], sub = jax.random.split(c[0])
    return c, «12 jax.random.normal(sub)»
def f(key):
    c = [key]
    c, a = step(c)
    c, b = step(c)
    return a + b""",
}
TOGETHER = {
    "one arm of a chain leaves it None": """
def f(key, mode, x):
    y = None
    if mode == 'a':
        z = «1 jax.random.normal(key)»
    elif mode == 'b':
        y = 1
    if y is None:
        y = «2 jax.random.uniform(key)»
    return y""",
    "the last two turns": """
def f(key, n):
    y = 0
    for i in range(n):
        if i >= n - 2:
            y += «12 jax.random.normal(key)»
    return y""",
    "what is asserted": """
def f(key, x):
    if x is not None:
        y = «1 jax.random.normal(key)»
    assert x > 3
    return «2 jax.random.uniform(key)»""",
    "an error that is caught": """
def g(key):
    y = «1 jax.random.normal(key)»
    raise ValueError(y)
def f(key, x):
    try:
        g(key)
    except ValueError:
        return «2 jax.random.uniform(key)»""",
    "what is initialised each time": """
class A:
    def sample(self):
        if self.params is None:
            params = «12 jax.random.normal(self.key)»
        return params""",
    "an object of which a part is read": """
class State:
    def __init__(self, rng, x):
        self.rng, self.x = rng, x
def f(state: State, update):
    a = «1 jax.random.normal(state.rng)»
    b = update(state.x)
    return a + b + «2 jax.random.normal(state.rng)»""",
    "an object of the user's of which a part is given": """
class Trainer:
    def __init__(self, key):
        self.key = key
        self.step = 0
    def run(self, callback):
        a = «1 jax.random.normal(self.key)»
        callback(self.step)
        return a + «2 jax.random.normal(self.key)»
def f(key, callback):
    return Trainer(key).run(callback)""",
    "a key that is kept": """
def f(state, update):
    rng = state.rng
    a = «1 jax.random.normal(rng)»
    update(state)
    return a + «2 jax.random.normal(rng)»""",
    "two turns at least": """
def f(key, n):
    y = 0
    for i in range(n):
        k = key if n == 2 else jax.random.fold_in(key, i)
        y += «12 jax.random.normal(k)»
    return y""",
    "one turn": """
def f(key, xs):
    if not all(isinstance(x, int) for x in xs):
        raise TypeError(xs)
    if len(xs) != 1:
        raise ValueError(xs)
    return «1 jax.random.normal(key)» + «2 jax.random.uniform(key)»""",
    "the same replace": """
import typing
class State(typing.NamedTuple):
    rng: object
    x: object
def f(key):
    s = State(key, 0)
    a = «1 jax.random.normal(s.rng)»
    s = s._replace(x=a)
    return s, «2 jax.random.normal(s.rng)»""",
}


@pytest.mark.parametrize("name", APART)
def test_a_program_that_is_right_is_not_confirmed(name: str, tmp_path: Path) -> None:
    found = verdict(APART[name], tmp_path)
    assert found.status != "confirmed", found


@pytest.mark.parametrize("name", TOGETHER)
def test_a_program_that_is_wrong_is_confirmed(name: str, tmp_path: Path) -> None:
    found = verdict(TOGETHER[name], tmp_path)
    assert found.status == "confirmed", found


@pytest.mark.parametrize("condition", ["x == 3", "isinstance(x, int)", "len(x) > 0", "x.ndim == 1"])
def test_a_condition_and_its_opposite_refute_a_finding(condition: str, tmp_path: Path) -> None:
    found = verdict(GUARDED.format(first=condition, second=f"not {condition}"), tmp_path)
    assert found.status == "refuted", found


def test_a_condition_that_follows_from_others_is_named(tmp_path: Path) -> None:
    found = verdict(GUARDED.format(first="x is None", second="x == 3"), tmp_path)
    assert found.status == "inconclusive", found
    assert found.reason == "no execution reaches both places: other conditions decide `x == 3`"


def test_two_calls_of_a_function_that_lives_on_are_not_refuted(tmp_path: Path) -> None:
    source = """
def f(key):
    def step(x):
        if x:
            return «1 jax.random.normal(key)»
        return «2 jax.random.uniform(key)»
    return step"""
    assert verdict(source, tmp_path).status != "refuted"
