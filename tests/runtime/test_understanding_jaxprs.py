"""The examples of "Understanding jaxprs" (2020), each with the jaxpr that it gives today.

A jaxpr is written as the document does: one line per equation, in order, constants before the semicolon. Parameters
are left out, save for the jaxprs among them, and variables are named in the order in which they appear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from textwrap import dedent
from typing import Any

import pytest
from source_places import at

jax = pytest.importorskip("jax", reason="these tests trace with JAX")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

import olympus  # noqa: E402
from olympus.tracing.adapter import scanned  # noqa: E402
from olympus.tracing.jaxprs import Equation, Trace, trace  # noqa: E402

VERSION = jax.__version_info__


def written(traced: Trace) -> list[str]:
    """Return a traced function in the document's notation."""
    jaxpr = traced.jaxpr.jaxpr
    return list(lines(jaxpr, [Equation(eqn) for eqn in jaxpr.eqns]))


def lines(jaxpr: Any, equations: list[Equation]) -> Iterator[str]:
    letters = (chr(ord("a") + number) for number in count())
    names: dict[Any, str] = {}

    def name(atom: Any) -> str:
        if hasattr(atom, "val"):  # a literal: some releases wrap the number
            return str(np.asarray(atom.val).item())
        if atom not in names:
            names[atom] = next(letters)
        return names[atom]

    def listed(atoms: Any) -> str:
        return "".join(f" {name(atom)}" for atom in atoms)

    yield f"lambda{listed(jaxpr.constvars)} ;{listed(jaxpr.invars)}."
    for equation in equations:
        yield f"{listed(equation.outputs).strip()} = {equation.primitive}{listed(equation.inputs)}"
        for number, sub in enumerate(equation.subs):
            yield f"  {sub.parameter} {number}:"
            yield from (f"    {line}" for line in lines(sub.jaxpr, list(equation.sub_equations(sub))))
    yield f"in{listed(jaxpr.outvars)}"


def text(block: str) -> list[str]:
    return dedent(block).strip().splitlines()


def equation(traced: Trace, primitive: str) -> Equation:
    (found,) = [equation for equation in traced.equations() if equation.primitive == primitive]
    return found


def parts_of(loop: Equation) -> tuple[int, ...]:
    """Return how many constants, carried values and scanned arrays a scan takes."""
    return tuple(map(len, scanned(dict(loop.params), [*loop.inputs])))


# First-order equations. Today the result is a list; `reduce_sum` has no `input_shape`.

FIRST_ORDER = text("""
    lambda ; a b.
    c = sin b
    d = mul c 3.0
    e = add a d
    f = reduce_sum e
    in f
""")


def func1(first: Any, second: Any) -> Any:
    temp = first + jnp.sin(second) * 3.0
    return jnp.sum(temp)


def test_first_order():
    traced = trace(func1, jnp.zeros(8), jnp.ones(8))
    assert written(traced) == FIRST_ORDER
    assert equation(traced, "reduce_sum").params["axes"] == (0,)
    assert traced.names == ("first", "second")


def test_each_first_order_equation_has_its_place():
    traced = trace(func1, jnp.zeros(8), jnp.ones(8))
    assert [equation.chain for equation in traced.equations()] == [
        (at(func1, "jnp.sin(second)"),),
        (at(func1, "jnp.sin(second) * 3.0"),),
        (at(func1, "first + jnp.sin(second) * 3.0"),),
        (at(func1, "jnp.sum(temp)"),),
    ]


# Python's calls and conditionals are inlined: nothing of them is left.


def func2(inner: Callable[[Any], Any], first: Any, second: Any) -> Any:
    temp = first + inner(second) * 3.0
    return jnp.sum(temp)


def inner(second: Any) -> Any:
    if second.shape[0] > 4:
        return jnp.sin(second)
    raise AssertionError


def func3(first: Any, second: Any) -> Any:
    return func2(inner, first, second)


def test_python_control_flow_is_inlined():
    assert written(trace(func3, jnp.zeros(8), jnp.ones(8))) == FIRST_ORDER


