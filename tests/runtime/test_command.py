"""The command ``olympus`` and its subcommands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from releases import NAMED_JIT, VERSION, since

import olympus
from olympus.__main__ import main

needs_jax = pytest.mark.skipif(find_spec("jax") is None, reason="the command traces with JAX")
needs_layout = pytest.mark.skipif(find_spec("fast_sugiyama") is None, reason="the layout is by fast-sugiyama")

PROGRAM = """\
from functools import partial

import jax
from jax import random

def good(key, x):
    a, b = random.split(key)
    return random.normal(a, x.shape) + random.uniform(b)

def bad(key):
    return random.normal(key) + random.uniform(key)

def torn(key):
    return random.normal(key + 1)

def many(keys, rngs=None, *rest, n: int, scale=1.0, **other):
    return [random.normal(key) * scale for key in keys[:n]]

def wrong(key):
    print("this is printed by the function")
    return jax.numpy.zeros(3) + jax.numpy.zeros(4)

@partial(jax.jit, static_argnums=1)
def sized(dropout_rng, n, /):
    return random.normal(dropout_rng, (n,))

def branch(key, p):
    return random.normal(key) if p else 0

class Model:
    class Layer:
        @staticmethod
        def draw(key):
            return random.normal(key)

    def step(self, key):
        return random.normal(key)

