/** What is going on in the whole installation: whose turn it is in each open run, and what nobody could handle. */

import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { deadLetters, openRuns, settleLetter } from "../api/gateway";
import type { DeadLetter, OpenRun } from "../api/types";
import { isKey, type Key, type Texts, useTexts } from "../texts";
import { useLanguage } from "./language";
import { Failure, messageOf, moment, useCall } from "./parts";

const EVERY = 2000;

/** What `ask` says, asked again every two seconds while the page is looked at. */
function usePolled<T>(ask: () => Promise<T>): [T | null, string | null, () => void] {
  const t = useTexts();
  const [found, setFound] = useState<T | null>(null);
  const [error, setError] = useState<string | null>(null);
  const asks = useRef(ask);
  asks.current = ask;
  const look = useCallback(() => {
    if (document.hidden) return;
    ask().then(
      (answer) => {
        if (asks.current !== ask) return; // something else has been asked since
        setFound(answer);
        setError(null);
      },
      (failure: unknown) => setError(messageOf(failure, t)),
    );
  }, [ask, t]);
  useEffect(() => {
    look();
    const timer = setInterval(look, EVERY);
    return () => clearInterval(timer);
  }, [look]);
  return [found, error, look];
}

function Board({ title, help, error, children }: { title: Key; help: Key; error: string | null; children: ReactNode }) {
  const t = useTexts();
  useEffect(() => {
    document.title = `${t(title)} · Dream Agent`;
  }, [title, t]);
  return (
    <main className="board">
      <h1>{t(title)}</h1>
      <p>{t(help)}</p>
      <Failure text={error} />
      {children}
    </main>
  );
}

export function Runs() {
  const t = useTexts();
  const language = useLanguage();
  const [stuck, setStuck] = useState(false);
  const ask = useCallback(() => openRuns(stuck), [stuck]);
  const [found, error] = usePolled(ask);
  return (
    <Board title="runs.title" help="runs.help" error={error}>
      <label>
        <input type="checkbox" checked={stuck} onChange={(event) => setStuck(event.target.checked)} /> {t("runs.stuck")}
      </label>
      {found?.runs.length === 0 && <p className="empty">{t(stuck ? "runs.none_stuck" : "runs.none")}</p>}
      {found && found.runs.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{t("runs.state")}</th>
              <th>{t("runs.sentence")}</th>
              <th>{t("runs.actor")}</th>
              <th>{t("runs.since")}</th>
              <th>{t("runs.deadline")}</th>
            </tr>
          </thead>
          <tbody>
            {found.runs.map((run) => (
              <OpenRunRow key={run.run_id} run={run} language={language} />
            ))}
          </tbody>
        </table>
      )}
    </Board>
  );
}

function OpenRunRow({ run, language }: { run: OpenRun; language: string }) {
  const t = useTexts();
  return (
    <tr>
      <td>
        <span className={`dot ${run.stuck ? "stuck" : run.actor === "person" ? "person" : run.state}`} />{" "}
        {t(`run.${run.stuck ? "stuck" : run.state}`)}
      </td>
      <td>
        <a href={`#/sessions/${run.session_id}`}>{run.text || run.run_id}</a>
      </td>
      <td>
        {turnOf(run.actor, t)} <small>{whatOf(run.what, t)}</small>
      </td>
      <td data-name={t("runs.since")}>{moment(run.since, language)}</td>
      <td data-name={t("runs.deadline")}>{run.deadline ? moment(run.deadline, language) : "–"}</td>
    </tr>
  );
}

/** Whose turn it is, in the page's words where it has some. */
function turnOf(actor: string, t: Texts): string {
  const key = `actor.${actor}`;
  return isKey(key) ? t(key) : actor;
}

function whatOf(what: string, t: Texts): string {
  const key = `what.${what.replace(":", ".")}`;
  return isKey(key) ? t(key) : what;
}

const STATES = ["dead", "retried", "discarded"] as const;

export function Letters() {
  const t = useTexts();
  const [state, setState] = useState<(typeof STATES)[number]>("dead");
  const ask = useCallback(() => deadLetters(state), [state]);
  const [found, error, look] = usePolled(ask);
  return (
    <Board title="letters.title" help="letters.help" error={error}>
      <div className="tabs">
        {STATES.map((one) => (
          <button type="button" key={one} className="quiet" aria-pressed={one === state} onClick={() => setState(one)}>
            {t(`letters.${one}`)}
          </button>
        ))}
      </div>
      {found?.dead_letters.length === 0 && <p className="empty">{t("letters.none")}</p>}
      {found && found.dead_letters.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{t("letters.when")}</th>
              <th>{t("letters.consumer")}</th>
              <th>{t("letters.reason")}</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {found.dead_letters.map((letter) => (
              <LetterRow key={letter.dead_letter_id} letter={letter} onSettled={look} />
            ))}
          </tbody>
        </table>
      )}
    </Board>
  );
}

function LetterRow({ letter, onSettled }: { letter: DeadLetter; onSettled: () => void }) {
  const t = useTexts();
  const language = useLanguage();
  const [busy, error, call] = useCall();
  const settle = (verb: "retry" | "discard") =>
    void call(() => settleLetter(letter.dead_letter_id, verb)).then((done) => done && onSettled());
  return (
    <tr>
      <td>{moment(letter.recorded_at, language)}</td>
      <td>
        {letter.consumer} <small>{letter.subject}</small>
      </td>
      <td>
        {letter.reason} <small>{t("error.code", { code: letter.code })}</small>
        <Failure text={error} />
      </td>
      <td className="controls">
        {letter.state === "dead" && (
          <>
            <button type="button" disabled={busy} onClick={() => settle("retry")}>
              {t("letters.retry")}
            </button>
            <button
              type="button"
              disabled={busy}
              onClick={() => window.confirm(t("letters.discard.sure")) && settle("discard")}
            >
              {t("letters.discard")}
            </button>
          </>
        )}
      </td>
    </tr>
  );
}