def test_a_function_among_the_arguments_is_no_input():
    # The document's call of func2 forgets its argument; JAX itself refuses functions as arguments.
    traced = trace(func2, inner, jnp.zeros(8), jnp.ones(8))
    assert written(traced) == FIRST_ORDER
    assert traced.names == ("first", "second")


def test_inlined_calls_are_in_the_chain():
    found = equation(trace(func3, jnp.zeros(8), jnp.ones(8)), "sin")
    assert found.chain == (
        at(inner, "jnp.sin(second)"),
        at(func2, "inner(second)"),
        at(func3, "func2(inner, first, second)"),
    )


def test_python_loops_are_inlined():
    def repeated(x: Any) -> Any:
        for _ in range(3):
            x = jnp.sin(x)
        return x

    assert written(trace(repeated, 1.0)) == ["lambda ; a.", "b = sin a", "c = sin b", "d = sin c", "in d"]


@pytest.mark.parametrize("function", [lambda x: 1 if x > 0 else 2, lambda x: [x for _ in iter(lambda: x > 0, True)]])
def test_an_if_of_a_traced_value_is_refused(function: Callable[[Any], Any]):
    with pytest.raises(olympus.errors.TracerBoolConversionError, match="Attempted boolean conversion"):
        olympus.make_jaxpr(function)(1.0)


# Pytrees are flattened.


def func4(arg: Any) -> Any:  # arg is a pair
    temp = arg[0] + jnp.sin(arg[1]) * 3.0
    return jnp.sum(temp)


def test_pytrees_are_flattened():
    traced = trace(func4, (jnp.zeros(8), jnp.ones(8)))
    assert written(traced) == FIRST_ORDER
    assert traced.names == ("arg[0]", "arg[1]")


# Constants. In 2020, `jnp.ones(8)` was computed while tracing, and so was its sine: both became constvars.
# Today whatever JAX computes is traced (omnistaging); only arrays that exist already become constvars.


def func5(first: Any, second: Any) -> Any:
    temp = first + jnp.sin(second) * 3.0 - jnp.ones(8)
    return temp


def func6(first: Any) -> Any:
    return func5(first, jnp.ones(8))


def func6_with_an_array(first: Any) -> Any:
    return func5(first, np.ones(8, "float32"))


def test_constants_that_are_made_are_equations():
    traced = trace(func6, jnp.ones(8))
    assert written(traced) == text("""
        lambda ; a.
        b = broadcast_in_dim 1.0
        c = sin b
        d = mul c 3.0
        e = add a d
        f = broadcast_in_dim 1.0
        g = sub e f
        in g
    """)


def test_arrays_that_exist_are_constvars():
    traced = trace(func6_with_an_array, jnp.ones(8))
    assert written(traced) == text("""
        lambda a ; b.
        c = sin a
        d = mul c 3.0
        e = add b d
        f = broadcast_in_dim 1.0
        g = sub e f
        in g
    """)
    assert np.array_equal(traced.jaxpr.consts, [np.ones(8)])


# Conditionals. In 2020 `cond` had `true_jaxpr` and `false_jaxpr`, a boolean predicate and operands for each of the two.
# Today it has `branches`, false first, the number of the branch, and one list of operands.


def func7(arg: Any) -> Any:
    return lax.cond(arg >= 0.0, lambda xtrue: xtrue + 3.0, lambda xfalse: xfalse - 3.0, arg)


def test_cond():
    assert written(trace(func7, 5.0)) == text("""
        lambda ; a.
        b = ge a 0.0
        c = convert_element_type b
        d = cond c a
          branches 0:
            lambda ; a.
            b = sub a 3.0
            in b
          branches 1:
            lambda ; a.
            b = add a 3.0
            in b
        in d
    """)


def func8(arg1: Any, arg2: Any) -> Any:  # arg2 is a pair
    return lax.cond(arg1 >= 0.0, lambda xtrue: xtrue[0], lambda xfalse: jnp.ones(1) + xfalse[1], arg2)


