"""A record of the keys that a running program consumes, in eager code and in compiled functions.

Two consumptions of one key are a reuse. A key is identified by its words and its seeding, so that a
program which seeds with one number twice reuses nothing.

Seen is what is executed while the recorder is on, in all threads: key operations outside of compiled functions, and
each call of a compiled function, whose jaxpr is followed once. Not seen are draws in one branch of ``lax.cond`` only
(it is unknown which branch ran), iterations of a compiled loop after the second, keys that a compiled loop refreshes
depending on data, keys in Pallas kernels or callbacks of compiled code, and functions that were compiled ahead of
time, with ``lower(...).compile()``. A key that comes back through NumPy or a file is known by its words, unless several
seedings of the record have given such a key. Outside of compiled functions, indexing into a raw key and arithmetic on
one are seen only if the result is a key that was consumed already.

What is said of branches and loops is otherwise with ``olympus record --probe``: see :mod:`olympus.recording.probe`.

JAX compiles anew what was compiled without the recorder, and calls of compiled functions take a slower path. Before
JAX 0.9 this is not so, and then calls of functions that were compiled before are not seen, nor are any but the
first calls of compiled functions with raw keys.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Self

from olympus.recording.calls import before_call
from olympus.recording.eager import before_operation
from olympus.recording.intended import recompute
from olympus.recording.record import Record
from olympus.tracing import adapter


class Recorder(Record):
    """Records key operations while it is entered; what it can and cannot see is said at the head of this module.

    It may be entered several times, and several recorders may be on at once. It never raises into the program.
    """

    def __enter__(self) -> Self:
        adapter.require_jax()
        _HOOKS.add(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _HOOKS.remove(self)

    def before(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Callable[[Any], None] | None:
        """Look at a primitive that is about to be executed; return what looks at its results.

        What the program may give away in the call is read before it.
        """
        name = adapter.PRIMITIVES.get(primitive.name, primitive.name)
        if name == "jit":
            return before_call(self, primitive, args, params)
        if name == "remat2" and params.get("differentiated"):
            return recompute()
        return before_operation(self, name, args)


class _Hooks:
    """The recorders that are on; JAX is hooked while there is one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.recorders: tuple[Recorder, ...] = ()
        self.context: AbstractContextManager[None] | None = None

    def add(self, recorder: Recorder) -> None:
        with self.lock:
            if self.context is None:
                self.context = adapter.key_hooks(self.observe)
                self.context.__enter__()
            self.recorders = (*self.recorders, recorder)

    def remove(self, recorder: Recorder) -> None:
        with self.lock:
            last = len(self.recorders) - 1 - self.recorders[::-1].index(recorder)
            self.recorders = (*self.recorders[:last], *self.recorders[last + 1 :])
            if not self.recorders and self.context is not None:
                context, self.context = self.context, None
                context.__exit__(None, None, None)

    def observe(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Callable[[Any], None] | None:
        waiting = []
        for recorder in dict.fromkeys(self.recorders):
            try:
                done = recorder.before(primitive, args, params)
            except Exception as error:
                recorder.fail(primitive.name, error)
            else:
                if done is not None:
                    waiting.append((recorder, done))
        if not waiting:
            return None

        def after(results: Any) -> None:
            for recorder, done in waiting:
                try:
                    done(results)
                except Exception as error:
                    recorder.fail(primitive.name, error)

        return after


_HOOKS = _Hooks()
