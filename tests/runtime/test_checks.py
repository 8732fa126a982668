"""``olympus.check`` and ``olympus.checked``."""

from __future__ import annotations

import gc
import inspect
import pickle
import subprocess
import sys
import textwrap
import warnings
import weakref
from functools import partial
from typing import Any

import pytest
from marked import place, read

jax = pytest.importorskip("jax", reason="checks trace with JAX")

import jax.numpy as jnp  # noqa: E402
from jax import random as r  # noqa: E402

import olympus  # noqa: E402
from olympus.checks import UndecidedWarning  # noqa: E402
from olympus.lineage.diagnosis import Diagnosis  # noqa: E402
from olympus.tracing.jaxprs import raw_key, typed_key  # noqa: E402
from olympus.tracing.spans import Span  # noqa: E402

KEYS = {"typed": typed_key, "raw": raw_key}
WRONG = {
    "reuse": ("reuse", "typed raw", "def f(key):\n    é = «1 r.normal(key)»; return é + «2 r.uniform(key)»\n"),
    "collision": (
        "collision",
        "typed raw",
        "def f(key):\n    return «1 r.normal(r.split(key)[1])» + «2 r.normal(r.fold_in(key, 1))»\n",
    ),
    "indexing": ("indexing", "raw", "def f(key):\n    return r.normal(«2 r.PRNGKey(«1 key[1]»)»)\n"),
    "arithmetic": ("arithmetic", "raw", "def f(key):\n    return «2 r.normal(«1 key + 1»)»\n"),
    "transposition": (
        "transposition",
        "raw",
        "def f(key):\n    return «12 jax.vmap(r.normal, in_axes=1)(jnp.stack([key, r.clone(key)]))»\n",
    ),
    "loop": (
        "reuse",
        "typed raw",
        "def f(key):\n    return jax.lax.map(lambda x: x + «12 r.normal(key)», jnp.arange(3.0))\n",
    ),
}


def reuse(key: Any) -> Any:
    return r.normal(key) + r.uniform(key)


def fine(key: Any) -> Any:
    first, second = r.split(key)
    return r.normal(first) + r.uniform(second)


@pytest.mark.parametrize(("name", "style"), [(name, style) for name in WRONG for style in WRONG[name][1].split()])
def test_both_places(name: str, style: str) -> None:
    kind, _, source = WRONG[name]
    marked = read(source)
    f = marked.run(f"<{name} {style}>", jax=jax, jnp=jnp, r=r)["f"]
    with pytest.raises(olympus.KeyReuseError) as caught:
        olympus.check(f, KEYS[style]())
    (misuse,) = caught.value.misuses
    assert misuse.kind == kind
    assert (place(misuse.first), place(misuse.second)) == (marked.places["1"], marked.places["2"])
    assert misuse.across_turns == (name == "loop")


def test_the_message_shows_both_lines() -> None:
    source = "def f(state):\n\té = r.normal(state['key']); return é + r.uniform(\n\t\tstate['key'])\n"
    f = read(source).run("<message of check>", r=r)["f"]
    with pytest.raises(olympus.KeyReuseError) as caught:
        olympus.check(f, {"key": typed_key()})
    assert str(caught.value) == textwrap.dedent("""\
        keys are misused

        reuse: `state['key']` is consumed twice
          <message of check>:2:6: consumed here by normal
            2 | \té = r.normal(state['key']); return é + r.uniform(
              | \t    ^^^^^^^^^^^^^^^^^^^^^^
          <message of check>:2:41: consumed again here by uniform
            2 | \té = r.normal(state['key']); return é + r.uniform(
              | \t                                       ^^^^^^^^^^
        help: give each its own key: `first, second = jax.random.split(key)`; if both are to draw the same numbers, \
pass `jax.random.clone(key)` to one of them""")


def test_a_place_without_columns_or_source_is_named() -> None:
    second = Span("<no such file>", 3, 0, 3, 0, "f")
    assert str(Diagnosis("reuse", "key", None, second, ("normal", "uniform"))).splitlines()[1:3] == [
        "  consumed here by normal (no user code)",
        "  <no such file>:3: consumed again here by uniform",
    ]