def func8_with_two_operands(arg1: Any, arg2: Any) -> Any:  # as the document calls it; both branches get both operands
    return lax.cond(arg1 >= 0.0, arg2, lambda xtrue: xtrue[0], arg2, lambda xfalse: jnp.ones(1) + xfalse[1])


def test_cond_of_a_pair():
    # The constant of the false branch is no constvar of the whole any more; it is made inside the branch.
    traced = trace(func8, 5.0, (jnp.zeros(1), 2.0))
    assert written(traced) == text("""
        lambda ; a b c.
        d = ge a 0.0
        e = convert_element_type d
        f = cond e b c
          branches 0:
            lambda ; a b.
            c = broadcast_in_dim 1.0
            d = convert_element_type b
            e = add c d
            in e
          branches 1:
            lambda ; a b.
            in a
        in f
    """)
    assert traced.names == ("arg1", "arg2[0]", "arg2[1]")


def test_cond_with_an_operand_for_each_branch():
    found = equation(trace(func8_with_two_operands, 5.0, (jnp.zeros(1), 2.0)), "cond")
    assert len(found.inputs) == 5
    assert [len(sub.jaxpr.invars) for sub in found.subs] == [4, 4]


# Loops. The body's constant is made outside, multiplied inside (in 2020: folded outside); operands and counts are as
# they were: constants of the condition, those of the body, and the carry of index, end and value.


def func10(arg: Any, n: Any) -> Any:
    ones = jnp.ones(arg.shape)  # A constant
    return lax.fori_loop(0, n, lambda i, carry: carry + ones * 3.0 + arg, arg + ones)


def test_fori_loop_with_an_unknown_end_is_a_while_loop():
    traced = trace(func10, np.ones(16), 5)
    assert written(traced) == text("""
        lambda ; a b.
        c = broadcast_in_dim 1.0
        d = add a c
        e f g = while c a 0 b d
          cond_jaxpr 0:
            lambda ; a b c.
            d = lt a b
            in d
          body_jaxpr 1:
            lambda ; a b c d e.
            f = add c 1
            g = mul a 3.0
            h = add e g
            i = add h b
            in f d i
        in g
    """)
    loop = equation(traced, "while")
    assert (loop.params["cond_nconsts"], loop.params["body_nconsts"]) == (0, 2)


def test_fori_loop_with_a_known_end_is_a_scan():
    loop = equation(trace(lambda arg: func10(arg, 5), np.ones(16)), "scan")
    assert (loop.params["length"], *parts_of(loop)) == (5, 2, 2, 0)


def func9(arg: Any) -> Any:  # the document describes while_loop and has no example of it
    return lax.while_loop(lambda c: c < 10.0, lambda c: c * 2.0, arg)


def test_while_loop():
    assert written(trace(func9, 1.0)) == text("""
        lambda ; a.
        b = while a
          cond_jaxpr 0:
            lambda ; a.
            b = lt a 10.0
            in b
          body_jaxpr 1:
            lambda ; a.
            b = mul a 2.0
            in b
        in b
    """)


# Scan. The unused input of 2020 is gone, `reverse` stands for `forward`, and `length` and `num_carry` are new.


def func11(arr: Any, extra: Any) -> Any:
    ones = jnp.ones(arr.shape)  # A constant

    def body(carry: Any, aelems: Any) -> Any:
        ae1, ae2 = aelems
        return (carry + ae1 * ae2 + extra, carry)

    return lax.scan(body, 0.0, (arr, ones))


def test_scan():
    traced = trace(func11, np.ones(16), 5.0)
    assert written(traced) == text("""
        lambda ; a b.
        c = broadcast_in_dim 1.0
        d e = scan b 0.0 a c
          jaxpr 0:
            lambda ; a b c d.
            e = mul c d
            f = convert_element_type b
            g = add f e
            h = convert_element_type a
            i = add g h
            in i b
        in d e
    """)
    loop = equation(traced, "scan")
    assert (loop.params["length"], *parts_of(loop)) == (16, 1, 1, 2)
    assert loop.params["reverse"] is False


