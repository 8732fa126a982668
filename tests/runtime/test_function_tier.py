"""Findings judged by the real functions: arguments are guessed, and whatever a module does is a verdict."""

from __future__ import annotations

import itertools
import signal
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="functions are traced with JAX")

from marked import read  # noqa: E402

from olympus.trials.arguments import of_spec  # noqa: E402
from olympus.trials.execution import variations  # noqa: E402
from olympus.trials.guesses import Guesser, parameters_of  # noqa: E402
from olympus.trials.judging import answer  # noqa: E402
from olympus.trials.limits import Expired, limited  # noqa: E402
from olympus.trials.specs import Spec, spec  # noqa: E402
from olympus.trials.uses import uses_of  # noqa: E402
from olympus.verdicts import Place, Question, Verdict  # noqa: E402

NUMBERS = itertools.count()
HEAD = """\
from __future__ import annotations
import dataclasses, enum, functools, typing
from typing import Annotated, Any, Callable, Literal, Mapping, NamedTuple, Optional, Sequence, Union
import jax, jax.numpy as jnp
from jax import lax, random as r
"""


def judged(
    folder: Path, program: str, code: str = "OLY104", hints: dict[str, Any] | None = None, *, certain: bool = True
) -> Verdict:
    """Judge the finding whose places are marked in a program; hints are by the name of the function."""
    marked = read(HEAD + textwrap.dedent(program))
    module = f"subject_{next(NUMBERS)}"
    file = folder / f"{module}.py"
    file.write_text(marked.text)
    first, second = (Place(str(file), *marked.places[mark]) if mark in marked.places else None for mark in "12")
    question = Question(code, second or first, first if second else None, certain)  # type: ignore[arg-type]
    given = {f"{module}:{name}": hint for name, hint in (hints or {}).items()}
    (verdict,) = answer(str(file), module, (folder,), [question], given)
    assert verdict.tier == "function"
    return verdict


REUSE = "return «1 r.normal({key})», «2 r.uniform({key})»"


