"""Spec text -> `model.py` values.

`load_specs()` is the door for others (tests that compare the specs with Kafka's published schemas, documentation):

    for api in load_specs():
        for message in api.messages:          # request and response, or record schemas
            for field in message.fields:      # nested ones in field.fields
                field.name, field.type, field.is_array, field.versions, field.nullable, field.tag, field.tagged,
                field.default, field.flexible, field.ignorable

All ranges are `Versions(low, high)`, restricted to those of the message and the parent field; an empty one is falsy.
"""

from __future__ import annotations

import re
from pathlib import Path

from tools.codegen.model import (
    FIXED_TYPES,
    NO_VERSIONS,
    VARIABLE_TYPES,
    ApiSpec,
    ErrorSpec,
    FieldSpec,
    Kind,
    MessageSpec,
    StructSpec,
    Versions,
)
from tools.codegen.names import snake_case

SPEC_DIR = Path(__file__).parent.parent.parent / "protocol_specs"
INTERNAL_DIR = SPEC_DIR / "internal"
HIGHEST = 32767
ALL = Versions(0, HIGHEST)

_RANGE = r"\d+(?:\+|-\d+)?"
_FIELD = re.compile(
    rf"""(?P<name>[a-z][a-z0-9_]*):\s+
    (?P<array>\[\])?(?P<type>[A-Za-z][A-Za-z0-9]*)(?P<nullable>\?(?:{_RANGE})?)?
    (?:\s+(?P<versions>{_RANGE}))?
    (?:\s+=\s+(?P<default>\S+))?
    (?:\s+tag\s+(?P<tag>\d+))?
    (?P<ignorable>\s+ignorable)?
    (?P<inflexible>\s+inflexible)?
    \s*$""",
    re.VERBOSE,
)
_HEAD = re.compile(
    rf"(?P<kind>api\s+(?P<key>\d+)|file)\s+(?P<name>\w+)(?:\s+(?P<versions>{_RANGE}))?(?:\s+(?P<rest>.*))?$"
)
_BLOCK = re.compile(
    rf"(?P<kind>request|response|record|struct)(?:\s+(?P<name>\w+))?(?:\s+(?P<versions>{_RANGE}))?(?P<rest>\s+flexible.*)?$"
)


class SpecError(Exception):
    """A spec file does not follow the grammar."""


def load_specs(directory: Path = SPEC_DIR) -> list[ApiSpec]:
    """All API specs in order of their keys, then the headers and the record schemas of internal topics."""
    apis = [parse_spec(path) for path in directory.iterdir() if re.match(r"\d{2,}_", path.name)]
    apis.sort(key=lambda api: api.key if api.key is not None else -1)
    others = [directory / "headers", *sorted((directory / "internal").iterdir())]
    return apis + [parse_spec(path) for path in others if path.exists()]


def load_errors(path: Path = SPEC_DIR / "errors") -> list[ErrorSpec]:
    """The error table, in order of the codes."""
    errors = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            code, name, retriable, since, earlier, meaning = line.split(None, 5)
            if retriable not in ("retriable", "final"):
                raise SpecError(f"{path.name}: {name} is neither retriable nor final")
            before = None if earlier == "-" else int(earlier)
            errors.append(ErrorSpec(int(code), name, retriable == "retriable", since, before, meaning))
    return errors


def parse_spec(path: Path) -> ApiSpec:
    """Read one file.  Raises SpecError with file and line."""
    return _Parser(path.name, path.read_text()).parse()


def parse_range(text: str | None, default: Versions) -> Versions:
    """`3` is 3 only, `3+` open, `3-7` closed; no text at all is *default*."""
    if text is None:
        return default
    if text.endswith("+"):
        return Versions(int(text[:-1]), HIGHEST)
    low, _, high = text.partition("-")
    return Versions(int(low), int(high or low))