model = Model()
number = 3
print("this is printed by the module")
"""

Run = Callable[..., tuple[int, str, str]]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "olympus", *arguments], capture_output=True, text=True)


@pytest.fixture
def olympus_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Return what runs the command in a folder with a program, and gives status, output and errors."""
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    known = set(sys.modules)

    def command(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    yield command
    for name in set(sys.modules) - known:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_versions() -> None:
    for arguments in ([], ["--version"]):
        shown = run(*arguments)
        assert shown.returncode == 0
        assert shown.stdout.startswith(f"olympus {olympus.__version__}, jax ")


def test_bad_argument() -> None:
    assert run("--nonsense").returncode == 2


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["lineage", "--help"], ["trace", "--help"]])
def test_jax_is_not_imported(arguments: list[str]) -> None:
    code = f"""
import sys, olympus.__main__ as m
try: m.main({arguments})
except SystemExit: pass
sys.exit(not {{"jax", "numpy", "rich", "fast_sugiyama"}}.isdisjoint(sys.modules))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


# olympus lineage


@needs_jax
def test_a_tree(olympus_in: Run) -> None:
    status, out, err = olympus_in("lineage", "program.py:good", "--arg", "x=f32[3,4]")
    assert (status, err) == (0, "this is printed by the module\n")
    assert out.splitlines() == [
        "key",
        "├─ split, line 7 → a = split(key)[0]",
        "│  └─ draw, line 8 → normal",
        "└─ split, line 7 → b = split(key)[1]",
        "   └─ draw, line 8 → uniform",
    ]


@needs_jax
@pytest.mark.parametrize("kind", ["--typed", "--raw"])
@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg"])
def test_a_misuse(olympus_in: Run, kind: str, implementation: str) -> None:
    status, out, _ = olympus_in("lineage", "program.py:bad", kind, "--impl", implementation)
    assert status == 1
    assert out.splitlines()[-1] == (
        "program.py:11:33: reuse: uniform consumes key, which normal consumes at program.py:11:12; "
        "split it, and give each its own key"
    )


@needs_jax
def test_an_error_about_a_typed_key_is_a_finding(olympus_in: Run) -> None:
    status, out, _ = olympus_in("lineage", "program.py:torn")
    assert status == 1
    assert out.startswith("program.py:14:26: misuse of a typed key (arithmetic): TypeError: add does not accept dtype")
    status, out, _ = olympus_in("lineage", "program.py:torn", "--raw")
    assert status == 1
    assert "program.py:14:12: arithmetic: a key is made here of numbers that were computed from key" in out


@needs_jax
@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["program.py:many", "--arg", "n=3"], "keys[0:3]"),
        (["program.py:many", "--arg", "n=2", "--arg", "keys=key[2]", "--arg", "scale=f32"], "keys"),
        (["program.py:many", "--arg", "n=1", "--arg", "more='text'"], "keys[0]"),
        (["program.py:sized", "--arg", "n=3"], "dropout_rng"),
        (["program.py:branch", "--arg", "p=True"], "key"),
        (["program.py:Model.Layer.draw"], "key"),
        (["program.py:model.step"], "key"),
    ],
)
def test_arguments(olympus_in: Run, arguments: list[str], first: str) -> None:
    status, out, _ = olympus_in("lineage", *arguments)
    assert status == 0
    assert out.splitlines()[0] == first


@needs_jax
@needs_layout
@pytest.mark.parametrize(
    ("form", "start"), [("text", "key  ✗ reuse\n"), ("mermaid", "flowchart LR\n"), ("svg", "<svg xmlns=")]
)
def test_formats(olympus_in: Run, tmp_path: Path, form: str, start: str) -> None:
    _, printed, errors = olympus_in("lineage", "program.py:bad", "--output-format", form)
    status, out, _ = olympus_in("lineage", "program.py:bad", "--output-format", form, "--output-file", "picture")
    written = (tmp_path / "picture").read_text("utf-8")
    assert status == 1
    assert written.startswith(start)
    assert out.startswith("program.py:11:33: reuse")
    if form == "text":
        assert printed == written + out
    else:  # the picture alone, so that it can be redirected
        assert printed == written
        assert out in errors
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"program.py", "picture"}


@needs_jax
def test_a_file_is_replaced_as_a_whole(olympus_in: Run, tmp_path: Path) -> None:
    target = tmp_path / "picture"
    target.write_text("old")
    target.chmod(0o640)
    assert olympus_in("lineage", "program.py:bad", "--output-file", "picture")[0] == 1
    assert target.read_text("utf-8").startswith("key")
    assert target.stat().st_mode & 0o777 == 0o640


@needs_jax
def test_colours_on_a_terminal(olympus_in: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="colours are by rich")
    plain = olympus_in("lineage", "program.py:good", "--arg", "x=f32[3]")[1]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = olympus_in("lineage", "program.py:good", "--arg", "x=f32[3]")[1]
    assert "\x1b[" in coloured
    assert (
        "".join(part.partition("m")[2] if number else part for number, part in enumerate(coloured.split("\x1b[")))
        == plain
    )


# What is wrong with what was given: one sentence, exit status 2, no traceback.


@needs_jax
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["program.py"], "program.py names no function: write FILE:FUNCTION"),
        (["missing.py:f"], "missing.py: there is no such file"),
        (["program.py:f"], "program.py: there is no function f; it has good, bad, torn,"),
        (["program.py:number"], "program.py: there is no function number"),
        (["program.py:Model.f"], "program.py: there is no function Model.f"),
        (["program.py:Model.step"], "Model.step is a method: name it by an object that the module makes"),
        (["program.py:good"], "good has a parameter x: give --arg x=f32[3,4] for an array, or a literal"),
        (["program.py:good", "--arg", "x"], "--arg x: expected NAME=SPEC, such as"),
        (["program.py:good", "--arg", "x=f32[3]", "--arg", "y=1"], "--arg y: good has no such parameter"),
        (["program.py:good", "--arg", "x=f33[3]"], "--arg x=f33[3]: there is no such dtype"),
        (["program.py:good", "--arg", "x=relu"], "--arg x=relu: it is no array, key or literal, and the module has no"),
        (["program.py:good", "--arg", "x=(f32[3], 3 +)"], "--arg x=(f32[3], 3 +): it is no array, key or literal; "),
        (["program.py:good", "--arg", "x=(f32[3], f33)"], "--arg x=(f32[3], f33): there is no such dtype"),
        (["program.py:good", "--arg", "x=[f32[3], 1 + 2]"], "--arg x=[f32[3], 1 + 2]: it is no array, key or"),
        (["program.py:good", "--arg", "x=(f32, *x)"], "--arg x=(f32, *x): it is no array, key or literal"),
        (["program.py:good", "--arg", "x={**f32}"], "--arg x={**f32}: it is no array, key or literal"),
        (["program.py:good", "--arg", "x=f()(f32)"], "--arg x=f()(f32): it is no array, key or literal"),
        (["program.py:good", "--arg", "x=Model(f32)"], "--arg x=Model(f32): Model failed: TypeError: Model() takes"),
        (["program.py:good", "--arg", "x=Model()"], "--arg x=Model(): Model makes no pytree; JAX takes named tuples"),
        (["program.py:bad", "--impl", "nothing"], "--impl nothing: "),
        (["program.py:bad", "--impl", "nothing", "--raw"], "--impl nothing: "),
        (["program.py:wrong"], "program.py:21: tracing failed: TypeError: add got incompatible shapes"),
        (["program.py:branch", "--arg", "p=bool"], "program.py:28: tracing failed: TracerBoolConversionError"),
        (["broken.py:f"], "broken.py:2: importing it failed: ZeroDivisionError: division by zero"),
        (["syntax.py:f"], "syntax.py:1: importing it failed: SyntaxError"),
        (["absent.py:f"], "absent.py:1: importing it failed: No module named 'no_such_module'"),
        (["ended.py:f"], "ended.py:1: importing it ended the program"),
        (["text.txt:f"], "text.txt: it is no Python file"),
    ],
)
@pytest.mark.parametrize("command", ["lineage", "trace"])
def test_bad_input(olympus_in: Run, tmp_path: Path, command: str, arguments: list[str], sentence: str) -> None:
    (tmp_path / "broken.py").write_text("x = 1\ny = x / 0\n")
    (tmp_path / "syntax.py").write_text("def f(:\n")
    (tmp_path / "absent.py").write_text("import no_such_module\n")
    (tmp_path / "ended.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "text.txt").write_text("text")
    status, out, err = olympus_in(command, *arguments)
    errors = [line for line in err.splitlines() if not line.startswith("this is printed by")]
    assert (status, out, len(errors)) == (2, "", 1)
    assert errors[0].startswith(f"error: {sentence}")


@needs_jax
def test_a_file_that_cannot_be_written(olympus_in: Run) -> None:
    status, out, err = olympus_in("lineage", "program.py:bad", "--output-file", "no/such/folder")
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].startswith("error: no/such/folder: it cannot be written: No such file or directory")


def test_without_jax(olympus_in: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    assert olympus_in("lineage", "program.py:bad") == (
        2,
        "",
        "error: olympus needs JAX for this; install it with: pip install 'olympus-lint[trace]'\n",
    )


@needs_jax
@pytest.mark.parametrize("arguments", [["lineage", "program.py:bad"], ["trace", "program.py:bad"], ["signatures", "m"]])
def test_a_jax_that_is_too_old(olympus_in: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.setattr("jax.__version__", "0.4.38")
    assert olympus_in(*arguments) == (
        2,
        "",
        "error: JAX 0.4.38 is too old for olympus, which needs 0.6.2 or later; "
        "install it with: pip install --upgrade 'olympus-lint[trace]'\n",
    )


@needs_jax
def test_svg_without_the_library(olympus_in: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("olympus.commands.lineage.find_spec", lambda name: None)
    assert olympus_in("lineage", "program.py:bad", "--output-format", "svg") == (
        2,
        "",
        "error: SVG needs a library for its layout: pip install 'olympus-lint[pictures]'\n",
    )


# How a file is imported.


@needs_jax
def test_a_file_of_a_package(olympus_in: Run, tmp_path: Path) -> None:
    folder = tmp_path / "package" / "inner"
    folder.mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "helper.py").write_text("from jax import random\n\ndraw = random.normal\n")
    (folder / "__init__.py").write_text("def f(key): return g(key)\nfrom package.inner.module import f as g\n")
    (folder / "module.py").write_text("from ..helper import draw\n\ndef f(key):\n    return draw(key)\n")
    for name in ("module", "__init__"):
        status, out, _ = olympus_in("lineage", f"package/inner/{name}.py:f")
        assert (status, out) == (0, "key\n└─ draw, line 4 → normal\n")


@needs_jax
def test_a_file_with_the_name_of_a_module_that_is_in_use(olympus_in: Run, tmp_path: Path) -> None:
    (tmp_path / "jax.py").write_text("from jax import random\n\ndef f(key):\n    return random.normal(key)\n")
    assert olympus_in("lineage", "jax.py:f")[:2] == (0, "key\n└─ draw, line 4 → normal\n")


# olympus trace


def without_comments(out: str) -> list[str]:
    return " ".join(line.partition("#")[0] for line in out.splitlines()).split()


@needs_jax
@NAMED_JIT
def test_equations(olympus_in: Run) -> None:
    status, out, _ = olympus_in("trace", "program.py:bad")
    assert status == 1
    *equations, finding = out.splitlines()
    assert [re.split(r"\s*# ", line.strip()) for line in equations] == [
        ["{ lambda ; a:key<fry>[]. let", "a = key"],
        ["b:f32[] = jit[name=_normal] a", "program.py:11:12-11:30 (bad); takes key"],
        ["c:f32[] = jit[name=_uniform] a 0.0:f32[] 1.0:f32[]", "program.py:11:33-11:52 (bad); takes key"],
        ["d:f32[] = add b c", "program.py:11:12-11:52 (bad)"],
        ["in (d,) }"],
    ]
    assert finding.startswith("program.py:11:33: reuse")


FIRST_ORDER = """
import jax.numpy as jnp

