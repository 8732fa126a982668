"""The facts that the key flow passes to the rules: one small record for each event of a key.

A fact refers to syntax by ``ast`` nodes of the file under analysis; the rule turns it into a finding after it has
read the LibCST node at the same place.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import StrEnum

from olympus_rules.finding import Confidence, Span


class KeyKind(StrEnum):
    """The representation of a key, as far as the source shows it."""

    RAW = "raw"
    TYPED = "typed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the file under analysis, and the event there.

    Attributes:
        node: the expression; for a consumption, the whole call.
        what: the callable's name as the user knows it (``jax.random.normal``, ``self.reset``).
        key: the expression that held the key there, if it has its own expression.
    """

    node: ast.AST
    what: str
    key: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """One step on the way of a key that is used twice.

    Attributes:
        kind: ``source`` for what it comes from, ``key`` for a key that is made of the one before, ``first`` and
            ``again`` for the two uses.
        label: the key or the consumer as it is written.
        how: what makes the key of the one before, or repeats the use.
        node: where; ``None`` if that is not known.
    """

    kind: str
    label: str
    how: str
    node: ast.AST | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """The common part: the node that a rule flags, the confidence, and the spelling of the key there.

    Attributes:
        node: the expression or statement that is flagged.
        confidence: the confidence of the analysis.
        key: the source text of the key (``key``, ``self.rng``, ``keys[0]``), empty if it has no name.
        kind: raw or typed, if the source shows it.
        alone: whether only keys reach the place. A rewrite that is right for keys is wrong for other values.
        reached: whether nothing in this file shows the key: an analysis of the project says that one may get here.
    """

    node: ast.AST
    confidence: Confidence
    key: str = ""
    kind: KeyKind = KeyKind.UNKNOWN
    alone: bool = field(default=True, compare=False)
    reached: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reuse(Fact):
    """One identity consumed twice on one path: ``first``, then ``again`` (whose node is flagged).

    Attributes:
        first, again: the two consumptions; the same place twice if a loop repeats it.
        effect: ``same-draw``, ``same-children`` or ``dependent``.
        repeated_by: the construct that executes the place again: ``loop``, ``comprehension``, ``scan``, ``call`` …;
            ``outer loop`` for the loop around a comprehension or a map that takes other keys itself;
            ``arguments`` for one call that gets the key in two of them; empty for two places on one straight path.
        unused: names of unused derived keys in scope, the best hint of a typo.
        batch: whether a key array is consumed twice, not one key.
        root: how the key is spelled that a key without a name is made from; empty if that is not known either.
        sampler: the function of ``jax.random`` that ``again`` draws with, perhaps in a function that it calls.
        kept: the attribute that keeps the key for the consumption ``first``, which is later, in another function or
            call; empty for two consumptions in one function.
        taker: that function; also one whose next call consumes the key that ``again`` puts into the next state.
        of_state: whether it is the state of an object that counts its draws.
        stored: the attribute of its own object from which the method draws that ``again`` calls; empty elsewhere.
        inside: where that method draws, if it is in this file and nothing replaces the key.
        listed: where the key is written once more in the list or array whose elements are consumed; ``None`` elsewhere.
        identity: equal for the reuses of one key in one function.
        lineage: the way of the key to its uses; empty for a key that an object keeps.
    """

    first: Place
    again: Place
    effect: str = "dependent"
    repeated_by: str = ""
    unused: tuple[str, ...] = ()
    batch: bool = False
    root: str = ""
    sampler: str = ""
    kept: str = ""
    taker: str = ""
    of_state: bool = False
    stored: str = ""
    inside: Place | None = None
    listed: ast.expr | None = None
    identity: Hashable = field(default=None, compare=False)
    lineage: tuple[Origin, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualKeys(Fact):
    """Two keys are made apart from one seed, and consumed on one path: ``first``, then ``again``, which is flagged.

    Attributes:
        first, again, effect, repeated_by, root, lineage: as in :class:`Reuse`.
        seed: the seed as it is written, empty if that is not known.
        made: where each of them is made, as far as known: the path as in findings, and the call.
        identity: equal for the keys of one seed in one function.
    """

    first: Place
    again: Place
    effect: str = "dependent"
    repeated_by: str = ""
    root: str = ""
    seed: str = ""
    made: tuple[tuple[str, Span] | None, tuple[str, Span] | None] = (None, None)
    identity: Hashable = field(default=None, compare=False)
    lineage: tuple[Origin, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyIndexing(Fact):
    """Words are read from a key's buffer: ``key[1]``, ``a, b = key``, ``keys[..., 0]``.

    Attributes:
        use: the use of the word: ``seed`` (a JAX seed), ``foreign-seed`` (numpy, torch, …), ``value``
            (a label, an int, a comparison), ``unpack`` or ``unknown``.
        consumer: for a seed, the call that takes it.
        batch: whether the key is a key array (``keys[:, 0]``), not one key.
        rank: the number of axes of the key array, ``None`` if unknown.
    """

    use: str = "unknown"
    consumer: ast.Call | None = None
    batch: bool = False
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyArithmetic(Fact):
    """An operator, cast, bit operation or reduction is applied to a key.

    Attributes:
        operation: as spelled: ``+``, ``^``, ``astype``, ``sum`` …
        batch: whether the result is used as a batch of keys.
        subjects: the operands that are keys.
        is_key: whether the result is used as a key.
    """

    operation: str
    batch: bool = False
    subjects: tuple[ast.expr, ...] = ()
    is_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTransposition(Fact):
    """The word and batch axes of a key array are exchanged.

    Attributes:
        how: ``in_axes``, ``out_axes``, ``.T``, ``transpose``, ``swapaxes`` or ``moveaxis``.
        axis: the expression of the axis to be rewritten, if any.
        subjects: the expressions of the key arrays whose words are moved.
    """

    how: str
    axis: ast.expr | None = None
    subjects: tuple[ast.expr, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedKey(Fact):
    """Every lane of a map draws from one key. ``node`` is the call of the mapped function.

    Attributes:
        transform: ``vmap``, ``pmap``, ``shard_map``, ``filter_vmap``, ``vectorize`` …
        draw: the call that draws, and its key, in the function that draws.
        argument: the argument that is the key; ``None`` if the function gets the key by itself.
        mapping: the call that made the mapped function, if any.
        copies: whether the mapped array holds copies of one key.
        batch: whether the shared value is, or may be, a key array.
        hidden: what the lanes draw from, and how to split it, if that is no key in sight.
    """

    transform: str
    draw: Place
    argument: ast.expr | None = None
    mapping: ast.Call | None = None
    copies: bool = False
    batch: bool = False
    hidden: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished(Fact):
    """The analysis of a function reached a limit. ``node`` is the definition of the function, or the module.

    No rule uses it: a message to the user says that findings may be missing.

    Attributes:
        function: the function's name in the file; empty for the code of the module.
        steps: the number of steps, if that is the limit.
        circle: the number of functions in a circle of calls, if that is the limit.
    """

    function: str
    steps: int = 0
    circle: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Fact):
    """The analysis of a part of a file raised. ``node`` is the definition of the function, or the module.

    No rule uses it: it is reported as an internal error, beside the findings on all other parts.

    Attributes:
        where: the part: a function, the code outside functions, or a step after the interpretation.
        path: the file of the part.
        error: what it raised.
    """

    where: str
    path: str
    error: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedKey(Fact):
    """A derived key is bound to a name that nothing reads. ``node`` is the target name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardedDerivation(Fact):
    """A derivation is an expression statement, so its result is lost. ``node`` is the call.

    Attributes:
        function: the callee as it is written.
    """

    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantKey(Fact):
    """A key is made from a literal seed at a place where it will be made again.

    Attributes:
        where: ``default-argument``, ``class-field``, ``function-body``, ``same-seed``, or ``noise`` for a function
            that draws numbers for its arguments.
        first: for ``same-seed``, the earlier constructor call.
        owner: the function, class or parameter that holds it.
        drawn: for ``noise``, what draws.
    """

    where: str
    owner: str = ""
    first: ast.AST | None = None
    drawn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationCollision(Fact):
    """Two derivations give equal children although they look independent.

    Attributes:
        how: ``fold_in-twice``, ``split-beside-fold_in``, ``call-beside-fold_in`` (the callee is out of sight),
            ``splits-share-children`` or ``split-then-index``.
        first: the other derivation; ``None`` for ``split-then-index``, which is one expression.
        repeated_by: as in :class:`Reuse`.
        index: for ``split-then-index`` the datum to fold in.
        is_apart: for ``split-beside-fold_in``, whether two keys are made apart from one seed.
        is_split_first: for ``split-beside-fold_in``, whether ``first`` is the split.
    """

    how: str
    first: Place | None = None
    again: Place | None = None
    repeated_by: str = ""
    index: ast.expr | None = None
    is_apart: bool = False
    is_split_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedConfusion(Fact):
    """A key given as a seed (``key-as-seed``), or an integer or text given as a key.

    Attributes:
        how: ``key-as-seed``, ``seed-as-key`` or ``text-as-key``.
        function: the callee as the user knows it.
    """

    how: str
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LossyData(Fact):
    """A seed, or the datum of a ``fold_in``, that loses what it was meant to tell apart.

    Attributes:
        how: ``hash`` (of text), ``float``, ``wide`` (over 32 bits), ``narrow`` or ``negative``.
        function: the callee as the user knows it.
    """

    how: str
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeLogic(Fact):
    """Logic on a key's shape, rank, length or layout that counts the buffer axis.

    Attributes:
        form: ``shape-slice`` (``key.shape[:-1]``), ``shape-equals``, ``shape-item`` (``key.shape[-1] == 2``),
            ``shape-unpack``, ``ndim``, ``len``, ``size``, ``reshape``, ``broadcast``, ``tile``, ``axis`` (a number
            that counts the word axis), ``permutation``, ``words`` (words are joined or moved), ``vstack``,
            ``dynamic-slice``, ``mask``, ``spec`` (of a sharding) or ``signature`` (of ``vectorize``).
        subject: the expression that is the key.
        rank: the number of its batch axes, if known.
        parts: the expressions that count the word axis, unless it is the whole ``node``.
        exact: whether a rewrite surely keeps the numbers that raw keys give.
    """

    form: str
    subject: ast.expr
    rank: int | None = None
    parts: tuple[ast.expr, ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RawKeyLiteral(Fact):
    """Raw keys are made without ``jax.random``: words written down, buffers to be filled, abstract arrays.

    Attributes:
        form: ``buffer`` (``jnp.zeros((n, 2), jnp.uint32)``), ``words`` (``jnp.array([0, 7], jnp.uint32)``) or
            ``abstract`` (``jax.ShapeDtypeStruct((2,), jnp.uint32)``).
        like: a variable in scope that holds keys of the same origin as the keys written into the buffer, empty for
            none.
        rank: the number of batch axes of that variable.
        in_place: whether elements are assigned, which only NumPy arrays allow.
    """

    form: str
    like: str = ""
    rank: int = 0
    in_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DtypeLogic(Fact):
    """A test, name or view of a key's dtype.

    Attributes:
        form: ``equals``, ``not-equals``, ``in``, ``numpy`` (a function that needs a NumPy dtype, such as
            ``np.issubdtype(key.dtype, …)``), ``integer`` (``jnp.issubdtype(key.dtype, jnp.integer)``), ``name``,
            ``kind`` (or another attribute of number dtypes), ``asserted`` (``assertEqual(key.dtype, …)``).
        subject: the expression that is the key.
    """

    form: str
    subject: ast.expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion(Fact):
    """A key reaches code that refuses typed keys or treats them differently: numpy, files, comparisons, collectives …

    Attributes:
        form: the kind of use, one of the forms in ``keyflow/notes/conversions.py``.
        function: the callable or operator as the user knows it.
        subjects: the expressions that are keys or key arrays, empty for keys inside the value of a name.
        effect: the effect of a typed key there: ``fails``, ``differs`` without an error, or the ``same``.
        is_key: whether the result is used as a key.
        unsure: whether another value there may be a key without evidence.
        before: the oldest release of JAX in which it works, empty if it works in none.
    """

    form: str
    function: str
    subjects: tuple[ast.expr, ...] = ()
    effect: str = "fails"
    is_key: bool = False
    unsure: bool = False
    before: tuple[int, ...] = ()

    def breaks(self, jax: tuple[int, ...]) -> bool:
        """Return whether a typed key changes anything if ``jax`` is the oldest release that the code supports."""
        return self.effect != "same" and (not self.before or jax < self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Fact):
    """A mention of a name that concerns the migration to typed keys.

    Attributes:
        qualified: for example ``jax.random.PRNGKey`` or ``jax.random.KeyArray``.
        context: ``call``, ``value``, ``annotation``, ``isinstance``, ``import``, ``string-annotation``, ``alias`` (a
            variable that other files may call) or ``words`` (a type that describes the words of a raw key).
        reachable: for a constructor, what may break if its key is typed, as short sentences.
    """

    qualified: str
    context: str
    reachable: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction(Reference):
    """A mention of the constructor of raw keys, to call it or to pass it on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalImplementation(Fact):
    """The generator of all keys is set for the whole program, or raw keys of another generator are used under it.

    Attributes:
        form: ``default`` (``jax_default_prng_impl``), ``custom`` (``jax_enable_custom_prng``) or ``raw-key`` (a raw
            key made with its own implementation).
        setting: the setting as the program spells it; for ``raw-key`` the implementation.
        used: for ``raw-key`` the place that treats it as a key of the default implementation.
    """

    form: str
    setting: str
    used: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UntypedBoundary(Fact):
    """Typed keys meet raw keys, or code that needs raw keys.

    Attributes:
        form: ``argument`` (a function takes only raw keys) or ``mixed`` (one value is raw and another one typed).
        function: the function that takes only raw keys, or that joins the values.
        subject: the expression to change, ``None`` for none: the passed key, or the raw one of the joined values.
        other: for ``mixed``, the expression of the typed value.
    """

    form: str
    function: str
    subject: ast.expr | None = None
    other: ast.expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayObject(Fact):
    """An event of an object of a class with ``__jax_array__``; ``key`` is the spelling of the object.

    Attributes:
        class_name: the name of its class.
        plain: whether that class is surely not registered as a pytree.
        definition: the class definition, if it is in this file.
        place: the place of the definition in words, if it is in another file.
        function: the qualified name of the transformation, or of the function that takes the object.
        subject: the expression of the object, if it has its own expression.
        role: the role of the object there: ``argument``, ``parameter``, ``carry``, ``input``, ``operand``, ``result``,
            ``key`` or ``index``.
    """

    class_name: str
    plain: bool
    definition: ast.ClassDef | None
    place: str
    function: str
    subject: ast.expr | None
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayAtTransform(ArrayObject):
    """An array object whose class is not registered crosses a transformation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayOutsideNumpy(ArrayObject):
    """An array object is passed to a function that does not convert it, or is an index."""