def reusing(parameters: str, *, body: str = "", key: str = "key") -> str:
    """Return a function with a reuse, which is only come to if its body has run."""
    lines = [f"def f({parameters}):", *(f"    {line}" for line in body.splitlines()), "    " + REUSE.format(key=key)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("program", "traced"),
    [
        # Keys.
        (reusing("key"), "f(key=key)"),
        (reusing("dropout_rng", key="dropout_rng"), "f(dropout_rng=key)"),
        (reusing("k: jax.Array, keys", key="keys[1]"), "keys=key[4]"),
        (reusing("seed: 'PRNGKeyArray'", key="seed"), "f(seed=key)"),
        (reusing("key=None", body="assert key is not None"), "f(key=key)"),
        (reusing("key: Optional[jax.Array] = None", body="assert key is not None"), "f(key=key)"),
        (reusing("key, /, *rest, **more"), "f(key=key)"),
        # Arrays and numbers.
        (reusing("key, x", body="x @ x"), "x=f32[4]"),
        (reusing("key, x: jax.Array", body="rows, columns = x.shape"), "x=f32[3,4]"),
        (reusing("key, n", body="[None] * n\nassert n > 1"), "n=3"),
        (reusing("key, n: int", body="jnp.zeros(n)"), "n=3"),
        (reusing("key, i", body="lax.dynamic_slice(jnp.zeros(4), (i,), (2,))"), "i=i32[]"),
        (reusing("key, rate: float", body="assert 0 < rate < 1"), "rate=0.5"),
        (reusing("key, temperature", body="assert 0 < temperature < 1"), "temperature=0.5"),
        (reusing("key, shape", body="jnp.zeros(shape)\nlen(shape)"), "shape=(3, 4)"),
        (reusing("key, dtype", body="jnp.zeros(3, dtype)"), "dtype=float32"),
        (reusing("key, axis", body="jnp.sum(jnp.zeros((2, 3)), axis)"), "axis=0"),
        (reusing("key, hidden_size, x", body="jnp.zeros(hidden_size) + x"), "hidden_size=4"),
        # Annotations.
        (reusing("key, x: Annotated[int, 'how many']", body="range(x)"), "x=3"),
        (reusing("key, x: float | None", body="assert x is None"), "x=None"),
        (reusing("key, x: Union[str, int]", body="assert isinstance(x, int)"), "x=3"),
        (reusing("key, x: Literal['a', 'b']", body="assert x == 'b'"), "x='b'"),
        (reusing("key, x: tuple[int, float]", body="n, p = x\nrange(n)"), "x=tuple(0=3, 1=0.5)"),
        (reusing("key, x: Sequence[jax.Array]", body="x[0] + x[1]"), "x=list(0=f32[4], 1=f32[4])"),
        (reusing("key, x: Mapping[str, Any]", body="assert len(x.items()) == 2"), "x=dict(a=f32[4], b=f32[4])"),
        (reusing("key, x: bool", body="assert x"), "x=True"),
        (reusing("key, x: Callable[[int], int]", body="x(3)"), "x=a function"),
        (reusing("key, x: 'Callable[[Missing], Missing]'", body="x(3)"), "x=a function"),
        (reusing("key, x: Missing", body="x + 1"), "x=f32[4]"),
        (
            "class Kind(enum.Enum):\n    A = 1\n    B = 2\n\n" + reusing("key, x: Kind", body="assert x is Kind.B"),
            "x=<Kind.B: 2>",
        ),
        (
            "class State(NamedTuple):\n    position: jax.Array\n    rng_key: jax.Array\n    n: int\n\n"
            + reusing("state: State", body="range(state.n)", key="state.rng_key"),
            "f(state=State(position=f32[4], rng_key=key, n=3))",
        ),
        (
            "@dataclasses.dataclass\nclass Config:\n    width: int\n    rate: float = 0.25\n\n"
            + reusing("key, config: Config", body="assert config.rate == 0.25\nrange(config.width)"),
            "config=Config(width=4)",
        ),
        # Defaults.
        (reusing("key, x={'a': 1}", body="x['a']"), "x={'a': 1}"),
        (reusing("key, flag=False", body="if not flag:\n    return None"), "flag=True"),
        (reusing("key, fn=None", body="fn(1)"), "fn=a function"),
        # What the function reads off its parameters.
        (reusing("state", body="state.count + 1; key = state.key"), "State(count=3, key=key)"),
        (reusing("batch, key", body="batch['x'] + batch['y']"), "batch=dict(x=f32[4], y=f32[4])"),
        (reusing("key, mode", body="assert not mode.startswith('a')"), "mode='mode'"),
        (reusing("key, config", body="assert config['mode'].lower() == 'mode'"), "config=dict(mode='mode')"),
        (reusing("key, loss", body="jax.grad(loss)(jnp.ones(3))"), "loss=a function (returns a number)"),
        (reusing("key, step", body="x, info = step(jnp.ones(3))"), "returns its argument and a number"),
    ],
)
def test_arguments_are_guessed(tmp_path: Path, program: str, traced: str):
    verdict = judged(tmp_path, program)
    assert verdict.status == "confirmed", verdict
    assert verdict.evidence[-1].startswith("traced: ")
    assert traced in verdict.evidence[-1]


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ('Float[Array, "batch dim"]', "f32[3,4]"),
        ('Int[Array, "batch"]', "i32[3]"),
        ('Float[Array, "... 3"]', "f32[3]"),
        ('Float[Array, "batch+1 2"]', "f32[4,2]"),
        ('Bool[Array, ""]', "bool[]"),
        ('Key[Array, ""]', "key"),
        ('Key[Array, "batch"]', "key[3]"),
        ("PRNGKeyArray", "key"),
        ("Optional[PRNGKeyArray]", "key"),
        ("PyTree", "f32[4]"),
        ('PyTree[Float[Array, "2"]]', "f32[4]"),
    ],
)
def test_types_of_jaxtyping_are_understood(annotation: str, text: str):
    jaxtyping = pytest.importorskip("jaxtyping")
    names = {**vars(jaxtyping), "Array": jax.Array, "Optional": __import__("typing").Optional}
    exec(f"def f(z: Float[Array, 'batch'], x: {annotation}): pass", names)
    guesser = Guesser(names, {})
    guesses = [guesser.guesses(parameter) for parameter in parameters_of(names["f"])]
    assert guesses[1][0].text == text


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("def f(key):\n    a, b = r.split(key)\n    return «1 r.normal(a)», «2 r.normal(b)»", "refuted"),
        ("def f(key):\n    return [«1 r.normal(key)» for _ in range(3)]", "confirmed"),
        ("def f(key):\n    return [«1 r.normal(k)» for k in r.split(key, 3)]", "refuted"),
        ("def f(key):\n    return [«1 r.normal(k)» for k in [key]]", "not reached"),
        ("def f(key):\n    return [«1 r.permutation(k, 5)» for k in [key]]", "not reached"),
        ("def f(key, flag=False):\n    k = key if flag else r.fold_in(key, 1)\n"
         "    return «1 r.normal(k)», «2 r.normal(key)»", "confirmed"),
        ("def f(key, a, b):\n    return «1 r.normal(a.key)», «2 r.normal(b.key)»", "inconclusive"),
    ],
)  # fmt: skip
def test_keys_are_compared(tmp_path: Path, program: str, status: str):
    assert judged(tmp_path, program).status == status


