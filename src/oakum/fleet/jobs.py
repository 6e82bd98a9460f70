"""Profiles as work for many: an ingester puts bytes in the shared store and a job in the queue; workers summarise.

A job says which profile it is, and under which digest its bytes lie; done twice it changes nothing. The queue is a
stream of NATS JetStream, kept on the disks of its servers; a job leaves it when its rows are committed.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from oakum.fleet.ingest import Ingested, aside
from oakum.fleet.sources import Entry, Read, Unfit
from oakum.fleet.summary import Labels, Passed, Refused, Summary, summarize
from oakum.model import Capture, StoreError, Text
from oakum.store.rows import Batch
from oakum.store.shared import Piece, Shared, id_of

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from nats.js import JetStreamContext

VERSION = 1
_STREAM, _SUBJECT, _WORKERS = "OAKUM_FLEET", "oakum.fleet.profiles", "oakum-workers"
_BATCH = 128  # jobs that are committed together
_WAIT = 20.0  # seconds without a word of its worker after which a job is given to another
_WORD = 5.0
_TIMES = 5  # that a job was given out without being done: whatever it does to workers, it is set aside
_MOST = 2_000_000  # jobs that wait: then ingesters do
_WINDOW = 600.0  # seconds in which a job that is put in twice is one
_PATIENCE = 600.0  # seconds for which the queue may be away


class Job(Struct, frozen=True):
    """One profile to be summarised."""

    name: str
    labels: Labels
    digest: str
    version: int = VERSION


@asynccontextmanager
async def queue(url: str, credentials: str = "", replicas: int = 1) -> "AsyncIterator[tuple[Client, JetStreamContext]]":
    """Connect to the queue, which is made where there is none. `credentials`: a file of NATS."""
    try:
        import nats
        from nats.errors import Error
        from nats.js.api import AckPolicy, ConsumerConfig, DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
        from nats.js.errors import BadRequestError
    except ImportError as error:
        raise StoreError(Text("fleet.no-nats")) from error
    shown = _shown(url)
    more: dict[str, Any] = {"user_credentials": credentials} if credentials else {}
    try:
        client = await nats.connect(
            servers=url.split(","), max_reconnect_attempts=-1, reconnect_time_wait=0.5, connect_timeout=10,
            allow_reconnect=True, error_cb=_ignore, name="oakum", **more,
        )  # fmt: skip
    except (OSError, Error, ValueError, TimeoutError) as error:
        raise StoreError(Text("fleet.no-queue", {"url": shown, "error": f"{type(error).__name__}: {error}"})) from error
    try:
        stream = client.jetstream(timeout=10)
        made = StreamConfig(
            name=_STREAM, subjects=[_SUBJECT], retention=RetentionPolicy.WORK_QUEUE, storage=StorageType.FILE,
            discard=DiscardPolicy.NEW, max_msgs=_MOST, duplicate_window=_WINDOW, num_replicas=replicas,
        )  # fmt: skip
        with suppress(BadRequestError):  # it is there, perhaps as somebody has set it up
            await again(lambda: stream.add_stream(made))
        config = ConsumerConfig(
            durable_name=_WORKERS, ack_policy=AckPolicy.EXPLICIT, ack_wait=_WAIT, max_ack_pending=20 * _BATCH,
            filter_subject=_SUBJECT,
        )  # fmt: skip
        with suppress(BadRequestError):
            await again(lambda: stream.add_consumer(_STREAM, config))
        yield client, stream
    finally:
        with suppress(Exception):
            await client.close()


async def _ignore(error: Exception) -> None:
    """Say nothing of a connection that is lost: it is made again, and what fails says so itself."""
    del error


def _shown(url: str) -> str:
    """Return addresses without the names and passwords in them."""
    return ",".join(f"{scheme}{sep}{rest.rpartition('@')[2]}" for scheme, sep, rest in
                    (one.partition("://") for one in url.split(",")))  # fmt: skip


async def again(call: Callable[[], Any], patience: float = _PATIENCE) -> Any:
    """Call until the queue answers: its servers may be restarted."""
    from nats.errors import Error, NoRespondersError
    from nats.js.errors import APIError, NoStreamResponseError, ServiceUnavailableError

    loop = asyncio.get_running_loop()
    end = loop.time() + patience
    while True:
        try:
            return await call()
        except (
            TimeoutError,
            NoRespondersError,
            NoStreamResponseError,
            ServiceUnavailableError,
            ConnectionError,
        ) as error:
            problem: Exception = error
        except APIError as error:
            if error.code is not None and error.code < 500:
                raise
            problem = error  # full, or without a leader: it may be better later
        except Error as error:
            problem = error
        if loop.time() > end:
            raise StoreError(Text("fleet.no-queue", {"url": _STREAM, "error": str(problem) or type(problem).__name__}))
        await asyncio.sleep(0.5)


async def hand_in(
    stream: "JetStreamContext", shared: Shared, entries: Sequence[Entry], read: Read, done: Ingested,
    progress: Callable[[int], None] = lambda _: None,
) -> None:  # fmt: skip
    """Put the bytes of profiles in the store and jobs in the queue. Profiles of one partition follow each other."""
    order = sorted(entries, key=lambda one: (shared.partition(one.labels.service, one.labels.at or 0), one.name))
    gate = asyncio.Semaphore(16)
    count = 0

    async def one(entry: Entry) -> None:
        nonlocal count
        async with gate:
            try:
                data = await asyncio.to_thread(read, entry.place)
            except Unfit as error:
                done.aside.append((entry.name, error.args[0]))
                return
            digest = await _kept(shared, data, f"{entry.labels.profile or 'profile'}.pb.gz")
            job = Job(entry.name, entry.labels, digest)
            told = msgspec.json.encode(job)
            headers = {"Nats-Msg-Id": id_of(told.decode())}
            await again(lambda: stream.publish(_SUBJECT, told, headers=headers))
            done.added += 1
            done.services.add(entry.labels.service)
            count += 1
            progress(count)

    for start in range(0, len(order), 1024):
        await asyncio.gather(*(one(entry) for entry in order[start : start + 1024]))


async def _kept(shared: Shared, data: bytes, kind: str) -> str:
    """Keep the bytes of a profile; the store may be away for a while."""
    loop = asyncio.get_running_loop()
    end = loop.time() + _PATIENCE
    while True:
        try:
            return await asyncio.to_thread(shared.keep, data, kind)
        except StoreError as error:
            if error.text.key != "store.failed" or loop.time() > end:
                raise
        await asyncio.sleep(0.5)


class Worked(Struct):
    """What a worker did."""

    added: int = 0
    known: int = 0
    aside: int = 0
    passed: int = 0


async def work(
    stream: "JetStreamContext", shared: Shared, now: Callable[[], int], *, until_empty: bool = False,
    progress: Callable[[Worked], None] = lambda _: None,
) -> Worked:  # fmt: skip
    """Do jobs until it is told to stop by SIGTERM or SIGINT: what is under way is committed first."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    done = Worked()
    try:
        jobs = await again(lambda: stream.pull_subscribe_bind(_WORKERS, stream=_STREAM))
        while not stop.is_set():
            found = await _fetched(jobs)
            if found:
                await _done(found, shared, now, done)
                progress(done)
            elif until_empty and await _empty(stream):
                break
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    return done


