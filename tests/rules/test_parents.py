"""The parents of nodes, which are looked up statement by statement."""

import ast
from pathlib import Path
from random import Random

import pytest

import olympus_rules
from olympus_rules.syntax import Document

SOURCES = sorted(Path(olympus_rules.__path__[0]).rglob("*.py"))[::12]
SHAPES = """\
@decorate(a,
          b)
class A(B, metaclass=C[d]):
    x: int = 1; y = f(2)
    @first
    @second(3)
    def method(self, a: T = g(4)) -> U:
        try: return h(5); pass
        except E(6) as error:
            with k(7) as m, n(8): q = lambda r: (
                r,
                9)
        else: s[10] = [t for t in u(11) if t]
        finally:
            if v(12): w = 13
            elif x(14): y = 15
            else: z = f'''{
                16}'''
async def g():
    async for a in b(17):
        while c(18): await d
    match e(19):
        case F(h) if i(20): j = 21
        case _: k = 22
l = 23; m = n(24)
"""


@pytest.mark.parametrize("source", [SHAPES, *(path.read_text("utf-8") for path in SOURCES)])
@pytest.mark.parametrize("seed", range(3))
def test_every_parent_is_found_in_any_order(source: str, seed: int) -> None:
    document = Document("a.py", source)
    expected = {child: node for node in ast.walk(document.tree) for child in ast.iter_child_nodes(node)}
    nodes = [node for node in expected if hasattr(node, "lineno")]
    Random(seed).shuffle(nodes)
    assert nodes
    for node in nodes:
        assert document.parents[node] is expected[node], ast.unparse(node)
    inner = [node for node in expected if isinstance(node, ast.arguments | ast.comprehension | ast.withitem)]
    assert all(document.parents[node] is expected[node] for node in inner)


def test_the_module_and_nodes_of_other_trees_have_none() -> None:
    document, other = Document("a.py", SHAPES), ast.parse(SHAPES)
    assert document.parents.get(document.tree) is None
    assert all(document.parents.get(node) is None for node in ast.walk(other))
    with pytest.raises(KeyError):
        document.parents[other.body[0]]
