"""The key flow, program by program: a line that ends in ``# reuse`` is flagged, every other line is quiet."""

from __future__ import annotations

import ast
import re
import textwrap

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption, Ledger
from olympus_rules.keyflow.domain.paths import ALWAYS
from olympus_rules.keyflow.domain.terms import Terms
from olympus_rules.keyflow.facts import DerivationCollision, DtypeLogic, KeyArithmetic, KeyIndexing, Reuse, ShapeLogic
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.syntax import Document

HEADER = """\
import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
"""

PROGRAMS = {
    "an assertion about the answer of an object, and its next answer": """
        def f(key, coin):
            assert coin.flip()
            draw = random.normal(key)
            if not coin.flip():
                draw += random.normal(key)  # reuse
            return draw
    """,
    "what is made when it is first asked for": """
        from elsewhere import initialise

        class Model:
            def __init__(self, key):
                self.key = key
                self.params = None
                self.ready = False

            def get(self):
                if self.params is None:
                    self.params = random.normal(self.key)
                return self.params

            def elsewhere(self):
                if not self.params:
                    self.params = initialise(self.key)
                return self.params

            def early(self):
                if self.params is not None:
                    return self.params
                self.params = random.normal(self.key)
                return self.params

            def expression(self):
                self.params = random.normal(self.key) if self.params is None else self.params
                return self.params

            def alternative(self):
                self.params = self.params or initialise(self.key)
                return self.params

            def flagged(self):
                if not self.ready:
                    self.params = random.normal(self.key)
                    self.ready = True
                return self.params

            def attribute(self):
                if not hasattr(self, "other"):
                    self.other = random.normal(self.key)
                return self.other

            def reset(self):
                self.params = None

            def stuck(self):
                if self.params is None:
                    return random.normal(self.key)  # reuse
                return self.params

        def right(seed):
            a, b, c, d = (Model(key) for key in random.split(random.key(seed), 4))
            e, f, g = (Model(key) for key in random.split(random.key(seed + 1), 3))
            a.get(), a.get(), b.elsewhere(), b.elsewhere(), c.early(), c.early(), d.expression(), d.expression()
            e.alternative(), e.alternative(), f.flagged(), f.flagged(), g.attribute(), g.attribute()

        def right_one_by_one(seed):
            a = Model(random.key(seed))
            a.get(), a.get()
            b = Model(random.key(seed))
            b.elsewhere(), b.elsewhere()
            c = Model(random.key(seed))
            c.early(), c.early()
            d = Model(random.key(seed))
            d.expression(), d.expression()
            e = Model(random.key(seed))
            e.alternative(), e.alternative()
            f = Model(random.key(seed))
            f.flagged(), f.flagged()
            g = Model(random.key(seed))
            g.attribute(), g.attribute()

        def right_loop(seed, xs):
            model = Model(random.key(seed))
            for x in xs:
                model.get()

        def wrong(seed):
            model = Model(random.key(seed))
            a = model.stuck()
            return a, model.stuck()  # reuse

        def wrong_reset(seed):
            model = Model(random.key(seed))
            a = model.get()
            model.reset()
            return a, model.get()  # reuse

        def wrong_two(seed):
            model = Model(random.key(seed))
            a = model.get()
            return a, model.attribute()  # reuse
    """,
    "a variable that is filled in the first turn": """
        from elsewhere import initialise

        def right(key, xs):
            y = None
            for x in xs:
                if y is None:
                    y = random.normal(key)
            z, done = None, False
            for x in xs:
                z = z or initialise(x)
            return y, z

        def right_elsewhere(key, xs):
            y = None
            for x in xs:
                if y is None:
                    y = initialise(key)
            return y

        def right_alternative(key, xs):
            y = None
            for x in xs:
                y = y or initialise(key)
            return y

        def right_default(key, xs, y=None):
            for x in xs:
                if y is None:
                    y = random.normal(key)
                y = y + 1
            return y

        def right_flag(key, xs):
            done = False
            for x in xs:
                if not done:
                    y = random.normal(key)
                    done = True
            return y

        def wrong(key, xs):
            y = None
            for x in xs:
                if y is None:
                    y = random.normal(key)  # reuse
                y = None

        def wrong_other(key, xs):
            y = None
            for x in xs:
                if y is None:
                    z = random.normal(key)  # reuse
    """,
    "a record that a mapped function copies is the carry of a loop": """
        import dataclasses

        @dataclasses.dataclass
        class Chain:
            x: jax.Array
            key: jax.Array

        def kept(chain):
            key, subkey = random.split(chain.key)
            return dataclasses.replace(chain, x=random.normal(subkey), key=key)

        def lost(chain):
            key, subkey = random.split(chain.key)
            return dataclasses.replace(chain, x=random.normal(subkey))

        def right(chains):
            return lax.while_loop(lambda c: c.x.max() < 3, lambda c: jax.vmap(kept)(c), chains)

        def right_scan(chains, n):
            return lax.scan(lambda c, _: (jax.vmap(kept)(c), None), chains, None, n)

        def right_fori(chains, n):
            def one(chain):
                key, subkey = random.split(chain.key)
                new, old = chain._replace(x=random.normal(subkey), key=key), chain._replace(key=key)
                return lax.cond(chain.x > 0, lambda: new, lambda: old)

            return lax.fori_loop(0, n, lambda _, c: jax.vmap(one)(c), chains)

        def wrong(chains):
            return lax.while_loop(lambda c: c.x.max() < 3, lambda c: jax.vmap(lost)(c), chains)  # reuse

        def wrong_scan(chains, n):
            return lax.scan(lambda c, _: (jax.vmap(lost)(c), None), chains, None, n)  # reuse
    """,
    "a record with keys and a counter is the carry of a loop": """
        import dataclasses

        @dataclasses.dataclass
        class Chain:
            x: jax.Array
            keys: jax.Array
            index: jax.Array
            steps: int

        def right(key, n):
            def body(chain):
                x = chain.x + random.normal(chain.keys[chain.index])
                return dataclasses.replace(chain, x=x, index=chain.index + 1)

            return lax.while_loop(lambda c: c.index < n, body, Chain(0.0, random.split(key, n), 0, 0))

        def wrong(key, n):
            def body(chain):
                x = chain.x + random.normal(chain.keys[chain.index])  # reuse
                return dataclasses.replace(chain, x=x, steps=chain.steps + 1)

            return lax.while_loop(lambda c: c.steps < n, body, Chain(0.0, random.split(key, n), 0, 0))
    """,
    "a cache that gives what it has": """
        CACHE = {}

        def cached(name, key):
            value = CACHE.get(name)
            if value is None:
                value = random.normal(key)
                CACHE[name] = value
            return value

        def early(cache, name, key):
            if (value := cache.get(name, None)) is not None:
                return value
            value = cache[name] = random.normal(key)
            return value

        def truth(cache, name, key):
            if not cache.get(name):
                cache[name] = random.normal(key)
            return cache[name]

        def forgetful(cache, name, key):
            value = cache.get(name)
            if value is None:
                value = random.normal(key)
            return value

        def deep(cache, name, key):
            return early(cache, name, key)

        def right(key, cache, name):
            value = cache.get(name)
            if value is None:
                value = random.normal(key)
                cache[name] = value
            other = cache.get(name)
            if other is None:
                other = random.normal(key)
                cache[name] = other
            return value, other

        def right_loop(key, cache, name, n):
            for _ in range(n):
                value = cache.get(name)
                if value is None:
                    value = random.normal(key)
                    cache[name] = value
                print(value)

        def right_local(key, n):
            cache = {}
            for _ in range(n):
                value = cache.get("noise")
                if value is None:
                    value = cache["noise"] = random.normal(key)
                print(value)

        def right_calls(key, other, third, cache, name):
            a = cached("a", key), cached("a", key), cached("a", key)
            b = truth(cache, name, third), truth(cache, name, third)
            return a, b, cached(name, other), cached(name, other)

        def right_handed(key, other, third, name):
            cache, fresh = {}, {}
            a = early(cache, "a", key), early(cache, "a", key)
            return a, deep(fresh, name, other), deep(fresh, name, other), early({}, name, third)

        def wrong(key, cache):
            value = cache.get("a")
            if value is None:
                value = cache["a"] = random.normal(key)
            other = cache.get("b")
            if other is None:
                other = cache["b"] = random.normal(key)  # reuse
            return value, other

        def wrong_names(key, cache, names):
            for name in names:
                value = cache.get(name)
                if value is None:
                    value = cache[name] = random.normal(key)  # reuse
                print(value)

        def wrong_calls(key):
            a = cached("a", key)
            return a, cached("b", key)  # reuse

        def wrong_forgetful(key, cache, name):
            a = forgetful(cache, name, key)
            return a, forgetful(cache, name, key)  # reuse

        def others(queue, key):
            if queue.get() is None or queue.get("name", 0) is None or queue.get("name", default=key):
                return random.normal(key)
            return queue.get()

        def wrong_others(queue, key):
            a = others(queue, key)
            return a, others(queue, key)  # reuse

        class Noise:
            def __init__(self, key):
                self.key, self.cache = key, {}

            def get(self, name):
                value = self.cache.get(name)
                if value is None:
                    value = random.normal(self.key)
                    self.cache[name] = value
                return value

            def noise(self):
                if self.cache.get("noise") is None:
                    self.cache["noise"] = random.normal(self.key)
                return self.cache["noise"]

        def right_object(seed, name):
            noise, other = Noise(random.key(seed)), Noise(random.key(seed))
            return noise.get(name), noise.get(name), other.noise(), other.noise()

        def wrong_object(seed):
            noise = Noise(random.key(seed))
            a = noise.get("a")
            return a, noise.get("b")  # reuse
    """,
    "an element of a list is replaced before the list is handed on": """
        from library import mapped

        def right(args, where, n):
            args[where] = random.split(args[where], n)
            return mapped(*args)

        def right_mapped(f, axes, args, where, n):
            args = list(args)
            args[where] = jax.tree.map(lambda key: random.split(key, n), args[where])
            return jax.vmap(f, axes)(*args)

        def right_constant(state, n):
            state["key"], key = random.split(state["key"], n)
            return mapped(state), random.normal(key)

        def right_loop(args, n):
            for _ in range(n):
                args[0], key = random.split(args[0])
                mapped(random.normal(key), *args)

        def right_branch(args, n, flag):
            if flag:
                args[0] = random.split(args[0], n)
            return mapped(*args)

        def advance(args):
            args[0] = random.split(args[0])[0]

        def right_callee(args):
            advance(args)
            return mapped(*args)

        def wrong_other(args, n):
            args[1] = random.split(args[0], n)
            return mapped(*args)  # reuse

        def wrong_branch(args, n, flag):
            keys = random.split(args[0], n)
            if flag:
                args[0] = keys
            return mapped(*args)  # reuse

        def wrong_back(args, n):
            key = args[0]
            args[0] = random.split(key, n)
            args[0] = key
            return mapped(*args)  # reuse
    """,
    "a callee that is looked up in a table": """
        def plain(key):
            return {"size": 3}

        def drawing(key):
            return random.uniform(key)

        table = {"a": {"make": plain, "size": 3}, "b": {"make": lambda key: 0, "size": 4}}
        mixed = {"a": {"make": plain, "size": 3}, "b": {"make": drawing, "size": 4}}
        flat = {"a": plain, "b": lambda key: 0}
        flat_mixed = {"a": plain, "b": drawing}

        def right(key, kind):
            return table[kind]["make"](key), flat[kind](key), random.normal(key)

        def right_known(key):
            return table["a"]["make"](key), flat["a"](key), mixed["a"]["make"](key), random.normal(key)

        def right_variable(key, kind):
            make, other = table[kind].get("make"), flat.get(kind)
            return make(key), other(key), random.normal(key)

        def right_local(key, kind):
            local = {"a": {"make": plain}, "b": {"make": plain}}
            return local[kind]["make"](key), random.normal(key)

        def right_one_of_two(key, kind):
            if kind == "a":
                return flat_mixed[kind](key), random.normal(key)
            return flat_mixed[kind](key)

        def right_unknown(key, kind, makers):
            x = makers[kind]["make"](key)
            make = makers[kind]["other"]
            return x, make(key), random.normal(key)

        def wrong(key, kind):
            return mixed[kind]["make"](key), random.normal(key)  # reuse

        def wrong_flat(key, kind):
            return flat_mixed[kind](key), random.normal(key)  # reuse

        def wrong_known(key):
            return mixed["b"]["make"](key), random.normal(key)  # reuse

        def wrong_unknown(key, kind, makers):
            return makers[kind](key), random.normal(key)  # reuse

        def wrong_unpacked(key, net):
            (init, apply), shape = net
            return init(key, shape), random.normal(key)  # reuse
    """,
    "a cached property": """
        class Model:
            def __init__(self, key):
                self.key = key

            @functools.cached_property
            def noise(self):
                return random.normal(self.key)

            @property
            def more_noise(self):
                return random.normal(self.key)  # reuse

            def use(self):
                return self.noise + 1

            def use_twice(self):
                return self.noise + self.noise

        def right(seed, flag):
            model = Model(random.key(seed))
            a = model.noise
            if flag:
                a += model.use()
            for _ in range(3):
                a += model.noise
            return a, model.noise, model.use_twice(), model.use()

        def wrong(seed):
            model = Model(random.key(seed))
            a = model.noise
            return a, random.normal(model.key)  # reuse

        def wrong_property(seed):
            model = Model(random.key(seed))
            return model.more_noise, model.more_noise
    """,
    "a cache": """
        CACHE = {}
        _params = None

        def cached(name, key):
            if name not in CACHE:
                CACHE[name] = random.normal(key)
            return CACHE[name]

        def params(key):
            global _params
            if _params is None:
                _params = random.normal(key)
            return _params

        def forget():
            global _params
            _params = None

        def right(key, other, name):
            a = cached("a", key), cached("a", key), cached("a", key)
            return a, cached(name, other), cached(name, other)

        def wrong(key):
            a = cached("a", key)
            return a, cached("b", key)  # reuse

        def right_global(key):
            return params(key), params(key)

        def wrong_global(key):
            a = params(key)
            forget()
            return a, params(key)  # reuse

        class Noise:
            def __init__(self, key):
                self.key, self.cache = key, {}

            def get(self, name):
                if name in self.cache:
                    return self.cache[name]
                value = self.cache[name] = random.normal(self.key)
                return value

            def noise(self):
                if "noise" not in self.cache:
                    self.cache["noise"] = random.normal(self.key)
                return self.cache["noise"]

        def right_object(seed, name):
            noise = Noise(random.key(seed))
            a = noise.get(name), noise.get(name)
            other = Noise(random.key(seed))
            b = other.get("a"), other.get("a"), other.get("a")
            third = Noise(random.key(seed))
            return a, b, third.noise(), third.noise()

        def wrong_object(seed):
            noise = Noise(random.key(seed))
            a = noise.get("a")
            return a, noise.get("b")  # reuse

        def closure(key, other):
            y = None

            def get():
                nonlocal y
                if y is None:
                    y = random.normal(key)
                return y

            def stuck():
                if y is None:
                    return random.normal(other)
                return y

            a = stuck()
            return get(), get(), a, stuck()
    """,
    "what a conditional of JAX returns is there": """
        def default(key, y=None):
            if y is None:
                y = random.uniform(key)
            return y

        def right(key, p, y=None):
            if y is None:
                y = lax.cond(p, lambda k: random.normal(k), lambda k: jnp.zeros(()), key)
            if y is None:
                y = random.uniform(key)
            return y

        def right_default(key, p, make):
            y = lax.cond(p, lambda: make(1), lambda: jnp.zeros(3))
            a = random.normal(key)
            return a, default(key, y)

        def right_loop(key, p, xs):
            y = lax.cond(p, lambda: random.normal(key), lambda: jnp.zeros(()))
            for x in xs:
                if y is None:
                    y = random.uniform(key)
            return y

        def wrong(key, p):
            y = lax.cond(p, lambda: random.normal(key), lambda: jnp.zeros(3))
            return y, default(key)  # reuse
    """,
    "an object that something unknown gets between two uses of its key": """
        from elsewhere import Base, advance, thing

        def right(state):
            a = random.normal(state.rng)
            advance(state)
            b = random.normal(state.rng)
            thing.update(state)
            c = random.normal(state.rng)
            thing.step([state, 1])
            d = random.normal(state.rng)
            state.update()
            e = random.normal(state.inner.rng)
            advance(state)
            return a, b, c, d, e, random.normal(state.inner.rng)

        def looks(state):
            a = random.normal(state.rng)
            print(state, jnp.sum(state.x), jax.block_until_ready(state))
            advance(state.x)
            return a, random.normal(state.rng)  # reuse

        def passes_on(state):
            advance(state)

        def keeps(state):
            return state.x + 1

        def through_a_function(state):
            a = random.normal(state.rng)
            passes_on(state)
            return a, random.normal(state.rng)

        def through_a_harmless_function(state):
            a = random.normal(state.rng)
            keeps(state)
            return a, random.normal(state.rng)  # reuse

        def draws_afterwards(state):
            advance(state)
            return random.normal(state.rng)

        def right_by_a_function(state):
            a = random.normal(state.rng)
            return a, draws_afterwards(state)

        def wrong_by_a_function(state):
            a = draws_afterwards(state)
            return a, random.normal(state.rng)  # reuse

        def of_a_dictionary(state):
            a = random.normal(state["rng"])
            thing.store.update(state=state)
            return a, random.normal(state["rng"])

        def of_a_copy(state):
            state = state.replace(x=1)
            a = random.normal(state.rng)
            advance(state)
            return a, random.normal(state.rng)

        def in_a_loop(state, xs):
            for x in xs:
                random.normal(state.rng)
                advance(state)

        def stuck_in_a_loop(state, xs):
            for x in xs:
                random.normal(state.rng)  # reuse
                advance(x)

        class Agent(Base):
            def right(self):
                a = random.normal(self.rng)
                self.update()
                b = random.normal(self.rng)
                advance(self)
                return a, b, random.normal(self.rng)

            def hands_itself_out(self):
                advance(self)

            def right_by_a_method(self):
                a = random.normal(self.rng)
                self.hands_itself_out()
                return a, random.normal(self.rng)

            def wrong(self):
                a = random.normal(self.rng)
                advance(self.x)
                return a, random.normal(self.rng)  # reuse
    """,
    "a dictionary or list that is updated in place and returned": """
        def step(c):
            c["key"], subkey = random.split(c["key"])
            c["x"] = random.normal(subkey)
            return c, c["x"]

        def stuck(c):
            c["other"], subkey = random.split(c["key"])
            return c, random.normal(subkey)

        def by_update(c):
            key, subkey = random.split(c["key"])
            c.update(key=key, x=0)
            return c, random.normal(subkey)

        def nested(c):
            c["rngs"]["noise"], subkey = random.split(c["rngs"]["noise"])
            return c, random.normal(subkey)

        def of_list(c):
            c[0], subkey = random.split(c[0])
            return c, random.normal(subkey)

        def pushed(keys):
            key, subkey = random.split(keys[-1])
            keys.append(key)
            return random.normal(subkey)

        def right(key, other):
            c = {"key": key, "x": 0.0}
            c, a = step(c)
            c, b = step(c)
            c, d = by_update(c)
            c, e = by_update(c)
            return a, b, d, e, step(other)[1], by_update(other)[1], step(other)[1]

        def wrong(key):
            c = {"key": key, "x": 0.0}
            c, a = stuck(c)
            c, b = stuck(c)  # reuse
            return a, b

        def right_nested(key, other):
            c = {"rngs": {"noise": key}}
            c, a = nested(c)
            c, b = nested(c)
            return a, b, nested(other)[1], nested(other)[1]

        def right_list(key):
            c, a = of_list([key, 0.0])
            c, b = of_list(c)
            return a, b, pushed(c), pushed(c)

        def loops(key, xs):
            c = lax.fori_loop(0, 4, lambda i, c: step(c)[0], {"key": key, "x": 0.0})
            c, _ = lax.scan(lambda c, x: step(c), c, xs)
            return c

        def stuck_loop(key, xs):
            return lax.scan(lambda c, x: stuck(c), {"key": key, "x": 0.0}, xs)  # reuse

        def loop_in_place(key):
            def body(i, c):
                c["key"], subkey = random.split(c["key"])
                c["x"] += random.normal(subkey)
                return c

            return lax.fori_loop(0, 4, body, {"key": key, "x": 0.0})
    """,
    "a container in a container that is changed in place": """
        def right(key):
            c = {"s": {"key": key}}
            for _ in range(3):
                c["s"]["key"], subkey = random.split(c["s"]["key"])
                random.normal(subkey)
            d = c["s"]
            d["key"], subkey = random.split(d["key"])
            return random.normal(subkey), random.normal(c["s"]["key"])

        def wrong(key):
            c = {"s": [key]}
            d = list(c["s"])
            d[0], subkey = random.split(d[0])
            return random.normal(subkey), random.normal(c["s"][0])  # reuse

        def by_method(key):
            c = {"s": {"key": key}, "keys": [key]}
            key, subkey = random.split(c["s"]["key"])
            c["s"].update(key=key)
            c["keys"].append(key)
            other, _ = random.split(c["s"]["key"])
            return random.normal(subkey), random.normal(other), c["keys"][-1]

        class Sampler:
            def __init__(self, key):
                self.state = {"key": key, "count": 0}

            def draw(self):
                self.state["key"], subkey = random.split(self.state["key"])
                self.state["count"] += 1
                return random.normal(subkey)

            def stuck(self):
                self.state["other"], subkey = random.split(self.state["key"])
                return random.normal(subkey)

        def right_object(seed):
            sampler = Sampler(random.key(seed))
            return sampler.draw(), sampler.draw()

        def wrong_object(seed):
            sampler = Sampler(random.key(seed))
            return sampler.stuck(), sampler.stuck()  # reuse
    """,
    "a copy of the copy that has the new key": """
        import copy
        import dataclasses

        def step(s):
            key, subkey = random.split(s.rng)
            s = s.replace(rng=key)
            return s.replace(x=s.x + random.normal(subkey))

        def stuck(s):
            key, subkey = random.split(s.rng)
            s = s.replace(other=key)
            return s.replace(x=s.x + random.normal(subkey))

        def right(s):
            s = step(s)
            return step(s)

        def wrong(s):
            s = stuck(s)
            return stuck(s)  # reuse

        def one_by_one(s):
            key, subkey = random.split(s.rng)
            s = dataclasses.replace(s, rng=key)
            s = copy.replace(s, x=random.normal(subkey))
            return s._replace(y=random.normal(s.rng)), random.normal(s.rng)  # reuse

        def on_one_path(s, flag):
            a = random.normal(s.rng)
            if flag:
                s = s.replace(x=a)
            s = s.replace(y=0)
            return random.normal(s.rng)  # reuse

        def loop(s):
            for _ in range(3):
                s = step(s)
            for x in (1, 2, 3):
                key, subkey = random.split(s.rng)
                s = s.replace(rng=key)
                s = s.replace(x=x)
            return s

        def scan(s):
            def body(s, _):
                key, subkey = random.split(s.rng)
                s = s._replace(rng=key)
                return s._replace(x=random.normal(subkey)), None

            return lax.scan(body, s, None, length=4)

        def scan_stuck(s):
            def body(s, _):
                key, subkey = random.split(s.rng)  # reuse
                s = s._replace(other=key)
                return s._replace(x=random.normal(subkey)), None

            return lax.scan(body, s, None, length=4)

        def while_loop(s):
            def body(s):
                key, subkey = random.split(s.rng)
                s = s.replace(rng=key)
                s = s.replace(x=random.normal(subkey))
                return s

            return lax.while_loop(lambda s: s.x < 3, body, s)
    """,
    "a guard between the split and the copy that has the new key": """
        def step(state):
            key, subkey = random.split(state.rng)
            if state.tx is None:
                raise ValueError
            return state.replace(rng=key), random.normal(subkey)

        def in_place(state, n):
            key, subkey = random.split(state.rng)
            if n < 0:
                raise ValueError
            elif n > 10:
                raise ValueError
            state.rng = key
            return random.normal(subkey)

        def returns(state):
            key, subkey = random.split(state.rng)
            if state.tx is None:
                return state, random.normal(subkey)
            return state.replace(rng=key), random.normal(subkey)

        def right(state):
            state, a = step(state)
            state, b = step(state)
            return a, b

        def right_in_place(state, n):
            return in_place(state, n), in_place(state, n)

        def right_scan(state):
            return lax.scan(lambda state, _: step(state), state, None, length=3)

        def wrong(state):
            state, a = returns(state)
            state, b = returns(state)  # reuse
            return a, b
    """,
    "stores, logs and queues": """
        import pickle
        import wandb
        from labkit import make_logger, results

        def logged(seed, run, queue, manager):
            key = random.key(seed)
            logger = make_logger()
            logger.checkpoint({"rng": key})
            logger.flush(key)
            make_logger().state(key)
            run.log({"rng": key})
            wandb.run.summarize(key)
            queue.put_nowait(key)
            queue.requeue(key)
            pickle.dumps(key)
            manager.ckpt_manager.keep(3, key)
            results.dump(key)
            return random.normal(key)

        def drawn(seed, logger, queue):
            key = random.key(seed)
            batch = queue.sample(key)
            return batch, logger.generate(key)  # reuse

        def called(seed, train):
            key = random.key(seed)
            values = results.checkpoint(lambda k: random.normal(k), key)
            return values, random.normal(key)  # reuse

        def played(seed, runner):
            key = random.key(seed)
            runner.play(key)
            return random.normal(key)  # reuse
    """,
    "waiting for a value": """
        from labkit import execute, save

        def right(seed, server):
            key = random.key(seed)
            save("name", wait_for=key)
            execute(3, depends_on=[key])
            server.wait_until_done(key)
            key.block_until_ready()
            jax.block_until_ready(key)
            return random.normal(key)

        def wrong(seed, server):
            key = random.key(seed)
            save("name", key, wait_for=3)
            execute(3, key, depends_on=[])
            return random.normal(key)  # reuse

        def run(seed, server):
            key = random.key(seed)
            server.wander(key)
            return random.normal(key)  # reuse
    """,
    "conversions for other libraries": """
        import torch
        import tensorflow as tf
        import jax.dlpack
        import labkit
        from torch.utils.dlpack import from_dlpack

        def right(seed):
            key = random.PRNGKey(seed)
            there = from_dlpack(key), torch.from_dlpack(jax.dlpack.to_dlpack(key)), torch.as_tensor(key)
            other = tf.constant(key), labkit.jax2torch(key), labkit.to_torch(key), labkit.from_dlpack(key)
            return there, other, random.normal(key)

        def wrong(seed):
            key = random.PRNGKey(seed)
            there = torch.utils.dlpack.from_dlpack(random.normal(key))
            return there, tf.random.stateless_normal((2,), key)  # reuse

        def worse(seed):
            key = random.PRNGKey(seed)
            return labkit.from_here(key), labkit.torchify(random.normal(key))  # reuse
    """,
    "objects that may keep a key": """
        import labkit
        from labkit.states import LearnerState

        class Train(labkit.TrainState):
            def fork(self, key):
                return random.split(key)

        class Held(labkit.Base):
            def __init__(self, rng):
                super().__init__(rng=rng)

        def right(seed, state, state_cls, primitive):
            key = random.key(seed)
            a = Train.create(rng=key), Held(key), LearnerState.create(rng=key), LearnerState.from_parts(key)
            b = type(state)(key), state.__class__(key), state_cls(key), primitive.bind(key)
            return a, b, random.normal(key)

        def wrong(seed, state):
            key = random.key(seed)
            a = Train.fork(state, key), labkit.states.create(key)  # reuse
            return a

        def worse(seed, state):
            key = random.key(seed)
            return state.sample(key), labkit.Agent.create(key)  # reuse
    """,
    "a method kept in an attribute": """
        class Agent:
            def __init__(self, fancy):
                self.sampler = None
                self.sampler = self._fold if fancy else self._other
                self.batched = jax.vmap(self._fold, in_axes=(None, 0))
                self.drawing = self._draw

            def _fold(self, key, step):
                return random.normal(random.fold_in(key, step))

            def _other(self, key, step):
                return random.uniform(random.fold_in(key, step))

            def _draw(self, key, step):
                return random.normal(key) + step

            def right(self, seed, steps):
                key = random.key(seed)
                return self.sampler(key, 1), self.sampler(key, 2), self.batched(random.fold_in(key, 3), steps)

            def wrong(self, seed):
                key = random.key(seed)
                return self.drawing(key, 1), self.drawing(key, 2)  # reuse

        class Chosen(Agent):
            def setup(self, jit):
                if jit:
                    self.step = jax.jit(self._fold)
                else:
                    self.step = self._fold
                if jit:
                    self.mixed = self._fold
                else:
                    self.mixed = self._draw

            def right(self, seed):
                key = random.key(seed)
                return self.step(key, 1), self.step(key, 2)

            def wrong(self, seed):
                key = random.key(seed)
                return self.mixed(key, 1), self.mixed(key, 2)  # reuse
    """,
    "an attribute of one of two classes": """
        class Noise:
            def draw(self, key):
                return random.normal(key)

        class Silence:
            def draw(self, key):
                return 0.0

        class Agent:
            def __init__(self, loud, noise=None):
                self.noise = noise
                self.one = None
                self.one = Noise()
                self.both = Silence()
                if loud:
                    self.both = Noise()

            def certain(self, seed):
                key = random.key(seed)
                return self.one.draw(key), self.one.draw(key)  # reuse

            def likely(self, seed):
                key = random.key(seed)
                return self.both.draw(key), self.both.draw(key)  # reuse
    """,
    "a generator of keys where a key is taken, too": """
        from flax import nnx

        def draw(rng, shape):
            if hasattr(rng, "dropout") and callable(rng.dropout):
                return random.normal(rng.dropout(), shape)
            return random.normal(rng, shape)

        def choose(rng, shape):
            key = rng.dropout() if hasattr(rng, "dropout") and callable(rng.dropout) else rng
            return random.normal(key, shape)

        def negated(rng, shape):
            if not (callable(rng) or hasattr(rng, "dropout")):
                return random.normal(rng, shape)
            return random.normal(rng(), shape)

        def right(rng):
            return draw(rng, (2,)), draw(rng, (3,))

        def chosen(rng):
            return choose(rng, (2,)), choose(rng, (3,)), negated(rng, (4,))

        def made(seed):
            rng = nnx.Rngs(seed)
            return draw(rng, (2,)), choose(rng, (3,)), negated(rng, (4,))

        def wrong(seed):
            key = random.key(seed)
            return draw(key, (2,)), negated(key, (3,))  # reuse

        def worse(rng):
            random.split(rng)
            return choose(rng, (3,))  # reuse
    """,
    "a helper that ends in a primitive": """
        from labkit.primitives import keyed_p, mark

        def show(key, x):
            return keyed_p.bind(key, x)

        def right(seed, x):
            key = random.key(seed)
            x = show(key, x)
            return show(key, x), random.normal(key)

        def wrong(seed, x):
            key = random.key(seed)
            return show(random.bits(key), x), mark(key)  # reuse

        def worse(seed, x):
            key = random.key(seed)
            return mark(key, keyed_p), random.normal(key)  # reuse
    """,
    "a method that is left to subclasses": """
        class Distribution:
            def pair(self, seed):
                key = random.key(seed)
                return self.draw(key), self.draw(key)  # reuse

            def right(self, seed):
                one, two = random.split(random.key(seed))
                return self.draw(one), self.draw(two)

            def draw(self, key):
                \"\"\"Draw one value.\"\"\"
                raise NotImplementedError
    """,
    "a return after the last turn of a loop": """
        def f(key, n):
            for i in range(n):
                random.bits(key)  # reuse
            else:
                return random.exponential(key)  # reuse
    """,
    "a class with a method of its own that replaces fields": """
        class State:
            def __init__(self, key, x):
                self.key, self.x = key, x

            def replace(self, **changes):
                new = object.__new__(type(self))
                new.__dict__.update(self.__dict__)
                new.__dict__.update(changes)
                return new

        def right(seed):
            state = State(random.key(seed), 0)
            key, subkey = random.split(state.key)
            state = state.replace(key=key, x=random.normal(subkey))
            return random.normal(state.key)

        def wrong(seed):
            state = State(random.key(seed), 0)
            state = state.replace(x=random.normal(state.key))
            return random.normal(state.key)  # reuse
    """,
    "of two bases the later one overrides the first one's base": """
        class Base:
            def draw(self, key):
                return random.normal(key)

        class Plain(Base):
            pass

        class Quiet(Base):
            def draw(self, key):
                return 0.0

        class Both(Plain, Quiet):
            pass

        class Loud(Plain, Base):
            pass

        def right(seed):
            key = random.key(seed)
            one = Both()
            return one.draw(key), one.draw(key)

        def wrong(seed):
            key = random.key(seed)
            one = Loud()
            return one.draw(key), one.draw(key)  # reuse
    """,
    "a method of the next class of the object's own": """
        class Base:
            def draw(self, key):
                return random.normal(key)

        class Upper(Base):
            def draw(self, key):
                return super().draw(key)

        class Quiet(Base):
            def draw(self, key):
                return 0.0

        class Both(Upper, Quiet):
            pass

        def right(seed):
            key = random.key(seed)
            one = Both()
            return one.draw(key), one.draw(key)

        def wrong(seed):
            key = random.key(seed)
            one = Upper()
            return one.draw(key), one.draw(key)  # reuse
    """,
    "a class body binds the name of an inherited method": """
        def quiet(self, key):
            return 0.0

        class Base:
            def draw(self, key):
                return random.normal(key)

            def twice(self, key):
                return random.normal(key), random.normal(key)  # reuse

            sample = draw

        class Quiet(Base):
            draw = quiet
            sample: object = quiet

        def right(seed):
            key = random.key(seed)
            one = Quiet()
            return one.draw(key), one.sample(random.fold_in(key, 1))

        def wrong(seed):
            key = random.key(seed)
            one = Base()
            return one.draw(key), one.sample(key)  # reuse
    """,
    "an inherited method calls one that the class overrides": """
        class Strategy:
            def initialize(self, key):
                return self.start(key)

            def start(self, key):
                raise NotImplementedError

        class Drawing(Strategy):
            def start(self, key):
                return random.normal(key)

        class Quiet(Strategy):
            def start(self, key):
                return 0

        def wrong(key):
            return Drawing().initialize(key), random.normal(key)  # reuse

        def right(key):
            return Quiet().initialize(key), random.normal(key)
    """,
    "a counter that a method advances": """
        class Stream:
            def __init__(self, key):
                self.key, self.count = key, 0

            def step(self):
                x = random.normal(random.fold_in(self.key, self.count))
                self.count += 1
                return x

            def stuck(self):
                return random.normal(random.fold_in(self.key, self.count))

        def right(seed):
            stream = Stream(random.key(seed))
            return stream.step(), stream.step()

        def wrong(seed):
            stream = Stream(random.key(seed))
            return stream.stuck(), stream.stuck()  # reuse
    """,
    "what a generator yields": """
        def walk(node):
            for child in node.children:
                yield child

        def split_all(keys):
            for key in random.split(keys, 3):
                yield key

        def right(node, key):
            for child in walk(node):
                random.normal(child.key)
            return [random.normal(k) for k in split_all(key)]

        def wrong(node, key):
            for child in walk(node):
                random.normal(child.key) + random.normal(child.key)  # reuse
            for k in split_all(key):
                random.normal(k), random.uniform(k)  # reuse
    """,
    "a name that this release of JAX has": """
        def copy(key):
            if hasattr(jax.random, "clone"):
                return jax.random.clone(key)
            return key

        def f(key):
            return random.normal(copy(key)), random.normal(key)
    """,
    "an attribute that is looked at before it is taken for a key": """
        class Dropout:
            def __init__(self, rngs=None):
                self.rngs = None if rngs is None else rngs.fork()

            def __call__(self, x, rngs=None):
                rngs = rngs or self.rngs
                if isinstance(rngs, jax.Array):
                    key = rngs
                else:
                    key = rngs()
                return random.bernoulli(key, 0.5, x.shape)
    """,
    "looked at as a tree, stored, restored into": """
        def f(checkpointer, seed):
            key = random.key(seed)
            leaves, tree = jax.tree_util.tree_flatten((key, 1))
            checkpointer.load_checkpoint(key)
            checkpointer.restore("path", {"key": key})
            return random.normal(key), jax.tree.leaves(key)
    """,
    "a closure that calls another one": """
        def make(key):
            def inner():
                return random.normal(key)

            return lambda: inner()

        def two(seed):
            a, b = random.split(random.key(seed))
            f, g = make(a), make(b)
            return f(), g()

        def each(keys):
            return [make(k)() for k in random.split(random.key(0))]

        def shared(seed):
            key = random.key(seed)
            f = make(key)
            return random.normal(key), f()  # reuse
    """,
    "an argument that is not None": """
        def init(key, shape, momenta=None):
            if momenta is None:
                momenta = random.normal(key, shape)
            return momenta

        def right(key, other):
            m, n = jnp.ones((3,)), random.normal(other, (3,))
            return init(key, (3,), m), init(key, (3,), momenta=n), init(key, (3,), m * 2), init(key, (3,))

        def wrong(key, m):
            return init(key, (3,), m), init(key, (3,))  # reuse
    """,
    "a callee that looks whether it gets a key or a generator of keys": """
        class Dropout:
            def __call__(self, x, rngs):
                key = rngs if isinstance(rngs, jax.Array) else rngs.dropout()
                return x * random.bernoulli(key, 0.5, x.shape)

        def f(x, rngs):
            first, second = Dropout(), Dropout()
            return second(first(x, rngs), rngs)

        def wrong(x, seed):
            key = random.key(seed)
            first, second = Dropout(), Dropout()
            return second(first(x, key), key)  # reuse
    """,
    "the object that an attribute holds": """
        class Noise:
            def __call__(self, x, key):
                return x + random.normal(key, x.shape)

            def quiet(self, x, key):
                return x

        class Model:
            def __init__(self):
                self.noise = Noise()

            def wrong(self, x, key):
                return self.noise(self.noise(x, key), key)  # reuse

            def right(self, x, key):
                return self.noise(self.noise.quiet(x, key), key)
    """,
    "an attribute that a helper refreshes under a condition": """
        class Learner:
            def __init__(self, seed):
                self.key = random.key(seed)

            def next_key(self):
                self.key, key = random.split(self.key)
                return key

            def draw(self, key=None):
                return random.normal(self.next_key() if key is None else key)

            def refresh(self, flag, other):
                if flag:
                    if other:
                        self.key = other.build(self.key)

            def right(self, flag, other):
                self.refresh(flag, other)
                self.draw()
                self.key, key = random.split(self.key)
                return random.normal(key)

            def wrong(self):
                x = self.draw(self.key)
                return x + random.uniform(self.key)  # reuse
    """,
    # found by random programs (tests/generated)
    "or, and then neither of the two": """
        def f(key, p, q):
            x = random.normal(key) if p or q else 0.0
            if not p:
                if not q:
                    x = random.uniform(key)
            return x
    """,
    "and returned, and then both": """
        def f(key, p, q):
            x = random.normal(key)
            if p and q:
                return x
            if p:
                if q:
                    x = random.uniform(key)
            return x
    """,
    "the paths that a return leaves open": """
        def f(key, p, q):
            if p:
                x = random.normal(key)
                if not q:
                    return x
            return random.uniform(key) if not q else 0.0
    """,
    "both ways out of a branch return": """
        def f(key, p, q, r):
            if r:
                if p:
                    x = random.normal(key)
                    if q:
                        return x
                    return -x
            return random.uniform(key)
    """,
    "nobody gets here who would draw twice": """
        def f(key, p, q):
            if p:
                if q:
                    return 0.0
            x = random.normal(key) if p else 0.0
            return random.uniform(key) if q else x
    """,
    "finally after a return": """
        def f(key):
            try:
                return random.normal(key)
            finally:
                random.uniform(key)  # reuse
    """,
    "an element of a list changed in a branch": """
        def f(key, p):
            a, b = random.split(key)
            both = [a, b]
            if p:
                a, c = random.split(a)
                both[0] = c
            both[1] = a
            random.normal(b)
            random.normal(a)
            random.normal(both[1])  # reuse
    """,
    "last of a slice": """
        def f(key):
            first = random.split(key, 3)[:2]
            random.normal(first[1])
            random.normal(first[-1])  # reuse
    """,
    "an item written in one branch": """
        def f(key, other, p):
            keys = random.split(key, 3)
            random.normal(keys[0])
            if p:
                keys[0] = other
            random.normal(keys[0])  # reuse
    """,
    "the rest of an unpacking is a list": """
        def f(key):
            first, *rest = random.split(key, 3)
            rest[0] = first
            random.normal(rest[-2])
            random.normal(first)  # reuse
    """,
    "a loop over one element": """
        def f(key):
            keys = random.split(key, 3)[1:2]
            for k in keys:
                random.normal(key)  # reuse
                random.normal(k)
    """,
    "the third turn of three": """
        def f(key):
            keys = random.split(key, 3)
            for k in keys:
                random.normal(k)
            random.normal(keys[2])  # reuse
    """,
    "a loop that surely runs replaces the key": """
        def f(key):
            keys = random.split(key, 3)
            for key in keys:
                random.fold_in(key, 1)
            random.normal(key)
    """,
    "a comprehension whose elements are all known": """
        def f(key):
            keys = [random.fold_in(key, i) for i in range(3)]
            random.normal(keys[1])
            random.normal(keys[-2])  # reuse
    """,
    "one key in two places of one argument": """
        def f(pair):
            random.normal(pair[0])
            random.normal(pair[1])

        def g(key):
            f((key, key))  # reuse
    """,
    "a condition that the call decides": """
        def f(key, p, q):
            if p or q:
                random.normal(key)

        def g(key):
            f(key, False, False)
            f(key, True, False)
            f(key, False, True)  # reuse
    """,
    "a child of what a function returns": """
        def f(key):
            copy = random.clone(key)
            random.normal(random.fold_in(copy, 7))
            return copy

        def g(key):
            random.normal(random.fold_in(f(key), 7))  # reuse
    """,
    "an element handed to a function that says nothing of keys": """
        def same(x, flag):
            return x

        def f(rngs):
            random.split(same(rngs[0], True))
            random.normal(rngs[0])  # reuse
    """,
    "more ways than are remembered": """
        def f(key, p, q, steps):
            for _ in range(steps):
                for _ in range(steps):
                    if p:
                        key, _ = random.split(key)
                    if q:
                        key, _ = random.split(key)
            random.normal(key)
            random.normal(key)  # reuse
    """,
    "straight line": """
        def f(key):
            a = random.normal(key)
            b = random.uniform(key)  # reuse
            return a + b
    """,
    "three draws": """
        def f(key):
            a = random.normal(key)
            b = random.normal(key)  # reuse
            return random.normal(key)  # reuse
    """,
    "parent after split": """
        def f(key):
            k1, k2 = random.split(key)
            return random.normal(k1), random.normal(k2), random.normal(key)  # reuse
    """,
    "refreshed": """
        def f(key):
            key, sub = random.split(key)
            a = random.normal(sub)
            key, sub = random.split(key)
            return a + random.normal(sub) + random.normal(key)
    """,
    "exclusive branches": """
        def f(key, train):
            if train:
                return random.normal(key)
            else:
                return random.uniform(key)
    """,
    "branch and join": """
        def f(key, train):
            x = 0.0
            if train:
                x = random.normal(key)
            return x + random.uniform(key)  # reuse
    """,
    "correlated conditions": """
        def f(key, train):
            x = 0.0
            if train:
                x = random.normal(key)
            if not train:
                x = random.uniform(key)
            return x
    """,
    "correlated conditions, rebound between": """
        def f(key, train):
            x = 0.0
            if train:
                x = random.normal(key)
            train = not train
            if not train:
                x = random.uniform(key)  # reuse
            return x
    """,
    "smaller, equal, larger": """
        def f(key, n, m):
            if n > m:
                return random.normal(key)
            if m == n:
                random.normal(key)
            if n < m:
                random.uniform(key)
            if n >= m:
                random.gamma(key)  # reuse
    """,
    "keys of enclosing scopes that a function advances": """
        KEY = random.key(0)

        def fresh():
            global KEY
            KEY, subkey = random.split(KEY)
            return subkey

        def f(key):
            def sample():
                nonlocal key
                key, subkey = random.split(key)
                return random.normal(subkey)

            a, b = random.normal(fresh()), random.normal(fresh())
            c = sample()
            return a + b + c + sample()
    """,
    "record that is replaced but for its key": """
        import dataclasses

        @dataclasses.dataclass
        class State:
            key: jax.Array
            x: float

        def stale(state):
            _, sub = random.split(state.key)
            return dataclasses.replace(state, x=random.normal(sub))

        def fresh(state):
            key, sub = random.split(state.key)
            return dataclasses.replace(state, x=random.normal(sub), key=key)

        def f(seed):
            state = fresh(State(random.key(seed), 0.0))
            state = stale(fresh(state))
            return stale(state)  # reuse
    """,
    "guard and early return": """
        def f(key, n):
            if n == 0:
                return random.normal(key)
            return random.uniform(key)
    """,
    "early return in a nested branch": """
        def f(key, a, b):
            if a:
                if b:
                    return random.normal(key)
                a = 1
            return random.uniform(key)
    """,
    "continue in a nested branch": """
        def f(keys, a, b):
            for key in keys:
                if a:
                    if b:
                        random.normal(key)
                        continue
                random.uniform(key)
    """,
    "draw before a nested return": """
        def f(key, a, b):
            x = random.normal(key)
            if a:
                if b:
                    return x
            return random.uniform(key)  # reuse
    """,
    "comparison chain is exclusive": """
        def f(key, kind):
            x = 0.0
            if kind == "a":
                x = random.normal(key)
            if kind == "b":
                x = random.uniform(key)
            return x
    """,
    "match": """
        def f(key, kind):
            match kind:
                case "a":
                    x = random.normal(key)
                case "b":
                    x = random.uniform(key)
                case _:
                    x = random.gumbel(key)
            return x + random.normal(key)  # reuse
    """,
    "key refreshed in one branch": """
        def f(key, train):
            if train:
                key, sub = random.split(key)
                x = random.normal(sub)
            else:
                x = 0.0
            return x + random.normal(key)
    """,
    "default key": """
        def f(key=None):
            if key is None:
                key = random.key(0)
            return random.normal(key)
    """,
    "loop with constant key": """
        def f(key):
            x = 0.0
            for _ in range(3):
                x += random.normal(key)  # reuse
            return x
    """,
    "first turn of a loop": """
        def f(key, first_key, rows):
            for i, row in enumerate(rows):
                if i == 0:
                    random.normal(first_key)
                if i > 0:
                    key, sub = random.split(key)
                    random.normal(sub)
                if i != 3:
                    random.uniform(first_key)  # reuse
    """,
    "loop that refreshes": """
        def f(key):
            x = 0.0
            for _ in range(3):
                key, sub = random.split(key)
                x += random.normal(sub)
            return x + random.normal(key)
    """,
    "loop that folds in": """
        def f(key):
            return [random.normal(random.fold_in(key, i)) for i in range(3)]
    """,
    "while loop": """
        def f(key, x):
            while x < 0:
                x = random.normal(key)  # reuse
            return x
    """,
    "while true with break": """
        def f(key):
            while True:
                key, sub = random.split(key)
                x = random.normal(sub)
                if x > 0:
                    break
            return random.uniform(key)
    """,
    "loop that always leaves": """
        def f(key, xs):
            for x in xs:
                return random.normal(key)
    """,
    "loop else": """
        def f(key, xs):
            for x in xs:
                if x:
                    y = random.normal(key)
                    break
            else:
                y = random.uniform(key)
            return y
    """,
    "continue": """
        def f(key, xs):
            for x in xs:
                if x:
                    continue
                key, sub = random.split(key)
                random.normal(sub)
            return random.normal(key)
    """,
    "continue before the refresh": """
        def f(key, xs):
            for x in xs:
                y = random.normal(key)  # reuse
                if x:
                    continue
                key, _ = random.split(random.fold_in(key, 1))
    """,
    "loop over keys": """
        def f(key):
            return sum(random.normal(k) for k in random.split(key, 3))
    """,
    "two loops over one key array": """
        def f(key):
            keys = random.split(key, 3)
            for k in keys:
                random.normal(k)
            for k in keys:
                random.uniform(k)  # reuse
    """,
    "zip and enumerate": """
        def f(key, xs):
            keys = random.split(key, 3)
            for i, (k, x) in enumerate(zip(keys, xs)):
                random.normal(k)
            return random.normal(keys[-1])
    """,
    "loop over indices": """
        def f(key, n):
            keys = random.split(key, n)
            for i in range(n):
                random.normal(keys[i])
    """,
    "one index in a loop": """
        def f(key, n):
            keys = random.split(key, n)
            for i in range(n):
                random.normal(keys[0])  # reuse
    """,
    "key array elements": """
        def f(key):
            keys = random.split(key, 4)
            a = random.normal(keys[0]) + random.normal(keys[1])
            b = random.normal(keys[0])  # reuse
            return a + b + random.normal(keys[-1]) + random.normal(keys[3])  # reuse
    """,
    "slices": """
        def f(key):
            keys = random.split(key, 6)
            a = jax.vmap(random.normal)(keys[:3])
            b = jax.vmap(random.normal)(keys[3:])
            return a, b, jax.vmap(random.normal)(keys[2:4])  # reuse
    """,
    "slices up to the last": """
        def f(key, n):
            keys = random.split(key, n + 2)
            first = random.normal(keys[0])
            middle = jax.vmap(random.normal)(keys[1:-1])
            last = random.normal(keys[-1])
            jax.vmap(random.normal)(keys[:-1])  # reuse
            jax.vmap(random.normal)(keys[-2:])  # reuse
            return first, middle, last
    """,
    "slices of a few": """
        def f(key):
            keys = random.split(key, 3)
            jax.vmap(random.normal)(keys[:-1])
            return random.normal(keys[2]), random.normal(keys[1])  # reuse
    """,
    "list of a few": """
        def f(key):
            keys = list(random.split(key, 3))
            a, b = random.normal(keys[-1]), random.normal(keys[0])
            c = random.normal(keys.pop())  # reuse
            return a, b, c, random.normal(keys.pop())
    """,
    "list of an unknown number that loses its last elements": """
        def f(key, n):
            keys = random.split(key, n)
            others = list(keys)
            others.pop()
            return random.normal(keys[-1]), random.normal(others[-1]), random.normal(keys[-2])  # reuse

        def g(key, n):
            keys = random.split(key, n)
            first = list(keys)
            del first[2:]
            return random.normal(keys[2]), random.normal(first[1]), random.normal(keys[1])  # reuse
    """,
    "lists that are longer than a slice of keys": """
        def f(key, other, n):
            keys = random.split(key, n)
            first, most = list(keys[:1]), list(keys[:-1])
            first.append(other)
            most.append(other)
            return random.normal(first[1]), random.normal(most[3]), random.normal(keys[1]), random.normal(keys[3])

        def g(key, n):
            keys = random.split(key, n)
            second = random.normal(keys[1])
            for k in list(keys[:1]):
                second += random.normal(k)
            return second

        def h(key, other, n):
            keys = random.split(key, n)
            more = list(keys[1:]) + [other]
            a, b = random.normal(more[1]), random.normal(more[-1])
            return a, b, random.normal(keys[-1]), random.normal(keys[2])  # reuse

        def i(key, other, n):
            more = [other] + list(random.split(key, n))
            return random.normal(more[-1]), random.normal(more[0]), random.normal(other)  # reuse

        def j(key, other, n):
            more = [other] + list(random.split(key, n))
            return random.normal(more[-1]), random.normal(other)
    """,
    "slices between bounds, written out or not": """
        def f(key, start):
            keys = random.split(key, 3)
            some, two = lax.slice(keys, start, (2,)), lax.slice(keys, (0,), (2,))
            return random.normal(some[0]), random.normal(two[0]), random.normal(keys[0])  # reuse
    """,
    "a few raw keys as a NumPy array": """
        def f(key):
            keys = np.asarray(random.split(key, 3))
            return random.normal(keys[0]), random.normal(keys[2]), random.normal(keys[-1])  # reuse
    """,
    "scan over elements without a length": """
        def f(key, xs):
            def body(carry, x):
                return carry, random.normal(carry)  # reuse
            return lax.scan(body, key, xs, length=None)
    """,
    "starred": """
        def f(key):
            key, *subs = random.split(key, 4)
            a = random.normal(subs[0]) + random.normal(subs[1])
            b = a + random.normal(key) + random.normal(subs[0])  # reuse
            return b + random.normal(subs[2]) + random.normal(subs[-1])  # reuse
    """,
    "vmap over keys, then one of them": """
        def f(key):
            keys = random.split(key, 4)
            a = jax.vmap(random.normal)(keys)
            return a + random.normal(keys[0])  # reuse
    """,
    "comprehension with constant key": """
        def f(key):
            return [random.normal(key) for _ in range(3)]  # reuse
    """,
    "comprehension scope": """
        def f(key, keys):
            a = [random.normal(key) for key in keys]
            return a, random.normal(key)
    """,
    "lambda": """
        def f(key):
            draw = lambda: random.normal(key)
            return draw() + draw()  # reuse
    """,
    "lambda with a parameter": """
        def f(key):
            draw = lambda k: random.normal(k)
            k1, k2 = random.split(key)
            return draw(k1) + draw(k2)
    """,
    "shadowed by a parameter": """
        def f(key):
            def g(key):
                return random.normal(key)
            k1, k2 = random.split(key)
            return g(k1) + g(k2)
    """,
    "closure called twice": """
        def f(key):
            def g():
                return random.normal(key)
            a = g()
            return a + g()  # reuse
    """,
    "closure over a refreshed key": """
        def f(key):
            def g():
                return random.normal(key)
            a = g()
            key, _ = random.split(random.fold_in(key, 1))
            return a + g()
    """,
    "helper consumes": """
        def helper(rng):
            return random.normal(rng)

        def f(rng):
            a = helper(rng)
            return a + random.uniform(rng)  # reuse
    """,
    "helper folds in": """
        def helper(rng, i):
            return random.fold_in(rng, i)

        def f(rng):
            return random.normal(helper(rng, 0)) + random.normal(helper(rng, 1))
    """,
    "helper draws under a flag": """
        def helper(rng, sample=False):
            if sample:
                return random.normal(rng)
            return 0.0

        def f(rng):
            return helper(rng) + random.uniform(rng)

        def g(rng):
            return helper(rng, sample=True) + random.uniform(rng)  # reuse
    """,
    "helper returns the key it used": """
        def helper(rng):
            return random.normal(rng), rng

        def f(rng):
            x, rng = helper(rng)
            return x + random.normal(rng)  # reuse
    """,
    "helper returns a fresh key": """
        def helper(rng):
            rng, sub = random.split(rng)
            return random.normal(sub), rng

        def f(rng):
            x, rng = helper(rng)
            y, rng = helper(rng)
            return x + y + random.normal(rng)
    """,
    "helper called with one key twice": """
        def helper(a, b):
            return random.normal(a) + random.normal(b)

        def f(key):
            return helper(key, key)  # reuse
    """,
    "stateful generator": """
        class Keys:
            def __init__(self, seed):
                self.key = random.key(seed)

            def next(self):
                self.key, sub = random.split(self.key)
                return sub

        def f():
            keys = Keys(0)
            return random.normal(keys.next()) + random.normal(keys.next())
    """,
    "attribute": """
        class A:
            def f(self):
                a = random.normal(self.key)
                return a + random.normal(self.key)  # reuse

            def g(self):
                self.key, sub = random.split(self.key)
                a = random.normal(sub)
                self.key, sub = random.split(self.key)
                return a + random.normal(sub)
    """,
    "state that is never advanced": """
        class Policy:
            def __init__(self, key):
                self.key = key

            def act(self, obs):
                return random.normal(self.key)  # reuse
    """,
    "state that is advanced": """
        class Policy:
            def __init__(self, key):
                self.key = key

            def act(self, obs):
                self.key, sub = random.split(self.key)
                return random.normal(sub)
    """,
    "state that another method advances": """
        class Policy:
            def __init__(self, key):
                self.key = key

            def advance(self):
                self.key, _ = random.split(self.key)

            def act(self, obs):
                self.advance()
                return random.normal(self.key)  # reuse
    """,
    "record field": """
        def f(state):
            a = random.normal(state.key)
            state = state.replace(key=random.fold_in(state.key, 1))
            return a + random.normal(state.key)

        def g(state):
            a = random.normal(state.key)
            return a + random.normal(state.key)  # reuse
    """,
    "dict entries": """
        def f(key):
            k1, k2 = random.split(key)
            rngs = {"params": k1, "dropout": k2}
            a = random.normal(rngs["params"]) + random.normal(rngs["dropout"])
            return a + random.normal(rngs["params"])  # reuse
    """,
    "dictionary of names and keys": """
        def f(key, names):
            keys = random.split(key, len(names))
            rngs = dict(zip(names, keys))
            for name in names:
                random.normal(rngs[name])
            for name in rngs:
                act(name[0]), act(name[0])
            for name in names:
                random.uniform(rngs[name])  # reuse
    """,
    "values of a dictionary of keys": """
        def f(key, names):
            rngs = dict(zip(names, random.split(key, len(names))))
            for rng in rngs.values():
                random.normal(rng)
            for name, rng in rngs.items():
                act(name), act(name)
                random.uniform(rng)  # reuse
    """,
    "a method of an enumeration": """
        import enum

        class Mode(enum.Enum):
            FAST = 1

            @staticmethod
            def draw(key):
                return random.normal(key)

        def f(key):
            return Mode.draw(key), random.normal(key)  # reuse
    """,
    "a closure over a variable beside a callable, called outside functions": """
        def make(sample):
            count = 3

            def draw(key):
                return sample(key, (count,))

            return draw

        draw = make(random.normal)
        key = random.key(0)
        x = draw(key) + random.normal(key)  # reuse
    """,
    "dictionary of known names and keys": """
        def f(key):
            rngs = dict(zip(("a", "b"), random.split(key)))
            a, b = random.normal(rngs["a"]), random.normal(rngs["b"])
            return a, b, random.uniform(rngs["b"])  # reuse
    """,
    "list that pops": """
        def f(key):
            keys = list(random.split(key, 4))
            return random.normal(keys.pop()) + random.normal(keys.pop())
    """,
    "iterator": """
        def f(key):
            keys = iter(random.split(key, 4))
            return random.normal(next(keys)) + random.normal(next(keys))
    """,
    "walrus": """
        def f(key):
            if (x := random.normal(key)) > 0:
                return random.uniform(key)  # reuse
            return x
    """,
    "conditional expression": """
        def f(key, train):
            return random.normal(key) if train else random.uniform(key)
    """,
    "conditional expression and after": """
        def f(key, train):
            a = random.normal(key) if train else 0.0
            return a + random.uniform(key)  # reuse
    """,
    "short circuit": """
        def f(key, train):
            a = train and random.normal(key)
            return a if train else random.uniform(key)
    """,
    "try and except": """
        def f(key):
            try:
                return random.normal(key)
            except ValueError:
                return random.uniform(key)
    """,
    "try and finally": """
        def f(key):
            try:
                x = random.normal(key)
            finally:
                random.uniform(key)  # reuse
            return x
    """,
    "expected to raise": """
        def f(key):
            with pytest.raises(ValueError):
                random.normal(key, -1)
            return random.normal(key)
    """,
    "raise ends the path": """
        def f(key, n):
            if n:
                random.normal(key)
                raise ValueError(n)
            return random.normal(key)
    """,
    "scan over a closure": """
        def f(key, xs):
            def body(carry, x):
                return carry + random.normal(key), None  # reuse
            return lax.scan(body, 0.0, xs)
    """,
    "scan that refreshes": """
        def f(key, xs):
            def body(carry, x):
                key, total = carry
                key, sub = random.split(key)
                return (key, total + random.normal(sub)), None
            (key, total), _ = lax.scan(body, (key, 0.0), xs)
            return total + random.normal(key)
    """,
    "scan with a stale carry": """
        def f(key, xs):
            def body(carry, x):
                key, total = carry
                return (key, total + random.normal(key)), None  # reuse
            return lax.scan(body, (key, 0.0), xs)
    """,
    "scan over keys": """
        def f(key):
            def body(carry, k):
                return carry + random.normal(k), None
            return lax.scan(body, 0.0, random.split(key, 5))
    """,
    "fori loop": """
        def f(key):
            def body(i, x):
                return x + random.normal(key)  # reuse
            def good(i, x):
                return x + random.normal(random.fold_in(key, i))
            return lax.fori_loop(0, 3, body, 0.0) + lax.fori_loop(0, 3, good, 0.0)
    """,
    "while_loop": """
        def f(key):
            def cond(c):
                return c[1] < 0
            def body(c):
                k, x = c
                k, sub = random.split(k)
                return k, random.normal(sub)
            return lax.while_loop(cond, body, (key, -1.0))
    """,
    "cond": """
        def f(key, p):
            x = lax.cond(p, lambda k: random.normal(k), lambda k: random.uniform(k), key)
            return x + random.normal(key)  # reuse
    """,
    "switch": """
        def f(key, i):
            return lax.switch(i, [random.normal, random.uniform, lambda k: random.gumbel(k)], key)
    """,
    "map of the language": """
        def f(key, n):
            keys = random.split(key, n)
            a = list(map(random.normal, keys))
            return a, random.uniform(keys[0])  # reuse
    """,
    "reduce": """
        def f(key, xs):
            def add(carry, x):
                key, total = carry
                key, sub = random.split(key)
                return key, total + x * random.normal(sub)

            key, total = functools.reduce(add, xs, (key, 0.0))
            return functools.reduce(lambda a, b: a + b * random.normal(key), xs, total)  # reuse
    """,
    "entries of a dictionary of unknown names": """
        def f(rngs):
            for name, rng in rngs.items():
                random.normal(rng)
            for rng in rngs.values():
                random.uniform(rng)  # reuse
    """,
    "entries of a dictionary that are refreshed": """
        def f(rngs, n):
            for _ in range(n):
                for name, rng in rngs.items():
                    rngs[name], sub = random.split(rng)
                    random.normal(sub)
            return {name: random.split(rng)[0] for name, rng in rngs.items()}
    """,
    "starred children": """
        def f(key):
            keys = [*random.split(key, 3), random.key(0)]
            a = [random.normal(k) for k in keys]
            b = random.uniform(keys[1])  # reuse
            return a, b, random.uniform(keys[-1])  # reuse
    """,
    "map over keys": """
        def f(key):
            return lax.map(lambda k: random.normal(k), random.split(key, 3))
    """,
    "tree map with a closure": """
        def f(key, params):
            return jax.tree.map(lambda p: p + random.normal(key, p.shape), params)  # reuse
    """,
    "value_and_grad": """
        def f(key, w):
            def loss(w, key):
                return (w * random.normal(key)).sum()
            value, grad = jax.value_and_grad(loss)(w, key)
            return value, grad, random.normal(key)  # reuse
    """,
    "partial": """
        def draw(scale, key):
            return scale * random.normal(key)

        def f(key):
            unit = functools.partial(draw, 1.0)
            return unit(key) + unit(key)  # reuse
    """,
    "jit": """
        @functools.partial(jax.jit, static_argnums=1)
        def draw(key, n):
            return random.normal(key, (n,))

        def f(key):
            return draw(key, 2), draw(key, 3)  # reuse
    """,
    "clone": """
        def f(key):
            return random.normal(key), random.normal(random.clone(key))
    """,
    "round trip through the buffer": """
        def f(key):
            a = random.normal(key)
            return a + random.normal(random.wrap_key_data(random.key_data(key)))  # reuse
    """,
    "where and stack": """
        def f(key, p):
            k1, k2, k3 = random.split(key, 3)
            a = random.normal(jnp.where(p, k1, k2))
            return a + jax.vmap(random.normal)(jnp.stack([k2, k3]))
    """,
    "stack, then one of them": """
        def f(key):
            k1, k2 = random.split(key)
            a = jax.vmap(random.normal)(jnp.stack([k1, k2]))
            return a + random.normal(k1)  # reuse
    """,
    "keywords in a dictionary": """
        def f(key):
            arguments = dict(key=key, shape=(3,))
            return random.normal(**arguments) + random.normal(**arguments)  # reuse
    """,
    "arguments in a tuple": """
        def f(key):
            arguments = (key, (3,))
            return random.normal(*arguments) + random.uniform(*arguments)  # reuse
    """,
    "partial with its key": """
        def f(key):
            draw = functools.partial(random.normal, key)
            return draw((3,)) + draw((3,))  # reuse
    """,
    "async loop": """
        async def f(key, xs):
            async for x in xs:
                random.normal(key)  # reuse
    """,
    "generator with a constant key": """
        def f(key):
            for _ in range(3):
                yield random.normal(key)  # reuse
    """,
    "elements of a literal": """
        def f(key):
            k1, k2 = random.split(key)
            return [random.normal(k) for k in (k1, k2, k1)]  # reuse
    """,
    "callee that nothing in the file binds": """
        def f(state, batches):
            key = random.key(0)
            for batch in batches:
                state = train_step(state, batch, key)  # reuse
            return state
    """,
    "unknown callee": """
        def f(model, x):
            key = random.key(0)
            params = model.init(key, x)
            return params, random.normal(key)  # reuse
    """,
    "callees that only look": """
        def f(key, logger, log):
            print(key, len(key.shape), isinstance(key, jax.Array))
            logger.info("key %s", key)
            log.append(key)
            assert check(key)
            return random.normal(key)
    """,
    "optional keys rebuilt in a loop": """
        def f(step, batches, rngs=None):
            random.key(0)
            for i, batch in enumerate(batches):
                if rngs is not None:
                    rngs = {name: random.fold_in(rng, i) for name, rng in rngs.items()}
                step(batch, rngs)
    """,
    "init and apply of a functional module": """
        def f(net, x):
            rng = random.key(0)
            params = net.init(rng, x)
            return net.apply(params, rng, x), jax.jit(net.apply)(params, rng, x)
    """,
    "constant dropout key in a training loop": """
        def f(model, params, batches):
            key = random.key(0)
            params = model.init(key, batches[0])
            for batch in batches:
                model.apply(params, batch, rngs={"dropout": key})  # reuse
    """,
    "fresh dropout key in a training loop": """
        def f(model, params, batches):
            key = random.key(0)
            for i, batch in enumerate(batches):
                model.apply(params, batch, rngs={"dropout": random.fold_in(key, i)})
    """,
    "abstract evaluation": """
        def f(init, step, x):
            key = random.key(0)
            shapes = fast_eval_shape(init, key, x)
            return shapes, jax.jit(step).lower(key, x), tabulate(step, key)(x), random.normal(key)
    """,
    "somebody's clone": """
        def f():
            key = random.key(0)
            return random.normal(key), random.normal(test_utils.clone(key))
    """,
    "constructor may only store": """
        def f(key):
            state = State(key=key)
            return state, random.split(key)
    """,
    "attention": """
        def attend(query, key, value):
            scores = query @ key.T
            return project(key), value, merge(key), key[..., 0], scores
    """,
    "other generators": """
        def f(xs):
            rng = np.random.default_rng(0)
            a = rng.normal() + rng.normal()
            xs = sorted(xs, key=len)
            return a, shuffle(rng, xs), shuffle(rng, xs)
    """,
    "own PRNGKey": """
        def PRNGKey(name):
            return name

        def f():
            key = PRNGKey("a")
            return lookup(key), lookup(key)
    """,
    "device_put forwards": """
        def f(key):
            moved = jax.device_put(key)
            return random.normal(moved) + random.normal(key)  # reuse
    """,
    "generator function": """
        def stream(key):
            while True:
                key, sub = random.split(key)
                yield sub
    """,
    "recursion": """
        def f(key, n):
            if n == 0:
                return random.normal(key)
            k1, k2 = random.split(key)
            return f(k1, n - 1) + f(k2, n - 1)
    """,
    "vmap of split": """
        def f(key):
            keys = random.split(key, 8)
            keys, subs = jax.vmap(random.split, out_axes=1)(keys)
            a = jax.vmap(random.normal)(subs)
            return a + jax.vmap(random.normal)(keys)
    """,
    "two batched children": """
        def f(key):
            keys = random.split(key, 8)
            pairs = jax.vmap(lambda k: random.split(k, 2))(keys)
            return jax.vmap(random.normal)(keys), pairs  # reuse
    """,
    "a method of an object from around a function": """
        class Stream:
            def __init__(self, key):
                self.key = key

            def next(self):
                self.key, sub = random.split(self.key)
                return sub

        def f(key):
            stream = Stream(key)

            def inner():
                stream.next()

            inner()
            random.normal(stream.key)
            inner()  # reuse

        def right(key):
            stream = Stream(key)

            def inner():
                return stream.next()

            for _ in range(2):
                random.normal(inner())
            return random.normal(stream.key)
    """,
    "one object that is handed over beside a function that changes it": """
        class Stream:
            def __init__(self, key):
                self.key = key

            def next(self):
                self.key, sub = random.split(self.key)
                return sub

        def run(function, stream):
            function()
            return random.normal(stream.key)

        def f(key):
            stream = Stream(key)

            def inner():
                return stream.next()

            return run(inner, stream)

        def both(one, two):
            random.normal(one.key)
            random.normal(two.key)

        def g(key):
            stream = Stream(key)
            both(stream, stream)  # reuse
    """,
    "an object that a function may have changed": """
        class Stream:
            def __init__(self, key):
                self.key = key

            def next(self):
                self.key, sub = random.split(self.key)
                return sub

        def step(stream):
            stream.next()

        def known(key):
            stream = Stream(key)
            for _ in range(2):
                step(stream)
                random.normal(stream.key)

        def unknown(stream):
            for _ in range(2):
                step(stream)
                random.normal(stream.key)

        def written_before(stream, key):
            stream.key = key
            stream.next()

        def written_after(stream, key):
            stream.next()
            stream.key = key

        def f(stream, key):
            random.normal(key)
            written_before(stream, key)
            random.normal(stream.key)

        def g(stream, key):
            random.normal(key)
            written_after(stream, key)
            random.normal(stream.key)  # reuse
    """,
    "an object with a method that the project does not define": """
        class Case(TestCase):
            def run(self):
                def inner():
                    self.variant()
                    random.split(self.key)

                inner()
                inner()  # reuse
    """,
    "a key that stays as it is beside many ways that change it": """
        def f(key, counts, p, q):
            if p:
                for _ in range(counts.pop()):
                    while len(counts):
                        key = key if q else random.clone(key)
            else:
                random.split(key)
            return random.normal(key)  # reuse
    """,
    "a loop that is left in many ways": """
        def f(key, counts, q):
            while len(counts):
                for _ in range(counts.pop()):
                    k, key = random.split(key)  # reuse
                    random.uniform(key)
                if q:
                    break
                key, x = random.split(key, 2)  # reuse
            return random.split(key)  # reuse
    """,
}