class _Parser:
    """One pass over the lines; nesting is indentation, two spaces a level."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines: list[tuple[int, int, str, str]] = []  # line number, depth, code, comment
        self.head_comment: list[str] = []
        for number, line in enumerate(text.splitlines(), 1):
            code, hash_sign, comment = line.partition("#")
            if not code.strip():
                if hash_sign and not self.lines:
                    self.head_comment.append(comment.removeprefix(" ").rstrip())
                continue
            indent = len(code) - len(code.lstrip())
            if indent % 2:
                raise SpecError(f"{file}:{number}: indent by two spaces")
            self.lines.append((number, indent // 2, code.strip(), comment.strip()))
        self.at = 0
        self.structs: dict[str, StructSpec] = {}  # declared so far, by name, not yet restricted to a message

    def fault(self, why: str) -> SpecError:
        line = self.lines[min(self.at, len(self.lines) - 1)][0] if self.lines else 1
        return SpecError(f"{self.file}:{line}: {why}")

    def parse(self) -> ApiSpec:
        head = _HEAD.match(self.lines[0][2]) if self.lines else None
        if head is None:
            raise self.fault("the first line is `api KEY Name VERSIONS flexible VERSIONS` or `file Name`")
        versions = parse_range(head["versions"], ALL)
        flexible = self.flexible(head["rest"], NO_VERSIONS) & versions
        key = int(head["key"]) if head["key"] else None
        title = self.head_comment[0] if self.head_comment else head["name"]
        comment = "\n".join(self.head_comment[1:]).strip("\n")
        api = ApiSpec(self.file, title, key, head["name"], versions, flexible, comment)
        self.at = 1
        while self.at < len(self.lines):
            _, depth, code, comment = self.lines[self.at]
            block = _BLOCK.match(code)
            if depth or block is None:
                raise self.fault("expected request, response, record or struct")
            self.at += 1
            if block["kind"] == "struct":
                struct = self.struct(block["name"], 1, ALL, comment)
                self.structs[struct.name] = struct
                continue
            name = block["name"] or api.name + block["kind"].capitalize()
            versions_here = parse_range(block["versions"], versions)
            flexible_here = self.flexible(block["rest"], flexible) & versions_here
            body = self.struct(name, 1, ALL, comment)
            body = _restrict(body, versions_here, flexible_here)
            api.messages.append(MessageSpec(name, Kind(block["kind"]), versions_here, flexible_here, body, key))
        return api

    def flexible(self, text: str | None, default: Versions) -> Versions:
        """The range behind the word `flexible`; `flexible never` is empty."""
        if not text:
            return default
        word, _, versions = text.strip().partition(" ")
        if word != "flexible":
            raise self.fault(f"expected `flexible VERSIONS`, not {text.strip()!r}")
        return NO_VERSIONS if versions == "never" else parse_range(versions, default)

    def struct(self, name: str, depth: int, versions: Versions, comment: str) -> StructSpec:
        fields = self.fields(depth, versions)
        return StructSpec(name, fields, fields, comment)

    def fields(self, depth: int, parent: Versions) -> list[FieldSpec]:
        fields: list[FieldSpec] = []
        while self.at < len(self.lines) and self.lines[self.at][1] >= depth:
            _, level, code, comment = self.lines[self.at]
            if level > depth:
                raise self.fault("indented too far")
            fields.append(self.field(depth, code, comment, parent))
        return fields

    def field(self, depth: int, code: str, comment: str, parent: Versions) -> FieldSpec:
        match = _FIELD.match(code)
        if match is None:
            raise self.fault(f"not a field: {code!r}")
        versions = parse_range(match["versions"], parent)
        nullable = match["nullable"]
        spec = FieldSpec(
            name=match["name"],
            type=match["type"],
            is_array=match["array"] is not None,
            versions=versions,
            nullable=NO_VERSIONS if nullable is None else parse_range(nullable[1:] or None, versions),
            tag=None if match["tag"] is None else int(match["tag"]),
            tagged=NO_VERSIONS if match["tag"] is None else versions,
            ignorable=match["ignorable"] is not None,
            flexible=NO_VERSIONS if match["inflexible"] else ALL,
            comment=comment,
        )
        spec.default = self.default(spec, match["default"])
        self.at += 1
        if spec.type in FIXED_TYPES or spec.type in VARIABLE_TYPES:
            return spec
        if self.at < len(self.lines) and self.lines[self.at][1] > depth:
            if spec.type in self.structs:
                raise self.fault(f"struct {spec.type} is declared twice")
            spec.struct = self.struct(spec.type, depth + 1, versions, "")
            self.structs[spec.type] = spec.struct
        elif spec.type in self.structs:
            spec.struct = self.structs[spec.type]
        else:
            raise self.fault(f"unknown type {spec.type}")
        return spec

    def default(self, spec: FieldSpec, text: str | None) -> bool | int | float | str | None:
        if text == "null" or (text is None and spec.type == "records" and not spec.is_array):
            return None
        if spec.is_array or spec.type not in FIXED_TYPES:
            if text is not None:
                raise self.fault(f"the default of {spec.name} can only be null")
            return ""
        if spec.type == "bool":
            return text == "true"
        if spec.type == "float64":
            return float(text or 0)
        if spec.type == "uuid":
            return ""
        return int(text or "0", 0)


def _restrict(struct: StructSpec, versions: Versions, flexible: Versions) -> StructSpec:
    """Return a copy of *struct* with the ranges of its fields restricted to *versions*, without fields outside."""
    restricted = StructSpec(struct.name, [], struct.declared, struct.comment)
    for each in struct.fields:
        here = each.versions & versions
        if not here:
            continue
        restricted.fields.append(
            FieldSpec(
                name=each.name,
                type=each.type,
                is_array=each.is_array,
                versions=here,
                nullable=each.nullable & here,
                tag=each.tag,
                tagged=each.tagged & here,
                default=each.default,
                ignorable=each.ignorable,
                flexible=each.flexible & flexible & here,
                struct=_restrict(each.struct, here, flexible) if each.struct is not None else None,
                comment=each.comment,
            )
        )
    return restricted


def module_name(api: ApiSpec) -> str:
    """Name of the generated module of *api*."""
    return snake_case(api.name)