CONSTANT = jnp.arange(8.0) * 2

def first(a, b):
    return jnp.sum(a + jnp.sin(b) * 3.0)

def second(a):
    return a + CONSTANT, 2

def third(n):
    return n
"""


@needs_jax
@pytest.mark.parametrize(("name", "arguments"), [("first", "ab"), ("second", "a"), ("third", "n")])
def test_the_grammar_is_that_of_jax(olympus_in: Run, tmp_path: Path, name: str, arguments: str) -> None:
    import jax

    (tmp_path / "plain.py").write_text(FIRST_ORDER)
    given = [part for each in arguments for part in ("--arg", f"{each}=f32[8]")]
    out = olympus_in("trace", f"plain.py:{name}", *given)[1]
    names: dict[str, Any] = {}
    exec(FIRST_ORDER, names)
    theirs = str(jax.make_jaxpr(names[name])(*[jax.numpy.ones(8)] * len(arguments)))
    assert without_comments(out) == re.sub(r" ?\w+=(None|False)\b", "", theirs).split()


PYTREES = """\
from typing import NamedTuple

import jax
from jax import random

class State(NamedTuple):
    key: jax.Array
    params: dict
    mode: str = "train"
    layers: int = 2

@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, held): self.held = held
    def tree_flatten(self): return (self.held,), None
    @classmethod
    def tree_unflatten(cls, _, children): return cls(*children)