def flagged(source: str, kinds: tuple[type, ...] = (Reuse,)) -> list[int]:
    """Return the lines of the reuses of confidence likely or better."""
    facts = analyse(Document("program.py", source))
    return sorted(
        fact.node.lineno  # type: ignore[attr-defined]
        for fact in facts
        if isinstance(fact, kinds) and fact.confidence >= Confidence.LIKELY
    )


def expected(source: str, marker: str = "reuse") -> list[int]:
    """Return the lines that bear the marker."""
    return [i for i, line in enumerate(source.splitlines(), 1) if re.search(rf"# {marker}\b", line)]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_reuse(program: str) -> None:
    source = HEADER + textwrap.dedent(program)
    assert flagged(source) == expected(source)


COLLISIONS = {
    "one fold_in of what branches leave": """
        def f(key, p, q):
            if q:
                pass
            elif p:
                x = 0.0
            else:
                key, x = random.split(key)
            return random.fold_in(key, 7)
    """,
    "a split in each branch beside a fold_in": """
        def f(key, p):
            a = random.fold_in(key, 0)
            if p:
                return a, random.split(key, 3)  # collision
            return a, random.split(key)  # collision
    """,
    "a function that splits one key into shapes": """
        def f(key):
            random.split(key, (2, 2))
            random.split(key, 3)  # reuse

        def g(key):
            f(key)
            random.fold_in(key, 0)  # collision
    """,
    "return before the second fold_in": """
        def f(key, p, q):
            if p:
                if q:
                    return random.fold_in(key, 0)
            return random.fold_in(key, 0) if q and p else key
    """,
    "one datum twice": """
        def f(key):
            a = random.fold_in(key, 0)
            b = random.fold_in(key, 0)  # collision
            return a, b
    """,
    "distinct data": """
        def f(key, i):
            return random.fold_in(key, 0), random.fold_in(key, 1), random.fold_in(key, i)
    """,
    "constant datum in a loop": """
        def f(key):
            for i in range(3):
                random.normal(random.fold_in(key, 7))  # collision
    """,
    "split beside fold_in": """
        def f(key):
            a, b = random.split(key)
            return a, b, random.fold_in(key, 1)  # collision
    """,
    "fold_in outside the split": """
        def f(key):
            a, b = random.split(key)
            return a, b, random.fold_in(key, 2)
    """,
    "splits of different size": """
        def f(key):
            a = random.split(key, 2)
            return a, random.split(key, 5)  # collision
    """,
    "split and index": """
        def f(key, step):
            return random.split(key, step + 1)[step]  # collision
    """,
    "folded in step by step": """
        def f(key, n):
            layer = random.fold_in(key, 7)
            weights = random.normal(random.fold_in(layer, 0))
            bias = random.normal(random.fold_in(random.fold_in(key, 7), 1))
            again = random.normal(random.fold_in(random.fold_in(key, 7), 1))  # collision
            return weights, bias, again
    """,
    "one step that is used as a key, too": """
        def f(key):
            layer = random.fold_in(key, 7)
            return layer, random.fold_in(random.fold_in(key, 7), 0)  # collision
    """,
    "one datum in the turns that change the key": """
        def f(key, rows):
            for row in rows:
                if row:
                    continue
                key = random.fold_in(key, 1)
    """,
    "exclusive data": """
        def f(key, p):
            if p:
                return random.fold_in(key, 0)
            return random.fold_in(key, 0)
    """,
    "an object that a function of the loop changes": """
        class Stream:
            def __init__(self, key):
                self.key = key

            def next(self):
                self.key, sub = random.split(self.key)
                return sub

        def f(key):
            stream = Stream(key)

            def inner():
                stream.next()

            for _ in range(2):
                inner()
                random.fold_in(stream.key, 2)
    """,
}