async def _fetched(jobs: Any) -> "list[Msg]":
    from nats.errors import Error

    try:
        found: list[Msg] = await jobs.fetch(_BATCH, timeout=1)
    except (TimeoutError, Error):  # none, or the queue is away
        await asyncio.sleep(0.1)
        return []
    return found


async def _empty(stream: "JetStreamContext") -> bool:
    """Tell whether no job waits, and none is with another worker."""
    told = await again(lambda: stream.consumer_info(_STREAM, _WORKERS))
    return not told.num_pending and not told.num_ack_pending


async def _done(messages: "Sequence[Msg]", shared: Shared, now: Callable[[], int], done: Worked) -> None:
    """Do the jobs of one batch; what is committed leaves the queue, the rest comes again."""

    words = asyncio.create_task(_at_work(messages))
    try:
        await _commit(messages, shared, now, done)
    finally:
        words.cancel()


async def _at_work(messages: "Sequence[Msg]") -> None:
    """Tell the queue that jobs are under way."""
    while True:
        await asyncio.sleep(_WORD)
        for message in messages:
            with suppress(Exception):  # done already, or the queue is away
                await message.in_progress()


async def _commit(messages: "Sequence[Msg]", shared: Shared, now: Callable[[], int], done: Worked) -> None:
    from nats.errors import Error

    given = [(message.data, message.metadata.num_delivered) for message in messages]
    alone = max((count for _, count in given), default=0) > 2
    # Of jobs that come again and again one may be what ends workers: each is committed by itself, that one last.
    order = sorted(range(len(given)), key=lambda at: given[at][1])
    for some in [[at] for at in order] if alone else [order]:
        try:
            await asyncio.to_thread(_summarised, [given[at] for at in some], shared, now, done)
        except StoreError:  # the store is away: these jobs come again
            for at in some:
                with suppress(Error, TimeoutError):
                    await messages[at].nak(delay=5)
            continue
        for at in some:
            with suppress(Error, TimeoutError):  # not heard: it comes again, and changes nothing
                await messages[at].ack()


