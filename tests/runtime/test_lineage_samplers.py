"""Every sampler of ``jax.random`` consumes its key once, with every generator, and nothing in it is unmodelled."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="the samplers are JAX's")

from olympus import lineage  # noqa: E402
from olympus.tracing.jaxprs import raw_key, typed_key  # noqa: E402

SAMPLES: dict[str, Any] = {
    "a": 2.0,
    "alpha": [1.0, 2.0, 3.0],
    "cov": [[1.0, 0.0], [0.0, 1.0]],
    "data": 1,
    "d": 2,
    "logits": [0.0, 1.0, 2.0],
    "maxval": 5,
    "minval": 0,
    "n": 3,
    "p": 0.5,
    "shape": (),
    "x": 4,
}
NO_SAMPLERS = {"PRNGKey", "clone", "fold_in", "key", "key_data", "key_dtype", "key_impl", "split", "wrap_key_data"}
SAMPLERS = sorted(
    name
    for name, value in vars(jax.random).items()
    if callable(value) and not name.startswith("_") and not inspect.isclass(value) and name not in (*NO_SAMPLERS, "Key")
)


def sampled(name: str, key: Any) -> Any:
    function = getattr(jax.random, name)
    required = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty][1:]
    special = {"multinomial": {"p": [0.2, 0.8]}, "choice": {"a": 4}, "multivariate_normal": {"mean": [0.0, 0.0]}}
    values = {each: special.get(name, {}).get(each, SAMPLES.get(each, 1.0)) for each in required}
    arrays = {each: jax.numpy.asarray(v) if isinstance(v, list) else v for each, v in values.items()}
    return function(key, **arrays)


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg"])
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_consumes_its_key_once(name: str, impl: str) -> None:
    if (name, impl) == ("poisson", "rbg"):
        pytest.skip("JAX has poisson for threefry only")
    with jax.default_prng_impl(impl):
        for key in (typed_key(impl), raw_key(impl)):
            found = lineage.of(lambda key: sampled(name, key), key)
            assert [misuse.kind for misuse in found.misuses] == []
            assert [event.equation.primitive for event in found.unmodelled] == []
            twice = lineage.of(lambda key: (sampled(name, key), sampled(name, key)), key)
            (misuse,) = twice.misuses
            assert misuse.kind == "reuse"
            assert misuse.first.name == misuse.second.name