def test_what_a_guessed_function_does_with_a_key_is_not_known(tmp_path: Path):
    program = "def f(key, fn):\n    return «1 fn(key)», «2 r.normal(key)»"
    assert judged(tmp_path, program, certain=True).status == "confirmed"
    assert judged(tmp_path, program, certain=False).status == "inconclusive"


@pytest.mark.parametrize("body", ["x.nothing.of.the_kind(3)", "raise TypeError('no')", "x + 'text'", "exit(3)"])
def test_an_error_of_a_guess_is_no_refutation(tmp_path: Path, body: str):
    verdict = judged(tmp_path, reusing("key, x: jax.Array", body=body))
    assert verdict.status == "not reached"
    assert "Error" in str(verdict.reason) or "SystemExit" in str(verdict.reason)
    assert "traced: f(key=key, x=" in verdict.evidence[-1]


@pytest.mark.parametrize(
    ("code", "program", "reason"),
    [
        ("OLY101", "def f(key):\n    return «1 r.PRNGKey(key[1])»", None),
        ("OLY101", "def f(key):\n    return r.PRNGKey(«1 key[1]»)", "with a typed key it is an error: IndexError"),
        ("OLY102", "def f(key):\n    return «1 r.normal(key + 1)»", None),
        ("OLY102", "def f(key):\n    return r.normal(«1 key + 1»)", "with a typed key it is an error: TypeError"),
        ("OLY103", "def f(key):\n    return «1 jax.vmap(r.normal, in_axes=1)(r.split(key))»",
         "with a typed key it is an error: ValueError"),
    ],
)  # fmt: skip
def test_words_of_keys_are_traced_typed_and_raw(tmp_path: Path, code: str, program: str, reason: str | None):
    verdict = judged(tmp_path, program, code)
    assert verdict.status == "confirmed"
    assert (verdict.reason or "").startswith(reason or "")
    assert verdict.evidence[-1].endswith(", with raw keys") == (reason is None)


def test_a_function_of_raw_keys_is_traced_with_them(tmp_path: Path):
    program = reusing("key", body="assert key.shape == (2,)\nkey.astype('uint32')")
    verdict = judged(tmp_path, program.replace("assert key.shape == (2,)\n    ", ""))
    assert verdict.status == "confirmed"
    assert verdict.evidence[-1] == "traced: f(key=key), with raw keys"