@pytest.mark.parametrize("program", COLLISIONS.values(), ids=COLLISIONS.keys())
def test_collision(program: str) -> None:
    source = HEADER + textwrap.dedent(program)
    assert flagged(source, (DerivationCollision,)) == expected(source, "collision")
    assert flagged(source) == expected(source)


def test_an_element_of_a_reshaped_stack_is_a_row_of_it() -> None:
    source = """
        def f(key):
            a, b, c, d = random.split(key, 4)
            rows = jnp.stack([a, b, c, d]).reshape(2, 2, -1)
            return random.normal(b), random.normal(rows[1][0])
    """
    assert flagged(HEADER + textwrap.dedent(source)) == []


def test_keys_of_a_mapped_dictionary_keep_their_names() -> None:
    source = """
        def f(a, b):
            keys = jax.tree.map(lambda key: key, {"a": random.split(a)[0], "b": random.split(b)[0]})
            x = random.normal(keys["a"])
            return x, random.normal(keys["b"]), random.normal(keys["a"])  # reuse
    """
    assert flagged(HEADER + textwrap.dedent(source)) == expected(HEADER + textwrap.dedent(source))


QUIET_LOGIC = {
    "behind a function that tells typed keys": """
        def is_typed(x):
            return isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.prng_key)

        def may_be_typed(x):
            try:
                return jnp.issubdtype(x.dtype, jax.dtypes.prng_key)
            except AttributeError:
                return False

        def f(key):
            words = 0 if is_typed(key) else key[0]
            if not is_typed(key):
                words += key[1] + key.shape[-1]
            return words, random.split(key)

        def g(key):
            if may_be_typed(key):
                return random.key_data(key)
            return key[0], key.dtype == jnp.uint32, random.split(key)

        def h(key):
            if isinstance(key, (np.ndarray, jax.Array)) and not is_typed(key) and key.dtype == jnp.uint32:
                return random.wrap_key_data(key)
            return random.split(key)
    """,
    "a shape that goes on as that of a key": """
        import chex

        def f(seed):
            key = random.PRNGKey(seed)
            keys = random.split(key)
            assert keys.shape == (2, *key.shape)
            assert (4, *key.shape) != keys.shape
            chex.assert_shape(keys, (2, *key.shape))
            return keys
    """,
    "bytes of keys of either kind": """
        import math

        def f(seed, n):
            key = random.PRNGKey(seed)
            keys = random.split(key, n)
            a = key.size * key.dtype.itemsize
            b = n * keys.dtype.itemsize * keys.size
            c = math.prod(keys.shape) * keys.dtype.itemsize + np.size(key) * key.dtype.itemsize
            return a, b, c
    """,
    "guard bound to a name": """
        def f(key):
            typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
            if typed or key.shape == (2,):
                return random.normal(key)
    """,
    "word axis only where the key is raw": """
        def f(key):
            if jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
                return random.normal(key)
            return random.normal(key) if key.ndim == 1 else None
    """,
    "an element where there is a batch": """
        def f(key, chains):
            if chains > 1 and is_key(key):
                key = random.split(key, chains)
            return first(key[0])
    """,
    "counters by name": """
        def f(rng_counters, rngs, name):
            random.key(0)
            return rng_counters[name] > 0, rngs[name]()
    """,
    "broadcast of whole keys": """
        def f(n):
            key = random.key(0)
            return jnp.broadcast_to(key, (2, *key.shape))
    """,
    "a key on another path": """
        def f(kind, value):
            if kind == "rng":
                return random.split(value)
            assert isinstance(value, tuple) and len(value) == 2
            return value[0], value[1]
    """,
}


