"""What one signature pack says, as values; ``docs/signature-packs.md`` explains the format."""

from __future__ import annotations

from dataclasses import dataclass, field

from olympus.signatures.signature import Forward, KeySignature, Sink, Source

__all__ = ["LibraryFunction", "Pack"]


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
        seeds: those of ``sinks`` and ``folds`` that take a seed as well as a key.
        draw: which streams of the key a sampler reads; two draws from one key share their bits when these
            words are equal. ``None`` for what is no sampler.
        derive: ``split``, ``fold_in`` or ``clone`` when the result is derived from the first parameter.
        seed: ``typed`` or ``raw`` when the result is a key made from a seed.
        makes: ``key`` or ``keys`` when each call gives a fresh key, or a fresh array of keys, from hidden state.
        gives: methods of the resulting object that give a fresh key at each call; ``__call__`` stands for a call
            of the object, ``__next__`` for ``next``.
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
    seeds: tuple[str, ...] = ()
    draw: str | None = None
    derive: str | None = None
    seed: str | None = None
    makes: str | None = None
    gives: tuple[str, ...] = ()
    wrap: bool = False
    unwrap: bool = False
    raw: bool = False
    method: bool = False

    def key_signature(self) -> KeySignature:
        """Return the same knowledge in the type that project functions have."""
        sources: tuple[Source, ...] = ()
        if self.seed:
            sources = (Source("", via="seed"),)
        elif self.derive:
            sources = (Source("[*]" if self.derive == "split" else "", parent=self.parameters[0], via=self.derive),)
        return KeySignature(
            parameters=self.parameters + self.keywords,
            sinks=tuple(Sink(name) for name in self.sinks),
            sources=sources,
            forwards=tuple(Forward("", name) for name in self.forwards),
        )


@dataclass(frozen=True, slots=True)
class Pack:
    """A signature pack.

    Attributes:
        roots: the packages that it speaks of, by their import names.
        functions: rows of functions and classes.
        methods: rows of methods of the packages' objects, by the method's name.
        returns: callables that return one which does what another name's row says, with that name.
        lists: the lists of names in the other sections, by section and field.
        typed_since: the first release of the library that is known to take typed keys, empty when none is.
        raw: whether the library is known to take raw keys only.
        raw_names: functions that are known not to take typed keys.
    """

    roots: tuple[str, ...]
    functions: tuple[LibraryFunction, ...] = ()
    methods: tuple[LibraryFunction, ...] = ()
    returns: dict[str, str] = field(default_factory=dict)
    lists: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    typed_since: str = ""
    raw: bool = False
    raw_names: tuple[str, ...] = ()

    def listed(self, section: str, name: str) -> tuple[str, ...]:
        """Return the list of a section's field, empty where the pack has none."""
        return self.lists.get((section, name), ())

    def spoken_of(self) -> frozenset[str]:
        """Return every qualified name that the pack says something about."""
        listed = (names for (_, name), names in self.lists.items() if name not in ("prefixes", "methods"))
        return frozenset(row.qualified for row in self.functions).union(self.returns, *listed)