# Calls. `xla_call` is `jit` today (`pjit` up to 0.6). The document's text lost the decorator of `inner`.


def func12(arg: Any) -> Any:
    @jax.jit
    def inner(x: Any) -> Any:
        return x + arg * jnp.ones(1)  # Include a constant in the inner function

    return arg + inner(arg - 2.0)


def test_nested_jit():
    traced = trace(func12, 1.0)
    assert written(traced) == text("""
        lambda ; a.
        b = sub a 2.0
        c = jit a b
          jaxpr 0:
            lambda ; a b.
            c = broadcast_in_dim 1.0
            d = convert_element_type a
            e = mul d c
            f = convert_element_type b
            g = add f e
            in g
        d = convert_element_type a
        e = add d c
        in e
    """)
    assert equation(traced, "jit").params["name"] == "inner"


# pmap. `xla_pmap` is `jit` around `shard_map` since 0.8, and the body takes a slice of one row, not the row itself.


def func13(arr: Any, extra: Any) -> Any:
    def inner(x: Any) -> Any:
        # use a free variable "extra" and a constant jnp.ones(1)
        return (x + extra + jnp.ones(1)) / lax.psum(x, axis_name="rows")

    return jax.pmap(inner, axis_name="rows")(arr)


ROW = ["convert_element_type", "add", "broadcast_in_dim", "add", "psum", "div"]


def test_pmap():
    traced = trace(func13, jnp.ones((1, 3)), 5.0)
    assert traced.names == ("arr", "extra")
    found = [(e.primitive, [(sub.parameter, len(sub.jaxpr.invars)) for sub in e.subs]) for e in traced.equations()]
    row = [(primitive, []) for primitive in ROW]
    if VERSION >= (0, 8):
        around = [("jit", [("jaxpr", 2)]), ("shard_map", [("jaxpr", 2)])]
        assert found == [*around, ("squeeze", []), *row, ("broadcast_in_dim", [])]
    else:
        assert found == [("xla_pmap", [("call_jaxpr", 2)]), *row]


def test_the_body_of_pmap_is_the_users():
    traced = trace(func13, jnp.ones((1, 3)), 5.0)
    call = at(func13, "jax.pmap(inner, axis_name='rows')(arr)")
    assert equation(traced, "psum").chain == (at(func13, "lax.psum(x, axis_name='rows')"), call)
    assert equation(traced, "div").chain == (
        at(func13, "(x + extra + jnp.ones(1)) / lax.psum(x, axis_name='rows')"),
        call,
    )


# The document's code under ``import olympus``: each example gives the jaxpr that it gives under ``import jax``.
# `api.make_jaxpr` is `jax.make_jaxpr` today, and `onp` NumPy. The call of func2 forgets its first argument; the text
# lost the operands of func7, the calls of func6, func7 and func12, and the decorator of func12's `inner`.