@pytest.mark.parametrize(
    "program",
    [
        # Decorated.
        "@jax.jit\n" + reusing("key"),
        "@functools.partial(jax.jit, static_argnums=1)\n" + reusing("key, n", body="range(n)"),
        "@functools.partial(jax.jit, static_argnames='n')\n" + reusing("key, n: int", body="range(n)"),
        "@jax.vmap\n" + reusing("keys", key="keys").replace("r.normal(keys)", "r.normal(keys)"),
        "@jax.checkpoint\n" + reusing("key"),
        "def outer(f):\n    @functools.wraps(f)\n    def inner(*args, **kwargs):\n        return f(*args, **kwargs)\n"
        "    return inner\n\n@outer\n" + reusing("key, x: int", body="range(x)"),
        # In other functions.
        "def make(scale):\n    def step(key, x):\n        return «1 r.normal(key)», «2 r.normal(key)»\n    return step",
        "def make(n):\n    def init(x):\n        return x\n"
        "    def step(key, x):\n        return «1 r.normal(key)», «2 r.normal(key)»\n"
        "    return {'steps': (init, jax.jit(step))}",
        "def make(n):\n    return lambda x: lambda key: («1 r.normal(key)», «2 r.normal(key)»)",
        "def f(key, xs):\n    def body(c, x):\n        return c, («1 r.normal(key)», «2 r.normal(key)»)\n"
        "    return lax.scan(body, 0, xs)",
        "def f(key):\n    yield «1 r.normal(key)»\n    yield «2 r.normal(key)»",
        "async def f(key):\n    return «1 r.normal(key)», «2 r.normal(key)»",
        # Methods.
        "class A:\n    def f(self, key):\n        return «1 r.normal(key)», «2 r.normal(key)»",
        "class A:\n    def __init__(self, size, *, key):\n        self.w = «1 r.normal(key, (size,))»\n"
        "        self.b = «2 r.normal(key)»",
        "class A:\n    def __init__(self, key):\n        self.key = key\n"
        "    def __call__(self, x):\n        return «1 r.normal(self.key)», «2 r.normal(self.key)»",
        "class A:\n    @staticmethod\n    def f(key):\n        return «1 r.normal(key)», «2 r.normal(key)»",
        "class A:\n    @classmethod\n    def f(cls, key):\n        return «1 r.normal(key)», «2 r.normal(key)»",
        "class A:\n    def __init__(self, key):\n        self.key = key\n    @property\n    def f(self):\n"
        "        return «1 r.normal(self.key)», «2 r.normal(self.key)»",
        "class A:\n    class B:\n        def f(self, key):\n            return «1 r.normal(key)», «2 r.normal(key)»",
        "@dataclasses.dataclass\nclass A:\n    size: int\n    def f(self, key):\n"
        "        return «1 r.normal(key, (self.size,))», «2 r.normal(key)»",
        "import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def g(self): ...\n    def f(self, key):\n"
        "        return «1 r.normal(key)», «2 r.normal(key)»\nclass B(A):\n    def g(self):\n        return 1",
        "import unittest\nclass A(unittest.TestCase):\n    def setUp(self):\n        self.key = r.key(0)\n"
        "    def test(self):\n        «1 r.normal(self.key)», «2 r.normal(self.key)»",
        # A docstring's example.
        "def f(key, config):\n    '''\n    >>> config = {'of': {'n': 3}}\n    >>> f(r.PRNGKey(0), config)\n    '''\n"
        "    return «1 r.normal(key, (config['of']['n'],))», «2 r.normal(key)»",
    ],
)  # fmt: skip
def test_places_in_functions_of_all_kinds_are_reached(tmp_path: Path, program: str):
    verdict = judged(tmp_path, program)
    assert verdict.status == "confirmed", verdict


