"""How many decisions a second of its CPU time the arena serves over gRPC, beside what gRPC alone can do.

The arena plays matches between three bots that choose at random, several matches at once. The bots are in another
process; only the arena's own CPU time counts. In the same run, the same process serves a bare ping-pong: streams that
carry messages of the average sizes just seen, read and written with nothing done in between.
Run ``python benchmarks/grpc_decisions.py [matches]``.
"""

from __future__ import annotations

import asyncio
import os
import platform
import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio
import structlog
import uvloop

from kawuxing.engine import wall
from kawuxing.engine.rules import load_preset
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import EntrantSpec, MatchSpec, Played
from kawuxing.v1 import table_service_pb2, table_service_pb2_grpc

GOAL: Final = 5000
AT_ONCE: Final = 16
HANDS: Final = 8
DEFAULT_MATCHES: Final = 64
PING: Final = "/kawuxing.benchmark.Ping/Play"
BOTS: Final = 3
MINUTE: Final = timedelta(minutes=1)


class Nobody:
    """A directory in which no bot is: tickets are all that this benchmark needs."""

    async def authenticate(self, token: str) -> str | None:  # noqa: ARG002
        """Know nobody."""
        return None


def match_spec(number: int) -> MatchSpec:
    """Return one of the matches."""
    deal_seed = wall.practice_seed(f"benchmark {number}")
    return MatchSpec(
        tournament="benchmark",
        match_id=f"match-{number}",
        rules=load_preset(),
        hands=HANDS,
        deal_seed=deal_seed,
        clock=ClockSettings(MINUTE, MINUTE, MINUTE, MINUTE),
        max_faults=3,
        entrants=tuple(
            EntrantSpec(f"bot-{entrant}", "", f"{number}-{entrant}", wall.bot_seed(deal_seed, entrant))
            for entrant in range(BOTS)
        ),
        commitment=wall.commitment(deal_seed),
        join_time=MINUTE,
    )


async def play_ticket(stub: Any, ticket: str) -> tuple[int, int, int]:
    """Play one entrant of one match; return its decisions and the bytes received and sent."""
    call = stub.Play()
    hello = table_service_pb2.PlayRequest(hello=table_service_pb2.Hello(ticket=ticket))
    await call.write(hello)
    rng = random.Random(ticket)
    decisions = received = sent = 0
    while (response := await call.read()) is not grpc.aio.EOF:
        if response.HasField("decision_request"):
            request = response.decision_request
            decision = table_service_pb2.PlayRequest(
                decision=table_service_pb2.Decision(
                    decision_id=request.decision_id, choice=rng.randrange(len(request.legal_actions))
                )
            )
            await call.write(decision)
            decisions += 1
            received += response.ByteSize()
            sent += decision.ByteSize()
    return decisions, received, sent


async def play_bots(address: str, matches: int) -> None:
    """Play every entrant of every match, AT_ONCE matches at once, and say how it went on standard output."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = table_service_pb2_grpc.TableServiceStub(channel)
        room = asyncio.Semaphore(AT_ONCE)

        async def play_match(number: int) -> list[tuple[int, int, int]]:
            async with room:
                return await asyncio.gather(*(play_ticket(stub, f"{number}-{entrant}") for entrant in range(BOTS)))

        totals = [
            sum(column)
            for column in zip(
                *[one for played in await asyncio.gather(*map(play_match, range(matches))) for one in played],
                strict=True,
            )
        ]
    print(*totals)


async def play_pings(address: str, rounds: int, sent: int) -> None:
    """Go back and forth over as many streams as there were questions open at once: one for each match."""
    async with grpc.aio.insecure_channel(address) as channel:

        async def ping() -> None:
            call: Any = channel.stream_stream(PING)()
            for _ in range(rounds):
                await call.write(b"x" * sent)
                await call.read()
            await call.done_writing()
            await call.read()

        await asyncio.gather(*(ping() for _ in range(AT_ONCE)))


async def cpu_of_client(*arguments: str) -> tuple[float, float, str]:
    """Run this file as a client; return the CPU and wall seconds of this process meanwhile, and its output."""
    begin, wall_begin = time.process_time(), time.monotonic()
    client = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "client", *arguments, stdout=subprocess.PIPE
    )
    output, _ = await client.communicate()
    if client.returncode:
        raise SystemExit(f"the client failed with exit code {client.returncode}")
    return time.process_time() - begin, time.monotonic() - wall_begin, output.decode()


async def measure_arena(matches: int) -> tuple[int, float, float, int, int]:
    """Return decisions, CPU and wall seconds, and the average bytes of a request and of a decision."""
    server = ArenaServer(Nobody())
    address = await server.start()
    records: list[Played] = []

    async def commit(played: Played) -> bool:
        records.append(played)
        return True

    plays = asyncio.gather(*(server.play(match_spec(number), commit) for number in range(matches)))
    await asyncio.sleep(0)
    cpu, wall_seconds, output = await cpu_of_client("bots", address, str(matches))
    await plays
    await server.stop(1)
    if len(records) != matches or any(played.evidence.faults for played in records):
        raise SystemExit("a match was not played without faults")
    decisions, received, sent = map(int, output.split())
    return decisions, cpu, wall_seconds, received // decisions, sent // decisions


async def measure_ping(rounds: int, received: int, sent: int) -> float:
    """Return the CPU seconds of this process for ``rounds`` bare round trips on every stream."""
    frame = b"x" * received

    async def play(_: object, context: Any) -> None:
        while await context.read() is not grpc.aio.EOF:
            await context.write(frame)

    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    service, _, method = PING.removeprefix("/").partition("/")
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: grpc.stream_stream_rpc_method_handler(play)}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    cpu, _, _ = await cpu_of_client("pings", f"127.0.0.1:{port}", str(rounds), str(sent))
    await server.stop(1)
    return cpu


def cpu_model() -> str:
    """Return the processor's name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


async def measure(matches: int) -> None:
    """Measure both and print the figures."""
    await measure_arena(AT_ONCE)
    decisions, cpu, wall_seconds, received, sent = await measure_arena(matches)
    rounds = decisions // AT_ONCE
    ping_cpu = await measure_ping(rounds, received, sent)
    rate = decisions / cpu
    ping_rate = rounds * AT_ONCE / ping_cpu
    print(
        f"{rate:.0f} decisions per CPU second of the arena ({decisions} decisions, {1e6 / rate:.0f} µs each; "
        f"{decisions / wall_seconds:.0f}/s by the clock on the wall)"
    )
    print(
        f"{ping_rate:.0f} bare round trips per CPU second ({received} bytes out, {sent} in, "
        f"{1e6 / ping_rate:.0f} µs each)"
    )
    print(f"{rate / ping_rate:.2f} decisions for each bare round trip; {rate / GOAL:.2f} times the goal of {GOAL}")
    print(
        f"{platform.python_implementation()} {platform.python_version()}, grpcio {grpc.__version__}, {cpu_model()}, "
        f"{os.cpu_count()} cores"
    )


def main() -> None:
    """Measure, or be the client of a measurement."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("warning"))
    arguments = sys.argv[1:]
    if arguments[:2] == ["client", "bots"]:
        uvloop.run(play_bots(arguments[2], int(arguments[3])))
    elif arguments[:2] == ["client", "pings"]:
        uvloop.run(play_pings(arguments[2], int(arguments[3]), int(arguments[4])))
    else:
        uvloop.run(measure(int(arguments[0]) if arguments else DEFAULT_MATCHES))


if __name__ == "__main__":
    main()
