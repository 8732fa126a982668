"""What may import what, what importing costs, and what the wheel holds."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import olympus
import olympus_lint

ROOT = Path(__file__).parents[1]
# From the top down: a package may import itself and those after it.
PACKAGES = {
    "olympus_lint": ROOT / "olympus_lint",
    "olympus_codemods": ROOT / "codemods" / "olympus_codemods",
    "olympus_rules": ROOT / "rules" / "olympus_rules",
    "olympus": ROOT / "runtime" / "olympus",
}
ORDER = list(PACKAGES)
MODULES = [(name, path) for name, folder in PACKAGES.items() for path in sorted(folder.rglob("*.py"))]


@cache
def syntax_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(tree: ast.AST, *, at_import_only: bool = False) -> Iterator[str]:
    """Return the top-level packages of all absolute imports, in functions and type-checking blocks, too.

    Args:
        tree: the syntax to walk.
        at_import_only: whether the bodies of functions and of ``if TYPE_CHECKING`` are left out.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.expr) or (
            at_import_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ):
            continue
        elif at_import_only and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from imports(ast.Module(node.orelse, []), at_import_only=True)
        else:
            yield from imports(node, at_import_only=at_import_only)


@cache
def imports_of(path: Path, *, at_import_only: bool = False) -> set[str]:
    return set(imports(syntax_of(path), at_import_only=at_import_only))


def test_imports_are_found_wherever_they_stand():
    tree = ast.parse(
        "import a.b\nfrom c.d import e\nfrom . import own\n"
        "if TYPE_CHECKING:\n    import f\nelse:\n    import g\n"
        "def h():\n    try:\n        import i\n    except ImportError:\n        pass\n"
        "class J:\n    import k\n"
    )
    assert set(imports(tree)) == {"a", "c", "f", "g", "i", "k"}
    assert set(imports(tree, at_import_only=True)) == {"a", "c", "g", "k"}


def offenders(forbidden: Callable[[str], Iterable[str]], *, at_import_only: bool = False) -> list[str]:
    """Return each module that imports something forbidden to its package, with what it imports."""
    found = []
    for package, path in MODULES:
        wrong = imports_of(path, at_import_only=at_import_only).intersection(forbidden(package))
        found += [f"{path.relative_to(ROOT)} imports {name}" for name in sorted(wrong)]
    return found


def test_every_package_has_modules():
    assert {package for package, _ in MODULES} == set(PACKAGES)


def test_imports_go_down():
    assert offenders(lambda package: ORDER[: ORDER.index(package)]) == []


# The rooms of a package, from the top down: a room may import itself and those after it.
ROOMS = {
    "olympus_lint": (
        "__main__", "cli", "commandline", "server", "proof", "tracing", "run", "migration", "analysis", "suppression",
        "project",
        "reporting", "embedded", "files",
    ),
    "olympus_codemods": ("fixes", "codemods", "editing", "codemod", "target"),
    "olympus_rules": (
        "check", "further", "rules", "rule", "deriving", "reach", "keyflow", "code", "libraries", "registry", "syntax",
        "finding",
    ),
    "olympus_rules.keyflow": ("linking", "judging", "interpret", "notes", "domain", "facts"),
    "olympus_rules.reach": ("answers", "reading", "solver"),
    "olympus": (
        "__main__", "commands", "pytest_plugin", "checks", "worker", "trials", "witness", "verdicts", "graphs",
        "recording", "signatures", "lineage", "random", "lax", "nn", "numpy", "config", "dtypes", "errors", "tree",
        "namespace", "tracing", "prng", "predicates", "_version",
    ),
}  # fmt: skip
SHOWS_ITS_ROOMS = "olympus"
"""The package whose ``__init__`` stands above its rooms; that of another package stands below them."""


def modules_of(package: str) -> dict[str, Path]:
    """Return the modules of a package by their dotted names; a package's ``__init__`` goes by the package's name."""
    root, *inner = package.split(".")
    folder = PACKAGES[root].joinpath(*inner)
    paths = {path: [package, *path.relative_to(folder).with_suffix("").parts] for path in folder.rglob("*.py")}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in paths.items()}


