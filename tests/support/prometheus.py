"""A real Prometheus for tests, as Debian has it: scrapes what it is told, evaluates our rules, answers queries."""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx
import yaml

from dream.local.embedded import free_port

ROOT = Path(__file__).parents[2]
UNPACKED = ROOT / ".prometheus/usr/bin"
INTERVAL = 5
"""Seconds between two scrapes, and two evaluations of rules."""
RATE = "4m"
"""What $__rate_interval is here: four scrapes at least, and what a busy machine takes for the jobs."""


def program(name: str) -> str:
    """`prometheus` or `promtool`: of the system, or where `make prometheus` unpacks it."""
    found = shutil.which(name) or shutil.which(str(UNPACKED / name))
    if found is None:
        raise FileNotFoundError(f"no {name}; run: make prometheus")
    return found


class Prometheus:
    """`async with Prometheus(folder, targets, rules) as prometheus:`; `targets` are instance -> port of this machine."""

    def __init__(self, folder: Path, targets: Mapping[str, int], rules: Path) -> None:
        self._folder = folder
        self._targets = targets
        self._rules = rules
        self._port = free_port()
        self._http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{self._port}/api/v1", trust_env=False, timeout=20)
        self._process: subprocess.Popen[bytes] | None = None

    async def __aenter__(self) -> Self:
        told = {
            "global": {"scrape_interval": f"{INTERVAL}s", "evaluation_interval": f"{INTERVAL}s"},
            "rule_files": [str(self._rules)],
            "scrape_configs": [
                {
                    "job_name": "dream",
                    "static_configs": [{"targets": [f"127.0.0.1:{port}" for port in self._targets.values()]}],
                }
            ],
        }
        config = self._folder / "prometheus.yml"
        config.write_text(yaml.safe_dump(told), "utf-8")
        options = (
            f"--config.file={config} --storage.tsdb.path={self._folder / 'data'} --enable-feature=exemplar-storage"
            f" --web.listen-address=127.0.0.1:{self._port}"
        )
        self._log = (self._folder / "prometheus.log").open("wb")
        self._process = subprocess.Popen(  # noqa: ASYNC220  # nothing else runs yet
            [program("prometheus"), *options.split()], stdout=self._log, stderr=subprocess.STDOUT, env=os.environ
        )
        for _ in range(600):
            if self._process.poll() is not None:
                break
            try:
                if (await self._http.get("/status/buildinfo")).is_success:
                    return self
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)
        raise AssertionError(f"Prometheus does not start:\n{(self._folder / 'prometheus.log').read_text()}")

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()
        if self._process is not None:
            self._process.terminate()
            await asyncio.to_thread(self._process.wait, 30)
        self._log.close()

    async def asked(self, expression: str) -> list[dict[str, Any]]:
        """The series that an expression gives now. Raises AssertionError with Prometheus's sentence."""
        answer = await self._http.get("/query", params={"query": expression})
        assert answer.is_success, f"{expression}: {answer.text}"
        result = answer.json()["data"]["result"]
        return [one for one in result if one["value"][1] != "NaN"]

    async def rules(self) -> list[dict[str, Any]]:
        """Every rule with its health."""
        groups = (await self._http.get("/rules")).json()["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]

    async def up(self) -> list[str]:
        """Targets that were scraped at the last try."""
        targets = (await self._http.get("/targets")).json()["data"]["activeTargets"]
        return [one["scrapeUrl"] for one in targets if one["health"] == "up"]

    async def exemplars(self, series: str) -> set[str]:
        """The ids of traces that points of a histogram name, in the last hour."""
        window = {"query": series, "start": "0", "end": "9999999999"}
        answer = (await self._http.get("/query_exemplars", params=window)).json()["data"]
        return {one["labels"]["trace_id"] for group in answer for one in group["exemplars"]}


def substituted(query: str) -> str:
    """A panel's query as Grafana asks it when all values of its variables are chosen."""
    return re.sub(r"\$\{?[a-z]\w*\}?", ".*", query.replace("$__rate_interval", RATE))


def without_limit(expression: str) -> str:
    """What an alert looks at, whether it would fire or not."""
    inner = re.sub(r"absent\(([^(){}]+(?:\{[^}]*\})?)\)", r"\1", expression)
    return re.sub(r"\s(?:>=|<=|==|>|<)\s*[0-9.e]+", "", inner)


def series_of(told: Any) -> Sequence[str]:
    """The values of all labels of a series."""
    return [value for name, value in told["metric"].items() if name not in ("instance", "job", "le", "__name__")]
