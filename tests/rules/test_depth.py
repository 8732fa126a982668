"""Calls, files and expressions that nest deeply: each gives findings or a sentence, and none an internal error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.engine import lint_text
from olympus_rules.keyflow.linking import recursion

ROOT = Path(__file__).parents[2]
SETTINGS = Settings(select=("ALL",))
HEADER = "import functools\n\nimport jax\n\n\n"
DEEP = 2_500  # functions: where each had a few frames of Python on the stack, 1,800 were too many
REUSE = "    a = jax.random.normal(key)\n    return a + jax.random.uniform(key)\n"
WRITTEN = sorted([*(ROOT / "tests/twins").rglob("*.py"), *(ROOT / "tests/benchmarks/guarded").rglob("*.py")])
NESTED = ROOT / "tests/twins/transforms/layers_on_replicas_right.py"  # reaches that depth, whatever else is drawn


def check(text: str, filename: str = "a.py") -> FileResult:
    return lint_text(filename, text, SETTINGS)


def functions(n: int, call: str, decorator: str = "", further: str = "") -> str:
    """Return functions each of which calls the next one; the last one uses its key twice."""
    links = (f"{decorator}def f{i}(key{further}):\n    return {call.format(i + 1)}\n\n\n" for i in range(n))
    return f"{''.join(links)}def f{n}(key{further}):\n{REUSE}\n\nf0(jax.random.key(0){', 1' if further else ''})\n"


def methods(n: int) -> str:
    links = (f"    def m{i}(self, key):\n        return self.m{i + 1}(key)\n\n" for i in range(n))
    last = "        a = jax.random.normal(key)\n        return a + jax.random.uniform(key)\n"
    return f"class Model:\n{''.join(links)}    def m{n}(self, key):\n{last}\n\nModel().m0(jax.random.key(0))\n"


def lambdas(n: int) -> str:
    links = (f"f{i} = lambda key: f{i + 1}(key)\n" for i in range(n))
    return f"{''.join(links)}def f{n}(key):\n{REUSE}\n\nf0(jax.random.key(0))\n"


CHAINS: dict[str, Callable[[int], str]] = {
    "functions": lambda n: functions(n, "f{}(key)"),
    "functions that split": lambda n: functions(n, "f{}(jax.random.split(key)[0])"),
    "jitted and mapped": lambda n: functions(n // 2, "jax.vmap(f{})(key)", "@jax.jit\n"),
    "scans": lambda n: functions(n // 4, "jax.lax.scan(f{}, key, x)", further=", x"),
    "partials": lambda n: functions(n, "functools.partial(f{})(key)"),
    "methods": methods,
    "lambdas": lambdas,
}


@pytest.mark.parametrize("name", [next(iter(CHAINS)), *(pytest.param(x, marks=pytest.mark.search) for x in CHAINS)])
def test_a_long_chain_of_calls_is_analysed_to_its_end(name: str) -> None:
    short, result = check(HEADER + CHAINS[name](40)), check(HEADER + CHAINS[name](DEEP))
    assert not result.errors and not result.notes
    reuses, expected = ([each for each in found.findings if each.code == "OLY104"] for found in (result, short))
    assert len(reuses) == len(expected) > 0


def test_a_chain_is_followed_through_files(tmp_path: Path) -> None:
    depth = 3 * recursion.DEEPEST // 2
    for i in range(depth):
        text = f"import jax\nfrom part{i + 1} import f{i + 1}\n\n\ndef f{i}(key):\n    return f{i + 1}(key)\n"
        (tmp_path / f"part{i}.py").write_text(text)
    (tmp_path / f"part{depth}.py").write_text(
        f"import jax\n\n\ndef f{depth}(key):\n    return jax.random.normal(key)\n"
    )
    text = "import jax\nfrom part0 import f0\n\n\ndef g(key):\n    return f0(key) + jax.random.normal(key)\n"
    path = tmp_path / "main.py"
    path.write_text(text)
    result = check(text, str(path))
    assert not result.errors
    assert [(finding.code, finding.span.start.row) for finding in result.findings] == [("OLY104", 6)]


def test_a_circle_that_is_longer_than_the_stack_is_noted() -> None:
    n = 2 * recursion.DEEPEST
    body = "    key, k = jax.random.split(key)\n    return c{}(key) + jax.random.normal(k)\n\n\n"
    circle = "".join(f"def c{i}(key):\n{body.format((i + 1) % n)}" for i in range(n))
    result = check(f"{HEADER}{circle}{functions(0, '')}c0(jax.random.key(1))\n")
    assert not result.errors and [finding.code for finding in result.findings if finding.code == "OLY104"]
    assert any("calls itself through more than 400 other functions" in note.message for note in result.notes)


@pytest.mark.parametrize(
    ("depth", "files"),
    [
        (2, [NESTED, *WRITTEN[2 :: len(WRITTEN) // 60]]),
        (3, [NESTED, *WRITTEN[3 :: len(WRITTEN) // 60]]),
        pytest.param(3, WRITTEN, marks=pytest.mark.search),
    ],
    ids=["2", "3", "all files"],
)
def test_findings_do_not_depend_on_the_size_of_the_stack(
    depth: int, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    full = 0
    start = recursion.Full.__init__

    def count(self: recursion.Full, settle: Callable[[], object]) -> None:
        nonlocal full
        full += 1
        start(self, settle)

    monkeypatch.setattr(recursion.Full, "__init__", count)
    for path in files:
        text = path.read_text("utf-8")
        monkeypatch.setattr(recursion, "DEEPEST", 400)
        usual = check(text, str(path))
        monkeypatch.setattr(recursion, "DEEPEST", depth)
        shallow = check(text, str(path))
        assert not shallow.errors and (shallow.notes or shallow.findings == usual.findings), path
    assert full > 0


LONG = 3_000
EXPRESSIONS = {
    "operators": " + ".join(["x"] * LONG),
    "comparisons": " < ".join(["x"] * LONG),
    "conditions": " and ".join(f"x[{i}]" for i in range(LONG)),
    "signs": "-" * LONG + "x",
    "powers": "**".join(["x"] * LONG),
    "attributes": "x" + ".a" * LONG,
    "items": "x" + "[0]" * 500,
    "lambdas": "lambda: " * LONG + "x",
    "brackets": "[" * LONG + "x" + "]" * LONG,
    "calls": "g(" * LONG + "x" + ")" * LONG,
    "displays": "{0: " * LONG + "x" + "}" * LONG,
    "texts": "(" + " ".join(["'ab'"] * LONG) + ")",
    "a formatted text": "f'" + "{x}" * LONG + "'",
    "a large number": "9" * LONG,
    "a very large number": "0x" + "9" * 100_000,
    "a large table": repr([list(range(20)) for _ in range(LONG)]),
    "a long text": repr("x" * 1_000_000),
    "awaits": "await " * LONG + "x",
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_deep_expression_is_no_internal_error(name: str) -> None:
    result = check(f"{HEADER}def f(key, x):\n    y = {EXPRESSIONS[name]}\n{REUSE}")
    assert not result.errors
    assert {finding.code for finding in result.findings} & {"OLY104", "OLY902"}


STATEMENTS = {
    "elif": "".join(f"    elif x == {i}:\n        y = {i}\n" for i in range(LONG)),
    "else": "".join(f"    {' ' * i}else:\n     {' ' * i}if x == {i}:\n      {' ' * i}y = {i}\n" for i in range(90)),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_deep_statements_are_no_internal_error(name: str) -> None:
    result = check(f"{HEADER}def f(key, x):\n    if x is None:\n        y = 0\n{STATEMENTS[name]}{REUSE}")
    assert not result.errors
    assert {finding.code for finding in result.findings} & {"OLY104", "OLY902"}


def test_nested_functions_are_no_internal_error() -> None:
    nested = "".join(f"{' ' * i}def g{i}(key):\n" for i in range(90))
    result = check(f"{HEADER}{nested}{' ' * 90}return jax.random.normal(key) + jax.random.uniform(key)\n")
    assert not result.errors and [finding.code for finding in result.findings] == ["OLY104"]
