"""Settings: files, types, spelling, precedence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs import CLEAN, RAW, REUSE

from olympus_lint.project.configuration import Configuration
from olympus_lint.project.paths import Patterns, anchored
from olympus_lint.project.selection import UnknownSelectorError, selected_codes
from olympus_lint.project.settings import Settings, override
from olympus_rules.finding import Confidence
from olympus_rules.rules import all_rules


def pyproject(folder: str, *lines: str) -> None:
    Path(folder).mkdir(exist_ok=True)
    (Path(folder) / "pyproject.toml").write_text("\n".join(["[tool.olympus-lint]", *lines]))


def test_every_setting_is_read(project):
    Path("packs").mkdir()
    Path("packs/kit.toml").touch()
    pyproject(
        ".",
        'select = ["OLY1"]',
        'extend-select = ["OLY201"]',
        'ignore = ["key-reuse"]',
        'exclude = ["gen"]',
        'extend-exclude = ["old/*"]',
        "respect-gitignore = false",
        "force-exclude = true",
        'min-confidence = "possible"',
        'tests = "all"',
        'library-roots = ["jax", "my.jax"]',
        'signature-packs = ["packs/kit.toml"]',
        'output-format = "json"',
        "fix = true",
        "unsafe-fixes = true",
        "fix-only = true",
        "show-fixes = true",
        'cache-dir = "kept"',
        "[tool.olympus-lint.per-file-ignores]",
        '"tests/*" = ["ALL"]',
        "[tool.olympus-lint.trace]",
        '"pkg.mod:step" = {args = ["key", "f32[3,4]"]}',
        '"pkg.mod:Model.step" = {args = {n = "3"}}',
    )
    assert Configuration({}).at(project) == Settings(
        select=["OLY1"],
        extend_select=["OLY201"],
        ignore=["key-reuse"],
        per_file_ignores={f"{project}/tests/*": ["ALL"]},
        exclude=["gen"],
        extend_exclude=[f"{project}/old/*"],
        respect_gitignore=False,
        force_exclude=True,
        min_confidence=Confidence.POSSIBLE,
        tests="all",
        library_roots=["jax", "my.jax"],
        signature_packs=[f"{project}/packs/kit.toml"],
        output_format="json",
        fix=True,
        unsafe_fixes=True,
        fix_only=True,
        show_fixes=True,
        cache_dir=f"{project}/kept",
        trace={"pkg.mod:step": {"args": ["key", "f32[3,4]"]}, "pkg.mod:Model.step": {"args": {"n": "3"}}},
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('selct = ["OLY1"]', "selct: unknown setting; did you mean 'select'?"),
        ("banana = 1", "banana: unknown setting; the settings are baseline, cache-dir, exclude, extend-exclude"),
        ("min_confidence = 'likely'", "min_confidence: unknown setting; did you mean 'min-confidence'?"),
        ('select = "OLY1"', "select: expected a list of strings such as [\"…\"], not 'OLY1'."),
        ("select = [1]", 'select: expected a list of strings such as ["…"], not [1].'),
        ('select = ["OLY140"]', "select: unknown rule 'OLY140'; did you mean 'OLY104'?"),
        ("fix = 1", "fix: expected true or false, not 1."),
        ("min-confidence = 3", "min-confidence: expected one of possible, likely, certain, not 3."),
        ('output-format = "jason"', "not 'jason'; did you mean 'json'?"),
        ('library-roots = ["a b"]', "library-roots: expected module names, not 'a b'."),
        ("cache-dir = 3", "cache-dir: expected the path of a folder, not 3."),
        ("per-file-ignores = []", "per-file-ignores: expected a table such as"),
        ('per-file-ignores = {"a" = "OLY1"}', "per-file-ignores: expected a list of strings"),
        ("trace = true", 'trace: expected a table such as {"pkg.mod:function" = {args = ["key"]}}, not True.'),
        ("trace = {step = {}}", "trace: 'step' names no function; write 'pkg.mod:function'."),
        ('trace = {"a:b" = 3}', 'trace: a:b: expected a table such as {args = ["key"]}, not 3.'),
        ('trace = {"a:b" = {arg = []}}', "trace: a:b: unknown name 'arg'; did you mean 'args'?"),
        ('trace = {"a:b" = {args = 3}}', "trace: a:b: expected a list of texts such as args = "),
        ('trace = {"a:b" = {args = ["f33"]}}', "trace: a:b: f33: there is no such dtype; write f32, i32, u8, bool."),
        ('trace = {"a:b" = {args = {x = "y"}}}', "trace: a:b: y: it is no array, key or literal; write f32[3,4]"),
    ],
)
def test_wrong_settings_are_a_sentence(project, run, line, message):
    pyproject(".", line)
    ran = run()
    assert ran.status == 2
    assert ran.err.startswith(f"error: {project}/pyproject.toml: [tool.olympus-lint]: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "kit.toml cannot be read (No such file or directory); name one that can be read."),
        (b"\xff", "kit.toml is not encoded in UTF-8; save it so."),
        (b"[inspect", "kit.toml is not TOML (Expected ']' at the end of a table declaration (at end of document));"),
        (b"[inspects]", "kit.toml: unknown section 'inspects'; did you mean 'inspect'?"),
        (b"[methods.f]\nsinks = ['key']", "kit.toml: [methods.\"f\"] sinks: unknown parameter 'key'; known are none."),
    ],
)
def test_a_wrong_signature_pack_is_a_sentence(project, run, text, message):
    pyproject(".", 'signature-packs = ["kit.toml"]')
    if text is not None:
        Path("kit.toml").write_bytes(text)
    ran = run()
    assert ran.status == 2
    assert ran.err.startswith(f"error: {project}/pyproject.toml: [tool.olympus-lint]: signature-packs: {project}/")
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_folder_has_its_signature_packs(project, run, jobs):
    program = "import jax, kit\nkey = jax.random.key(0)\nkit.look(key)\njax.random.normal(key)\n"
    for folder in ("with", "without"):
        pyproject(folder, *(['signature-packs = ["kit.toml"]'] if folder == "with" else []))
        for name in ("a", "b"):
            Path(folder, f"{name}.py").write_text(program)
    Path("with/kit.toml").write_text('[inspect]\nnames = ["kit.look"]\n')
    found = json.loads(run("--output-format", "json", "--jobs", jobs).out)
    assert [f["filename"] for f in found] == ["without/a.py", "without/b.py"]


def test_broken_files_are_a_sentence(project, run):
    Path("pyproject.toml").write_text("[tool.olympus-lint\n")
    assert run().err.startswith(f"error: {project}/pyproject.toml: is not TOML (Expected ']' at the end of a")
    Path("pyproject.toml").write_text("tool.olympus-lint = 3\n")
    assert "tool.olympus-lint is 3; write a table [tool.olympus-lint]" in run().err
    Path("pyproject.toml").write_text("[tool.other]\n")
    assert run().status == 0
    assert "there is no table [tool.olympus-lint]" in run("--config", "pyproject.toml").err


def test_each_file_has_the_settings_of_the_nearest_file(project, run):
    pyproject(".", 'select = ["OLY201"]')
    pyproject("inner", 'select = ["OLY104"]')
    Path("inner/deep").mkdir()
    Path("other").mkdir()
    (Path("other") / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # says nothing to us
    text = RAW + REUSE.partition("\n")[2]
    for name in ("a.py", "inner/deep/b.py", "other/c.py"):
        Path(name).write_text(text)
    found = json.loads(run("--output-format", "json").out)
    assert [(f["filename"], f["code"]) for f in found] == [
        ("a.py", "OLY201"),
        ("inner/deep/b.py", "OLY104"),
        ("other/c.py", "OLY201"),
    ]


def test_own_file_wins_and_config_names_the_only_one(project):
    pyproject(".", 'select = ["OLY1"]')
    Path("olympus-lint.toml").write_text('select = ["OLY2"]\n')
    Path("ci.toml").write_text('[tool.olympus-lint]\nselect = ["OLY9"]\n')
    assert Configuration({}).at(project).select == ["OLY2"]
    assert Configuration({}, Path("ci.toml")).at(project).select == ["OLY9"]


def test_command_line_wins(project, run):
    pyproject(".", "fix = true", 'select = ["OLY201"]', 'ignore = ["OLY201"]', 'exclude = ["a.py"]')
    Path("a.py").write_text(RAW)
    assert run("--exclude", "b.py", "--diff").status == 0
    assert run("--exclude", "b.py", "--diff", "--select", "OLY201").status == 1
    assert run("--exclude", "b.py", "--diff", "--extend-select", "OLY201").status == 1


def test_override_of_rule_lists():
    file = Settings(select=["OLY1"], extend_select=["OLY201"], ignore=["OLY104"], extend_exclude=["a"])
    fresh = override(file, {"select": ["OLY2"]})
    assert (fresh.select, fresh.extend_select, fresh.ignore) == (["OLY2"], [], [])
    more = override(file, {"extend_select": ["OLY104"], "ignore": ["OLY201"], "extend_exclude": ["b"]})
    assert (more.select, more.extend_select, more.ignore) == (["OLY1"], ["OLY104"], ["OLY201"])
    assert more.extend_exclude == ["a", "b"]


DEFAULT = {code for code, rule in all_rules().items() if rule.default}


@pytest.mark.parametrize(
    ("select", "extend", "ignore", "codes"),
    [
        (None, [], [], DEFAULT),
        (None, ["OLY201"], [], DEFAULT | {"OLY201"}),
        (None, [], ["ALL"], set()),
        ([], [], [], set()),
        (["ALL"], [], [], set(all_rules())),
        (["ALL"], [], ["OLY"], set()),
        (["OLY104", "OLY9"], [], ["OLY1"], {"OLY104", "OLY901", "OLY902"}),
        (["OLY1"], [], ["OLY10"], {"OLY110", "OLY111"}),
        (["key-reuse"], [], ["OLY10"], {"OLY104"}),
        (["OLY104"], [], ["key-reuse"], set()),
        (["OLY9"], ["OLY104"], ["OLY1"], {"OLY104", "OLY901", "OLY902"}),
    ],
)
def test_the_most_specific_selector_decides(select, extend, ignore, codes):
    assert selected_codes(select, extend, ignore) == codes


@pytest.mark.parametrize("selector", ["", "O", "oly104", "E501", "OLY999", "key"])
def test_unknown_selectors(selector):
    with pytest.raises(UnknownSelectorError, match="unknown rule"):
        selected_codes([selector], [], [])


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("build", "/p/build", True),
        ("build", "/p/build2", False),
        ("*_pb2.py", "/p/a/x_pb2.py", True),
        ("gen/*", "/p/gen/a/b.py", True),
        ("./gen/*", "/p/gen/a.py", True),
        ("gen/*", "/p/src/gen/a.py", False),
        ("**/gen/*", "/p/src/gen/a.py", True),
        ("**/gen/*", "/p/gen/a.py", True),
        ("a/**/b/**/c.py", "/p/a/b/x/c.py", True),
        ("a/**/b/**/c.py", "/p/a/x/b/c.py", True),
        ("a/**/b/**/c.py", "/p/a/c.py", False),
        ("/p/a.py", "/p/a.py", True),
        ("sub/", "/p/sub", True),
    ],
)
def test_patterns(pattern, path, matches):
    assert Patterns([anchored(pattern, Path("/p"))]).match(Path(path).name, path) is matches


def test_a_base_with_pattern_characters_is_no_pattern():
    assert Patterns([anchored("a/*", Path("/p[1]"))]).match("x", "/p[1]/a/x")


def test_no_patterns_match_nothing():
    assert not Patterns([]).match("", "")


def test_library_roots_decide_what_is_looked_at(project, run):
    Path("a.py").write_text(CLEAN.replace("jax", "xla"))
    assert "analysed 0 of 1" in run("-v").err
    Path("olympus-lint.toml").write_text('library-roots = ["xla"]\n')
    assert "analysed 1 of 1" in run("-v").err


ROOTED = """from lab import jax_compat


def noise(seed):
    key = jax_compat.random.PRNGKey(seed)
    return jax_compat.random.normal(key) + jax_compat.random.uniform(key)
"""


def test_library_roots_decide_how_a_fix_is_spelled(project, run):
    Path("a.py").write_text(ROOTED)
    Path("olympus-lint.toml").write_text('library-roots = ["jax", "lab.jax_compat"]\n')
    run("--fix", "--unsafe-fixes", "--select", "OLY104")
    text = Path("a.py").read_text()
    assert "jax_compat.random.split(key)" in text and "import jax\n" not in text


def test_library_roots_may_be_dotted_in_a_migration(project, run):
    Path("a.py").write_text(ROOTED)
    Path("olympus-lint.toml").write_text('library-roots = ["jax", "lab.jax_compat"]\n')
    run("--migrate", "--fix")
    assert "jax_compat.random.key(seed)" in Path("a.py").read_text()