def test_a_loop_is_named_and_shown_once() -> None:
    f = read(WRONG["loop"][2]).run("<loop message>", jax=jax, jnp=jnp, r=r)["f"]
    with pytest.raises(olympus.KeyReuseError, match="`key` is consumed twice, in two iterations of a loop") as caught:
        olympus.check(f, typed_key())
    assert str(caught.value).count("<loop message>:2:") == 1


def test_all_misuses_are_listed() -> None:
    def f(key: Any, other: Any) -> Any:
        return r.normal(key) + r.normal(key) + r.normal(other) + r.normal(other)

    with pytest.raises(olympus.KeyReuseError, match=r"\(2 misuses\)") as caught:
        olympus.check(f, r.key(0), r.key(1))
    assert [misuse.key for misuse in caught.value.misuses] == ["key", "other"]
    assert str(caught.value).count("help:") == 2


@pytest.mark.parametrize("key", [r.key(0), r.PRNGKey(0), typed_key("rbg")], ids=str)
def test_kinds_of_keys(key: Any) -> None:
    assert olympus.check(fine, key) is None
    with pytest.raises(olympus.KeyReuseError):
        olympus.check(reuse, key)


@pytest.mark.parametrize("around", [jax.jit, jax.checkpoint, partial(jax.vmap, axis_size=2, in_axes=None)])
def test_functions_that_are_transformed(around: Any) -> None:
    olympus.check(around(fine), typed_key())
    with pytest.raises(olympus.KeyReuseError):
        olympus.check(around(reuse), typed_key())


def test_nothing_is_executed_on_a_device() -> None:
    def f(key: Any) -> None:
        jax.debug.callback(lambda: pytest.fail("executed"))
        r.normal(key)

    olympus.check(f, r.key(0))
    jax.effects_barrier()


def test_the_error_is_one_of_jax() -> None:
    assert issubclass(olympus.KeyReuseError, jax.errors.KeyReuseError)
    with pytest.raises(jax.errors.KeyReuseError):
        olympus.check(reuse, typed_key())


def test_the_error_can_be_sent_to_another_process() -> None:
    with pytest.raises(olympus.KeyReuseError) as caught:
        olympus.check(reuse, typed_key())
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is olympus.KeyReuseError
    assert (str(again), again.misuses) == (str(caught.value), caught.value.misuses)


def test_errors_of_jax_about_typed_keys_are_unchanged() -> None:
    with pytest.raises(IndexError, match=r"Too many indices|0-dimensional"):
        olympus.check(lambda key: r.PRNGKey(key[1]), typed_key())
    with pytest.raises(TypeError, match="does not accept dtype"):
        olympus.check(lambda key: r.normal(key + 1), typed_key())


def test_what_is_not_modelled_gives_one_warning() -> None:
    def f(key: Any) -> Any:
        bits = [jax.lax.nextafter(words, words) for words in [jax.lax.erf_inv(r.key_data(key) * 1.0)] * 2]
        return bits

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        olympus.check(f, typed_key())
    (warning,) = caught
    assert warning.category is UndecidedWarning
    assert warning.filename == __file__
    assert "erf_inv" in str(warning.message)


