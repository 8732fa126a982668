"""What the recorder says of programs that run: eager and compiled, typed and raw keys."""

from __future__ import annotations

import gc
import textwrap
import threading
from typing import Any

import pytest
from marked import place, read
from searches import each_once

jax = pytest.importorskip(
    "jax", "0.9", reason="before, JAX does not send all calls of compiled functions through Python"
)

import jax.numpy as jnp  # noqa: E402
from jax import random as r  # noqa: E402

from olympus import reuse_allowed  # noqa: E402
from olympus.recording import Recorder  # noqa: E402
from olympus.recording.record import Epochs  # noqa: E402
from olympus.tracing import adapter  # noqa: E402

PRELUDE = """\
import threading
import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax, random as r, vmap, jit, grad
from jax.sharding import PartitionSpec as P
"""
STYLES = {"typed": "r.key", "raw": "r.PRNGKey"}
FOUND = {
    "eager": """
        key = make(0)
        x = «1 r.normal(key)»
        é = «2 r.uniform(key)»
    """,
    "split, then the parent": """
        key = make(0)
        a, b = «1 r.split(key)»
        «2 r.normal(key)»
    """,
    "a child twice": """
        a, b = r.split(make(0))
        «1 r.normal(a)» + r.normal(b) + «2 r.normal(a)»
    """,
    "a child after another run of the same seed": """
        r.normal(r.split(make(0))[0])
        a, b = r.split(make(0))
        «1 r.normal(a)», «2 r.normal(a)»
    """,
    "moved": """
        a, b = r.split(make(0))
        «1 r.normal(a)»
        keys = jnp.stack([b, a])[::-1]
        «2 r.uniform(keys[0])»
    """,
    "all of them, then one": """
        keys = r.split(make(0), 3)
        «1 vmap(r.normal)(keys)»
        «2 r.normal(keys[2])»
    """,
    "the same key twice in a map": """
        key = make(0)
        «12 vmap(r.normal)(jnp.stack([key, key]))»
    """,
    "a loop": """
        key = make(0)
        for _ in range(3):
            «12 r.normal(key)»
    """,
    "a helper that is called twice": """
        def helper(key):
            return r.normal(key)
        key = make(0)
        «1 helper(key)», «2 helper(key)»
    """,
    "a compiled function that is called twice": """
        @jit
        def f(key, x):
            return r.normal(key) + x
        key = make(0)
        «1 f(key, 1.0)»
        «2 f(key, 2.0)»
    """,
    "compiled, then eager": """
        @jit
        def f(key):
            return «1 r.normal(key)»
        key = make(0)
        f(key)
        «2 r.normal(key)»
    """,
    "one key in two arguments": """
        @jit
        def f(key, other):
            return «1 r.normal(key)» + «2 r.normal(other)»
        key = make(0)
        f(key, key)
    """,
    "dropout with one key over three steps": """
        @jit
        def step(params, key):
            return params + «12 r.normal(r.fold_in(key, 12345))»
        key = make(0)
        for _ in range(3):
            step(1.0, key)
    """,
    "folded with a number that is an argument": """
        @jit
        def step(i, key):
            return r.normal(r.fold_in(key, i + 1))
        key = make(0)
        «1 step(3, key)», step(4, key), «2 step(jnp.int32(3), key)»
    """,
    "a key that was compiled out": """
        @jit
        def chain(key):
            key, own = r.split(key)
            return key, r.normal(own)
        key, _ = chain(make(0))
        «1 chain(key)», «2 chain(key)»
    """,
    "a key that is used inside and handed out": """
        @jit
        def f(key):
            key, own = r.split(key)
            return own, «1 r.normal(own)»
        own, _ = f(make(0))
        «2 r.normal(own)»
    """,
    "scan": """
        key = make(0)
        lax.scan(lambda c, x: (c, «12 r.normal(key)»), 0.0, None, length=3)
    """,
    "scan over keys, twice": """
        def body(c, key):
            return c, r.normal(key)
        keys = r.split(make(0), 5)
        «1 lax.scan(body, 0.0, keys)»
        «2 lax.scan(body, 0.0, keys)»
    """,
    "while": """
        key = make(0)
        lax.while_loop(lambda i: i < 3, lambda i: i + «12 r.randint(key, (), 1, 2)», 0)
    """,
    "grad": """
        key = make(0)
        loss = lambda x: x * «1 r.normal(key)»
        grad(loss)(1.0)
        «2 r.normal(key)»
    """,
    "grad of a compiled function": """
        @jit
        def loss(x, key):
            return x * «1 r.normal(key)» * «2 r.uniform(key)»
        grad(loss)(1.0, make(0))
    """,
    "inside of a compiled function": """
        @jit
        def f():
            key = make(0)
            return «1 r.normal(key)» + «2 r.uniform(key)»
        f()
    """,
    "a key that a compiled function closes over": """
        key = make(0)
        f = jit(lambda x: x + r.normal(key))
        «1 f(1.0)», «2 f(2.0)»
    """,
    "a donated key": """
        f = jit(lambda key: (r.fold_in(key, 1), «2 r.normal(key)»), donate_argnums=0)
        key = make(0)
        «1 r.normal(key)»
        f(key)
    """,
    "through NumPy": """
        key = make(0)
        «1 r.normal(key)»
        words = np.asarray(r.key_data(key))
        «2 r.normal(r.wrap_key_data(words))»
    """,
    "all branches": """
        @jit
        def f(p, key):
            return lax.cond(p, lambda key: «1 r.normal(key)», lambda key: r.uniform(key), key)
        key = make(0)
        f(False, key)
        «2 r.normal(key)»
    """,
    "all branches, one of them with branches, then the key": """
        @jit
        def f(p, q, key):
            inner = lambda key: «1 lax.cond(q, r.normal, r.uniform, key)»
            return lax.cond(p, inner, r.normal, key)
        key = make(0)
        f(True, True, key)
        «2 r.normal(key)»
    """,
    "shard_map": """
        mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
        keys = r.split(make(0), 2)
        def body(own):
            return r.normal(own[0])[None]
        f = jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
        «1 f(keys)»
        «2 f(keys)»
    """,
    "a large array of keys": """
        keys = r.split(make(0), 3000)
        «1 vmap(r.bits)(keys)»
        «2 vmap(r.bits)(keys)»
    """,
    "threads": """
        key = make(0)
        def draw():
            «12 r.normal(key)»
        workers = [threading.Thread(target=draw) for _ in range(2)]
        [worker.start() for worker in workers]
        [worker.join() for worker in workers]
    """,
}
COLLISIONS = {
    "eager": """
        key = make(0)
        «1 r.normal(r.split(key, 3)[1])»
        «2 r.normal(r.fold_in(key, 1))»
    """,
    "in a compiled function": """
        key = make(0)
        f = jit(lambda key, i: «2 r.normal(r.fold_in(key, i))»)
        «1 r.normal(r.split(key, 3)[1])»
        f(key, 1)
    """,
}
SILENT = {
    "seeds twice": """
        def run():
            a, b = r.split(make(0))
            return r.normal(a) + r.normal(b)
        run(), run()
    """,
    "two keys of one seed at once": """
        one, other = make(0), make(0)
        (a, b), (c, d) = r.split(one), r.split(other)
        [r.normal(key) for key in (a, b, c, d)]
    """,
    "two keys of one seed, compiled": """
        f = jit(lambda key: (r.split(key)[0], r.normal(r.fold_in(key, 1))))
        one, _ = f(make(0))
        other, _ = f(make(0))
        r.normal(one), r.normal(other)
    """,
    "stack, where, debug.print": """
        a, b = r.split(make(0))
        c = jnp.where(jnp.array(True), a, b)
        jax.debug.print("{}", r.key_data(a))
        vmap(r.normal)(jnp.stack([c, b]))
    """,
    "refreshed in a compiled step": """
        @jit
        def step(key, x):
            key, own = r.split(key)
            return key, x + r.normal(own) + r.normal(r.fold_in(own, 7))
        key, x = make(0), 0.0
        for _ in range(4):
            key, x = step(key, x)
    """,
    "folded with the step": """
        f = jit(lambda key, i: r.normal(r.fold_in(key, i)))
        key = make(0)
        for i in range(4):
            f(key, i)
            r.normal(r.fold_in(key, 100 + i))
    """,
    "clone": """
        key = make(0)
        r.normal(key), r.normal(r.clone(key))
    """,
    "one of two branches": """
        @jit
        def f(p, key):
            return lax.cond(p, r.normal, lambda key: 0.0, key)
        key = make(0)
        f(False, key), r.normal(key)
    """,
    "one of two branches, not compiled by the user": """
        key = make(0)
        lax.cond(False, r.normal, lambda key: 0.0, key), r.normal(key)
    """,
    "an empty array of keys": """
        keys = r.split(make(0), 3)[3:]
        vmap(r.normal)(keys)
        lax.scan(lambda c, key: (c, r.normal(key)), 0.0, keys)
    """,
    "scan with fresh keys": """
        def body(key, x):
            key, own = r.split(key)
            return key, r.normal(own)
        key, _ = lax.scan(body, make(0), None, length=4)
        r.normal(key)
    """,
    "a map in whose lanes only other arguments differ": """
        key = make(0)
        vmap(lambda p: r.bernoulli(key, p))(jnp.ones(3) / 2)
    """,
    "a recomputed draw": """
        @jax.checkpoint
        def loss(x, key):
            return jnp.sin(x * r.normal(key))
        grad(loss)(1.0, make(0))
    """,
    "a recomputed draw in compiled functions": """
        loss = jit(jax.checkpoint(lambda x, key: jnp.sin(x * r.normal(key))))
        _, back = jax.vjp(loss, 1.0, make(0))
        back(1.0)
    """,
    "a key that is kept as NumPy words": """
        words = np.asarray(r.key_data(make(0)))
        for _ in range(2):
            words, own = np.asarray(r.key_data(r.split(r.wrap_key_data(words))))
            r.bits(r.wrap_key_data(own))
    """,
    "allowed": """
        key = make(0)
        r.normal(key)
        with reuse_allowed():
            for _ in range(2):
                own, _ = r.split(key)
                r.normal(own)
    """,
    "numbers that look like a raw key": """
        f = jit(lambda x: x + jnp.uint32(1) + r.bits(make(3), (2,)))
        x = jnp.array([1, 2], jnp.uint32)
        f(x), f(x)
    """,
    "an implementation by name": """
        a, b = r.split(r.key(0, impl="rbg"))
        r.normal(a), r.normal(b)
    """,
}


