"""``--migrate --fix`` on small legacy programs: each prints the same bits afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from command_line import command

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

IMPORTS = """\
import dataclasses
import io
import pickle

import jax
import jax.numpy as jnp
import numpy as np
from jax.random import PRNGKey, normal, split, uniform


"""
# libraries that need not be installed: what their functions do with a key, and no more
LIBRARIES = {
    "equinox/__init__.py": "def error_if(x, pred, msg):\n    return x\n\n\ndef filter_jit(f):\n    return f\n",
    "flax/__init__.py": "",
    "flax/jax_utils.py": "import jax.numpy as jnp\n\n\ndef replicate(tree):\n    return jnp.stack([tree])\n",
    "haiku/__init__.py": "import jax\n\ncond, scan, fori_loop = jax.lax.cond, jax.lax.scan, jax.lax.fori_loop\n",
    "tree.py": "import jax\n\nmap_structure = jax.tree.map\n",
}
# each a function `numbers` that gives what is printed, and more files if it has any
PROGRAMS: dict[str, dict[str, str]] = {
    "bare shapes": {
        "main.py": """
        def jitter(key, n):
            yield normal(key, key.shape)
            yield jnp.ones((n,) + key.shape), jnp.zeros(key.shape)
            shape = key.shape
            yield np.full(shape, 2.0), len(shape)

        def numbers():
            yield from jitter(PRNGKey(0), 3)
            keys = split(PRNGKey(1), 4)
            yield uniform(keys[0], keys.shape), jnp.arange(8).reshape(keys.shape)
            yield jax.vmap(lambda k: normal(k))(keys.reshape(2, 2, 2)[0])
        """
    },
    "forwards of JAX": {
        "main.py": """
        from jax.ad_checkpoint import checkpoint_name

        def words(thing):
            return thing.size, thing.shape, [int(word) for word in thing]

        def numbers():
            here = jax.sharding.SingleDeviceSharding(jax.devices()[0])
            yield words(jax.lax.stop_gradient(PRNGKey(0)))
            yield words(checkpoint_name(PRNGKey(1), "key"))
            yield words(jax.lax.with_sharding_constraint(PRNGKey(2), here))
            yield words(jax.lax.optimization_barrier(PRNGKey(3)))
            yield words(jax.device_put(PRNGKey(4)))
            yield normal(jax.block_until_ready(PRNGKey(5)))
        """
    },
    "forwards and transformations of libraries": {
        "main.py": """
        import equinox as eqx
        import haiku as hk
        import tree
        from flax import jax_utils

        def count(thing):
            return thing.size

        def keep(carry, _):
            return carry, count(carry)

        def numbers():
            yield count(eqx.error_if(PRNGKey(0), False, "no"))
            yield jax_utils.replicate(PRNGKey(1)).shape
            yield hk.cond(True, count, count, PRNGKey(2))
            yield hk.scan(keep, PRNGKey(3), None, length=2)[1]
            yield count(hk.fori_loop(0, 2, lambda _, key: key, PRNGKey(4)))
            yield tree.map_structure(count, {"a": PRNGKey(5)})
            yield eqx.filter_jit(count)(PRNGKey(6))
            yield eqx.filter_jit(normal)(PRNGKey(7))
        """
    },
    "dataclasses": {
        "main.py": """
        @dataclasses.dataclass(frozen=True)
        class State:
            key: jax.Array
            step: int = 0

            def draw(self):
                key, sub = split(self.key)
                return dataclasses.replace(self, key=key, step=self.step + 1), normal(sub)

            @property
            def words(self):
                return self.key.shape[-1]

        def numbers():
            state = State(PRNGKey(0))
            state, x = state.draw()
            yield x, state.words, len(state.key), jnp.zeros(state.key.shape)
            other = State(key=PRNGKey(1))
            yield other.draw()[1]
        """
    },
    "closures": {
        "main.py": """
        def make(seed):
            key = PRNGKey(seed)
            def size():
                return key.size
            def draw(n):
                return normal(key, (n,))
            return size, draw

        def counter(key):
            return lambda: key.ndim

        def numbers():
            size, draw = make(0)
            yield size(), draw(3)
            yield counter(PRNGKey(1))()
            yield (lambda key: normal(key))(PRNGKey(2))
        """
    },
    "checkpoints": {
        "main.py": """
        def save(state):
            file = io.BytesIO()
            np.savez(file, **{name: np.asarray(value) for name, value in state.items()})
            return file.getvalue()

        def load(data):
            with np.load(io.BytesIO(data)) as found:
                return {name: jnp.asarray(found[name]) for name in found}

        def numbers():
            state = {"key": PRNGKey(0), "x": jnp.arange(3.0)}
            again = load(save(state))
            yield normal(again["key"]), again["key"].shape, again["x"]
            key = PRNGKey(1)
            copy = pickle.loads(pickle.dumps(np.asarray(key)))
            yield copy.shape, copy.dtype.name, normal(jnp.asarray(copy))
            yield normal(key)
        """
    },
    "class attributes": {
        "main.py": """
        class Base:
            key = PRNGKey(0)

            def is_one(self):
                return self.key.shape == (2,)

        class Noisy(Base):
            own = PRNGKey(1)

            @classmethod
            def draw(cls):
                return normal(cls.own)

        def numbers():
            yield Base().is_one(), Noisy().is_one(), Noisy.draw()
            yield Noisy.key.ndim, normal(Noisy.key)
        """
    },
    "containers": {
        "main.py": """
        import collections

        Pair = collections.namedtuple("Pair", "a b")

        def numbers():
            made = {"a": PRNGKey(0), "b": PRNGKey(1)}
            for name, key in made.items():
                yield name, key.size
            for key in made.values():
                yield key.ndim, normal(key)
            pair = Pair(PRNGKey(2), PRNGKey(3))
            yield len(pair.a.shape), normal(pair.b)
            rows = [PRNGKey(seed) for seed in range(3)]
            yield jnp.stack(rows).shape[0], jax.vmap(normal)(jnp.stack(rows))
        """
    },
    "loops and branches": {
        "main.py": """
        def step(key, _):
            key, sub = split(key)
            return key, normal(sub)

        def numbers():
            last, rows = jax.lax.scan(step, PRNGKey(0), None, length=3)
            yield rows, last.size
            yield normal(jax.lax.fori_loop(0, 3, lambda i, k: jax.random.fold_in(k, i), PRNGKey(1)))
            yield jax.lax.cond(True, lambda k: k, lambda k: split(k)[0], PRNGKey(2)).shape
            yield jax.lax.switch(1, [lambda k: k, lambda k: split(k)[1]], PRNGKey(3))[0]
            yield jax.vmap(lambda k: k.sum())(split(PRNGKey(4), 3))
            keys = jnp.where((jnp.arange(3) > 1)[:, None], split(PRNGKey(5), 3), split(PRNGKey(6), 3))
            yield jax.vmap(normal)(keys)
        """
    },
    "several files": {
        "main.py": """
        import box
        import use

        def numbers():
            yield use.describe(), use.shape_of(box.KEY), normal(box.KEY)
            yield use.scaled(box.make(3), 2), normal(box.FREE)
        """,
        "box.py": """
        KEY = PRNGKey(0)
        FREE = PRNGKey(1)

        def make(seed):
            return PRNGKey(seed)
        """,
        "use.py": """
        def describe(key=PRNGKey(7)):
            return "batch" if key.ndim else "single"

        def shape_of(thing):
            return thing.shape

        def scaled(key, n):
            return n * normal(key, (n, *key.shape))
        """,
    },
    "words": {
        "main.py": """
        def numbers():
            key = PRNGKey(0)
            yield int(key[0]), int(key[1]), key.dtype == jnp.uint32, str(np.asarray(key))
            yield normal(key ^ 5), key.astype(jnp.float32).sum(), bool((key == key).all())
            a, b = PRNGKey(2)
            yield int(a), int(b), np.random.RandomState(np.asarray(key)).randint(100)
        """
    },
}
RUNNER = """
import importlib, sys
import jax, numpy as np