def step(state, batch):
    assert isinstance(state, State) and state.mode == "test" and state.layers == 3
    return random.normal(state.key, batch["x"].shape) + state.params["w"] + batch["x"] * batch["scale"]

def apply(f, pair): return f(pair[0], pair[1][0])

def draw(key, x): return random.normal(key, x.shape)

def opened(box): return random.normal(box.held)

def both(keys): return random.normal(keys[0]) + random.uniform(keys[0])

class Tools:
    apply = staticmethod(draw)

MODULE = Tools
"""


@needs_jax
@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (
            "step state=State(key,{'w':f32[3]},mode='test',layers=3) batch={'x':f32[3],'scale':2.0}",
            "{ lambda ; a:f32[3] b:key<fry>[] c:f32[3]. let  # a = batch['x'], b = state.key, c = state.par",
        ),
        ("apply f=draw pair=(key,[f32[3]])", "{ lambda ; a:key<fry>[] b:f32[3]. let  # a = pair[0], b = pair[1][0]"),
        ("apply f=MODULE.apply pair=[key,(f32[],)]", "{ lambda ; a:key<fry>[] b:f32[]. let  # a = pair[0], b = pair"),
        ("opened box=Box(held=key)", "{ lambda ; a:key<fry>[]. let  # a = box"),
        ("draw x=(3)", "error: program.py:25: tracing failed: AttributeError: 'int' object has no attribute 'shape'"),
        ("draw x=[f32,True]", "error: program.py:25: tracing failed: AttributeError: 'list' object has no attribute"),
    ],
)
def test_pytrees(olympus_in: Run, tmp_path: Path, arguments: str, first: str) -> None:
    (tmp_path / "program.py").write_text(PYTREES)
    name, *given = arguments.split()
    status, out, err = olympus_in("trace", f"program.py:{name}", *(part for each in given for part in ("--arg", each)))
    shown = re.sub(r" {2,}", "  ", (out or err).splitlines()[0])
    assert shown.startswith(first)
    assert status == (2 if first.startswith("error") else 0), err


@needs_jax
@pytest.mark.parametrize("kind", ["--typed", "--raw"])
def test_a_reuse_in_a_pytree(olympus_in: Run, tmp_path: Path, kind: str) -> None:
    (tmp_path / "program.py").write_text(PYTREES)
    status, out, _ = olympus_in("lineage", "program.py:both", kind, "--arg", "keys=(key,key)")
    assert status == 1
    assert out.splitlines()[0] == "keys[0]  ✗ reuse"


@needs_jax
def test_jaxprs_inside_of_equations(olympus_in: Run, tmp_path: Path) -> None:
    (tmp_path / "control.py").write_text(
        "import jax\n\ndef f(key, x):\n    def body(k, _):\n        k, one = jax.random.split(k)\n"
        "        return k, jax.random.normal(one)\n    k, draws = jax.lax.scan(body, key, length=3)\n"
        "    return jax.lax.cond(x > 0, lambda: jax.random.bits(k), lambda: jax.random.bits(k)), draws\n"
    )
    status, out, _ = olympus_in("trace", "control.py:f", "--arg", "x=f32")
    assert status == 0
    assert out.count("{ lambda ;") == 4 and out.count(" }\n") == 4 and out.count("branches=(\n") == 1
    notes = [line.partition("#")[2].partition("; ")[2] for line in out.splitlines()]
    unpacked = [f"gives split(key)[{child}]" for child in (0, 0, 1, 1)]
    if VERSION >= (0, 11):
        unpacked = ["gives split(key)[0:2]"]  # by one equation
    assert notes[1 : 4 + len(unpacked)] == [
        "gives one of several keys",
        "",
        "gives split(key)[0:2]",
        *unpacked,
    ]
    assert "takes split(key)[1]" in notes


@needs_jax
@since("0.7", "a callback of jax.debug.print takes its key")
def test_an_equation_without_a_result(olympus_in: Run, tmp_path: Path) -> None:
    (tmp_path / "told.py").write_text('import jax\n\ndef f(key):\n    jax.debug.print("{}", key)\n    return key, 3\n')
    out = olympus_in("trace", "told.py:f")[1]
    assert re.search(r"^    debug_\w+\[.*\] a +# told.py:4:5-4:31 \(f\); takes key$", out, re.MULTILINE)
    assert out.endswith("  in (a, 3:i32[]) }\n")


@needs_jax
def test_words_of_a_raw_key(olympus_in: Run, tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(
        "import jax\n\ndef f(key, x):\n    return key[0], jax.random.fold_in(key, 3), x[0]\n"
    )
    out = olympus_in("trace", "words.py:f", "--raw", "--arg", "x=u32[2]")[1]
    (folded,) = (line for line in out.splitlines() if " = random_fold_in" in line)
    assert folded.endswith("; gives fold_in(key, 3)")
    assert out.count("; gives words of key\n") == 2


@needs_jax
def test_equations_inside_of_functions_of_jax(olympus_in: Run) -> None:
    listed = olympus_in("trace", "program.py:sized", "--arg", "n=3")[1]
    assert "jit[name=sized" in listed and "jit[name=_normal] " in listed and "random_bits" not in listed
    inside = olympus_in("trace", "program.py:sized", "--arg", "n=3", "--internal")[1]
    assert re.search(r"\w+:u32\[.*\] = random_bits\[bit_width=32", inside)


@needs_jax
def test_a_terminal_that_cannot_show_everything(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "olympus", "lineage", "program.py:bad"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert done.stdout.startswith("key  ? reuse\n")


@needs_jax
def test_a_reader_that_stops_early(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "olympus", "trace", "program.py:bad"]
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