STATES = """
    {imports}

    def restore(state, rng):
        {restore}
        return int(rng[0]), rng.shape == (2,)

    def seeded(rng):
        return random.key(rng[0])

    def draw(key):
        return random.normal(key)
"""
RESTORED = {
    "import torch": "torch.set_rng_state(rng[0])",
    "from torch import Generator": "rng: Generator = rng",
    "import numpy": "numpy.random.set_state(rng)",
    "import random as pyrandom": "pyrandom.setstate(rng)",
    "from numpy.random import RandomState": "assert isinstance(rng, RandomState)",
}


@pytest.mark.parametrize(("imports", "restore"), RESTORED.items(), ids=RESTORED.keys())
def test_a_name_is_no_evidence_beside_other_generators(imports: str, restore: str) -> None:
    source = HEADER + textwrap.dedent(STATES.format(imports=imports, restore=restore))
    assert flagged(source, (KeyIndexing, ShapeLogic)) == []
    assert flagged(source + "    return key[0]\n".replace("return", "a ="), (KeyIndexing,)) == []
    known = source + "\n\ndef known(rng):\n    return random.normal(rng), int(rng[0])\n"
    assert len(flagged(known, (KeyIndexing,))) == 1


@pytest.mark.parametrize("imports", ["import math", "import random as pyrandom", "import numpy.random as npr"])
def test_a_name_is_evidence_of_a_raw_key(imports: str) -> None:
    source = HEADER + textwrap.dedent(STATES.format(imports=imports, restore="math.floor(2.0)"))
    assert len(flagged(source, (KeyIndexing, ShapeLogic))) == 3