@pytest.mark.parametrize(
    ("library", "program"),
    [
        ("flax.linen", "class A(nn.Module):\n    size: int\n    @nn.compact\n    def __call__(self, x):\n"
         "        key = self.make_rng('dropout')\n        x = nn.Dense(self.size)(x)\n"
         "        return «1 r.normal(key)», «2 r.normal(key)»"),
        ("flax.linen", "class A(nn.Module):\n    def setup(self):\n        self.layer = nn.Dense(3)\n"
         "    def f(self, x, key):\n        self.layer(x)\n        return «1 r.normal(key)», «2 r.normal(key)»"),
        ("flax.nnx", "class A(nn.Module):\n    def __init__(self, size: int, *, rngs: nn.Rngs):\n"
         "        self.layer = nn.Linear(size, size, rngs=rngs)\n"
         "    def __call__(self, x, key):\n        return «1 r.normal(key)», «2 r.normal(key)»"),
        ("haiku", "class A(nn.Module):\n    def __call__(self, x):\n        key = nn.next_rng_key()\n"
         "        return «1 r.normal(key)», «2 r.normal(key)»"),
        ("haiku", "def f(x):\n    key, x = nn.next_rng_key(), nn.Linear(3)(x)\n"
         "    return «1 r.normal(key)», «2 r.normal(key)»"),
        ("equinox", "class A(nn.Module):\n    layer: nn.nn.Linear\n    def __init__(self, size: int, *, key):\n"
         "        self.layer = nn.nn.Linear(size, size, key=key)\n    @nn.filter_jit\n    def __call__(self, x, key):\n"
         "        self.layer(x)\n        return «1 r.normal(key)», «2 r.normal(key)»"),
    ],
)  # fmt: skip
def test_modules_of_libraries_are_made_and_called(tmp_path: Path, library: str, program: str):
    pytest.importorskip(library)
    verdict = judged(tmp_path, f"import {library} as nn\n{program}")
    assert verdict.status == "confirmed", verdict


@pytest.mark.parametrize(
    ("program", "hints"),
    [
        (reusing("key, mode", body="assert mode == 'fast'"), {"f": {"args": ["key", "'fast'"]}}),
        (reusing("key, mode", body="assert mode == 'fast'"), {"f": {"args": {"mode": "'fast'"}}}),
        (reusing("wanted", key="wanted"), {"f": {"args": ["key"]}}),
        (reusing("key, x", body="assert x.shape == (7,) and x.dtype == 'int8'"), {"f": {"args": {"x": "i8[7]"}}}),
        (reusing("key, **more", body="assert more['z'] == 2"), {"f": {"args": {"z": "2"}}}),
        ("class A:\n    def __init__(self, mode):\n        assert mode == 'fast'\n    def f(self, key, n):\n"
         "        assert n == 17\n        return «1 r.normal(key)», «2 r.normal(key)»",
         {"A": {"args": ["'fast'"]}, "A.f": {"args": {"n": "17"}}}),
    ],
)  # fmt: skip
def test_hints_are_followed(tmp_path: Path, program: str, hints: dict[str, Any]):
    assert judged(tmp_path, program).status == "not reached"
    assert judged(tmp_path, program, hints=hints).status == "confirmed"


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["key", "3", "4"], "the settings give f 3 arguments, and it has 1 parameters"),
        ({"kee": "key"}, "the settings give f an argument kee, and it has no such parameter"),
    ],
)
def test_a_hint_that_does_not_fit_is_the_reason(tmp_path: Path, args: Any, reason: str):
    verdict = judged(tmp_path, reusing("key"), hints={"f": {"args": args}})
    assert (verdict.status, verdict.reason) == ("not reached", reason)


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise ValueError('not here')", "ValueError: not here"),
        ("import sys; sys.exit(3)", "ended the program"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise BaseException('base')", "BaseException: base"),
        ("input('your name? ')", "EOFError"),
        ("del r.normal_of_nothing", "AttributeError"),
        ("def g(): g()\ng()", "RecursionError"),
    ],
)
def test_a_module_that_cannot_be_imported_is_a_verdict(tmp_path: Path, first: str, reason: str):
    verdict = judged(tmp_path, f"{first}\n{reusing('key')}")
    assert verdict.status == "not reached"
    assert reason in str(verdict.reason)


