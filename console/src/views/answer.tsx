/** What a run has answered: text, tables, files, and what may be asked next. */

import { useMemo, useState } from "react";
import { rate } from "../api/gateway";
import type { Answer as AnswerData, Json, Table as TableData } from "../api/types";
import type { Run } from "../state/run";
import { useTexts } from "../texts";
import { Made } from "./files";
import { Icon } from "./icons";
import { useLanguage } from "./language";
import { CopyButton, Failure, Members, useCall } from "./parts";

const MOST_ROWS = 100;

interface Props {
  session: string;
  run: Run;
  /** Whether it is the last answer: only what it offers is still of use. */
  last: boolean;
  onSay: (text: string) => void;
}

export function Answer({ session, run, last, onSay }: Props) {
  const t = useTexts();
  const { answer } = run;
  if (!answer) return run.written ? <Writing text={run.written} /> : null;
  const offers = answer.next_actions?.length
    ? answer.next_actions
    : (answer.ui_hint?.buttons ?? []).map((label) => ({ label, text: label }));
  return (
    <article className="answer" aria-label={t("layer.response")} lang={answer.language}>
      <p className="said">{answer.text}</p>
      {tablesOf(answer).map(([name, table]) => (
        <Table key={name} table={table} />
      ))}
      {answer.attachments && <Made files={answer.attachments} primary={answer.ui_hint?.primary_artifact} />}
      {last && offers.length > 0 && (
        <div className="offers">
          {offers.map((offer) => (
            <button type="button" key={offer.label} onClick={() => onSay(offer.text)}>
              {offer.label}
            </button>
          ))}
        </div>
      )}
      <Feedback session={session} run={run} text={answer.text} />
    </article>
  );
}

function Writing({ text }: { text: string }) {
  const t = useTexts();
  return (
    <article className="answer" aria-busy="true" aria-label={t("answer.writing")}>
      <p className="said">
        {text}
        <span className="caret" />
      </p>
    </article>
  );
}

function isTable(value: Json | undefined): value is Json & TableData {
  const table = value as TableData | null | undefined;
  return Array.isArray(table?.columns) && Array.isArray(table.rows) && table.rows.length > 0;
}

/** The tables among the figures behind the text. */
function tablesOf(answer: AnswerData): [string, TableData][] {
  return Object.entries(answer.data ?? {}).flatMap(([name, value]): [string, TableData][] => {
    const table = value && typeof value === "object" && !Array.isArray(value) ? value.table : undefined;
    return isTable(table) ? [[name, table]] : [];
  });
}

function Table({ table }: { table: TableData }) {
  const t = useTexts();
  const language = useLanguage();
  const [by, setBy] = useState<{ column: number; down: boolean } | null>(null);
  const rows = useMemo(() => {
    if (!by) return table.rows;
    const sorted = [...table.rows].sort((a, b) => compare(a[by.column], b[by.column]));
    return by.down ? sorted.reverse() : sorted;
  }, [table, by]);
  const plain = [table.columns, ...rows].map((row) => row.map((cell) => cell ?? "").join("\t")).join("\n");
  return (
    <details className="table" open>
      <summary>
        {t("answer.table")} <CopyButton text={plain} />
      </summary>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              {table.columns.map((name, column) => {
                const order = by?.column === column ? (by.down ? "descending" : "ascending") : "none";
                return (
                  <th key={name} aria-sort={order}>
                    <button type="button" className="quiet" onClick={() => setBy({ column, down: order === "ascending" })}>
                      {name}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_ROWS).map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column} className={typeof cell === "number" ? "number" : undefined}>
                    {typeof cell === "number" ? cell.toLocaleString(language, { maximumFractionDigits: 4 }) : String(cell ?? "")}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function compare(a: Json | undefined, b: Json | undefined): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a ?? "").localeCompare(String(b ?? ""));
}

function Feedback({ session, run, text }: { session: string; run: Run; text: string }) {
  const t = useTexts();
  const [busy, error, call] = useCall();
  const [asking, setAsking] = useState(false);
  const [comment, setComment] = useState("");
  const { usage, rating } = run;
  return (
    <footer className="feedback">
      <CopyButton text={text} />
      <button
        type="button"
        className="quiet"
        aria-pressed={rating === 5}
        disabled={busy}
        onClick={() => void call(() => rate(session, run.id, 5))}
        aria-label={t("answer.good")}
        title={t("answer.good")}
      >
        <Icon name="good" />
      </button>
      <button
        type="button"
        className="quiet"
        aria-pressed={rating === 1}
        disabled={busy}
        onClick={() => setAsking(!asking)}
        aria-label={t("answer.bad")}
        title={t("answer.bad")}
      >
        <Icon name="bad" />
      </button>
      {rating !== null && !asking && <small role="status">{t("answer.thanks")}</small>}
      {usage.calls > 0 && (
        <small>{t("answer.usage", { calls: usage.calls, tokens: usage.tokens, money: usage.money.toFixed(4) })}</small>
      )}
      {asking && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void call(() => rate(session, run.id, 1, comment.trim())).then((done) => done && setAsking(false));
          }}
        >
          <input
            autoFocus
            value={comment}
            maxLength={2000}
            placeholder={t("answer.comment")}
            aria-label={t("answer.comment")}
            onChange={(event) => setComment(event.target.value)}
          />
          <button type="submit" disabled={busy}>
            {t("composer.send")}
          </button>
        </form>
      )}
      <Failure text={error} />
    </footer>
  );
}

/** How a run ended that has no answer, or not the one that was asked for. */
export function Ending({ run }: { run: Run }) {
  const t = useTexts();
  if (run.status === "running" || run.status === "completed") return null;
  if (run.left) return <p className="settled">{t("status.left")}</p>;
  const said = run.error?.message ?? run.reason;
  const known = run.answer?.text.includes(said);
  return (
    <div className={`ending ${run.status}`} role="status">
      <strong>{t(`status.${run.status}`)}</strong> {said && !known && <span>{said}</span>}{" "}
      {run.error && (
        <details>
          <summary>{t("answer.technical")}</summary>
          <Members of={{ code: run.error.code, ...run.error.detail }} />
        </details>
      )}
    </div>
  );
}