LOGIC = {
    "shapes in full": """
        def f(seed):
            key = random.PRNGKey(seed)
            keys = random.split(key)
            return key.shape == (2,), keys.shape == (2, 2)
    """,
    "behind a function that tells something else": """
        def is_array(x, dtype):
            return isinstance(x, jax.Array) and jnp.issubdtype(dtype, jax.dtypes.prng_key)

        def f(key, dtype):
            shape = key.shape[-1] if is_array(key, dtype) else 2
            return shape, key.dtype == jnp.uint32, random.split(key)
    """,
    "beside an array without elements": """
        def f(seed):
            key = random.PRNGKey(seed)
            return jnp.asarray([]).reshape(-1), key.shape == (2,), key.dtype == jnp.uint32
    """,
    "sizes of elements alone": """
        def f(seed):
            key = random.PRNGKey(seed)
            return key.dtype.itemsize, 2 * key.dtype.itemsize
    """,
    "sizes of another array": """
        def f(seed, x):
            key = random.PRNGKey(seed)
            return key.size, x.size * key.dtype.itemsize, key.size + key.dtype.itemsize
    """,
}


@pytest.mark.parametrize("program", LOGIC.values(), ids=LOGIC.keys())
def test_logic(program: str) -> None:
    assert len(flagged(HEADER + textwrap.dedent(program), (ShapeLogic, DtypeLogic))) == 2