EXAMPLES = {
    "func1": """
def func1(first, second):
   temp = first + jnp.sin(second) * 3.
   return jnp.sum(temp)

jaxpr = jax.make_jaxpr(func1)(jnp.zeros(8), jnp.ones(8))
""",
    "func3": """
def func2(inner, first, second):
  temp = first + inner(second) * 3.
  return jnp.sum(temp)

def inner(second):
  if second.shape[0] > 4:
    return jnp.sin(second)
    assert False

def func3(first, second):
  return func2(inner, first, second)

jaxpr = jax.make_jaxpr(func3)(jnp.zeros(8), jnp.ones(8))
assert str(jaxpr) == str(jax.make_jaxpr(lambda *args: func2(inner, *args))(jnp.zeros(8), jnp.ones(8)))
""",
    "func4": """
def func4(arg):  # Arg is a pair
  temp = arg[0] + jnp.sin(arg[1]) * 3.
  return jnp.sum(temp)

jaxpr = jax.make_jaxpr(func4)((jnp.zeros(8), jnp.ones(8)))
""",
    "func6": """
def func5(first, second):
  temp = first + jnp.sin(second) * 3. - jnp.ones(8)
  return temp

def func6(first):
  return func5(first, jnp.ones(8))

jaxpr = jax.make_jaxpr(func6)(jnp.ones(8))
""",
    "func7": """
def func7(arg):
  return lax.cond(arg >= 0.,
                  lambda xtrue: xtrue + 3.,
                  lambda xfalse: xfalse - 3., arg)

jaxpr = jax.make_jaxpr(func7)(5.)
""",
    "func8": """
def func8(arg1, arg2):  # arg2 is a pair
  return lax.cond(arg1 >= 0.,
                  lambda xtrue: xtrue[0],
                  lambda xfalse: jnp.ones(1) + xfalse[1], arg2)

jaxpr = jax.make_jaxpr(func8)(5., (jnp.zeros(1), 2.))
""",
    "func8 with an operand for each branch": """
def func8(arg1, arg2):
  return lax.cond(arg1 >= 0., arg2, lambda xtrue: xtrue[0], arg2, lambda xfalse: jnp.ones(1) + xfalse[1])

jaxpr = jax.make_jaxpr(func8)(5., (jnp.zeros(1), 2.))
""",
    "func10": """
def func10(arg, n):
  ones = jnp.ones(arg.shape)  # A constant
  return lax.fori_loop(0, n,
                       lambda i, carry: carry + ones * 3. + arg,
                       arg + ones)

jaxpr = jax.make_jaxpr(func10)(onp.ones(16), 5)
""",
    "func11": """
def func11(arr, extra):
  ones = jnp.ones(arr.shape)  #  A constant
  def body(carry, aelems):
    # carry: running dot-product of the two arrays
    # aelems: a pair with corresponding elements from the two arrays
    ae1, ae2 = aelems
    return (carry + ae1 * ae2 + extra, carry)

  return lax.scan(body, 0., (arr, ones))

jaxpr = jax.make_jaxpr(func11)(onp.ones(16), 5.)
""",
    "func12": """
def func12(arg):
  @jax.jit
  def inner(x):
    return x + arg * jnp.ones(1)  # Include a constant in the inner function
  return arg + inner(arg - 2.)

jaxpr = jax.make_jaxpr(func12)(1.)
""",
    "func13": """
def func13(arr, extra):
  def inner(x):
    # use a free variable "extra" and a constant jnp.ones(1)
    return (x + extra + jnp.ones(1)) / lax.psum(x, axis_name='rows')
  return jax.pmap(inner, axis_name='rows')(arr)

jaxpr = jax.make_jaxpr(func13)(jnp.ones((1, 3)), 5.)
""",
}


def run_as(namespace: str, code: str) -> Any:
    """Run an example with its imports, all of one namespace, and return its jaxpr."""
    imports = "import jax\nfrom jax import lax\nfrom jax import numpy as jnp\nimport numpy as onp\n"
    names: dict[str, Any] = {}
    exec(re.sub(r"\bjax\b", namespace, imports + code), names)
    return names["jaxpr"]


@pytest.mark.parametrize("code", EXAMPLES.values(), ids=EXAMPLES)
def test_the_examples_under_our_name(code: str):
    ours, theirs = run_as("olympus", code), run_as("jax", code)
    assert type(ours) is type(theirs)
    assert str(ours) == str(theirs)
    assert (ours.in_avals, ours.out_avals) == (theirs.in_avals, theirs.out_avals)


# What the document says of all jaxprs.


def defined_before_use(jaxpr: Any) -> bool:
    """Return whether each equation, and each jaxpr inside, uses only its inputs and what stands before."""
    known = {*jaxpr.constvars, *jaxpr.invars}
    for equation in jaxpr.eqns:
        if not {atom for atom in equation.invars if not hasattr(atom, "val")} <= known:
            return False
        known |= set(equation.outvars)
        if not all(defined_before_use(sub.jaxpr) for sub in Equation(equation).subs):
            return False
    return {atom for atom in jaxpr.outvars if not hasattr(atom, "val")} <= known


