"""What is known of one library function, as one value."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal, TypeAlias

from olympus_rules.libraries.names import METADATA, NUMPY
from olympus_rules.libraries.transformations import Result, Transformation

Support: TypeAlias = Literal["yes", "no", "unknown"]
ContainerCall: TypeAlias = Literal[
    "one", "next", "all", "rows", "numbered", "mapping", "empty", "flattened", "tuples", "repeated",
    "grouped", "accumulated", "namespace", "attributes", "attribute-values", "leaves", "leaves-with-paths",
    "leaves-and-structure", "leaves-with-paths-and-structure", "structure"
]  # fmt: skip
"""What a function of Python makes of containers; ``docs/signature-packs.md`` explains the words."""


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """The row of one library function, or of a method of a library's objects.

    Attributes:
        qualified: its qualified name, for example ``jax.random.normal``; for a method, its name.
        parameters: the names of the parameters that may be given by position, in order, ``self`` left out.
        keywords: the names of the keyword-only parameters.
        sinks: the parameters whose key it consumes.
        folds: the parameters whose key it derives from by folding in, or leaves alone.
        inspects: the parameters whose key it looks at, or keeps, without consuming it.
        forwards: the parameters that come out as the result, with their key identity.
        keeps: the parameters whose key the object keeps that the class makes, and consumes each time it is called or
            entered.
        seeds: those of ``sinks``, ``folds`` and ``keeps`` that take a seed as well as a key.
        draw: which streams of the key a sampler reads; two draws from one key share their bits when these
            words are equal. ``None`` for what is no sampler.
        derive: ``split``, ``fold_in`` or ``clone`` when the result is derived from the first parameter.
        seed: ``typed`` or ``raw`` when the result is a key made from a seed.
        makes: ``key`` or ``keys`` when each call gives a fresh key, or a fresh array of keys, from hidden state.
        gives: methods of the resulting object that give a fresh key at each call; ``__call__`` stands for a call
            of the object, ``__next__`` for ``next``.
        silent: parameters with the value for which nothing is drawn: by the function, or by the object that the class
            makes.
        needs: parameters without which nothing is drawn, as that is their default.
        instead: parameters whose value, if one is given, stands for the draw.
        holds: parameters with values, by their names, for what the function in the first argument would draw.
        advances: parameters with a state that holds a key; the function returns a state with the next one.
        wrap: whether a forwarded buffer comes out as a typed key.
        unwrap: whether a forwarded typed key comes out as its buffer.
        raw: whether it takes and gives raw keys only.
        method: whether it is a method, known by its name only.
    """

    qualified: str
    parameters: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()
    inspects: tuple[str, ...] = ()
    forwards: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    draw: str | None = None
    derive: str | None = None
    seed: str | None = None
    makes: str | None = None
    gives: tuple[str, ...] = ()
    silent: tuple[tuple[str, object], ...] = ()
    needs: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    advances: tuple[str, ...] = ()
    wrap: bool = False
    unwrap: bool = False
    raw: bool = False
    method: bool = False


Form: TypeAlias = Literal[
    "numpy", "words", "dtype", "cast", "equality", "elementwise", "assertion", "fill", "pad", "shuffle", "collective",
    "ravel", "generator", "save", "pickle", "checkpoint", "processes", "device_get", "text", "print", "size", "zeros",
    "gather"
]  # fmt: skip
"""What a function does with the words of keys; ``docs/signature-packs.md`` explains the words."""
Effect: TypeAlias = Literal["fails", "differs", "same"]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a function does with the words of keys among its arguments.

    Attributes:
        form: what it does.
        places: the positions of the arguments that count.
        names: their names; ``*`` for any keyword.
        effect: what becomes of a typed key there.
        before: the oldest release of JAX in which a typed key works.
    """

    form: Form
    places: tuple[int, ...] = (0,)
    names: tuple[str, ...] = ()
    effect: Effect = "fails"
    before: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """All that is known of one callable of a library.

    Attributes:
        qualified: its name in the packs; builtins have their bare name.
        row: what it does with the key in each parameter; ``None`` where no pack says so.
        inspects: whether it consumes no key that it is given.
        silences: whether it gives an object that draws nothing when it is called.
        forwards: whether it returns its first argument unchanged, and consumes nothing.
        copies: whether what it returns are copies of that argument, one for each device.
        returns: the name of the row of its result, where that is a callable.
        fields: the names of the items of the tuple that it returns, in order.
        transform: what it does with the callables that it takes.
        typed_keys: whether it takes typed keys as it takes raw ones.
        result: what a call gives back of the values that it is given; ``None`` where nothing is known.
        container: how it builds a container or takes one apart, for functions of Python.
        counting: what it is to objects that count their draws: a class, a layer, or what a call does with such objects.
        makes_arrays: whether it gives arrays only, whatever functions it is given.
        takes_keys: whether an array function takes arrays of typed keys; others compute with numbers.
        added_axes: how many axes the result has more than the arrays in a list that it is given; ``None`` where that
            depends on other arguments.
        fits: whether an array function fits the arrays that it is given to each other, so that some get more axes.
        joins: whether it wants keys of one kind in all of its arguments.
        takes_lists: whether an array function takes lists of arrays; others take arrays only.
        shaped: whether its parameter ``shape`` is the whole shape of the array that it makes.
        conversion: what it does with the words of keys.
    """

    qualified: str
    row: LibraryFunction | None = None
    inspects: bool = False
    silences: bool = False
    forwards: bool = False
    copies: bool = False
    returns: str | None = None
    fields: tuple[str, ...] = ()
    transform: Transformation | None = None
    typed_keys: Support = "unknown"
    result: Result | None = None
    container: ContainerCall | None = None
    counting: str = ""
    makes_arrays: bool = False
    takes_keys: bool = False
    added_axes: int | None = None
    fits: bool = False
    joins: bool = False
    takes_lists: bool = False
    shaped: bool = False
    conversion: Conversion | None = None

    @property
    def computes(self) -> bool:
        """Whether it is a function of NumPy or JAX's that computes with numbers, or says how many there are."""
        is_known = self.takes_keys or self.row is not None or self.transform is not None
        is_of_numbers = self.makes_arrays and self.qualified.startswith((f"{NUMPY}.", "numpy."))
        return self.qualified in METADATA or (is_of_numbers and not is_known)

    @property
    def root(self) -> str:
        """Return the package, by its import name; builtins are their own."""
        return self.qualified.partition(".")[0]

    @property
    def name(self) -> str:
        """Return the last part of the qualified name."""
        return self.qualified.rpartition(".")[2]

    @property
    def kind(self) -> str:
        """Return the kind of transformation that it is, empty for none."""
        return "" if self.transform is None else self.transform.kind

    @property
    def follows(self) -> str:
        """Return the kind of transformation as which the key flow follows its calls, empty for none."""
        return "" if self.transform is None else self.transform.follows

    @property
    def is_jax(self) -> bool:
        """Return whether it is one of JAX's own functions."""
        return self.root == "jax"

    @property
    def is_python(self) -> bool:
        """Return whether it is a builtin, or of Python's library."""
        return "." not in self.qualified or self.root in sys.stdlib_module_names

    @property
    def is_unknown_of_python(self) -> bool:
        """Return whether it is of Python's library, and nothing is known of it."""
        return self.root in sys.stdlib_module_names and self.result is None and self.transform is None

    @property
    def is_class_of_python(self) -> bool:
        """Return whether it is a class of Python's library, as it seems: its objects keep what they are given.

        Containers and errors, of which more is known, are left out.
        """
        is_class = self.root in sys.stdlib_module_names and "." in self.qualified and self.name[:1].isupper()
        return is_class and self.container is None and self.transform is None

    @property
    def gives_objects(self) -> bool:
        """Return whether what it makes of an object of its library, by a transformation or as it is, is one, too.

        Of Python, only decorators do; JAX has arrays.
        """
        if self.is_jax:
            return False
        if self.is_python:
            return self.transform is not None and self.transform.kind == "transparent"
        return self.transform is not None or self.result in ("same", "reshaped")

    @property
    def keeps_axes(self) -> bool:
        """Return whether functions that it is given get and give arrays with the axes that they have."""
        if self.transform is not None:
            return self.transform.keeps_axes
        return self.result in ("same", "contents", "nothing")