def _summarised(jobs: Sequence[tuple[bytes, int]], shared: Shared, now: Callable[[], int], done: Worked) -> None:
    pieces: list[Piece] = []
    for data, times in jobs:
        try:
            job = msgspec.json.decode(data, type=Job)
        except msgspec.MsgspecError:
            pieces.append(_aside(Job("?", Labels(), id_of(data.hex())), Text("fleet.refused.no-job"), now()))
            continue
        if job.version > VERSION:
            raise StoreError(Text("store.too-new", {"path": _STREAM, "version": job.version, "known": VERSION}))
        if times > _TIMES:
            pieces.append(_aside(job, Text("fleet.refused.deadly", {"times": times - 1}), now()))
            continue
        pieces += _pieces(job, shared, now(), done)
    told = shared.commit(pieces)
    asides = sum(bool(one.batch.events) for one in pieces)
    done.aside += asides
    done.added += max(0, told.fresh - asides)
    done.known += max(0, len(pieces) - told.fresh)
    against = {one.id for one in told.contradicted}
    if against:
        why = Text("fleet.refused.conflict")
        shared.commit([
            _aside(Job(one.mark, Labels(one.service, at=one.at), one.mark), why, one.at) for one in told.contradicted
        ])  # fmt: skip


def _pieces(job: Job, shared: Shared, now: int, done: Worked) -> list[Piece]:
    try:
        data = shared.document(job.digest)
    except StoreError as error:
        if error.text.key == "store.failed":
            raise
        return [_aside(job, error.text, now)]
    found = summarize(Capture(job.name, data), job.labels)
    if isinstance(found, Passed):
        done.passed += 1
        return []
    if isinstance(found, Refused):
        return [_aside(job, found.why, now)]
    return [piece_of(found)]


def piece_of(found: Summary) -> Piece:
    """Return the rows of a profile, by what makes it one."""
    run, row = found.run, found.snapshot
    id = id_of("profile", run.service, run.replica, run.zone, row.at)
    mark = row.captures[0].removeprefix("sha256:")[:16]
    return Piece(id, mark, run.service, row.at, Batch(runs=(run,), snapshots=(row,), places=found.places))


def _aside(job: Job, why: Text, now: int) -> Piece:
    service, at = job.labels.service, job.labels.at if job.labels.at is not None else now
    event = aside(service, at, job.name, job.digest, why)
    return Piece(id_of("aside", service, job.name, job.digest), "", service, at, Batch(events=(event,)))
