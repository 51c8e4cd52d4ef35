/** The record of a session: every event, and the conversation as it was at any of them. */

import { useEffect, useState } from "react";
import type { EventFrame } from "../api/types";
import { useTexts } from "../texts";

const TICK = 250;
const MOST = 500;

interface Props {
  events: readonly EventFrame[];
  until: number | null;
  onUntil: (version: number | null) => void;
}

export function Trace({ events, until, onUntil }: Props) {
  const t = useTexts();
  const [playing, setPlaying] = useState(false);
  const [filter, setFilter] = useState("");
  const head = events.at(-1)?.version ?? 0;
  const at = until ?? head;
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      if (at >= head) {
        setPlaying(false);
        onUntil(null);
      } else onUntil(at + 1);
    }, TICK);
    return () => clearTimeout(timer);
  }, [playing, at, head]);
  const wanted = filter.toLowerCase();
  const shown = events.filter(
    (event) => !wanted || `${event.event} ${event.producer} ${event.type}`.toLowerCase().includes(wanted),
  );
  return (
    <aside className="trace" aria-label={t("trace.title")}>
      <p>{t("trace.help")}</p>
      <div className="row">
        <button
          type="button"
          onClick={() => {
            if (!playing && until === null) onUntil(0);
            setPlaying(!playing);
          }}
        >
          {t(playing ? "trace.stop" : "trace.play")}
        </button>
        <input
          type="range"
          min={0}
          max={head}
          value={at}
          aria-label={t("trace.position")}
          onChange={(event) => {
            const version = Number(event.target.value);
            setPlaying(false);
            onUntil(version >= head ? null : version);
          }}
        />
        <output>
          {at}/{head}
        </output>
      </div>
      <input
        type="search"
        value={filter}
        placeholder={t("trace.filter")}
        aria-label={t("trace.filter")}
        onChange={(event) => setFilter(event.target.value)}
      />
      {shown.length === 0 && <p className="empty">{t("trace.none")}</p>}
      <ol>
        {shown.slice(-MOST).map((event) => (
          <li key={event.version} className={event.version > at ? "future" : undefined}>
            <details>
              <summary>
                <span className="version">{event.version}</span> <time dateTime={event.recorded_at}>{clock(event.recorded_at)}</time>{" "}
                <b>{event.event}</b> <small>{event.producer}</small>
              </summary>
              <pre>{JSON.stringify(event.data, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </aside>
  );
}

/** The time of day here, to the millisecond. */
function clock(iso: string): string {
  const then = new Date(iso);
  return `${then.toLocaleTimeString("sv")}.${String(then.getMilliseconds()).padStart(3, "0")}`;
}
