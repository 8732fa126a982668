"""Python inside of other files: notebooks, Markdown and examples in docstrings, checked, fixed and migrated."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olympus_lint.embedded.magics import set_aside
from olympus_lint.embedded.module import read
from olympus_lint.embedded.notebook import NotANotebook
from olympus_lint.files.sources import InputError

OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["jax.random.PRNGKey(0) é\n"]}
CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Schlüssel\n", "made by `PRNGKey`"]},
    {
        "cell_type": "markdown",
        "metadata": {},
        "source": "![i](attachment:i.png)",
        "attachments": {"i.png": {"image/png": "iVBORw0KGgo="}},
    },
    {"cell_type": "code", "metadata": {"tags": ["a"]}, "execution_count": 1, "outputs": [OUTPUT], "source": []},
    {
        "cell_type": "code",
        "metadata": {},
        "execution_count": 2,
        "outputs": [OUTPUT],
        "source": [
            "%matplotlib inline\n",
            "import jax\n",
            "import jax.numpy as jnp\n",
            "ü = jax.random.PRNGKey(0)  # é",
        ],
    },
    {"cell_type": "code", "metadata": {}, "execution_count": 3, "outputs": [], "source": "%%bash\necho PRNGKey"},
    {
        "cell_type": "code",
        "metadata": {},
        "execution_count": 4,
        "outputs": [],
        "source": [
            "keys = jax.random.split(ü, 3)\n",
            "%time zeros = jnp.zeros(keys.shape[:-1])\n",
            "keys?\n",
            "!ls \\\n",
            "-l",
        ],
    },
    {"cell_type": "raw", "metadata": {}, "source": ["PRNGKey"]},
    {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": "x = jax.random.normal(keys[0], (2,)) + zeros.sum()\ny = jax.random.normal(keys[0], (2,));",
    },
]
EDITS = {
    "jax.random.PRNGKey(0)  # é": "jax.random.key(0)  # é",
    "jnp.zeros(keys.shape[:-1])": "jnp.zeros(jax.random.key_data(keys).shape[:-1])",
}


def notebook(*, ids: bool = True, cells: list[dict[str, Any]] = CELLS, language: str = "python", **style: Any) -> str:
    numbered = [{"id": f"c{number}", **cell} if ids else cell for number, cell in enumerate(cells)]
    about = {"kernelspec": {"language": language, "name": "k"}, "language_info": {"name": language}}
    whole = {"cells": numbered, "metadata": about, "nbformat": 4, "nbformat_minor": 5 if ids else 4}
    return json.dumps(whole, **({"indent": 1, "ensure_ascii": False} | style))


def escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


STYLES: dict[str, tuple[str, Callable[[str], str]]] = {
    "as Jupyter writes it": (notebook() + "\n", str),
    "without ids and last newline": (notebook(ids=False), str),
    "keys in another order": (notebook(sort_keys=True, indent=4), str),
    "in one line": (notebook(indent=None, separators=(",", ":")), str),
    "as ASCII": (notebook(ensure_ascii=True, indent="\t"), escaped),
    "with carriage returns": (notebook(indent=2).replace("\n", "\r\n"), str),
}


@pytest.mark.parametrize("style", STYLES)
def test_migration_of_a_notebook_changes_its_edits_and_no_other_byte(style, project, run):
    text, spelled = STYLES[style]
    file = Path("a.ipynb")
    file.write_bytes(text.encode())
    assert run("--migrate", "--fix", ".").status == 0
    for old, new in EDITS.items():
        assert spelled(old) in text
        text = text.replace(spelled(old), spelled(new))
    assert file.read_bytes().decode() == text
    assert "Nothing was rewritten." in run("--migrate", "--fix", ".").out
    assert file.read_bytes().decode() == text


def test_byte_order_marks_and_half_pairs_stay(project, run):
    halves = {**CELLS[3], "source": ["import jax\n", "k = jax.random.PRNGKey(0)\n", "%ls \ud83d"]}
    text = notebook(cells=[halves], ensure_ascii=True).encode()
    Path("a.ipynb").write_bytes(b"\xef\xbb\xbf" + text)
    run("--migrate", "--fix", ".")
    assert Path("a.ipynb").read_bytes() == b"\xef\xbb\xbf" + text.replace(
        b"k = jax.random.PRNGKey", b"k = jax.random.key"
    )
    page = "# Coding: the basics of JAX\n\n```python\nimport jax\nk = jax.random.PRNGKey(0)\n```\n"
    Path("a.md").write_bytes(b"\xef\xbb\xbf" + page.encode())
    run("--migrate", "--fix", "a.md")
    assert Path("a.md").read_bytes() == b"\xef\xbb\xbf" + page.replace("PRNGKey", "key").encode()
    Path("b.md").write_bytes(page.encode() + b"\xff")
    for options in ((), ("--migrate",)):
        done = run(*options, "b.md")
        assert done.status == 2 and "b.md: is not UTF-8 (byte 80)" in done.err


def test_a_migrated_notebook_computes_the_same_numbers(project, run):
    pytest.importorskip("jax")
    Path("a.ipynb").write_text(notebook())
    before = executed("a.ipynb")
    run("--migrate", "--fix", ".")
    after = executed("a.ipynb")
    import jax
    import numpy

    assert jax.numpy.issubdtype(after["keys"].dtype, jax.dtypes.prng_key)
    assert before["zeros"].shape == after["zeros"].shape == (3,)
    assert all(numpy.array_equal(before[name], after[name]) for name in ("zeros", "x", "y"))


def executed(filename: str) -> dict[str, Any]:
    """Run the code cells of a notebook, without what only IPython understands."""
    cells = json.loads(Path(filename).read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    lines = [line for source in sources if source[:2] != "%%" for line in source.splitlines()]
    kept = [line.removeprefix("%time ") for line in lines]
    module: dict[str, Any] = {}
    exec("\n".join(line for line in kept if line[:1] not in ("%", "!", "-") and line[-1:] != "?"), module)
    return module


def test_the_report_names_cells(project, run):
    cells = [*CELLS, {**CELLS[3], "source": "import vault\nvault.put(jax.random.PRNGKey(1))"}]
    cells.append({**CELLS[3], "source": "u = keys.reshape((2, -1))\nb = jax.random.PRNGKey(("})
    cells.append({**CELLS[3], "source": "u = keys.reshape((2, -1))\n'PRNGKey'"})
    Path("a.ipynb").write_text(notebook(cells=cells))
    done = run("--migrate", "--strict", ".")
    assert "holds back this constructor: a.ipynb:cell 9:2:11\n    a.ipynb:cell 9:2 the key is passed to" in done.out
    assert "holds back this constructor: a.ipynb:cell 4:4:5\n    a.ipynb:cell 11:1:5 OLY202 (changes" in done.out
    assert "    - %time zeros = jnp" in done.out and "    + %time zeros = jnp" in done.out
    assert (
        done.err == "error: a.ipynb: cell 10 cannot be parsed ('(' was never closed, line 2), so it is not changed.\n"
    )
    assert "  a.ipynb:cell 6:2 OLY202 (would change silently): Ask the shape of `key_data`\n" in done.out
    data = json.loads(run("--migrate", "--strict", "--output-format", "json", ".").out)
    assert [(each["cell"], each["row"]) for each in data["places"]] == [(6, 2)]
    assert [each["cell"] for each in data["left"]] == [11]


def test_findings_name_the_cell(project, run):
    Path("a.ipynb").write_text(notebook())
    done = run("--output-format", "concise", ".")
    places = [line.partition(" `")[0].partition(" Key")[0] for line in done.out.splitlines()[:2]]
    assert places == ["a.ipynb:cell 6:2:25: OLY202 [*]", "a.ipynb:cell 8:2:5: OLY104"]
    assert "drew from it on line 1, so" in done.out
    found = json.loads(run("--output-format", "json", ".").out)
    assert [(each["cell"], each["location"]["row"]) for each in found] == [(6, 2), (8, 2)]
    assert found[0]["fix"]["edits"][0]["cell"] == 6 and found[1]["related"][0]["cell"] == 8
    full = run(".").out
    assert "2 | %time zeros = jnp.zeros(keys.shape[:-1])\n  |                         ^^^^^^^^^^^^^^^" in full
    sarif = json.loads(run("--output-format", "sarif", ".").out)["runs"][0]["results"][0]["locations"][0]
    assert sarif["logicalLocations"] == [{"fullyQualifiedName": "cell 6:2:25", "kind": "cell"}]
    assert "  cell 6:2:25 OLY202" in run("--output-format", "grouped", ".").out


@pytest.mark.parametrize("style", STYLES)
def test_reports_that_point_into_files_point_into_the_json(style, project, run):
    text, spelled = STYLES[style]
    Path("a.ipynb").write_bytes(text.encode())
    lines = [line.removesuffix("\r") for line in text.split("\n")]

    def shown(name: str) -> str:
        return run("--select", "OLY104", "--output-format", name, ".").out

    def slice_of(row: int, start: int, end: int) -> str:
        return lines[row - 1][start - 1 : end - 1]

    drawn = spelled("jax.random.normal(keys[0], (2,))")
    (result,) = json.loads(shown("sarif"))["runs"][0]["results"]
    for place in (*result["locations"], *result["relatedLocations"]):
        region = place["physicalLocation"]["region"]
        assert region["startLine"] == region["endLine"]
        assert slice_of(region["startLine"], region["startColumn"], region["endColumn"]) == drawn
    commands = re.findall(r"line=(\d+),endLine=\1,col=(\d+),endColumn=(\d+)", shown("github"))
    assert len(set(commands)) == 2
    assert all(slice_of(*map(int, place)) == drawn for place in commands)
    row, start, end = map(int, commands[0])
    assert f"linenumber={row};columnnumber={start};" in shown("azure")
    (issue,) = json.loads(shown("gitlab"))
    assert issue["location"]["positions"] == {
        "begin": {"line": row, "column": start},
        "end": {"line": row, "column": end},
    }
    (diagnostic,) = json.loads(shown("rdjson"))["diagnostics"]
    assert diagnostic["location"]["range"] == {"start": {"line": row}, "end": {"line": row}}
    assert f'line="{row}"' in shown("junit") and shown("pylint").startswith(f"a.ipynb:{row}: [OLY104] cell 8, row 2: ")


def test_a_place_in_a_cell_is_found_behind_escapes_pairs_and_line_ends(project, run):
    source = [
        "import jax\r\nk = jax.random.",
        'key(0)\ns = "\\t\U0001f511é"; jax.random.normal(k); jax.random.',
        "normal(k)",
    ]
    text = notebook(cells=[{**CELLS[3], "source": source}], ensure_ascii=True)
    Path("a.ipynb").write_text(text)
    (result,) = json.loads(run("--output-format", "sarif", ".").out)["runs"][0]["results"]
    lines = text.split("\n")
    region = result["relatedLocations"][0]["physicalLocation"]["region"]
    assert lines[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1] == "jax.random.normal(k)"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region["endLine"] == region["startLine"] + 1
    assert lines[region["startLine"] - 1][region["startColumn"] - 1 :] == 'jax.random.",'
    assert lines[region["endLine"] - 1][: region["endColumn"] - 1].strip() == '"normal(k)'


def test_a_kept_or_merged_report_points_into_the_json_of_the_notebook_that_is_here(project):
    Path("a.ipynb").write_text(notebook())
    program = Path(sys.executable).with_name("olympus-lint")

    def said(*options: str) -> str:
        done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and not done.stderr
        return done.stdout

    first = said("--output-format", "github", "--cache-dir", "kept", ".")
    assert said("--output-format", "github", "--cache-dir", "kept", ".") == first
    said("--output-format", "json", "--output-file", "report.json", "--quiet", ".")
    assert said("--merge", "report.json", "--output-format", "github") == first
    assert "line=1," not in first
    Path("a.ipynb").unlink()
    assert "line=1,endLine=1,col=1,endColumn=1," in said("--merge", "report.json", "--output-format", "github")
    results = json.loads(said("--merge", "report.json", "--output-format", "sarif"))["runs"][0]["results"]
    assert all("region" not in each["locations"][0]["physicalLocation"] for each in results)


def test_reuse_across_cells_names_the_other_cell(project, run):
    cells = [{**CELLS[3], "source": "import jax\nkey = jax.random.key(0)\nx = jax.random.normal(key)"}]
    cells.append({**CELLS[3], "source": "y = jax.random.normal(key)"})
    Path("a.ipynb").write_text(notebook(cells=cells))
    done = run(".")
    assert "a.ipynb:cell 2:1:5: OLY104" in done.out and "drew from it on line 3 of cell 1, so" in done.out
    assert "a.ipynb:cell 1:3:5: first consumed here" in done.out and "3 | x = jax.random.normal(key)" in done.out


def test_verdicts_and_fixes_name_places_of_the_notebook(project, run):
    pytest.importorskip("jax")
    cells = [{**CELLS[3], "source": "import jax\n%time key = jax.random.key(0)"}]
    cells.append({**CELLS[3], "source": "x = jax.random.normal(key)\ny = jax.random.normal(key)"})
    Path("a.ipynb").write_text(notebook(cells=cells))
    done = run("--trace", ".")
    assert "a.ipynb:cell 2:2:5: OLY104" in done.out and "verdict: confirmed" in done.out
    assert "      a.ipynb:cell 2:1:5-1:27 in <module>\n" in done.out
    assert "help: Split `key` before line 1 (" in done.out


def test_fixes_diffs_and_suppressions_of_a_notebook(project, run):
    file = Path("a.ipynb")
    file.write_text(notebook())
    done = run("--diff", ".")
    assert done.status == 1 and file.read_text() == notebook()
    (old, new) = list(EDITS.items())[1]
    changed = [line for line in done.out.splitlines() if line[0] in "-+"]
    assert changed[:2] == ["--- a.ipynb", "+++ a.ipynb"] and len(changed) == 4 and old in changed[2]
    assert run("--fix", ".").out.startswith("a.ipynb:cell 8:2:5: OLY104")
    assert file.read_text() == notebook().replace(old, new)
    assert run("--add-noqa", ".").status == 0
    assert "(keys[0], (2,));  # noqa: OLY104" in json.loads(file.read_text())["cells"][7]["source"]
    assert run("--extend-select", "OLY901", ".").status == 0


def test_an_unused_key_of_another_language_or_version_is_no_python(project, run):
    Path("r.ipynb").write_text(notebook(language="R"))
    assert run(".").status == 0
    Path("old.ipynb").write_text(json.dumps({"worksheets": [], "nbformat": 3}))
    assert "old.ipynb: is a notebook of format 3" in run(".").err
    Path("bad.ipynb").write_text(notebook()[:-5])
    done = run("bad.ipynb")
    assert done.status == 1 and "bad.ipynb:1:1: OLY902 Cannot be parsed: it is no notebook of format 4" in done.out
    done = run("--migrate", "bad.ipynb")
    assert done.status == 2 and "bad.ipynb: cannot be read as a notebook of format 4" in done.err


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        "1",
        "{" * 9,
        '{"cells": 1}',
        '{"cells": [1]}',
        '{"cells": [] "a": 1}',
        '{"cells": [{"cell_type": "code"}]}',
        '{"cells": [{"cell_type": "code", "source": 1}]}',
        '{"cells": [[' + "[" * 100_000,
    ],
    ids=range(10),
)
def test_what_is_no_notebook_is_refused(text):
    with pytest.raises(NotANotebook):
        read("a.ipynb", text, "ipynb")


def test_empty_cells_array_is_a_notebook():
    assert read("a.ipynb", '{"cells": [], "metadata": null}', "ipynb").text == ""


PAGE = """\
# Keys by `PRNGKey`

