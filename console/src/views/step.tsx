/** A step of a plan: as it goes, and as a person edits it. */

import { useState } from "react";
import type { JsonObject, TodoItem } from "../api/types";
import type { Todo } from "../state/run";
import { type Key, useTexts } from "../texts";
import { FileChip } from "./files";
import { Mark, Members } from "./parts";

const SKIPS = new Set(["dependency_failed", "person", "policy", "cancelled"]);

export function StepView({ todo, titles }: { todo: Todo; titles: Record<string, string> }) {
  const t = useTexts();
  const { item } = todo;
  const note = todo.stage === "skipped" && SKIPS.has(todo.note) ? t(`skip.${todo.note}` as Key) : todo.note;
  const more = [
    todo.place > 0 && t("plan.place", { place: todo.place }),
    todo.round > 1 && t("plan.round", { round: todo.round }),
    todo.attempt > 1 && t("plan.attempt", { attempt: todo.attempt }),
  ].filter(Boolean);
  const params = Object.keys(item.params ?? {}).length > 0 ? item.params : null;
  return (
    <li className={`todo ${todo.stage}`}>
      <Mark stage={todo.stage} />
      <div>
        <span className="title">{item.title}</span>
        {item.depends_on && item.depends_on.length > 0 && todo.stage === "waiting" && (
          <small> {t("plan.after", { steps: item.depends_on.map((id) => titles[id] ?? id).join(", ") })}</small>
        )}
        {todo.stage === "running" && <progress value={todo.fraction || undefined} max={1} aria-label={item.title} />}
        {(note || more.length > 0) && <small className="note">{[note, ...more].filter(Boolean).join(" · ")}</small>}
        {todo.stage !== "waiting" || params ? (
          <details>
            <summary>{t("answer.technical")}</summary>
            <Members of={{ tool: item.tool, ...params }} />
            {todo.files.map((file) => (
              <FileChip key={file.artifact_id} file={file} />
            ))}
            {todo.lines.length > 0 && (
              <pre aria-label={t("plan.log")}>
                {todo.lines.map((line) => (line.leftOut ? t("plan.left_out", { count: line.leftOut }) : line.text)).join("\n")}
              </pre>
            )}
          </details>
        ) : null}
      </div>
      <small className="time">
        {todo.seconds !== null
          ? t("plan.took", { seconds: todo.seconds.toFixed(1) })
          : item.estimate_seconds
            ? t("plan.estimate", { seconds: Math.max(1, Math.round(item.estimate_seconds)) })
            : ""}
      </small>
    </li>
  );
}

interface EditorProps {
  todo: TodoItem;
  removed: boolean;
  /** It has begun, and stays as it is. */
  fixed: boolean;
  onToggle: () => void;
  onTitle: (title: string) => void;
  /** The parameters, or null while what was typed is no JSON object. */
  onParams: (params: JsonObject | null) => void;
}

export function StepEditor({ todo, removed, fixed, onToggle, onTitle, onParams }: EditorProps) {
  const t = useTexts();
  const [title, setTitle] = useState(todo.title);
  const [text, setText] = useState(() => JSON.stringify(todo.params ?? {}, null, 2));
  const [error, setError] = useState<string | null>(null);
  const typed = (value: string) => {
    setText(value);
    try {
      const params: unknown = JSON.parse(value);
      if (typeof params !== "object" || params === null || Array.isArray(params)) throw new Error(value.slice(0, 20));
      setError(null);
      onParams(params as JsonObject);
    } catch (failure) {
      setError(t("plan.params.bad", { error: failure instanceof Error ? failure.message : "" }));
      onParams(null);
    }
  };
  return (
    <li className={removed ? "todo removed" : "todo"}>
      <input
        type="checkbox"
        checked={!removed}
        disabled={fixed}
        onChange={onToggle}
        aria-label={t(removed ? "plan.keep" : "plan.remove", { title: todo.title })}
      />
      <div>
        <input
          value={title}
          disabled={removed || fixed}
          maxLength={200}
          aria-label={t("plan.rename")}
          onChange={(event) => {
            setTitle(event.target.value);
            onTitle(event.target.value);
          }}
        />
        {!removed && !fixed && (
          <details>
            <summary>
              {t("plan.params")} <code>{todo.tool}</code>
            </summary>
            <textarea
              value={text}
              spellCheck={false}
              rows={Math.min(12, text.split("\n").length + 1)}
              aria-label={`${todo.title}: ${t("plan.params")}`}
              aria-invalid={error !== null}
              onChange={(event) => typed(event.target.value)}
            />
            {error && <small className="failure">{error}</small>}
          </details>
        )}
      </div>
    </li>
  );
}