@pytest.mark.parametrize("code", EXAMPLES.values(), ids=EXAMPLES)
def test_an_equation_uses_only_what_is_defined_before_it(code: str):
    assert defined_before_use(run_as("olympus", code).jaxpr)


def test_constants_come_before_the_arguments():
    from jax.core import eval_jaxpr

    closed = trace(func6_with_an_array, jnp.ones(8)).jaxpr
    (result,) = eval_jaxpr(closed.jaxpr, closed.consts, jnp.full(8, 2.0))
    assert jnp.allclose(result, func6_with_an_array(jnp.full(8, 2.0)))


def test_a_result_that_is_not_needed():
    assert "_:f32[]" in str(olympus.make_jaxpr(lambda x: (jnp.sin(x), 1)[1])(1.0))
    assert not hasattr(jax.core, "unit")


def test_what_became_of_the_parameters():
    assert "linear" not in equation(trace(func7, 5.0), "cond").params
    if VERSION >= (0, 10):
        assert "linear" not in equation(trace(func11, np.ones(16), 5.0), "scan").params
    if VERSION >= (0, 8):
        mapped = equation(trace(func13, jnp.ones((1, 3)), 5.0), "shard_map")
        shapes_ = [variable.aval.shape for variable in mapped.inputs]
        assert {shape: tuple(spec) for shape, spec in zip(shapes_, mapped.params["in_specs"], strict=True)} == {
            (): (),
            (1, 3): ("rows",),
        }


def test_a_scan_is_differentiated_backwards():
    backwards = trace(olympus.grad(lambda arr: func11(arr, 5.0)[0]), np.ones(16, "float32"))
    assert [loop.params["reverse"] for loop in backwards.equations() if loop.primitive == "scan"] == [False, True]


# `olympus trace` writes each of them from the command line.

COMMANDS = {
    "func1": "func1 first=f32[8] second=f32[8]",
    "func2": "func2 inner=inner first=f32[8] second=f32[8]",
    "func3": "func3 first=f32[8] second=f32[8]",
    "func4": "func4 arg=(f32[8],f32[8])",
    "func5": "func5 first=f32[8] second=f32[8]",
    "func6": "func6 first=f32[8]",
    "func7": "func7 arg=f32",
    "func8": "func8 arg1=f32 arg2=(f32[1],f32)",
    "func8 with an operand for each branch": "func8_with_two_operands arg1=f32 arg2=(f32[1],f32)",
    "func9": "func9 arg=f32",
    "func10": "func10 arg=f32[16] n=i32",
    "func11": "func11 arr=f32[16] extra=f32",
    "func12": "func12 arg=f32",
    "func13": "func13 arr=f32[1,3] extra=f32",
}


def shapes(text: str) -> Any:
    """Return the arrays that an argument of a command stands for."""
    sizes = {"f32": jnp.float32(0), "i32": jnp.int32(0), **{f"f32[{n}]": jnp.zeros(n) for n in (1, 8, 16)}}
    if text.startswith("("):
        return tuple(sizes[part] for part in text[1:-1].split(","))
    return inner if text == "inner" else jnp.zeros((1, 3)) if text == "f32[1,3]" else sizes[text]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_function_can_be_traced_from_the_command_line(command: str, capsys: pytest.CaptureFixture[str]):
    from olympus.__main__ import main

    function, *given = command.split()
    options = [part for each in given for part in ("--arg", each)]
    assert main(["trace", f"{__file__}:{function}", *options, "--internal"]) == 0
    head, *following = capsys.readouterr().out.splitlines()
    arguments = {name: shapes(text) for name, _, text in (each.partition("=") for each in given)}
    traced = trace(globals()[function], **arguments)
    found = [match[1] for line in following if (match := re.match(r"[^=#]*:[^=#]* = (\w+)", line))]
    assert found == [equation.eqn.primitive.name for equation in traced.equations()]
    names = [part.partition(" = ")[2] for part in head.partition("# ")[2].split(", ")]
    assert tuple(names) == traced.names
