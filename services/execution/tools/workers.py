"""One worker process, with a folder of its own: how it is started, what it uses, and how it ends, whole."""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from contracts.errors import Code
from services.execution.tools.confinement import WorkerKind, lacking
from services.execution.tools.faults import ToolFault
from services.execution.tools.outputs import sweep

LINE_LIMIT = 4 * 1024 * 1024
LOOK_SECONDS = 0.2
"""Between two looks at what a call has taken."""
DISK_LOOKS = 5
MOST_PROCESSES = 64
MOST_DISK = 4 * 1024**3
"""Bytes in the folder of a worker."""
_IN, _WORK = "in", "work"
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "VIRTUAL_ENV", "PYTHONPATH", "DREAM_PACK_PATH", "SYSTEMROOT")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What the operator says: `auto` confines tools where the kernel can, `required` runs none where it cannot, `off`
    confines none. `folders`: where they may write besides their own."""

    mode: str = "auto"
    folders: tuple[Path, ...] = ()

    @classmethod
    def of(cls, mode: str, folders: str) -> Self:
        """As the settings say it."""
        return cls(mode, tuple(Path(one) for one in folders.split(os.pathsep) if one))

    def lacking(self) -> str:
        """What does not hold here, in a sentence for operators; empty when all of it does."""
        return "DREAM_TOOL_SANDBOX is off" if self.mode == "off" else lacking()

    def check(self) -> None:
        """Raises ToolFault when tools must not run here."""
        if self.mode == "required" and (why := lacking()):
            raise ToolFault(Code.TOOL_CRASHED, f"DREAM_TOOL_SANDBOX is required, but {why}")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a call has saved or left, out of reach of its process: paths in a folder of all calls. A folder for each
    would be made and removed, which takes longer than all the rest."""

    folder: Path
    mark: int

    def place(self, name: str) -> Path:
        return self.folder / f"kept-{self.mark}-{name}"

    def sweep(self) -> None:
        """Removes them. Blocks."""
        for path in self.folder.glob(f"kept-{self.mark}-*"):
            if path.is_dir() and not path.is_symlink():
                sweep(path)
            else:
                path.unlink(missing_ok=True)