def shown(leaf):
    if isinstance(leaf, (jax.Array, np.ndarray)):
        return np.asarray(leaf).dtype.name, np.shape(leaf), np.asarray(leaf).tobytes().hex()
    return repr(leaf)

for _ in sys.stdin:  # a line is a request to run all programs
    for folder in sys.argv[1:]:
        for name in ("main", "box", "use"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        sys.path.insert(0, folder)
        for row in importlib.import_module("main").numbers():
            print(folder, [shown(leaf) for leaf in jax.tree.leaves(row)])
        sys.path.remove(folder)
    print("done", flush=True)
"""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Path]]:
    """Write the libraries, and a project for each program."""
    root = tmp_path_factory.mktemp("programs")
    for name, text in LIBRARIES.items():
        (root / "installed" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "installed" / name).write_text(text)
    folders = {}
    for number, (title, files) in enumerate(PROGRAMS.items()):
        folders[title] = root / f"project{number}"
        folders[title].mkdir()
        (folders[title] / "pyproject.toml").touch()
        for name, text in files.items():
            (folders[title] / name).write_text(IMPORTS + dedent(text).lstrip())
    return root / "installed", folders


@pytest.fixture(scope="module")
def printed(projects: tuple[Path, dict[str, Path]]) -> dict[str, tuple[str, str]]:
    """Run all programs, migrate them, and run them again; what each prints, and what the reports say."""
    installed, folders = projects
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-c", RUNNER, *map(str, folders.values())]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as runner:

        def run() -> list[str]:
            assert runner.stdin is not None and runner.stdout is not None
            runner.stdin.write("run\n")
            runner.stdin.flush()
            rows = []
            while (row := runner.stdout.readline()) != "done\n":
                assert row, "".join(file.read_text() for folder in folders.values() for file in folder.glob("*.py"))
                rows.append(row)
            return rows

        before = run()
        for folder in folders.values():
            report = command(folder, "--migrate", "--strict", "--output-format", "json", ".")
            (folder / "report.json").write_text(report.stdout)
            done = command(folder, "--migrate", "--strict", "--fix", "--exit-zero", ".")
            assert done.returncode == 0, done.stderr
        again = run()
    return {
        title: tuple("".join(row for row in rows if row.startswith(f"{folder} ")) for rows in (before, again))  # type: ignore[misc]
        for title, folder in folders.items()
    }


@pytest.mark.parametrize("title", PROGRAMS)
def test_every_bit_stays(
    title: str, projects: tuple[Path, dict[str, Path]], printed: dict[str, tuple[str, str]]
) -> None:
    before, after = printed[title]
    assert before and after == before
    folder = projects[1][title]
    report = json.loads((folder / "report.json").read_text())
    held = [each for each in report["constructors"] if each["held_back_by"]]
    text = "\n".join(file.read_text() for file in folder.glob("*.py"))
    assert text.count("PRNGKey(") == len(held), "what stays is what the report has said"


def test_constructors_are_renamed(projects: tuple[Path, dict[str, Path]], printed: dict[str, tuple[str, str]]) -> None:
    reports = [json.loads((folder / "report.json").read_text()) for folder in projects[1].values()]
    free = [each for report in reports for each in report["constructors"] if not each["held_back_by"]]
    assert printed and len(free) >= 10
