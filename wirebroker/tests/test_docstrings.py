"""The rules for docstrings, comments, log messages and names that a program can check, over the whole repository."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
TREES: Final = ("wirebroker", "compat_tests", "tools")
GENERATED: Final = ("wirebroker/protocol/messages/", "wirebroker/protocol/internal/")
LOG_METHODS: Final = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
_PRONOUN: Final = re.compile(r"(?:^|[.!:] )(?:Who|What|Whoever|Whose|Whom)\b")
"""The beginning of a sentence with a relative pronoun in the place of a noun."""
_PRONOUN_ANYWHERE: Final = re.compile(r"\b(?:Who|What|Whoever|Whose|Whom)\b")
_FILE_NAME: Final = re.compile(r"\b[\w/]+\.py\b")
_PACKAGE_NAME: Final = re.compile(r"(?<![\w./<-])(?:\w+/)+(?![\w<])")
METAPHORS: Final = frozenset(
    [
        "chore",
        "chores",
        "door",
        "doors",
        "errand",
        "errands",
        "house",
        "faces",
        "journey",
        "lane",
        "lanes",
        "mortal",
        "riddle",
        "riddles",
        "scene",
        "scenes",
        "stage",
        "stages",
        "stranger",
        "strangers",
        "trash",
        "witness",
        "witnesses",
    ]
)
"""Words that stood for a technical noun once.  They are not to come back in the name of anything."""


class Text(NamedTuple):
    """One docstring, comment or log message."""

    line: int
    text: str


@cache
def files() -> tuple[str, ...]:
    """Every Python file of the repository, relative to its root."""
    found = (path for tree in TREES for path in sorted((ROOT / tree).rglob("*.py")))
    return tuple(str(path.relative_to(ROOT)) for path in found if not any(part.startswith(".") for part in path.parts))


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


def docstrings(tree: ast.Module) -> Iterator[Text]:
    """The docstrings of modules, classes and functions, and those below assignments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield Text(node.lineno, node.value.value)


def comments(path: str) -> Iterator[Text]:
    """The comments, those of adjacent lines as one."""
    last = Text(-1, "")
    source = (ROOT / path).read_bytes()
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        text = token.string.lstrip("#: ")
        if token.start[0] == last.line + last.text.count("\n") + 1 and token.line.lstrip().startswith("#"):
            last = Text(last.line, f"{last.text}\n{text}")
            continue
        yield last
        last = Text(token.start[0], text)
    yield last


