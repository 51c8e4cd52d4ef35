/** A conversation: its runs, what has come due, where one writes, and beside it the record of all that happened. */

import { useEffect, useRef, useState } from "react";
import { type Message, say } from "../api/gateway";
import { openRun } from "../state/conversation";
import { useDraft } from "../state/draft";
import { go } from "../state/route";
import { useSession } from "../state/use-session";
import { type Key, useTexts } from "../texts";
import { Composer } from "./composer";
import { Due } from "./due";
import { CopyButton, Failure, useCall } from "./parts";
import { RunView } from "./run";
import { RunBar } from "./run-bar";
import { Trace } from "./trace";

const EXAMPLES: Key[] = ["welcome.example.1", "welcome.example.2", "welcome.example.3", "welcome.example.4"];

interface Props {
  session: string | null;
  /** Whose new conversations are; empty = nobody has said. */
  user: string;
  /** In how many conversations something waits for the person. */
  waiting: number;
  /** A conversation of this browser has begun, or has been looked at. */
  onKnown: (session: string, title: string, spoken: boolean) => void;
}

export function Talk({ session, user, waiting, onKnown }: Props) {
  const t = useTexts();
  const [until, setUntil] = useState<number | null>(null);
  const [tracing, setTracing] = useState(false);
  // of this visit alone: who forgets it would let everything run unasked
  const [autoApprove, setAutoApprove] = useState(false);
  const [draft, setDraft] = useDraft(session);
  const takes = useRef<(files: Iterable<File>) => void>(() => undefined);
  const [, failure, call] = useCall();
  const { conversation, events, link, complete } = useSession(session, until);
  const live = until === null;
  const open = openRun(conversation);
  const title = conversation.runs[0]?.text ?? "";

  useEffect(() => {
    setUntil(null);
  }, [session]);
  useEffect(() => {
    if (session && title) onKnown(session, title, false);
  }, [session, title]);
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ""}${title ? `${title} · ` : ""}Dream Agent`;
  }, [title, waiting]);

  const send = async (message: Message) => {
    const person = {
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(user ? { user } : {}),
    };
    const began = await say(session, person, message);
    onKnown(began.session_id, message.text, true);
    if (began.session_id !== session) go(`/sessions/${began.session_id}`);
  };
  const offered = (text: string) =>
    void call(() => send({ text, ...(autoApprove ? { auto_approve: true } : {}) }));

  if (link === "unknown") return <p className="empty">{t("link.unknown")}</p>;
  return (
    <div
      className={tracing ? "talk with-trace" : "talk"}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        takes.current(event.dataTransfer.files);
      }}
    >
      <div className="column">
        <header className="bar">
          <h1>{title || t("app.new")}</h1>
          {session && (
            <>
              <small className={`link ${link}`} role="status">
                {t(`link.${link}`)}
              </small>
              <CopyButton text={window.location.href} label="talk.link" />
              <button type="button" className="quiet" aria-pressed={tracing} onClick={() => setTracing(!tracing)}>
                {t("talk.trace")}
              </button>
            </>
          )}
        </header>
        <Scroller runs={conversation.runs.length} watch={conversation.version + (open?.written.length ?? 0)}>
          {session === null && <Welcome onPick={(text) => setDraft((now) => ({ ...now, text }))} />}
          {session !== null && !complete && conversation.runs.length === 0 && <p className="empty">{t("talk.loading")}</p>}
          {session !== null &&
            conversation.runs.map((run, at) => (
              <RunView
                key={run.id}
                session={session}
                run={run}
                last={at === conversation.runs.length - 1}
                live={live}
                onSay={offered}
              />
            ))}
          {session !== null &&
            conversation.reminders.map((due) => <Due key={due.reminder_id + due.due_at} session={session} reminder={due} />)}
          <Failure text={failure} />
        </Scroller>
        {!live && (
          <p className="past">
            {t("trace.at", { version: until })}{" "}
            <button type="button" onClick={() => setUntil(null)}>
              {t("trace.now")}
            </button>
          </p>
        )}
        {live && session && open && <RunBar session={session} run={open} />}
        {live && (
          <Composer
            key={session}
            takes={takes}
            session={session}
            asked={(open?.questions.length ?? 0) > 0}
            draft={draft}
            onDraft={setDraft}
            autoApprove={autoApprove}
            onAutoApprove={setAutoApprove}
            onSend={send}
          />
        )}
      </div>
      {tracing && session && <Trace events={events} until={until} onUntil={setUntil} />}
    </div>
  );
}

function Welcome({ onPick }: { onPick: (text: string) => void }) {
  const t = useTexts();
  return (
    <div className="welcome">
      <h2>{t("welcome.title")}</h2>
      <p>{t("welcome.text")}</p>
      <div className="examples">
        {EXAMPLES.map((key) => (
          <button type="button" key={key} onClick={() => onPick(t(key))}>
            {t(key)}
          </button>
        ))}
      </div>
    </div>
  );
}

interface ScrollerProps {
  /** How many runs there are: with a new one the view goes there, wherever it was. */
  runs: number;
  /** Changes whenever there is more to see. */
  watch: number;
  children: React.ReactNode;
}

/** Follows what is new until the person scrolls away. An answer is shown from its beginning: nobody reads from the end. */
function Scroller({ runs, watch, children }: ScrollerProps) {
  const box = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const placed = useRef(-1);
  useEffect(() => {
    follows.current = true;
  }, [runs]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const follow = () => {
      if (!follows.current) return;
      const answer = element.querySelector<HTMLElement>(".run:last-of-type > .answer:not([aria-busy])");
      element.scrollTop = answer ? answer.offsetTop - element.offsetTop - 16 : element.scrollHeight;
      placed.current = element.scrollTop;
    };
    // pictures and tables come later than the frame that they belong to
    const observer = new ResizeObserver(follow);
    for (const child of element.children) observer.observe(child);
    follow();
    return () => observer.disconnect();
  }, [runs, watch]);
  return (
    <main
      ref={box}
      className="runs"
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        follows.current = Math.abs(scrollTop - placed.current) < 2 || scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {children}
    </main>
  );
}
