"""Key signatures: what a caller has to know about a callable to follow random keys through it.

The three words are those of JAX's own checker (``jax.experimental.key_reuse``):

* a *sink* is an input that the callable consumes,
* a *source* is an output that is a fresh key,
* a *forward* is an output that is an input, unchanged.

Inputs and outputs are named by *paths*. An input path starts with a parameter name and may go on with
attributes, items and keys: ``key``, ``state.key``, ``keys[0]``, ``rngs["dropout"]``. An output path is what
follows the returned value: the empty path is the value itself, ``[0]`` its first element, ``[*]`` every element.

Signatures can be computed with, without looking at code again: one callable :meth:`~KeySignature.then` another,
one of two (:meth:`~KeySignature.join`), one over and over (:meth:`~KeySignature.loop`).

The static engine reads these from source text, the tracing engine from a jaxpr; both give this one type.
This module imports nothing but the standard library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from olympus.signatures.paths import covers, meets, parse, text

Mask: TypeAlias = "tuple[bool | Mask, ...]"
"""Elements of a key array, in tuples that are nested as the array has axes."""

TURNS = 32  # iterations of a loop, after which its keys have settled or are given up


@dataclass(frozen=True, slots=True)
class Sink:
    """An input that the callable consumes.

    Attributes:
        path: the input path, for example ``key`` or ``state.key``.
        conditional: whether some execution of the callable leaves the key alone.
        mask: which elements of a key array are consumed; ``None`` for the whole input.
    """

    path: str
    conditional: bool = False
    mask: Mask | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """An output that is a fresh key or key array.

    Attributes:
        path: the output path; ``[*]`` stands for every element of a key array.
        parent: the input path that the key is derived from, ``None`` for a seed or an unknown origin.
        via: the derivation, ``split``, ``fold_in``, ``clone`` or ``seed``.
        mask: which elements of a key array are fresh; ``None`` for the whole output.
        spent: whether the callable has consumed the key that it gives; ``None`` if it does so on some executions.
    """

    path: str
    parent: str | None = None
    via: str = "split"
    mask: Mask | None = None
    spent: bool | None = False


@dataclass(frozen=True, slots=True)
class Forward:
    """An output that is an input, unchanged.

    Attributes:
        path: the output path.
        input: the input path whose key comes out.
        mask: which elements of a key array come out, each at the place where it went in; ``None`` for all.
    """

    path: str
    input: str
    mask: Mask | None = None


@dataclass(frozen=True, slots=True)
class Reuse:
    """A key that the callable consumes twice on some execution.

    Attributes:
        path: the input path of the key, or of what the key is derived from inside; ``None`` for an unknown origin.
        via: how it is derived from that, as of a :class:`Source`; empty for the input itself.
    """

    path: str | None
    via: str = ""


@dataclass(frozen=True, slots=True)
class KeySignature:
    """The sinks, sources and forwards of one callable.

    Attributes:
        parameters: the parameter names in order, so that positional arguments find their paths.
        sinks: what the callable consumes.
        sources: which of its outputs are fresh keys.
        forwards: which of its outputs are keys that it was given.
        reuses: the keys that it consumes more than once; the static engine reports these as facts instead.
    """

    parameters: tuple[str, ...] = ()
    sinks: tuple[Sink, ...] = ()
    sources: tuple[Source, ...] = ()
    forwards: tuple[Forward, ...] = ()
    reuses: tuple[Reuse, ...] = ()

    def consumes(self, path: str) -> bool:
        """Return whether the callable consumes the key at this input path on some execution."""
        return any(sink.path == path for sink in self.sinks)

    @classmethod
    def identity(cls, *parameters: str) -> KeySignature:
        """Return the signature of a callable that returns what it is given, a tuple of several.

        Laws: with ``f`` of one parameter ``x``, ``identity(x).then(f, {x: ""}) == f.normalised()``; and
        ``f.then(identity(y), {y: ""}) == f.normalised()`` for every ``f``.
        """
        if len(parameters) == 1:
            return cls(parameters, forwards=(Forward("", parameters[0]),))
        return cls(parameters, forwards=tuple(Forward(f"[{i}]", name) for i, name in enumerate(parameters)))

    def normalised(self) -> KeySignature:
        """Return the normal form of equivalent signatures.

        Masks become paths of elements, ``keys[1]``; redundant entries are left out; the rest is in the order of
        the paths. Law: ``x.normalised().normalised() == x.normalised()``.
        """
        sinks = [replace(sink, path=path, mask=None) for sink in self.sinks for path in _paths(sink.path, sink.mask)]
        sources = [
            replace(source, path=path, parent=source.parent and text(parse(source.parent)), mask=None)
            for source in self.sources
            for path in _paths(source.path, source.mask)
        ]
        forwards = [
            Forward(path, input)
            for each in self.forwards
            for path, input in zip(_paths(each.path, each.mask), _paths(each.input, each.mask), strict=True)
        ]
        reuses = [Reuse(each.path and text(parse(each.path)), each.via) for each in self.reuses]
        return KeySignature(
            self.parameters,
            tuple(sorted(_without_repeated(sinks), key=lambda sink: sink.path)),
            tuple(sorted(_without_covered(sources), key=lambda source: (source.path, source.parent or "", source.via))),
            tuple(sorted(set(forwards), key=lambda forward: (forward.path, forward.input))),
            tuple(sorted(_without_parts(reuses), key=lambda reuse: (reuse.path or "", reuse.via))),
        )

    def then(self, other: KeySignature, binding: Mapping[str, str] | None = None) -> KeySignature:
        """Return the signature of this callable followed by another one, whose outputs are those of the whole.

        What is consumed by both is a reuse, unless it is under a condition in both: the conditions may exclude
        each other. A key that one callable gives out at two places is two keys to the next.

        Law: ``f.then(g, a).then(h, b) == f.then(g.then(h, b), a)``, where each key is given on once, and where the
        input paths in ``b`` start with no parameter that ``a`` binds.

        Args:
            other: the callable that comes second.
            binding: for each of its parameters an output path of this callable (``""``, ``[0]``) or an input path of
                the whole; a parameter that is left out is a parameter of the whole.
        """
        return _Sequence(self.normalised(), other.normalised(), binding or {}).signature()

    def join(self, other: KeySignature) -> KeySignature:
        """Return the signature of a branch: either this callable or the other one.

        A sink is conditional unless both have it. A forward is left out unless both have it; a source keeps its
        parent if both agree. Laws: it is associative, commutative but for the order of the parameters, and
        ``f.join(f) == f.normalised()``.
        """
        first, second = self.normalised(), other.normalised()
        sinks = [
            Sink(path, min(_consumption(first, path), _consumption(second, path)) < ALWAYS)
            for path in dict.fromkeys(sink.path for sink in first.sinks + second.sinks)
        ]
        paths = dict.fromkeys(source.path for source in first.sources + second.sources)
        sources = [found for path in paths if (found := _either(first, second, path)) is not None]
        parameters = dict.fromkeys(first.parameters + second.parameters)
        forwards = tuple(forward for forward in first.forwards if forward in second.forwards)
        return KeySignature(
            tuple(parameters), tuple(sinks), tuple(sources), forwards, first.reuses + second.reuses
        ).normalised()

    def loop(self, carry: Mapping[str, str]) -> KeySignature:
        """Return the signature of a loop with this callable as its body, run once or more.

        It is the join of one iteration, two iterations and so on. A key that no iteration refreshes is consumed again
        by the next one, and is a reuse. ``body.loop(carry).join(KeySignature.identity(…))`` may run no iteration.

        Law: ``f.loop(c).loop(c) == f.loop(c)``, unless each iteration hands on an element or attribute of what it was
        handed, as when a list is followed: such a loop is given up after a number of iterations.

        Args:
            carry: for each parameter that an iteration hands to the next the output path that it comes from; the others
                are the same in all iterations.
        """
        turn = result = self.normalised()
        seen = set[KeySignature]()
        while turn not in seen and len(seen) < TURNS:
            seen.add(turn)
            turn = turn.then(self, carry)
            result = result.join(turn)
        return result


# Normal form.


def _paths(path: str, mask: Mask | None) -> Iterator[str]:
    """Return the paths of the elements that a mask chooses; the path of the whole where it chooses all."""
    whole = text(parse(path))
    if mask is None or all(_flat(mask)):
        yield whole
    else:
        for index, chosen in enumerate(mask):
            if chosen:
                yield from _paths(f"{whole}[{index}]", chosen if isinstance(chosen, tuple) else None)


def _flat(mask: Mask) -> Iterator[bool]:
    for chosen in mask:
        yield from _flat(chosen) if isinstance(chosen, tuple) else [chosen]


def _without_repeated(sinks: list[Sink]) -> list[Sink]:
    """Leave out sinks that lie in another one which is as certain."""
    certain = {parse(sink.path) for sink in sinks if not sink.conditional}
    either = {parse(sink.path) for sink in sinks}

    def is_needed(sink: Sink) -> bool:
        path = parse(sink.path)
        if sink.conditional and path in certain:
            return False
        return not any(whole != path and covers(whole, path) for whole in (either if sink.conditional else certain))

    return [sink for sink in dict.fromkeys(sinks) if is_needed(sink)]


def _without_covered(sources: list[Source]) -> list[Source]:
    """Leave out sources that lie in another one with the same origin."""
    return [
        source
        for source in dict.fromkeys(sources)
        if not any(
            other.path != source.path
            and replace(other, path=source.path) == source
            and covers(parse(other.path), parse(source.path))
            for other in sources
        )
    ]


def _without_parts(reuses: list[Reuse]) -> list[Reuse]:
    wholes = [parse(reuse.path) for reuse in reuses if reuse.path is not None and not reuse.via]
    return [
        reuse
        for reuse in dict.fromkeys(reuses)
        if reuse.via
        or reuse.path is None
        or not any(whole != parse(reuse.path) and covers(whole, parse(reuse.path)) for whole in wholes)
    ]


# How certain it is that a key is consumed, as numbers that compare.

NEVER, SOMETIMES, ALWAYS = range(3)
SPENT = {False: NEVER, None: SOMETIMES, True: ALWAYS}
SPENT_AS = {number: spent for spent, number in SPENT.items()}


def _certainty(sink: Sink) -> int:
    return SOMETIMES if sink.conditional else ALWAYS


def _consumption(signature: KeySignature, path: str) -> int:
    """Return whether a callable consumes what lies at an input path, as a whole."""
    own = parse(path)
    return max((_certainty(sink) for sink in signature.sinks if covers(parse(sink.path), own)), default=NEVER)


# Branches.


def _either(first: KeySignature, second: KeySignature, path: str) -> Source | None:
    """Return what both of two callables say of a fresh key."""
    one, other = _source_at(first, path), _source_at(second, path)
    if one is None or other is None or one.via != other.via:
        return None
    parent = one.parent if one.parent == other.parent else None
    return Source(path, parent, one.via, spent=one.spent if one.spent == other.spent else None)


def _source_at(signature: KeySignature, path: str) -> Source | None:
    """Return the most specific entry for the key at an output path."""
    own = parse(path)
    found = [source for source in signature.sources if covers(parse(source.path), own)]
    exact = [source for source in found if source.path == path]
    return max(exact or found, key=lambda source: len(parse(source.path)), default=None)


# Sequences.


@dataclass(frozen=True, slots=True)
class _Held:
    """What a parameter of the second callable holds, or a part of it.

    Attributes:
        within: the steps from the place that was asked for to it.
        place: the input path of the whole, or the output path of the first callable.
        source: the fresh key at that output path; ``None`` for an input.
    """

    within: tuple[str, ...]
    place: tuple[str, ...]
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class _Sequence:
    """Two callables, the second of which takes outputs of the first, and how they are bound."""

    first: KeySignature
    second: KeySignature
    binding: Mapping[str, str]

    def signature(self) -> KeySignature:
        """Return the signature of the whole."""
        sinks = [
            Sink(text(held.place), sink.conditional)
            for sink in self.second.sinks
            for held in self.held(parse(sink.path))
            if held.source is None
        ]
        fresh = [replace(source, parent=self.ancestor(source.parent)) for source in self.second.sources]
        sources, forwards = list[Source](), list[Forward]()
        for forward in self.second.forwards:
            for held in self.held(parse(forward.input)):
                if held.source is None:
                    forwards.append(Forward(forward.path + text(held.within), text(held.place)))
                else:
                    sources += self.passed_on(forward, held)
        return KeySignature(
            self.parameters(),
            (*self.first.sinks, *sinks),
            (*fresh, *sources),
            tuple(forwards),
            (*self.first.reuses, *self.own_reuses(), *self.reuses()),
        ).normalised()

    def parameters(self) -> tuple[str, ...]:
        """Return those of the first, what the binding names besides, and those of the second that are not bound."""
        named = [parse(self.binding.get(name, name))[0] for name in self.second.parameters]
        return tuple(dict.fromkeys((*self.first.parameters, *filter(None, named))))

    def held(self, path: tuple[str, ...]) -> list[_Held]:
        """Return what lies at an input path of the second callable, or in it."""
        parameter, *steps = path
        place = (*parse(self.binding.get(parameter, parameter)), *steps)
        if place[0]:
            return [_Held((), place)]
        whole, parts = list[tuple[int, _Held]](), list[_Held]()
        entries: tuple[Source | Forward, ...] = (*self.first.sources, *self.first.forwards)
        for entry in entries:
            own = parse(entry.path)
            start = parse(entry.input) if isinstance(entry, Forward) else own
            source = entry if isinstance(entry, Source) else None
            if covers(own, place):
                exact = place if source is not None else (*start, *place[len(own) :])
                closeness = len(own) + (own == place)  # [0] is more specific than [*]
                whole.append((closeness, _Held((), exact, source)))
            elif covers(place, own):
                parts.append(_Held(own[len(place) :], start, source))
        best = max((closeness for closeness, _ in whole), default=0)
        return [held for closeness, held in whole if closeness == best] + parts

    def ancestor(self, path: str | None) -> str | None:
        """Return the input path of the whole for one of the second callable, ``None`` if a fresh key lies there."""
        found = [] if path is None else self.held(parse(path))
        return text(found[0].place) if len(found) == 1 and found[0].source is None and not found[0].within else None

    def passed_on(self, forward: Forward, held: _Held) -> Iterator[Source]:
        """Return the entries of a fresh key that the second callable returns, and may have consumed, or a part of."""
        source = held.source
        if source is None:
            return
        start = parse(forward.input)
        own = (*start, *held.within)
        inside: dict[tuple[str, ...], int] = {}
        spent = SPENT[source.spent]
        for sink in self.second.sinks:
            path = parse(sink.path)
            if covers(path, own):
                spent = max(spent, _certainty(sink))
            elif covers(own, path):
                inside[path] = max(inside.get(path, NEVER), _certainty(sink))
        yield replace(source, path=forward.path + text(held.within), spent=SPENT_AS[spent])
        for path, certainty in inside.items():
            part = forward.path + text(path[len(start) :])
            yield replace(source, path=part, spent=SPENT_AS[max(spent, certainty)])

    def own_reuses(self) -> Iterator[Reuse]:
        """Return what the second callable reuses, in terms of the whole."""
        for reuse in self.second.reuses:
            if reuse.via or reuse.path is None:
                yield Reuse(self.ancestor(reuse.path), reuse.via)
                continue
            for held in self.held(parse(reuse.path)):
                yield _reuse_of(held)

    def reuses(self) -> Iterator[Reuse]:
        """Return what both callables consume, and what the second consumes that is bound to two parameters."""
        earlier = [(parse(sink.path), _certainty(sink), "") for sink in self.first.sinks]
        earlier += [
            (parse(source.path), SPENT[source.spent], "") for source in self.first.sources if source.spent is not False
        ]
        for sink in self.second.sinks:
            parameter, certainty = parse(sink.path)[0], _certainty(sink)
            for held in self.held(parse(sink.path)):
                for place, before, of in earlier:
                    if of != parameter and meets(place, held.place) and max(before, certainty) == ALWAYS:
                        longer = max(place, held.place, key=len)
                        yield _reuse_of(replace(held, place=longer))
                earlier.append((held.place, certainty, parameter))


def _reuse_of(held: _Held) -> Reuse:
    source = held.source
    return Reuse(text(held.place)) if source is None else Reuse(source.parent, source.via)