def test_a_module_that_fails_is_imported_once(tmp_path: Path):
    program = tmp_path / "counted.py"
    program.write_text(
        f"with open({str(tmp_path / 'count')!r}, 'a') as f: f.write('x')\nraise ValueError\ndef f(key): pass\n"
    )
    question = Question("OLY104", Place(str(program), 3, 1, 3, 5))
    for _ in range(2):
        (verdict,) = answer(str(program), "counted", (tmp_path,), [question], {})
        assert verdict.status == "not reached"
    assert (tmp_path / "count").read_text() == "x"


def test_nothing_is_printed_and_the_command_line_is_not_seen(tmp_path: Path, capfd, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["olympus", "--secret"])
    body = "import sys\nprint('loud')\nsys.stderr.write('loud')\nassert len(sys.argv) == 1"
    verdict = judged(tmp_path, f"{body}\n{reusing('key', body=body)}")
    assert verdict.status == "confirmed"
    assert capfd.readouterr() == ("", "")
    assert sys.argv == ["olympus", "--secret"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("key = r.key(0)\n«1 r.normal(key)», «2 r.normal(key)»", "it is not in a function"),
        (reusing("key") + "del f", "the module has no f after its import"),
        (reusing("key") + "f = 3", "f is no function after the import of its module"),
        ("import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def f(self, key):\n"
         "        return «1 r.normal(key)», «2 r.normal(key)»", "A is abstract"),
        ("class A:\n    def __init__(self, x):\n        raise ValueError('no A')\n    def f(self, key):\n"
         "        return «1 r.normal(key)», «2 r.normal(key)»", "ValueError: no A"),
        ("class M(type):\n    def __eq__(self, other): raise ValueError('hostile')\n    __hash__ = None\n"
         "class H(metaclass=M): pass\ndef f(key, x: H):\n    return «1 r.normal(key)», «2 r.normal(key)»", "x of f"),
        ("class H:\n    def __getattribute__(self, name): raise ValueError('hostile')\n"
         "def f(key):\n    if False:\n        «1 r.normal(key)», «2 r.normal(key)»\n    return H()", "none of the"),
    ],
)  # fmt: skip
def test_what_cannot_be_called_is_not_reached(tmp_path: Path, program: str, reason: str):
    verdict = judged(tmp_path, program)
    assert verdict.status == "not reached"
    assert reason in str(verdict.reason)


def test_a_script_may_have_the_name_of_a_module_that_is_there(tmp_path: Path):
    marked = read(HEAD + reusing("key"))
    file = tmp_path / "json.py"
    file.write_text(marked.text)
    places = [Place(str(file), *marked.places[mark]) for mark in "12"]
    json = sys.modules.get("json")
    (verdict,) = answer(str(file), "json", (tmp_path,), [Question("OLY104", places[1], places[0])], {})
    assert verdict.status == "confirmed"
    assert sys.modules.get("json") is json


def test_another_package_of_the_name_is_the_reason(tmp_path: Path):
    folder = tmp_path / "json"
    folder.mkdir()
    (folder / "decoder.py").write_text("def f(key): pass\n")
    question = Question("OLY104", Place(str(folder / "decoder.py"), 1, 1, 1, 4))
    (verdict,) = answer(str(folder / "decoder.py"), "json.decoder", (tmp_path,), [question], {})
    assert str(verdict.reason).startswith("json.decoder is imported from ")