def test_importing_does_not_import_jax() -> None:
    program = (
        "import sys, olympus, olympus.checks, olympus.recording, olympus.pytest_plugin\n"
        "olympus.check, olympus.checked, olympus.reuse_allowed\n"
        "olympus.checked(print)\n"
        "sys.exit(bool({'jax', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


# The decorator.


def counted(f: Any) -> tuple[Any, list[int]]:
    """Return a function that notes when its Python code runs, and the notes."""
    runs: list[int] = []

    def run(*args: Any, **kwargs: Any) -> Any:
        runs.append(1)
        return f(*args, **kwargs)

    return run, runs


def test_checked_returns_what_the_function_does() -> None:
    key = r.key(3)
    assert olympus.checked(fine)(key) == fine(key)


def test_checked_raises_before_the_function_runs_and_again() -> None:
    run, runs = counted(reuse)
    f = olympus.checked(run)
    for _ in range(2):
        with pytest.raises(olympus.KeyReuseError):
            f(r.key(0))
    assert len(runs) == 1  # the trace


def test_checked_once_for_each_kind_of_arguments() -> None:
    def draw(key: Any, scale: Any = 1.0, *, name: str = "", options: Any = ()) -> Any:
        return r.normal(key) * scale

    run, runs = counted(draw)
    f = olympus.checked(run)

    def traces(*args: Any, **kwargs: Any) -> int:
        before = len(runs)
        f(*args, **kwargs)
        return len(runs) - before - 1

    key = r.key(0)
    assert traces(key) == 1
    assert traces(r.key(1)) == 0
    assert traces(r.PRNGKey(0)) == 1
    assert traces(key, 2.0) == 1
    assert traces(key, 3.0) == 0  # another number
    assert traces(key, 3) == 1  # another type
    assert traces(key, jnp.ones(2)) == 1
    assert traces(key, jnp.zeros(2)) == 0
    assert traces(key, jnp.zeros(3)) == 1
    assert traces(key, name="a") == 1
    assert traces(key, name="b") == 1
    assert traces(key, name="a") == 0
    assert traces(key, options={"on": True}) == 1
    assert traces(key, options={"on": False}) == 1
    assert traces(key, options={"off": True}) == 1
    assert traces(key, options=fine) == 1
    assert traces(key, options=reuse) == 1
    assert traces(key, options=fine) == 0


def test_checked_sees_the_path_of_each_flag() -> None:
    @olympus.checked
    def f(key: Any, twice: bool) -> Any:
        return r.normal(key) + (r.normal(key) if twice else 0.0)

    f(r.key(0), False)
    with pytest.raises(olympus.KeyReuseError):
        f(r.key(0), True)


def test_checked_above_and_below_jit() -> None:
    @olympus.checked
    @partial(jax.jit, static_argnames="n")
    def above(key: Any, n: int) -> Any:
        return r.normal(key, (n,))

    @partial(jax.jit, static_argnames="n")
    @olympus.checked
    def below(key: Any, n: int) -> Any:
        return r.normal(key, (n,))

    key = r.key(0)
    assert (above(key, 3) == below(key, n=3)).all()
    assert above(key, n=2).shape == below(key, 2).shape == (2,)
    for f in (olympus.checked(jax.jit(reuse)), jax.jit(olympus.checked(reuse))):
        with pytest.raises(olympus.KeyReuseError):
            f(key)


def test_checked_below_other_transformations() -> None:
    keys = r.split(r.key(0), 3)
    assert (jax.vmap(olympus.checked(fine))(keys) == jax.vmap(fine)(keys)).all()
    scaled = olympus.checked(lambda x, key: x * r.normal(key))
    assert jax.grad(scaled)(2.0, r.key(0)) == r.normal(r.key(0))


class Model:
    def __init__(self, twice: bool = False) -> None:
        self.twice = twice

    @olympus.checked
    def sample(self, key: Any) -> Any:
        """Draw."""
        return reuse(key) if self.twice else fine(key)


def test_checked_methods() -> None:
    model = Model()
    assert model.sample(r.key(0)) == fine(r.key(0))
    with pytest.raises(olympus.KeyReuseError):
        Model(twice=True).sample(r.key(0))
    assert Model.sample.__doc__ == "Draw."
    assert list(inspect.signature(Model.sample).parameters) == ["self", "key"]
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_errors_of_the_function_are_unchanged() -> None:
    class Own(Exception):
        pass

    @olympus.checked
    def f(key: Any) -> Any:
        raise Own("mine")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Own, match="mine"):
            f(r.key(0))
        with pytest.raises(TypeError, match="missing 1 required positional argument"):
            olympus.checked(fine)()  # type: ignore[call-arg]


def test_a_function_that_needs_numbers_is_called_with_a_warning() -> None:
    @olympus.checked
    def f(key: Any, x: Any) -> Any:
        return r.normal(key) if float(x) > 0 else 0.0

    with pytest.warns(UndecidedWarning, match="could not be traced.*ConcretizationTypeError") as caught:
        assert f(r.key(0), jnp.zeros(())) == 0.0
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(r.key(0), jnp.zeros(()))