@pytest.mark.parametrize("program", QUIET_LOGIC.values(), ids=QUIET_LOGIC.keys())
def test_quiet_logic(program: str) -> None:
    assert flagged(HEADER + textwrap.dedent(program), (ShapeLogic, DtypeLogic, KeyIndexing)) == []


def test_a_key_in_an_attribute_has_the_name_of_its_object() -> None:
    program = """
        class Agent:
            def __init__(self, seed):
                self._rng = random.key(seed)

            def act(self):
                return random.normal(self._rng)

        agent = Agent(0)
        agent.act(), agent.act()
    """
    facts = analyse(Document("program.py", HEADER + textwrap.dedent(program)))
    assert [fact.key for fact in facts if isinstance(fact, Reuse)] == ["self._rng", "agent._rng"]


def test_star_import() -> None:
    source = "from jax.random import *\n\n\ndef f(key):\n    return normal(key) + uniform(key)\n"
    facts = analyse(Document("program.py", source), by_name=False)
    assert [type(fact) for fact in facts] == [Reuse]


ARITHMETIC = {
    "drawn from the sum": "def f(key):\n    return random.normal(key + 1)",
    "augmented": "def f(key):\n    key += 1\n    return random.normal(key)",
}


@pytest.mark.parametrize("program", ARITHMETIC.values(), ids=ARITHMETIC.keys())
def test_arithmetic_on_a_parameter(program: str) -> None:
    assert len(flagged(HEADER + program, (KeyArithmetic,))) == 1


