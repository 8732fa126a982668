"""Calls whose arguments cannot be bound to parameters: they are calls of unknown callables, and no internal errors."""

from __future__ import annotations

import textwrap

import pytest
from shipped_packs import shipped_pack

from olympus_rules.check import check
from olympus_rules.keyflow.facts import Reuse
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.libraries import libraries, shipped
from olympus_rules.syntax import Document

ARGUMENTS = (
    "*args", "**kwargs", "*args, **kwargs", "", "f, *args", "*args, f", "f, **kwargs", "*(f, key)", "**{'f': f}",
    "f", "key", "f, f, f, f", "key, f, f, key, 0, f, key, f", "3, 'a', None", "None, None, None", "xs=key, init=f",
    "body_fun=f, cond_fun=f", "lambda: 0, key", "functools.partial(f, key), *args", "key, [f, f], key", "0, 3, f, key",
)  # fmt: skip
HEADER = (
    "import functools\nimport jax\nfrom jax import random\n\n\ndef f(key, *rest):\n    return random.normal(key), key\n"
)


def representatives() -> dict[str, str]:
    """Return one function for each way in which the key flow treats a function of a library."""
    table = libraries()
    found: dict[str, str] = {}
    for name in sorted(name for path in shipped() for name in shipped_pack(path).spoken_of()):
        model = table.get(name)
        row = model.row is not None and ("method" if model.row.method else "row")
        ways = (row, model.transform and model.transform.kind, model.container, model.conversion and "conversion")
        for way in filter(None, ways):
            found.setdefault(str(way), name)
    return found


@pytest.mark.parametrize("name", representatives().values(), ids=representatives().keys())
def test_arguments_that_do_not_fit(name: str) -> None:
    functions = [
        f"def g{number}(key, args, kwargs):\n    return {name}({given})\n\n\ndef h{number}(key, args, kwargs):\n"
        f"    return forward({given})[0]\n"
        for number, given in enumerate(ARGUMENTS)
    ]
    forward = f"def forward(*args, **kwargs):\n    return {name}(*args, **kwargs)\n"
    text = "\n\n".join((HEADER, f"import {name.rpartition('.')[0] or 'jax'}", forward, *functions))
    causes = [failure.__cause__ for failure in check(Document("example.py", text)).errors]
    assert not causes


FOLLOWED = {
    "scan": """
        def forward(*args, **kwargs):
            return jax.lax.scan(*args, **kwargs)

        def use(key, xs):
            def body(carry, x):
                return carry, x + random.normal(key)  # reuse
            return forward(body, 0.0, xs)
        """,
    "by keyword": """
        def forward(*args, **kwargs):
            return jax.lax.map(*args, **kwargs)

        def use(key, xs):
            return forward(f=lambda x: x + random.normal(key), xs=xs)  # reuse
        """,
    "two forwards": """
        def forward(*args, **kwargs):
            return jax.lax.fori_loop(*args, **kwargs)

        def checked(*args):
            return forward(*args)

        def use(key):
            return checked(0, 3, lambda i, x: x + random.normal(key), 0.0)  # reuse
        """,
    "a branch": """
        def forward(*args):
            return jax.lax.cond(*args)

        def use(key, test):
            noise = random.normal(key)
            return noise + forward(test, lambda key: random.normal(key), lambda key: 0.0, key)  # reuse
        """,
    "a method": """
        class Loops:
            def scan(self, *args, **kwargs):
                return jax.lax.scan(*args, **kwargs)

        def use(key, xs):
            def body(carry, x):
                return carry, x + random.normal(key)  # reuse
            return Loops().scan(body, 0.0, xs)
        """,
    "vmap": """
        def forward(function, *args):
            return jax.vmap(function)(*args)

        def use(key, xs):
            first = forward(lambda x: x + random.normal(key), xs)
            return first + random.normal(key)  # reuse
        """,
    "each key is new": """
        def forward(*args, **kwargs):
            return jax.lax.scan(*args, **kwargs)

        def use(key, xs):
            def body(key, x):
                key, subkey = random.split(key)
                return key, x + random.normal(subkey)
            return forward(body, key, xs)
        """,
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_known_arguments_are_followed_through_stars(name: str) -> None:
    text = HEADER + textwrap.dedent(FOLLOWED[name])
    marked = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# reuse")}
    found = [fact for fact in analyse(Document("example.py", text)) if isinstance(fact, Reuse)]
    assert {fact.node.lineno for fact in found} == marked
