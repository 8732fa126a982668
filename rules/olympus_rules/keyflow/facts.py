"""What the key flow tells the rules: one small record for each thing that it saw happen to a key.

A fact names syntax by ``ast`` nodes of the file under analysis; the rule turns it into a finding after a look
at the LibCST node at the same place.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import StrEnum

from olympus_rules.finding import Confidence

__all__ = [
    "ArrayAtTransform",
    "ArrayObject",
    "ArrayOutsideNumpy",
    "ConstantKey",
    "Construction",
    "Conversion",
    "DerivationCollision",
    "DiscardedDerivation",
    "DtypeLogic",
    "Fact",
    "GlobalImplementation",
    "HandedOut",
    "KeyArithmetic",
    "KeyIndexing",
    "KeyKind",
    "KeyTransposition",
    "Place",
    "RawKeyLiteral",
    "Reference",
    "Reuse",
    "SeedConfusion",
    "ShapeLogic",
    "SharedKey",
    "Unfinished",
    "UntypedBoundary",
    "UnusedKey",
]


class KeyKind(StrEnum):
    """Which of the two representations a key has, as far as the source says."""

    RAW = "raw"
    TYPED = "typed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the file under analysis and what happens there.

    Attributes:
        node: the expression, for a consumption the whole call.
        what: the callable's name as the user knows it (``jax.random.normal``, ``self.reset``).
        key: the expression that held the key there, when it is an expression of its own.
    """

    node: ast.AST
    what: str
    key: ast.expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """The common part: the node that a rule flags, how sure the flow is, and how the key is spelled there.

    Attributes:
        node: the expression or statement that is flagged.
        confidence: how sure the analysis is.
        key: the source text of the key (``key``, ``self.rng``, ``keys[0]``), empty when it has no name.
        kind: raw or typed, when the source says so.
        maker: the callee of the constructor in this file that made the key, where a migration asks for it and it is
            known.
    """

    node: ast.AST
    confidence: Confidence
    key: str = ""
    kind: KeyKind = KeyKind.UNKNOWN
    maker: ast.AST | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reuse(Fact):
    """One identity consumed twice on one path: ``first``, then ``again`` (whose node is flagged).

    Attributes:
        first, again: the two consumptions; the same place twice when a loop repeats it.
        effect: ``same-draw``, ``same-children`` or ``dependent``.
        repeated_by: what executes the place again: ``loop``, ``comprehension``, ``scan``, ``call`` …; empty for
            two places on one straight path.
        unused: names of derived keys in scope that nothing uses, the best hint of a slip of the pen.
        batch: whether it is a key array that is consumed twice, and not one key.
        identity: equal for the reuses of one key in one function.
    """

    first: Place
    again: Place
    effect: str = "dependent"
    repeated_by: str = ""
    unused: tuple[str, ...] = ()
    batch: bool = False
    identity: Hashable = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyIndexing(Fact):
    """Words are read out of a key's buffer: ``key[1]``, ``a, b = key``, ``keys[..., 0]``.

    Attributes:
        use: what the word is used for: ``seed`` (a JAX seed), ``foreign-seed`` (numpy, torch, …), ``value``
            (a label, an int, a comparison), ``unpack`` or ``unknown``.
        consumer: for a seed, the call that takes it.
        batch: whether the key is a key array (``keys[:, 0]``) and not one key.
        rank: how many axes the array of keys has, ``None`` where that is not known.
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
        is_key: whether what comes out is used as a key.
    """

    operation: str
    batch: bool = False
    subjects: tuple[ast.expr, ...] = ()
    is_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTransposition(Fact):
    """Buffer words and batch change places.

    Attributes:
        how: ``in_axes``, ``out_axes``, ``.T``, ``transpose``, ``swapaxes`` or ``moveaxis``.
        axis: the expression that gives the axis, to be rewritten, where there is one.
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
        argument: the argument that is the key; ``None`` for one that the function gets by itself.
        mapping: the call that made the mapped function, where there is one.
        copies: whether it is mapped over, and is one key over and over.
        batch: whether what is shared is a key array, or may be one.
    """

    transform: str
    draw: Place
    argument: ast.expr | None = None
    mapping: ast.Call | None = None
    copies: bool = False
    batch: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOut(Fact):
    """A key is given to a callee whose source is out of reach. ``node`` is the call.

    No rule asks for it: a migration wants to know where keys leave the project.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished(Fact):
    """A function took more steps than the analysis has for one. ``node`` is its definition, or the module.

    No rule asks for it: the user is told that findings may be missing.

    Attributes:
        function: the function's name in the file; empty for the code of the module.
        steps: how many steps there were.
    """

    function: str
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedKey(Fact):
    """A derived key is bound to a name that nothing reads. ``node`` is the target name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardedDerivation(Fact):
    """A derivation is a statement of its own, so that its result is lost. ``node`` is the call.

    Attributes:
        function: the callee as it is written.
    """

    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantKey(Fact):
    """A key is made from a literal seed where it will be made again.

    Attributes:
        where: ``default-argument``, ``class-field``, ``function-body`` or ``same-seed``.
        first: for ``same-seed``, the earlier constructor call.
        owner: the function, class or parameter that holds it.
    """

    where: str
    owner: str = ""
    first: ast.AST | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationCollision(Fact):
    """Two derivations give equal children although they look independent.

    Attributes:
        how: ``fold_in-twice``, ``split-beside-fold_in``, ``splits-share-children`` or ``split-then-index``.
        first: the other derivation; ``None`` for ``split-then-index``, which is one expression.
        repeated_by: as in :class:`Reuse`.
        index: for ``split-then-index`` the datum to fold in.
    """

    how: str
    first: Place | None = None
    again: Place | None = None
    repeated_by: str = ""
    index: ast.expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedConfusion(Fact):
    """A key given as a seed (``key-as-seed``) or an integer given as a key (``seed-as-key``).

    Attributes:
        how: one of the two.
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
        rank: how many batch axes it has, when that is known.
        parts: the expressions that count the word axis, where it is not the whole of ``node``.
        exact: whether a rewrite surely keeps the numbers of raw keys.
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
        like: a variable in reach that holds keys of the same origin as those that come into the buffer; empty when
            there is none.
        rank: how many batch axes that variable has.
        in_place: whether elements are assigned, which arrays of NumPy alone allow.
    """

    form: str
    like: str = ""
    rank: int = 0
    in_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DtypeLogic(Fact):
    """A test, name or view of a key's dtype.

    Attributes:
        form: ``equals``, ``not-equals``, ``in``, ``numpy`` (a function that wants a dtype of numpy, such as
            ``np.issubdtype(key.dtype, …)``), ``integer`` (``jnp.issubdtype(key.dtype, jnp.integer)``), ``name``,
            ``kind`` (or another attribute that numbers' dtypes have).
        subject: the expression that is the key.
    """

    form: str
    subject: ast.expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion(Fact):
    """A key goes where a typed key is refused or is another value: numpy, files, comparisons, collectives …

    Attributes:
        form: what happens there, one of the forms in ``keyflow/notes/conversions.py``.
        function: the callable or operator as the user knows it.
        subjects: the expressions that are keys or key arrays; none for keys inside of what a name stands for.
        effect: what a typed key does there: ``fails``, ``differs`` without an error, or the ``same``.
        is_key: whether what comes out is used as a key.
        unsure: whether something else there may be a key, too, which nothing shows.
        before: the oldest release of JAX in which it works; empty where it works in none.
    """

    form: str
    function: str
    subjects: tuple[ast.expr, ...] = ()
    effect: str = "fails"
    is_key: bool = False
    unsure: bool = False
    before: tuple[int, ...] = ()

    def breaks(self, jax: tuple[int, ...]) -> bool:
        """Return whether a typed key changes anything where ``jax`` is the oldest release that the code runs on."""
        return self.effect != "same" and (not self.before or jax < self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Fact):
    """A mention of a name that the migration to typed keys concerns.

    Attributes:
        qualified: for example ``jax.random.PRNGKey`` or ``jax.random.KeyArray``.
        context: ``call``, ``value``, ``annotation``, ``isinstance``, ``import``, ``string-annotation``, ``alias`` (a
            variable that other files may call) or ``words`` (a type that describes the words of a raw key).
        reachable: for a constructor, what may break were its key typed, as short sentences.
    """

    qualified: str
    context: str
    reachable: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction(Reference):
    """A mention of the constructor of raw keys, to call it or to hand it on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalImplementation(Fact):
    """The generator of all keys is chosen for the whole program, or raw keys of another one are used under it.

    Attributes:
        form: ``default`` (``jax_default_prng_impl``), ``custom`` (``jax_enable_custom_prng``) or ``raw-key`` (a raw
            key that was made with an implementation of its own).
        setting: the setting as the program spells it; for ``raw-key`` the implementation.
        used: for ``raw-key`` the place that takes it for a key of the default implementation.
    """

    form: str
    setting: str
    used: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UntypedBoundary(Fact):
    """Typed keys meet code that wants raw ones, or raw keys.

    Attributes:
        form: ``argument`` (a function takes raw keys only) or ``mixed`` (one value is raw and another one typed).
        function: the function that takes raw keys only, or that joins the values.
        subject: the expression that has to change, ``None`` where there is none: the key that is handed over, or the
            raw one of the joined.
        other: for ``mixed``, the expression of the typed one.
    """

    form: str
    function: str
    subject: ast.expr | None = None
    other: ast.expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayObject(Fact):
    """Something happens to an object of a class with ``__jax_array__``; ``key`` is how the object is spelled.

    Attributes:
        class_name: the name of its class.
        plain: whether that class is surely not registered as a pytree.
        definition: the class, where it stands in this file.
        place: where it stands, in words, if that is another file.
        function: the qualified name of the transformation, or of the function that takes the object.
        subject: the expression of the object, where it is one by itself.
        role: what it is there: ``argument``, ``parameter``, ``carry``, ``input``, ``operand``, ``result``, ``key`` or
            ``index``.
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
    """One whose class is not registered crosses a transformation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayOutsideNumpy(ArrayObject):
    """One is given to a function that does not convert it, or is an index."""