def test_word_of_a_parameter_as_a_seed() -> None:
    program = HEADER + "def f(key):\n    return random.PRNGKey(key[1])"
    assert len(flagged(program, (KeyIndexing,))) == 1


OVERRIDDEN = """
    class Base:
        def sample(self, key):
            return self.draw(key), self.draw(key)

        def draw(self, key):
            return random.normal(key)

    class Quiet(Base):
        def draw(self, key):
            return 0.0

    def right(seed):
        return Quiet().sample(random.key(seed))
"""
ABSTRACT = OVERRIDDEN.partition("    class Quiet")[0]
STUB = """
        def size(self):
            raise NotImplementedError
"""
LOUD = """
    class Loud(Base):
        def draw(self, key):
            return random.uniform(key)

    def wrong(seed):
        return Loud().sample(random.key(seed))
"""


@pytest.mark.parametrize(
    ("program", "confidence"),
    [
        (OVERRIDDEN.replace("def draw", "def other", 1).replace("self.draw", "self.other"), Confidence.CERTAIN),
        (OVERRIDDEN, Confidence.LIKELY),
        (OVERRIDDEN.replace("    def draw(self, key):\n            return 0.0", "    draw = None"), Confidence.LIKELY),
        (OVERRIDDEN + LOUD, Confidence.CERTAIN),
        (f"{ABSTRACT}{STUB}", Confidence.LIKELY),
        (f"{ABSTRACT}{STUB}".replace("raise NotImplementedError", "return 0"), Confidence.CERTAIN),
        (
            f"{ABSTRACT}\n        @abc.abstractmethod{STUB}".replace("raise NotImplementedError", "..."),
            Confidence.LIKELY,
        ),
    ],
    ids=[
        "not overridden",
        "overridden",
        "by a value",
        "by another draw",
        "in another file",
        "nothing is left open",
        "abstract",
    ],
)
def test_a_method_that_a_subclass_overrides(program: str, confidence: Confidence) -> None:
    facts = analyse(Document("program.py", HEADER + textwrap.dedent(program)))
    assert [fact.confidence for fact in facts if isinstance(fact, Reuse)] == [confidence]


