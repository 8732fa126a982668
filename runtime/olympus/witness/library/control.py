"""Stand-ins for the control flow of JAX: a few iterations of a loop, one branch of several."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from olympus.predicates import Applied
from olympus.verdicts.reasons import Reason
from olympus.witness.decisions import Derived
from olympus.witness.library.results import is_array, unknown
from olympus.witness.unknown import expression, is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

TURNS = 2  # of a loop


class ControlFlow:
    """What the control flow of JAX does; the method ``do_scan`` stands for ``jax.lax.scan``."""

    def __init__(self, world: State) -> None:
        self.world = world

    def do_scan(self, f: Any, init: Any = None, xs: Any = None, length: Any = None, *rest: Any, **named: Any) -> Any:
        """Run the body of a scan for a few iterations."""
        import jax

        carry, rows = init, []
        for turn in self.turns(self.length(xs, length), self.count_of(xs, length)):
            carry, row = f(carry, self.element(xs, turn))
            rows.append(row)
        if not rows:
            return carry, unknown(self.world, "lax.scan")
        flat = [jax.tree_util.tree_flatten(row) for row in rows]
        stacked = [self.stacked([leaves[i] for leaves, _ in flat]) for i in range(len(flat[0][0]))]
        return carry, jax.tree_util.tree_unflatten(flat[0][1], stacked)

    def length(self, xs: Any, length: Any) -> int | None:
        """Return the number of iterations of a loop; ``None`` if that is unknown."""
        import jax

        sizes = [leaf.shape[0] for leaf in jax.tree_util.tree_leaves(xs) if is_array(leaf) and leaf.ndim]
        if isinstance(length, int) and not is_unknown(length):
            sizes.append(length)
        return int(min(sizes)) if sizes else None

    def count_of(self, xs: Any, length: Any) -> Hashable:
        """Return the term of the number of iterations of a loop; ``None`` if it is unknown."""
        import jax

        if is_unknown(length):
            return expression(length)
        for leaf in filter(is_unknown, jax.tree_util.tree_leaves(xs)):
            match leaf._olympus_term:
                case Derived("jax.numpy.arange", (count,)):
                    return count
                case term:
                    return Applied("len", term)
        return None

    def turns(self, length: int | None, count: Hashable = None, first: int = 0) -> Iterable[int]:
        """Return the numbers of the iterations of a loop to run: the first ones, if it is long or of unknown length.

        Args:
            length: how many there are, if that is known.
            count: the term of its end; ``None`` if that is unknown.
            first: where it begins.
        """
        if length is not None and length <= TURNS:
            return range(length)
        self.world.cut = Reason.LOOP
        known = count if length is None else None
        return (number - first for number in self.world.few_turns(known, first))

    def element(self, xs: Any, turn: int) -> Any:
        """Return the element of one iteration."""
        import jax

        return jax.tree_util.tree_map(lambda leaf: leaf[turn], xs)

    def stacked(self, rows: list[Any]) -> Any:
        """Return the results of the iterations as one array, if they are keys."""
        import jax.numpy as jnp

        if all(is_array(row) for row in rows):
            try:
                return jnp.stack(rows)
            except (TypeError, ValueError):
                pass
        return unknown(self.world, "lax.scan")

    def do_map(self, f: Any, xs: Any, **named: Any) -> Any:
        """Run a function for a few elements."""
        return self.do_scan(lambda carry, x: (carry, f(x)), None, xs)[1]

    def do_fori_loop(self, lower: Any, upper: Any, body_fun: Any, init_val: Any, **named: Any) -> Any:
        """Run a body for a few iterations."""
        value = init_val
        known = isinstance(lower, int) and isinstance(upper, int)
        count, first = (expression(upper), lower) if is_unknown(upper) and type(lower) is int else (None, 0)
        for turn in self.turns(max(upper - lower, 0) if known else None, count, first):
            value = body_fun(lower + turn, value)
        return value

    def do_while_loop(self, cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
        """Run condition and body for a few iterations."""
        value = init_val
        for _ in self.turns(None):
            cond_fun(value)
            value = body_fun(value)
        cond_fun(value)
        return value

    def do_cond(self, pred: Any, true_fun: Any, false_fun: Any, *operands: Any, **named: Any) -> Any:
        """Run one of two branches."""
        if "operand" in named:
            operands = (*operands, named["operand"])
        return (true_fun if self.decided(pred) else false_fun)(*operands)

    def do_switch(self, index: Any, branches: Any, *operands: Any, **named: Any) -> Any:
        """Run one of several branches."""
        if isinstance(index, int) and not is_unknown(index):
            return branches[min(max(index, 0), len(branches) - 1)](*operands)
        *firsts, last = list(branches)
        for place, branch in enumerate(firsts):
            if self.decided(index == place if is_unknown(index) else unknown(self.world, "switch")):
                return branch(*operands)
        return last(*operands)

    def decided(self, predicate: Any) -> bool:
        """Decide a predicate; a traced one is unknown as well."""
        if isinstance(predicate, bool):
            return predicate
        return self.world.decide(predicate if is_unknown(predicate) else self.world.condition(predicate))

    def do_associative_scan(self, fn: Any, elems: Any, *rest: Any, **named: Any) -> Any:
        """Run the function for two pairs of elements, and give an unknown result."""
        self.world.cut = Reason.LOOP  # the pairs of elements are unknown as well
        for number in range(TURNS):
            fn(self.element(elems, number), self.element(elems, number + 1))
        return unknown(self.world, "lax.associative_scan")

    def do_eval_shape(self, fun: Any, *args: Any, **named: Any) -> Any:
        """Run nothing: abstract evaluation consumes no key."""
        return unknown(self.world, "eval_shape")

    do_make_jaxpr = do_eval_shape

    def map_leaves(self, function: Any, trees: Sequence[Any], name: str) -> Any:
        """Call a function for a few leaves of trees that are not known."""
        for turn in self.turns(None):
            function(*(tree[f"leaf {turn}"] if is_unknown(tree) else tree for tree in trees))
        return unknown(self.world, name)