def record(source: str, style: str, filename: str) -> tuple[Recorder, Any]:
    """Run a program while a recorder is on."""
    program = read(textwrap.dedent(source))
    names = read(PRELUDE).run("<prelude>")
    make = {"typed": r.key, "raw": r.PRNGKey}[style]
    with Recorder() as recorder:
        program.run(filename, **{**names, "make": make, "reuse_allowed": reuse_allowed})
    return recorder, program


def check_found(kind: str, source: str, style: str, filename: str) -> None:
    recorder, program = record(source, style, filename)
    assert recorder.unfollowed == []
    assert [misuse.kind for misuse in recorder.misuses] == [kind], list(map(str, recorder.misuses))
    (misuse,) = recorder.misuses
    assert (place(misuse.first), place(misuse.second)) == (program.places["1"], program.places["2"])


@pytest.mark.parametrize(("name", "style"), each_once(FOUND, STYLES))
def test_found(name: str, style: str) -> None:
    check_found("reuse", FOUND[name], style, f"<found {name} {style}>")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", COLLISIONS)
def test_collision(name: str, style: str) -> None:
    check_found("collision", COLLISIONS[name], style, f"<collision {name} {style}>")


@pytest.mark.parametrize(("name", "style"), each_once(SILENT, STYLES))
def test_silent(name: str, style: str) -> None:
    recorder, _ = record(SILENT[name], style, f"<silent {name} {style}>")
    assert recorder.unfollowed == []
    assert list(map(str, recorder.misuses)) == []
    assert recorder.events