@dataclass(slots=True)
class Worker:
    """A process that waits for calls of one kind."""

    kind: WorkerKind
    folder: Path
    process: asyncio.subprocess.Process
    requests: asyncio.StreamWriter
    answers: asyncio.StreamReader
    answers_pipe: asyncio.BaseTransport
    since_idle: float = 0.0
    warmed: str = ""
    """What it has loaded before anybody called it."""
    calls: int = 0
    told: set[str] = field(default_factory=set)
    """Whose texts it has: they are more than all the rest of a request."""

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def kill(self) -> None:
        """Its whole group: what a tool has started ends with it; and its folder."""
        if self.alive:
            kill_group(self.process.pid)
        self.requests.close()
        self.answers_pipe.close()
        await self.process.wait()
        await asyncio.to_thread(sweep, self.folder)

    async def laid_out(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request with files that this worker may see: a folder to write to, and its inputs."""
        # names of a local disk, and no contents: a thread would wait for the interpreter longer than this takes
        self.calls += 1
        inputs, workdir = self.folder / _IN, self.folder / _WORK / f"call-{self.calls}"
        workdir.mkdir(mode=0o700)
        files = [
            {**one, "path": await _linked(one["path"], inputs, number)} for number, one in enumerate(request["inputs"])
        ]
        said = {**request, "workdir": str(workdir), "inputs": files}
        if (texts := str(said["texts_of"])) in self.told:
            del said["texts"]
        self.told.add(texts)
        return said

    def taken_out(self, workdir: Path, saved: Iterable[dict[str, Any]], to: Kept) -> list[dict[str, Any]]:
        """What the call has saved, where no tool sees it any more. Raises ToolFault for what is no
        file that it has made: a link might lead to somebody else's."""
        found = []
        try:
            # by its descriptor: the folder itself may have become a link, too
            folder = os.open(workdir, os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            folder = os.open(to.folder, os.O_DIRECTORY)  # nothing of it is there
        try:
            for number, one in enumerate(saved):
                name = f"out-{number}"
                kept = to.place(name)
                with suppress(FileNotFoundError):  # whoever stores it misses it
                    os.rename(name, kept, src_dir_fd=folder)
                if kept.is_symlink() or (kept.exists() and not kept.is_file()):
                    raise ToolFault(Code.TOOL_RESULT_INVALID, f"{name} is no file")
                found.append({**one, "path": str(kept)})
        finally:
            os.close(folder)
        return found

    def clear(self, to: Kept) -> None:
        """Moves away what a call has left, so that the next one finds nothing of it."""
        entries = (Path(one.path) for name in (_IN, _WORK) for one in os.scandir(self.folder / name))
        for number, left in enumerate(list(entries)):
            left.rename(to.place(f"left-{number}"))

    def excess(self, *, disk: bool) -> str:
        """Of what it and all that it has started take more than they may; empty if of nothing. Blocks with `disk`."""
        tree = [self.process.pid, *descendants(self.process.pid)]
        if len(tree) > MOST_PROCESSES:
            return "processes"
        if sum(map(resident, tree)) > self.kind.memory_mb * 1024**2:
            return "memory"
        return "disk" if disk and _size(self.folder) > MOST_DISK else ""


async def start(kind: WorkerKind, scratch: Path, sandbox: Sandbox) -> Worker:
    """A process that is ready for calls as soon as it has confined itself. Raises ToolFault."""
    sandbox.check()
    folder = Path(tempfile.mkdtemp(prefix="worker-", dir=scratch))
    for name in (_IN, _WORK):
        (folder / name).mkdir()
    read_requests, write_requests = os.pipe()
    read_answers, write_answers = os.pipe()
    requests, answers = os.fdopen(write_requests, "wb"), os.fdopen(read_answers, "rb")
    told = {
        "kind": asdict(kind),
        "folder": str(folder),
        "confine": sandbox.mode != "off",
        "write": [str(one) for one in sandbox.folders],
    }
    command = (sys.executable, "-m", "services.execution.tools.toolhost", str(read_requests), str(write_answers))
    try:
        process = await asyncio.create_subprocess_exec(
            *command, json.dumps(told),
            stdin=asyncio.subprocess.DEVNULL, pass_fds=(read_requests, write_answers),
            # its own group, so that Ctrl-C in the terminal reaches us and not the middle of a tool
            start_new_session=True,
            env=_environment(folder / _WORK, sandbox),
        )  # fmt: skip
    except BaseException as error:
        requests.close()
        answers.close()
        sweep(folder)
        if isinstance(error, OSError):
            raise ToolFault(Code.TOOL_CRASHED, f"no process can be started: {error}", retryable=True) from error
        raise
    finally:
        os.close(read_requests)
        os.close(write_answers)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    pipe: asyncio.BaseTransport | None = None
    try:
        pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), answers)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, requests)
    except BaseException:
        process.kill()  # cancelled at one of the two; a transport that was not made has closed its own end
        if pipe is None:
            requests.close()
        else:
            pipe.close()
        sweep(folder)
        raise
    return Worker(kind, folder, process, asyncio.StreamWriter(transport, protocol, None, loop), reader, pipe)


def _environment(home: Path, sandbox: Sandbox) -> dict[str, str]:
    """Tools see nothing of our settings or anybody's keys: an address or a password is not theirs to read."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # one tool per core is enough; libraries that spin up a thread per core on top only fight each other
    few = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
    # the operator's own temporary folder is closed to them, unless the operator says otherwise
    told = os.environ.get("TMPDIR", "")
    return kept | few | {"HOME": str(home), "TMPDIR": told if Path(told) in sandbox.folders else str(home)}


async def _linked(path: str, folder: Path, number: int) -> str:
    """The file under a name of the worker's own; on another file system a copy."""
    place = folder / f"{number}-{Path(path).name}"
    try:
        os.link(path, place)
    except OSError:
        await asyncio.to_thread(shutil.copyfile, path, place)
    return str(place)


def kill_group(leader: int) -> None:
    """A worker leads its group, and a confined tool cannot leave it."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def descendants(pid: int) -> Sequence[int]:
    """Processes that it has started, and theirs; none where the system does not tell."""
    found: list[int] = []
    waiting = [pid]
    while waiting and len(found) <= MOST_PROCESSES:
        one = waiting.pop()
        with suppress(OSError):
            for thread in Path(f"/proc/{one}/task").iterdir():
                with suppress(OSError):
                    text = (thread / "children").read_text(encoding="ascii")
                    waiting += (children := [int(word) for word in text.split()])
                    found += children
    return found


def resident(pid: int) -> int:
    """Memory of a process, bytes; 0 where the system does not tell."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(place) / name).lstat().st_blocks * 512
    return total
