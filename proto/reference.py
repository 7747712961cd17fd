"""Writes the protocol reference out of the comments in the .proto files: ``python proto/reference.py [FILE]``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

ROOT = Path(__file__).parent
PAGE = ROOT.parent / "docs" / "bots" / "protocol-reference.md"
PACKAGE = "kawuxing.v1"
DURATION = "https://protobuf.dev/reference/protobuf/google.protobuf/#duration"
HEAD = f"""# Protocol reference

`make protocol-docs` writes this page out of the comments in [proto/kawuxing/v1](../../proto/kawuxing/v1).
[protocol.md](../protocol.md) says how the messages follow each other, and what the clock and the faults do.

- The package is `{PACKAGE}`. Numbers in the first column are those of fields on the wire, and of enum values.
- "one of `x`": at most one of the fields of the `oneof x` is set.
- "optional": being absent is told from being zero. So it is with every field whose type is a message. A field of any
  other type that is zero is not on the wire.
- "repeated": any number of them, none included.
- Skip fields, enum values and members of a `oneof` that you do not know: there will be more.
"""

_Named: TypeAlias = ServiceDescriptorProto | DescriptorProto | EnumDescriptorProto
Comments: TypeAlias = dict[tuple[int, ...], str]
"""The comment before each element of a file, by its path in the descriptor."""

FIELD = DescriptorProto.FIELD_FIELD_NUMBER
VALUE = EnumDescriptorProto.VALUE_FIELD_NUMBER
METHOD = ServiceDescriptorProto.METHOD_FIELD_NUMBER


def read_protocol() -> list[FileDescriptorProto]:
    """Return the files of the protocol, those with services first. Raises CalledProcessError if buf refuses one."""
    buf = str(Path(sys.executable).parent / "buf")
    built = subprocess.run([buf, "build", str(ROOT), "-o", "-"], stdout=subprocess.PIPE, check=True).stdout  # noqa: S603  (fixed)
    files = [file for file in FileDescriptorSet.FromString(built).file if file.package == PACKAGE]
    return sorted(files, key=lambda file: (not file.service, file.name))


def page(files: Sequence[FileDescriptorProto]) -> str:
    """Return the whole page."""
    contents = [f"- [{Path(file.name).name}](#{_anchor(Path(file.name).name)}): {_contents(file)}" for file in files]
    return "\n".join([HEAD, *contents, *(line for file in files for line in _file(file))]) + "\n"


def _contents(file: FileDescriptorProto) -> str:
    elements: list[_Named] = [*file.service, *file.message_type, *file.enum_type]
    return ", ".join(_link(element.name) for element in elements)


def _file(file: FileDescriptorProto) -> Iterator[str]:
    comments = {tuple(place.path): " ".join(place.leading_comments.split()) for place in file.source_code_info.location}
    yield from ("", f"## {Path(file.name).name}")
    for number, service in enumerate(file.service):
        path = (FileDescriptorProto.SERVICE_FIELD_NUMBER, number)
        yield from _section(service.name, comments[path], ("call", "request", "response", ""))
        for place, method in enumerate(service.method):
            yield _row(f"`{method.name}`", *_exchange(method), comments[*path, METHOD, place])
    for number, message in enumerate(file.message_type):
        yield from _message(message, comments, (FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, number))
    for number, enum in enumerate(file.enum_type):
        path = (FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, number)
        yield from _section(enum.name, comments[path], ("", "value", ""))
        for place, value in enumerate(enum.value):
            yield _row(str(value.number), f"`{value.name}`", comments[*path, VALUE, place])


def _message(message: DescriptorProto, comments: Comments, path: tuple[int, ...]) -> Iterator[str]:
    if not message.field:
        yield from ("", f"### {message.name}", "", f"{comments[path]} It has no fields.")
        return
    yield from _section(message.name, comments[path], ("", "field", "type", "", ""))
    for place, field in enumerate(message.field):
        kind, presence = _type(field, message)
        yield _row(str(field.number), f"`{field.name}`", kind, presence, comments[*path, FIELD, place])


def _exchange(method: MethodDescriptorProto) -> tuple[str, str]:
    return (
        "stream of " * method.client_streaming + _link(method.input_type),
        "stream of " * method.server_streaming + _link(method.output_type),
    )


def _type(field: FieldDescriptorProto, message: DescriptorProto) -> tuple[str, str]:
    """Return the type of a field, and how its presence is told."""
    for entry in message.nested_type:
        if entry.options.map_entry and field.type_name.endswith(f".{message.name}.{entry.name}"):
            return f"map from {_scalar(entry.field[0])} to {_scalar(entry.field[1])}", ""
    kind = _link(field.type_name) if field.type_name else _scalar(field)
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return kind, "repeated"
    if field.proto3_optional:
        return kind, "optional"
    if field.HasField("oneof_index"):
        return kind, f"one of `{message.oneof_decl[field.oneof_index].name}`"
    return kind, ""


def _scalar(field: FieldDescriptorProto) -> str:
    return f"`{FieldDescriptorProto.Type.Name(field.type).removeprefix('TYPE_').lower()}`"


def _link(name: str) -> str:
    """Return a link to a message or enum, by its name or as a descriptor refers to it."""
    short = name.rpartition(".")[2]
    return f"[Duration]({DURATION})" if name == ".google.protobuf.Duration" else f"[{short}](#{_anchor(short)})"


def _anchor(heading: str) -> str:
    return heading.lower().replace(".", "")


def _section(name: str, comment: str, columns: Sequence[str]) -> Iterator[str]:
    yield from ("", f"### {name}", "", comment, "", _row(*columns), _row(*["---"] * len(columns)))


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


if __name__ == "__main__":
    (Path(sys.argv[1]) if sys.argv[1:] else PAGE).write_text(page(read_protocol()), "utf-8")