def test_what_is_wrong_inside_of_a_compiled_function_with_raw_keys() -> None:
    source = """
        @jit
        def f(key):
            return r.normal(«2 r.PRNGKey(«1 key[1]»)»)
        f(make(0))
    """
    check_found("indexing", source, "raw", "<raw inside>")


SAMPLERS: dict[str, tuple[Any, ...]] = {
    "bits": (),
    "choice": (4, (2,)),
    "normal": (),
    "permutation": (4,),
    "poisson": (2.0,),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_consume_their_key_once(name: str) -> None:
    with Recorder() as recorder:
        key = r.key(0)
        getattr(r, name)(key, *SAMPLERS[name])
        assert (recorder.unfollowed, list(map(str, recorder.misuses))) == ([], [])
        r.bits(key)
    (misuse,) = recorder.misuses
    assert misuse.names[1] == "bits"


def test_keys_of_events() -> None:
    with Recorder() as recorder:
        key = r.key(7)
        child = r.fold_in(key, 3)
        r.normal(child)
    seed, fold, draw = recorder.events
    assert [seed.kind, fold.kind, draw.kind] == ["seed", "fold_in", "draw"]
    assert seed.made == fold.keys and fold.made == draw.keys
    assert draw.keys[0].numbers == tuple(r.key_data(child).tolist())
    assert draw.keys[0].epoch == seed.made[0].epoch > 0
    assert recorder.describe(draw.keys[0]) == "fold_in(key(7), 3)"
    assert draw.name == "normal"
    assert draw.chain[0].function == "test_keys_of_events"


def test_a_key_from_before_the_record() -> None:
    key = r.key(0)
    with Recorder() as recorder:
        r.normal(key)
        r.normal(key)
    (misuse,) = recorder.misuses
    assert misuse.key == "the key [0, 0]"


def test_a_clone_of_a_key_from_before_the_record() -> None:
    key = r.key(0)
    with Recorder() as recorder:
        r.normal(r.clone(key)), r.normal(key)
        assert recorder.misuses == ()
        r.normal(key)
    (misuse,) = recorder.misuses
    assert misuse.key == "the key [0, 0]"


def test_the_message_has_both_source_lines_and_the_call() -> None:
    recorder, _ = record(FOUND["dropout with one key over three steps"], "typed", "<message>")
    assert str(recorder.misuses[0]) == textwrap.dedent("""\
        reuse: `fold_in(key(0), 12345)` is consumed twice
          <message>:4:21: consumed here by normal, and again
            4 |     return params + r.normal(r.fold_in(key, 12345))
              |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          <message>:7:5: in another call from here
            7 |     step(1.0, key)
              |     ^^^^^^^^^^^^^^
        help: give each its own key: `first, second = jax.random.split(key)`; if both are to draw the same numbers, \
pass `jax.random.clone(key)` to one of them""")


def hooks() -> tuple[object, ...]:
    from jax.experimental.key_reuse import _core

    return (
        _core.call_impl_with_key_reuse_checks,
        _core.check_key_reuse_jaxpr,
        jax.config.jax_debug_key_reuse,
    )


def test_everything_is_put_back_also_after_an_error() -> None:
    before = hooks()
    recorder = Recorder()
    with pytest.raises(ZeroDivisionError), recorder, Recorder(), recorder:
        assert hooks() != before
        raise ZeroDivisionError
    assert hooks() == before


def test_recorders_in_each_other() -> None:
    key = r.key(0)
    with Recorder() as outer:
        r.normal(key)
        with Recorder() as inner:
            r.normal(key)
        r.normal(r.key(5))
    assert [len(outer.misuses), len(inner.misuses)] == [1, 0]
    assert [len(outer.events), len(inner.events)] == [4, 1]


def test_one_recorder_twice() -> None:
    key = r.key(0)
    with Recorder() as recorder:
        with recorder:
            r.normal(key)
        r.normal(key)
    assert len(recorder.events) == 2
    with recorder:
        r.normal(key)
    assert len(recorder.events) == 3


def test_a_function_that_is_compiled_already_is_seen() -> None:
    f = jax.jit(r.normal)
    key = r.key(0)
    f(key), f(key)
    with Recorder() as recorder:
        f(key), f(key)
    assert len(recorder.misuses) == 1


def test_the_check_of_jax_goes_on_if_it_was_on() -> None:
    jax.config.update("jax_debug_key_reuse", True)
    try:
        with Recorder(), pytest.raises(jax.errors.KeyReuseError):
            key = r.key(0)
            r.normal(key)
            r.normal(key)
        assert jax.config.jax_debug_key_reuse
    finally:
        jax.config.update("jax_debug_key_reuse", False)


def test_the_check_of_jax_goes_on_in_its_context() -> None:
    def inside() -> None:
        with jax.debug_key_reuse(True):
            for f in (r.normal, jax.jit(lambda key: r.normal(key))):
                key = r.key(0)
                f(key)
                with pytest.raises(jax.errors.KeyReuseError):
                    f(key)

    with Recorder():
        inside()
    with jax.debug_key_reuse(True), Recorder():
        inside()
    assert not jax.config.jax_debug_key_reuse


def test_the_check_of_jax_is_silent_otherwise() -> None:
    with Recorder() as recorder:
        key = r.key(0)
        r.normal(key)
        r.normal(key)
    assert recorder.misuses


def test_errors_of_the_program_are_unchanged() -> None:
    with Recorder() as recorder:
        with pytest.raises(TypeError, match="does not accept dtype"):
            r.key(0) + 1
        with pytest.raises(ValueError, match="a single key"):
            r.normal(r.split(r.key(0)))
        r.normal(r.key(1))
    assert recorder.events[-1].name == "normal"
    assert recorder.unfollowed == []


def test_an_error_of_the_recorder_does_not_reach_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(array: Any) -> Any:
        raise RuntimeError("no words")

    monkeypatch.setattr(adapter, "key_buffer", broken)
    with Recorder() as recorder:
        assert r.normal(r.key(0)).shape == ()
    assert recorder.unfollowed
    assert "RuntimeError: no words" in recorder.unfollowed[0]


def test_callbacks_that_draw_do_not_block() -> None:
    def host(x: Any) -> Any:
        r.normal(r.key(1))
        return x

    def program() -> None:
        f = jax.jit(lambda key: jax.pure_callback(host, jax.ShapeDtypeStruct((), "float32"), r.normal(key)))
        key = r.key(0)
        f(key).block_until_ready()

    with Recorder() as recorder:
        worker = threading.Thread(target=program, daemon=True)
        worker.start()
        worker.join(30)
        assert not worker.is_alive()
    assert recorder.misuses == ()


def test_arrays_that_are_gone_are_forgotten() -> None:
    epochs = Epochs()
    array = r.key_data(r.key(0))
    epochs.track(array, frozenset([1]))
    assert epochs.of(array) == {1}
    del array
    gc.collect()
    assert epochs.arrays == {}


def test_words_of_several_epochs_are_not_decided() -> None:
    epochs, other = Epochs(), jnp.zeros(2, "uint32")
    epochs.born(b"words", 1)
    assert epochs.resolve(other, b"words") == 1
    epochs.born(b"words", 2)
    assert epochs.resolve(other, b"words") is None
    epochs.track(other, frozenset([2, 3]))
    assert epochs.resolve(other, b"words") == 2


def test_the_decorator_allows_a_function() -> None:
    @reuse_allowed()
    def twice(key: Any) -> None:
        r.normal(key)
        r.normal(key)

    with Recorder() as recorder:
        twice(r.key(0))
    assert recorder.misuses == ()


def test_reuse_inside_of_an_installed_package_is_its_own() -> None:
    source = textwrap.dedent("""
        from jax import random as r
        def twice(key):
            return r.normal(key) + r.uniform(key)
        def once(key):
            return r.normal(key)
    """)
    library: dict[str, Any] = {}
    exec(compile(source, "/opt/site-packages/library.py", "exec"), library)
    with Recorder() as recorder:
        library["twice"](r.key(0))
        assert recorder.misuses == ()
        key = r.key(1)
        for _ in range(2):
            library["once"](key)
    (misuse,) = recorder.misuses
    assert misuse.first is not None
    assert misuse.first.file == __file__
