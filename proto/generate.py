"""Generates the Python code of the protocol: ``python proto/generate.py [FOLDER]``, by default beside the sources."""

from __future__ import annotations

import sys
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

ROOT = Path(__file__).parent
PLUGINS = ("mypy", "mypy_grpc")


def generate(folder: Path) -> None:
    """Write the code of every .proto file under ``folder``. Raises RuntimeError if the compiler refuses one."""
    programs = Path(sys.executable).parent
    common = [
        "protoc",
        f"-I{ROOT}",
        f"-I{Path(grpc_tools.__file__).parent / '_proto'}",
        # By path: a virtual environment need not be active.
        *(f"--plugin=protoc-gen-{plugin}={programs / f'protoc-gen-{plugin}'}" for plugin in PLUGINS),
    ]
    files = sorted((ROOT / "kawuxing" / "v1").glob("*.proto"))
    services = [file for file in files if file.stem.endswith("_service")]
    messages_out = [f"--python_out={folder}", f"--mypy_out=quiet:{folder}"]
    services_out = [f"--grpc_python_out={folder}", f"--mypy_grpc_out=quiet:{folder}"]
    for options, chosen in ((messages_out, files), (services_out, services)):
        code = protoc.main([*common, *options, *map(str, chosen)])
        if code:
            raise RuntimeError(f"protoc ended with {code}: what it printed says why")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if sys.argv[1:] else ROOT)