```python title="first.py" linenums
import jax
key = jax.random.PRNGKey(0)  # é
```

> - quoted
>
>   ~~~py
>   keys = jax.random.split(key)
>   if True:
>
>       n = keys.shape[:-1]
>   ~~~

````markdown
```python
jax.random.PRNGKey(1)
```
````

1. ```pycon
   >>> k = jax.random.PRNGKey(
   ...     3)
   >>> k.shape[:-1]
   ()
   ```

```{code-cell} ipython3
:tags: [hide]

%timeit -n 3 jax.random.PRNGKey(4)
```

```bash
echo PRNGKey
```

```python
key = jax.random.PRNGKey(...
```
"""
MIGRATED = (
    PAGE.replace("PRNGKey(0)", "key(0)")
    .replace("keys.shape", "jax.random.key_data(keys).shape")
    .replace("k = jax.random.PRNGKey", "k = jax.random.key")
    .replace(">>> k.shape", ">>> jax.random.key_data(k).shape")
    .replace("PRNGKey(4)", "key(4)")
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_migration_of_a_page(end, project, run):
    file = Path("a.md")
    file.write_bytes(PAGE.replace("\n", end).encode())
    assert "no Python files" in run("--migrate", ".").err
    assert run("--migrate", "--fix", "--extension", "md", ".").status == 0
    assert file.read_bytes().decode() == MIGRATED.replace("\n", end)
    again = run("--migrate", "--fix", "--extension", "md", ".")
    assert "Nothing was rewritten." in again.out and "the code that begins on line 41 cannot be parsed" in again.err


@pytest.mark.parametrize(
    ("page", "pieces"),
    [
        ("```python\nx = 1", 1),
        ("~~~~ python\nx\n```\n~~~~", 0),
        ("   ```py\n   x = 1\n  y = 2\n   ```\n", 1),
        ("- ```py\n  x=1\n\n  ```\n- b\n", 1),
        (">```py\n>x=1\n>```", 1),
        ("```python\r\nx\r\n```\r\n", 1),
        ("\t```py\n\tx\n", 0),
        ("<!--\n```python\nx\n```\n-->\n", 0),
        ("```python\n```\n", 0),
        ("```r\nx\n```\n", 0),
        ("1. a\n\n\t```py\n\tx = 1\n\t```\n", 1),
    ],
)
def test_blocks_are_found_and_put_back(page, pieces):
    embedded = read("a.md", page, "markdown")
    assert len(embedded.used) == pieces
    assert embedded.put_back(embedded.text) == page
    assert embedded.put_back(embedded.text.replace("x", "zz")) == (page.replace("x", "zz") if pieces else page)


def test_findings_on_a_page(project, run):
    Path("a.md").write_text(PAGE)
    done = run("--extension", "md", "--output-format", "concise", ".")
    assert [line.split(": OLY202")[0] for line in done.out.splitlines()[:2]] == ["a.md:14:13", "a.md:26:8"]
    run("--extension", "md", "--fix", ".")
    assert ">       n = jax.random.key_data(keys).shape[:-1]\n" in Path("a.md").read_text()


def test_blocks_of_a_page_are_no_program_in_which_a_key_is_used_twice(project, run):
    block = "```python\nx = jax.random.normal(key)\n```\n"
    made = "```python\nimport jax\nkey = jax.random.key(0)\n```\n"
    Path("a.md").write_text(made + block + block)
    assert run("a.md").status == 0
    Path("a.md").write_text(made + block.replace("\n```\n", "\ny = jax.random.normal(key)\n```\n"))
    assert "a.md:7:5: OLY104" in run("a.md").out and "on line 6, so" in run("a.md").out


MODULE = '''\
"""Shapes.

