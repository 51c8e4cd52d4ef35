/** Small things that several views show. */

import { type ReactNode, useEffect, useRef, useState } from "react";
import { Problem } from "../api/gateway";
import type { Stage } from "../state/run";
import { isKey, type Key, type Texts, useTexts } from "../texts";

const MARKS: Record<Stage, string> = { waiting: "○", running: "●", done: "✓", failed: "✕", skipped: "–", retrying: "↻" };

export function Mark({ stage }: { stage: Stage }) {
  const t = useTexts();
  return (
    <span className={`mark ${stage}`} role="img" aria-label={t(`stage.${stage}`)} title={t(`stage.${stage}`)}>
      {MARKS[stage]}
    </span>
  );
}

export function messageOf(error: unknown, t: Texts): string {
  if (!(error instanceof Problem)) return String(error);
  if (error.status === 0) return t("error.unreachable");
  const known = `error.${error.code}`;
  const said = isKey(known) ? t(known) : error.message;
  return error.code ? `${said} (${t("error.code", { code: error.code })})` : said;
}

/** What a call is doing: whether it is under way, and why it failed. Twice at once it is never. */
export function useCall(): [busy: boolean, error: string | null, run: (call: () => Promise<unknown>) => Promise<boolean>] {
  const t = useTexts();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const under = useRef(false);
  const run = async (call: () => Promise<unknown>): Promise<boolean> => {
    if (under.current) return false;
    under.current = true;
    setBusy(true);
    setError(null);
    try {
      await call();
      return true;
    } catch (failure) {
      setError(messageOf(failure, t));
      return false;
    } finally {
      under.current = false;
      setBusy(false);
    }
  };
  return [busy, error, run];
}

export function Failure({ text }: { text: string | null }) {
  return text ? (
    <p className="failure" role="alert">
      {text}
    </p>
  ) : null;
}

/** A time as people say it here: of today only the hour. */
export function moment(iso: string, language: string): string {
  const then = new Date(iso);
  const today = new Date().toDateString() === then.toDateString();
  return new Intl.DateTimeFormat(language, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" }).format(then);
}

export function sizeOf(bytes: number, language: string): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return new Intl.NumberFormat(language, { style: "unit", unit: units[at]!, maximumFractionDigits: at ? 1 : 0 }).format(
    bytes / 1000 ** at,
  );
}

/** A button that tells for two seconds what it has done. */
export function CopyButton({ text, label = "answer.copy" }: { text: string; label?: Key }) {
  const t = useTexts();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  // pages that came over HTTP from another machine have no clipboard
  if (!navigator.clipboard) return null;
  return (
    <button type="button" className="quiet" onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}>
      {done ? t("talk.copied") : t(label)}
    </button>
  );
}

/** A window above the page; Escape and a click beside it close it, and the browser keeps the focus in it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const t = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      aria-label={title}
    >
      <div className="inside">
        <header>
          <h2>{title}</h2>
          <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
            {t("app.close")}
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** The members of an object, one in a row: what a tool is to be called with, say. */
export function Members({ of }: { of: Record<string, unknown> }) {
  return (
    <dl className="members">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
