"""The bots in other languages, each built once by its own tools: ``<language>_bot`` is the command that starts it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.arena import Arena
from tests.languages.tools import EXAMPLES, run_tool


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    """An empty folder for a tournament."""
    return Arena(tmp_path)


@pytest.fixture(scope="session")
def go_bot() -> list[str]:
    """Generate and build the bot in Go."""
    run_tool("go", "go", "generate", "./...")
    run_tool("go", "go", "build", "-o", "bin/kawuxing-bot-go", ".")
    return [str(EXAMPLES / "go" / "bin" / "kawuxing-bot-go")]


@pytest.fixture(scope="session")
def rust_bot() -> list[str]:
    """Build the bot in Rust."""
    run_tool("rust", "cargo", "build", "--locked", "--jobs", "2")
    return [str(EXAMPLES / "rust" / "target" / "debug" / "kawuxing-bot-rust")]


@pytest.fixture(scope="session")
def typescript_bot() -> list[str]:
    """Fetch what the bot in TypeScript needs, generate and compile."""
    run_tool("typescript", "npm", "ci")
    run_tool("typescript", "npm", "run", "build")
    return ["node", str(EXAMPLES / "typescript" / "dist" / "main.js")]


@pytest.fixture(scope="session")
def java_bot() -> list[str]:
    """Generate, compile and package the bot in Java."""
    run_tool("java", "mvn", "--batch-mode", "--quiet", "package", "-DskipTests")
    return ["java", "-jar", str(EXAMPLES / "java" / "target" / "kawuxing-bot-java.jar")]


@pytest.fixture(scope="session")
def cpp_bot() -> list[str]:
    """Generate and compile the bot in C++ and its tests."""
    run_tool("cpp", "cmake", "-S", ".", "-B", "build")
    run_tool("cpp", "cmake", "--build", "build", "--parallel", "2")
    return [str(EXAMPLES / "cpp" / "build" / "kawuxing-bot-cpp")]