>>> import jax
>>> shape(jax.random.split(jax.random.PRNGKey(0), 3))
(3,)
"""
import jax


def shape(keys):
    r"""Shape of keys, made by PRNGKey.

    >>> from jax.random import PRNGKey
    >>> k = PRNGKey(
    ...     1)
    >>> keys = jax.random.split(k)  # doctest: +ELLIPSIS
    >>> keys.shape[:-1]
    (2,)
    >>> def twice(key):
    ...     """Doc.

    not code
    """
    return jax.random.key_data(keys).shape[:-1]


class Made:
    """Its key.

        >>> import vault
        >>> vault.put(jax.random.PRNGKey(2))"""

    key = jax.random.PRNGKey(7)'''


def test_migration_of_docstrings(project, run):
    text = MODULE.replace('    >>> def twice(key):\n    ...     """Doc.\n', "")
    Path("crlf").mkdir()
    Path("crlf/a.py").write_bytes(text.replace("\n", "\r\n").encode())
    Path("a.py").write_text(text)
    results = [outcome_of(text)] if pytest.importorskip("jax") else []
    done = run("--migrate", "--fix", ".")
    new = Path("a.py").read_text()
    expected = (
        text.replace("PRNGKey(0)", "key(0)")
        .replace("    >>> from jax.random import PRNGKey\n", "")
        .replace("k = PRNGKey(", "k = jax.random.key(")
        .replace(">>> keys.shape", ">>> jax.random.key_data(keys).shape")
        .replace("PRNGKey(7)", "key(7)")
    )
    assert new == expected
    assert Path("crlf/a.py").read_bytes().decode() == expected.replace("\n", "\r\n")
    results.append(outcome_of(new))
    assert [each.failed for each in results] == [0, 0] and results[0].attempted > 5
    assert run("--migrate", "--fix", ".").status == done.status and Path("a.py").read_text() == expected


def test_an_import_that_only_an_example_read_is_removed_with_it(project, run):
    text = "from jax.random import PRNGKey, split\n\n\ndef draw():\n    return split(PRNGKey(1)), split(PRNGKey(2))\n"
    text += '\n\ndef doc():\n    """F.\n\n    >>> jax.random.PRNGKey(0)[1]\n    Array(0, dtype=uint32)\n    """\n'
    Path("a.py").write_text(text)
    run("--migrate", "--fix", ".")
    assert "PRNGKey" not in Path("a.py").read_text()


def test_an_example_names_what_it_already_names(project, run):
    text = "import jax\nimport jax.random as jr\n\n\n"
    text += 'def doc():\n    """F.\n\n    >>> jax.random.PRNGKey(0)[1]\n    Array(0, dtype=uint32)\n    """\n'
    Path("a.py").write_text(text)
    run("--migrate", "--fix", ".")
    assert ">>> jax.random.key_data(jax.random.key(0))[1]" in Path("a.py").read_text()


def test_jax_is_assumed_where_what_runs_the_examples_imports_it(project, run):
    text = 'def f():\n    """F.\n\n    >>> k = jax.random.PRNGKey(0)\n    >>> k.shape[:-1]\n    ()\n    """\n'
    page = "Hi\n\n```python\nk = jax.random.PRNGKey(0)\n```\n\n> ```python\n> k.shape[:-1]\n"
    Path("a.py").write_text(text)
    Path("a.md").write_text(page)
    assert "a.md:8:3: OLY202" in run("--output-format", "concise", "a.md").out
    run("--migrate", "--fix", "--extension", "md", ".")
    for file, old in (("a.py", text), ("a.md", page)):
        new = old.replace("PRNGKey", "key").replace("k.shape", "jax.random.key_data(k).shape")
        assert Path(file).read_text() == new
    own = text.replace("def f", "jax = 1\nimport my.jax as jax\ndef f")
    Path("a.py").write_text(own)
    run("--migrate", "--fix", "a.py")
    assert Path("a.py").read_text() == own


def outcome_of(text: str) -> doctest.TestResults:
    module = types.ModuleType("a")
    exec(text, module.__dict__)
    module.Made.__doc__ = None  # of a package that is not there
    with contextlib.redirect_stdout(io.StringIO()):
        return doctest.testmod(module)


def test_examples_in_docstrings_are_not_linted(project, run):
    Path("a.py").write_text(MODULE.partition("    >>> def")[0] + '    """\n    return jax.random.PRNGKey(0)\n')
    assert run(".").status == 0


@pytest.mark.parametrize(
    ("code", "python"),
    [
        ("%matplotlib inline\n", "_a0_()\n"),
        ("  !pip install \\\n  jax\n", "  _a0_(\n)\n"),
        ("files = !ls\n", "files = _a0_()\n"),
        ("a, b = %env X", "a, b = _a0_()"),
        ("%time x = f(y)\n", "_a0_(); x = f(y)\n"),
        ("%timeit -n 10 -r3 f(y)\n", "_a0_(); f(y)\n"),
        ("%lprun -f f f(y)\n", "_a0_(); f(y)\n"),
        ("%%time\nx = 1\n", "_a0_()\nx = 1\n"),
        ("x?\n?y\nz.w??\n", "_a0_()\n_a1_()\n_a2_()\n"),
        ("x = a % b\nx != y\n", "x = a % b\nx != y\n"),
    ],
)
def test_magics_are_set_aside_and_put_back(code, python):
    made, aside = set_aside(code, "_a", 0)
    assert made == python and made.count("\n") == code.count("\n")
    for each in aside:
        made = made.replace(each.name, each.magic)
    assert made == code


def test_pieces_that_cannot_be_told_apart_are_refused():
    embedded = read("a.ipynb", notebook(), "ipynb")
    lines = embedded.text.splitlines(keepends=True)
    with pytest.raises(InputError, match="a mark between its pieces of code is missing"):
        embedded.put_back("".join(lines[:1] + lines[3:]))
    page = read("a.md", PAGE, "markdown")
    with pytest.raises(InputError, match="would merge with the text around it"):
        page.put_back(page.text.replace("import jax\n", "import jax\n```\n"))


def test_extension_of_settings(project, run):
    Path("a.qmd").write_text("```{python}\nimport jax\njax.random.PRNGKey(0).shape[:-1]\n```\n")
    Path("olympus-lint.toml").write_text('extension = ["qmd:markdown"]\n')
    assert "a.qmd:3:1: OLY202" in run("--output-format", "concise", ".").out
    Path("olympus-lint.toml").write_text('extension = ["qmd"]\n')
    done = run(".")
    assert done.status == 2 and "write 'qmd:markdown'" in done.err
    assert "did you mean 'markdown'" in run("--config", "/dev/null", "--extension", "qmd:markdwon", ".").err