def test_only_one_of_several_possible_callees_is_called() -> None:
    terms = Terms()
    ledger = Ledger(terms, Decisions(terms))
    key = terms.make("param", ("f", "key"))
    for arm in ((1, 0), (1, 1), (2, 0)):
        ledger.add(
            Consumption(
                ast.Name("call"), "reset", Certainty.UNKNOWN, ALWAYS, key, arms=(arm,), call=10 * arm[0] + arm[1]
            )
        )
    pairs = [(first.arms, again.arms) for first, again in ledger.pairs(lambda term: True)]
    assert pairs == [(((1, 0),), ((2, 0),))]


def test_an_attribute_may_be_called_generation() -> None:
    program = """
    def grow(plant, key, is_new):
        if is_new:
            plant.generation = 0
        x = random.normal(key)
        return x + random.uniform(key)  # reuse
    """
    source = HEADER + textwrap.dedent(program)
    assert flagged(source) == expected(source)


CALLED_BACK = """
class Trainer:
    def train_step(self):
        self.callbacks.on_begin(self)
        self.rng, step_rng = random.split(self.rng)
        self.callbacks.on_end(self)

    def evaluate(self):
        self.rng, eval_rng = random.split(self.rng)

    def train(self):
        self.train_step()
        self.evaluate()
"""


def test_a_key_is_another_one_after_each_call_that_may_replace_it() -> None:
    assert flagged(HEADER + CALLED_BACK) == []
    twice = CALLED_BACK.replace("self.rng, step_rng = ", "").replace("        self.callbacks.on_end(self)\n", "")
    assert flagged(HEADER + twice) == [len((HEADER + twice).splitlines())]


SET_UP = """
class Base:
    def __init__(self, seed):
        self.key = random.key(seed)

class Sampler(Base):
    def __init__(self, seed):
        super().__init__(seed)
        self._compile()

    def _compile(self):
        compile_with(self.key)

    def run(self):
        return random.normal(self.key)
"""


def test_no_key_is_kept_for_what_only_a_constructor_calls() -> None:
    assert flagged(HEADER + SET_UP) == []
    called = SET_UP.replace("compile_with", "random.bits").replace(
        "    def run", "    def again(self):\n        self._compile()\n\n    def run"
    )
    assert flagged(HEADER + called) != []


CARRIED = """
def each(fn, xs):
    return lax.map(lambda x: fn(x), xs)

def update(key, x):
    return random.split(key)[0], x

def wrong(xs, seed):
    key = random.key(seed)
    return each(functools.partial(update, key), xs)
"""


def test_a_key_that_a_callable_carries_has_no_name_where_it_is_called() -> None:
    names = [fact.key for fact in analyse(Document("program.py", HEADER + CARRIED)) if isinstance(fact, Reuse)]
    assert names and not any("#" in name for name in names)


def test_a_list_of_copies_that_a_function_returns_is_no_key() -> None:
    program = """
    def copies(n):
        return [jax.random.PRNGKey(0)] * n

    def run(n, sampler):
        keys = copies(n)
        return [sampler.run(keys[i], i) for i in range(n)]
    """
    assert flagged(HEADER + textwrap.dedent(program), (KeyIndexing,)) == []