def log_messages(tree: ast.Module) -> Iterator[Text]:
    """The constant texts that are handed to a logger."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in LOG_METHODS
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            yield Text(node.lineno, node.args[0].value)


def names(tree: ast.Module) -> Iterator[Text]:
    """The names that a module gives: to classes, functions, parameters, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield Text(node.lineno, node.name)
        elif isinstance(node, ast.arg):
            yield Text(node.lineno, node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Text(node.lineno, node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield Text(node.lineno, node.attr)


def words(name: str) -> list[str]:
    """The words of a name in snake_case or CamelCase, in lower case."""
    return [word.lower() for part in name.split("_") for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", part)]


def test_no_sentence_begins_with_a_relative_pronoun() -> None:
    found = []
    for path in files():
        if not _PRONOUN_ANYWHERE.search((ROOT / path).read_text()):
            continue  # reading tokens is slow
        tree = tree_of(path)
        for line, text in (*docstrings(tree), *comments(path), *log_messages(tree)):
            one_line = " ".join(text.split())
            if _PRONOUN.search(one_line):
                found.append(f"{path}:{line}: {one_line[:90]}")
    assert not found, "name the object instead:\n" + "\n".join(found)


def test_every_module_and_every_public_class_has_a_docstring() -> None:
    found = []
    for path in files():
        if not (ROOT / path).read_text().startswith('"""'):
            found.append(f"{path}: module")
        if path.startswith(GENERATED) or "/test_" in path:
            continue  # classes of messages are described in protocol_specs, classes of tests by their tests
        found += [
            f"{path}:{node.lineno}: class {node.name}"
            for node in tree_of(path).body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not ast.get_docstring(node)
        ]
    assert not found, "without a docstring:\n" + "\n".join(found)


def packages() -> list[str]:
    return [path for path in files() if path.endswith("/__init__.py")]


@pytest.mark.parametrize("path", packages())
def test_a_package_names_only_modules_that_exist(path: str) -> None:
    text = ast.get_docstring(tree_of(path)) or ""
    package = (ROOT / path).parent
    places = (package, *package.parents[: len(Path(path).parents)])
    missing = [
        name
        for name in (*_FILE_NAME.findall(text), *_PACKAGE_NAME.findall(text))
        if not any((place / name).exists() for place in places)
    ]
    assert not missing


def test_the_first_docstring_names_the_layers_that_are_checked() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    layers = [re.findall(r"\w+", layer) for layer in contract["layers"]]
    (shown,) = re.findall(
        r"    cli >.*?(?=\n\n)", ast.get_docstring(tree_of("wirebroker/__init__.py")) or "", re.DOTALL
    )
    assert [re.findall(r"\w+", layer) for layer in shown.split(">")] == layers


@pytest.mark.parametrize("path", ["README.md", "wirebroker/ARCHITECTURE.md", "wirebroker/GLOSSARY.md"])
def test_a_document_names_only_files_that_exist(path: str) -> None:
    names = re.findall(r"`([\w/-]+\.(?:py|md|toml|ini))`", (ROOT / path).read_text())
    assert [name for name in names if not any((ROOT / place / name).exists() for place in (".", "wirebroker"))] == []


def test_the_glossary_names_only_classes_that_exist() -> None:
    names = re.findall(r"`([A-Z]\w+[a-z]\w*)`", (ROOT / "wirebroker/GLOSSARY.md").read_text())
    sources = [(ROOT / path).read_text() for path in files() if not path.startswith(GENERATED)]
    classes = {name for source in sources for name in re.findall(r"^class (\w+)", source, re.MULTILINE)}
    assert len(names) > 10
    assert [name for name in names if name not in classes] == []


def test_no_name_has_a_metaphor() -> None:
    found = [
        f"{path}:{line}: {name}"
        for path in files()
        if not path.startswith(GENERATED)
        for line, name in (Text(0, Path(path).stem), *names(tree_of(path)))
        if METAPHORS & set(words(name))
    ]
    assert not found, "use the technical noun:\n" + "\n".join(found)


@pytest.mark.parametrize("path", ["compat_tests/differences.py", "compat_tests/transactions/differences.py"])
def test_every_difference_from_kafka_is_among_the_findings(path: str) -> None:
    findings = (ROOT / "compat_tests/FINDINGS.md").read_text()
    names = re.findall(r"^([A-Z_]+)(?::.*)? = ", (ROOT / path).read_text(), re.MULTILINE)
    assert len(names) > 5
    assert [name for name in names if f"`{name}`" not in findings] == []


def test_every_finding_is_a_difference() -> None:
    findings = (ROOT / "compat_tests/FINDINGS.md").read_text()
    declared = "".join((ROOT / path).read_text() for path in files() if path.endswith("/differences.py"))
    rows = re.findall(r"^\| `([A-Z_]+)`", findings, re.MULTILINE)
    assert [name for name in rows if not re.search(rf"^{name}\b", declared, re.MULTILINE)] == []


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("What is left is printed.", True),
        ("Return it. Who waits is told.", True),
        ("Nothing: What matters.", True),
        ("Return what is left.", False),
        ("Whether it is there.", False),
        ("WhatIf", False),
    ],
)
def test_the_rule_about_sentences(text: str, is_found: bool) -> None:
    assert (_PRONOUN.search(text) is not None) == is_found


def test_words_of_names() -> None:
    assert words("_log_dirLane") == ["log", "dir", "lane"]
    assert words("KRaftVersionRecord") == ["k", "raft", "version", "record"]
    assert words("DISK_LANES") == ["disk", "lanes"]