def test_a_module_that_has_tracers_looked_for_is_traced(tmp_path: Path):
    program = "jax.config.update('jax_check_tracer_leaks', True)\n" + reusing("key", body="if False: raise ValueError")
    try:
        assert judged(tmp_path, program.replace("return", "kept = r.normal(key) + 1\n    return")).status == "confirmed"
        assert jax.config.jax_check_tracer_leaks
    finally:
        jax.config.update("jax_check_tracer_leaks", False)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_an_execution_that_does_not_end_is_given_up(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("olympus.trials.search.SECONDS_EACH", 0.2)
    monkeypatch.setattr("olympus.trials.search.SECONDS", 0.5)
    verdict = judged(tmp_path, reusing("key", body="while True:\n    try: pass\n    except Exception: pass"))
    assert verdict.status == "not reached"
    assert "Expired" in str(verdict.reason)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_a_timer_that_is_set_goes_on():
    def expire(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(Expired), limited(0.05):
            time.sleep(1)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 0.3
        with pytest.raises(TimeoutError):
            time.sleep(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_function_is_executed_a_limited_number_of_times(tmp_path: Path):
    names = ", ".join(f"x{number}" for number in range(8))
    program = f"import olympus\nolympus.tried = []\ndef f(key, {names}):\n    olympus.tried.append(1)\n"
    judged(tmp_path, program + "    if False: «1 r.normal(key)», «2 r.normal(key)»")
    import olympus

    assert len(olympus.tried) == 24  # type: ignore[attr-defined]
    del olympus.tried  # type: ignore[attr-defined]


def test_variations_go_from_the_likeliest_on():
    guesses: Any = {(0, "a"): ["a0", "a1", "a2"], (0, "b"): ["b0", "b1"], (0, "c"): ["c0"]}
    tried = ["".join(each.values()) for each in variations(guesses)]
    assert tried[:6] == ["a0b0c0", "a1b1c0", "a2b1c0", "a1b0c0", "a0b1c0", "a2b0c0"]
    assert set(tried[6:]) == {"a1b1c0", "a2b1c0"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key", Spec("key")),
        ("key[3, 4]", Spec("key", (3, 4))),
        ("f32[3,4]", Spec("array", (3, 4), "float32")),
        ("bf16", Spec("array", (), "bfloat16")),
        ("bool[2]", Spec("array", (2,), "bool")),
        ("u8[]", Spec("array", (), "uint8")),
        (" 3 ", Spec("literal", value=3)),
        ("'text'", Spec("literal", value="text")),
        ("(3, None)", Spec("literal", value=(3, None))),
        ("(key, 3)", Spec("tuple", parts=(Spec("key"), Spec("literal", value=3)))),
        ("[f32[2, 3]]", Spec("list", parts=(Spec("array", (2, 3), "float32"),))),
        ("{'w': (f32[],)}", Spec("dict", parts=(Spec("tuple", parts=(Spec("array", (), "float32"),)),), names=("w",))),
    ],
)
def test_arguments_are_read(text: str, expected: Spec):
    assert spec(text) == expected


@pytest.mark.parametrize(
    "text",
    ["f33", "f", "key32", "bool8", "relu", "f32[a]", "f32[3", "", "x=3", "[" * 10_000, "(key, relu)", "State(key)"],
)
def test_what_is_no_argument_is_an_error(text: str):
    with pytest.raises(ValueError, match=r"there is no such dtype|it is no array, key or literal"):
        spec(text)


def test_names_are_those_of_a_module():
    expected = Spec("call", value="a.State", parts=(Spec("key"), Spec("object", value="f")), names=(None, "f"))
    assert spec("a.State(key, f=f)", objects=True) == expected


def test_pytrees_become_arguments():
    made = of_spec(spec("(key, {'w': [f32[3], 2]})"))
    assert made.text == "tuple(0=key, 1=dict(w=list(0=f32[3], 1=2)))"
    assert [path for path, _ in made.inputs("x", typed=True)] == ["x.0", "x.1.w.0"]
    held = made.value("x", {"x.0": "the key", "x.1.w.0": "the array"})
    assert held == ("the key", {"w": ["the array", 2]})
    with pytest.raises(ValueError, match="keys of a dict have to be texts"):
        of_spec(spec("{1: key}"))


def test_uses_are_read_off_the_source():
    def f(state, batch, fn, x):
        state.inner.key, state.step()
        fn(batch["image"]["left"])
        return x[0] + x.shape[0]

    uses = uses_of(f)
    assert list(uses["state"].attributes) == ["inner", "step"]
    assert list(uses["state"].attributes["inner"].attributes) == ["key"]
    assert uses["state"].attributes["step"].called
    assert list(uses["batch"].items["image"].items) == ["left"]
    assert uses["fn"].called
    assert not uses["x"].items
    assert uses_of(len) == {}