def graph(sources: Mapping[str, ast.AST], packages: Collection[str]) -> dict[str, set[str]]:
    """Return which modules each module imports, in functions and type-checking blocks, too.

    Args:
        sources: the syntax of the sources by dotted name.
        packages: those that are the ``__init__`` of a package, where relative imports start.
    """
    found: dict[str, set[str]] = {}
    for module, source in sources.items():
        names: set[str] = set()
        for node in ast.walk(source):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                parts = module.split(".")
                parents = parts[: len(parts) - node.level + (module in packages)] if node.level else []
                base = ".".join([*parents, *filter(None, [node.module])])
                imported = {alias.name for alias in node.names}
                inner = {name for name in imported if f"{base}.{name}" in sources}
                names |= {f"{base}.{name}" for name in inner} | ({base} if imported - inner else set())
        found[module] = {nearest_module(name, sources) for name in names} - {"", module}
    return found


def nearest_module(name: str, modules: Collection[str]) -> str:
    """Return the module that a dotted name lies in, empty for none of these."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def circles(imported: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that reach each other."""
    reached: dict[str, set[str]] = {}
    for start in imported:
        stack, seen = [start], set[str]()
        while stack:
            new = imported.get(stack.pop(), set()) - seen
            seen |= new
            stack += new
        reached[start] = seen
    groups = {frozenset(b for b in reached[a] if a in reached.get(b, ())) for a in reached if a in reached[a]}
    return sorted(sorted(group) for group in groups)


@cache
def package_graph(package: str) -> dict[str, set[str]]:
    modules = modules_of(package)
    inits = {name for name, path in modules.items() if path.name == "__init__.py"}
    return graph({name: syntax_of(path) for name, path in modules.items()}, inits)


def test_circles_are_found():
    sources = {
        "p": "",
        "p.a": "from p.b import x\nimport p.d.e as y",
        "p.b": "if TYPE_CHECKING:\n    from p import c, z",
        "p.c": "def f():\n    from .a import g",
        "p.d": "from . import e",
        "p.d.e": "from ..a import h",
        "p.d.f": "from . import e",
        "p.f": "import ast\nfrom p.d import e",
    }
    found = graph({name: ast.parse(text) for name, text in sources.items()}, {"p", "p.d"})
    assert found == {
        "p": set(),
        "p.a": {"p.b", "p.d.e"},
        "p.b": {"p.c", "p"},
        "p.c": {"p.a"},
        "p.d": {"p.d.e"},
        "p.d.e": {"p.a"},
        "p.d.f": {"p.d.e"},
        "p.f": {"p.d.e"},
    }
    assert circles(found) == [["p.a", "p.b", "p.c", "p.d.e"]]
    assert circles({"a": {"b"}, "b": set()}) == []


@pytest.mark.parametrize("package", ORDER)
def test_no_circle_of_several_files(package: str):
    found = circles(package_graph(package))
    assert found == []


def room_of(module: str, package: str) -> str:
    """Return the room of a package that a module is in, empty for the package itself."""
    return module.removeprefix(package).removeprefix(".").partition(".")[0]


@pytest.mark.parametrize("package", ROOMS)
def test_every_module_is_in_a_room(package: str):
    assert {room_of(name, package) for name in modules_of(package)} - {""} == set(ROOMS[package])


@pytest.mark.parametrize("package", ROOMS)
def test_imports_between_rooms_go_down(package: str):
    rooms = {room: number for number, room in enumerate(ROOMS[package])}
    own = -1 if package == SHOWS_ITS_ROOMS else len(rooms)
    number_of = lambda module: rooms.get(room_of(module, package), own)
    up = [
        f"{module} imports {name}"
        for module, names in package_graph(package).items()
        for name in sorted(names)
        if number_of(name) < number_of(module)
    ]
    assert up == []


LONGEST = 60  # lines of a function, which is a screen
LONGEST_CLASS = 350
MOST_METHODS = 25
# Classes with a method for each form of something: of a syntax node, an instruction, a builtin, a Python operation.
DISPATCHING = frozenset({"Reader", "Prepared", "Builtins", "Unknown"})


def test_functions_and_classes_are_small():
    large = set()
    for _, path in MODULES:
        for node in ast.walk(syntax_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if (node.end_lineno or 0) - node.lineno >= LONGEST:
                    large.add(f"{path.relative_to(ROOT)}: {node.name}")
            elif isinstance(node, ast.ClassDef):
                methods = sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)
                if methods > MOST_METHODS:
                    large.add(node.name)
    assert large == DISPATCHING


def test_no_class_is_long():
    long = {
        node.name
        for _, path in MODULES
        for node in ast.walk(syntax_of(path))
        if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno >= LONGEST_CLASS
    }
    assert long == set()


def test_only_the_runtime_imports_jax():
    assert offenders(lambda package: () if package == "olympus" else ("jax", "jaxlib")) == []


def test_rich_is_imported_in_functions():
    assert offenders(lambda package: ["rich"], at_import_only=True) == []


def test_the_runtime_needs_only_the_standard_library_at_import():
    plugin = PACKAGES["olympus"] / "pytest_plugin.py"  # imported by pytest only
    assert imports_of(plugin, at_import_only=True) <= sys.stdlib_module_names | {"pytest"}
    own = [path for package, path in MODULES if package == "olympus" and path != plugin]
    needed = {path: imports_of(path, at_import_only=True) - sys.stdlib_module_names - {"olympus"} for path in own}
    on_jax = {path for path, names in needed.items() if names == {"numpy"}}  # JAX brings NumPy
    assert {path: names for path, names in needed.items() if names and path not in on_jax} == {}
    assert {path.parent.name for path in on_jax} <= {"lineage", "recording"}


def loaded_by(module: str) -> set[str]:
    program = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["olympus_lint.cli", "olympus_lint.commandline.check", "olympus_rules.check"])
def test_importing_the_program_loads_nothing_heavy(module: str):
    loaded = loaded_by(module)
    assert module.partition(".")[0] in loaded
    assert loaded.isdisjoint({"jax", "jaxlib", "numpy", "rich", "libcst"})


@pytest.mark.parametrize("package", ORDER)
def test_packages_are_typed(package: str):
    assert (PACKAGES[package] / "py.typed").is_file()


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {project["version"], olympus_lint.__version__, olympus.__version__} == {project["version"]}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Return the wheel as ``pip`` builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and "No matching distribution found for hatch" in done.stderr:
        pytest.skip("the build backend cannot be downloaded")
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_holds_the_four_packages_and_nothing_else(wheel: zipfile.ZipFile):
    top = {name.partition("/")[0] for name in wheel.namelist()}
    information = {name for name in top if name.endswith(".dist-info")}
    assert len(information) == 1
    assert top - information == set(PACKAGES)


def test_the_wheel_holds_what_the_checkout_does(wheel: zipfile.ZipFile):
    expected = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in {".json", ".py", ".pyi", ".toml", ".typed"}
    }
    expected |= {f"olympus_rules/pages/{path.name}" for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == expected


def test_the_wheel_has_licence_and_command(wheel: zipfile.ZipFile):
    names = {name.partition(".dist-info/")[2]: name for name in wheel.namelist() if ".dist-info/" in name}
    assert b"Apache License" in wheel.read(names["licenses/LICENSE"])
    assert b"olympus-lint = olympus_lint.cli:main" in wheel.read(names["entry_points.txt"])
    assert b"[pytest11]\nolympus = olympus.pytest_plugin" in wheel.read(names["entry_points.txt"])
    assert b"](https://github.com/olympus-lint/olympus-lint/blob/main/LICENSE)" in wheel.read(names["METADATA"])


LIBRARIES = frozenset(
    {
        "abc", "builtins", "chex", "collections", "contextlib", "copy", "dataclasses", "equinox", "flax", "functools",
        "haiku", "hashlib", "itertools", "jax", "jaxtyping", "joblib", "math", "numpy", "operator", "optax", "pickle",
        "scipy", "tensorflow", "torch", "types", "typing", "typing_extensions",
    }
)  # fmt: skip
LIBRARY_NAME = re.compile(rf"({'|'.join(LIBRARIES)})(\.[A-Za-z_]\w*)+\.?")


def docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    """Return the docstrings of a module, those of its constants included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def library_names(tree: ast.AST) -> list[str]:
    """Return the texts in a module that are, or begin, the qualified name of a library function."""
    left_out = {id(node) for node in docstrings(tree)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out
        if LIBRARY_NAME.fullmatch(node.value)
    ]


def test_library_names_are_found():
    tree = ast.parse(
        '"jax.jit"\nx = ["jax", "jax.lax.", "numpy.stack", "use `jax.jit`", "jax.toml is", f"jax.random.{n}"]'
    )
    assert library_names(tree) == ["jax.lax.", "numpy.stack", "jax.random."]


def test_only_the_libraries_room_names_library_functions():
    found = {}
    for package, path in MODULES:
        if package != "olympus" and "libraries" not in path.parts:
            names = library_names(syntax_of(path))
            if names:
                found[str(path.relative_to(ROOT))] = names
    assert found == {}
