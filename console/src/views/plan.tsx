/** The plan of a run: its steps as a list or a graph, how far they are, and what a person may change in it. */

import { lazy, Suspense, useState } from "react";
import type { JsonObject, PatchOperation, TodoItem } from "../api/types";
import { type Draft, patchOf, UNCHANGED, withDependents } from "../state/plan-edit";
import { inOrder, isOver, type Run } from "../state/run";
import { useTexts } from "../texts";
import { Failure } from "./parts";
import { StepEditor, StepView } from "./step";
import { useDark } from "./theme";

const PlanGraph = lazy(() => import("./plan-graph"));

interface Props {
  run: Run;
  /** Sends what was changed; none where nothing may be. */
  onEdit: ((patch: PatchOperation[], andRun: boolean) => Promise<boolean>) | null;
  /** Whether the plan waits for its approval: then it can be saved and run at once. */
  asked: boolean;
  editing: boolean;
  onEditing: (on: boolean) => void;
}

export function PlanView({ run, onEdit, asked, editing, onEditing }: Props) {
  const t = useTexts();
  const dark = useDark();
  const [graph, setGraph] = useState(false);
  const [open, setOpen] = useState(true);
  const todos = inOrder(run);
  const { plan } = run;
  if (!plan) return null;
  const done = todos.filter((todo) => todo.stage === "done").length;
  const unfolded = open || !isOver(run);
  return (
    <section className="plan" aria-label={t("plan.title")}>
      <header>
        <button type="button" className="quiet title" aria-expanded={unfolded} onClick={() => setOpen(!open)}>
          <strong>{t("plan.title")}</strong> {t("plan.steps", { count: todos.length })} · <small>{timeOf(run, t)}</small>
          {(plan.version ?? 1) > 1 && <small> · {t("plan.version", { version: plan.version ?? 1 })}</small>}
        </button>
        {run.approved && <progress className="whole" max={todos.length} value={done} aria-label={`${done}/${todos.length}`} />}
        <span className="tabs">
          <button type="button" className="quiet" aria-pressed={!graph} onClick={() => setGraph(false)}>
            {t("plan.list")}
          </button>
          <button type="button" className="quiet" aria-pressed={graph} onClick={() => setGraph(true)}>
            {t("plan.graph")}
          </button>
          {onEdit && !editing && (
            <button type="button" className="quiet" onClick={() => onEditing(true)}>
              {t("plan.edit")}
            </button>
          )}
        </span>
      </header>
      {unfolded && graph && !editing && (
        <Suspense fallback={<div className="graph" />}>
          <PlanGraph todos={todos} dark={dark} />
        </Suspense>
      )}
      {unfolded && !graph && !editing && (
        <ol>
          {todos.map((todo) => (
            <StepView key={todo.item.id} todo={todo} titles={titlesOf(plan.todos)} />
          ))}
        </ol>
      )}
      {editing && onEdit && (
        <PlanEditor
          todos={plan.todos}
          begun={(id) => !["waiting", undefined].includes(run.todos[id]?.stage)}
          onSave={onEdit}
          asked={asked}
          onClose={() => onEditing(false)}
        />
      )}
    </section>
  );
}

function timeOf(run: Run, t: ReturnType<typeof useTexts>): string {
  if (isOver(run) && run.ended) {
    const taken = inOrder(run).reduce((sum, todo) => sum + (todo.seconds ?? 0), 0);
    return t("plan.took", { seconds: taken.toFixed(1) });
  }
  const { critical_path_seconds: path = 0, total_seconds: total = 0 } = run.plan?.estimate ?? {};
  return t("plan.estimate", { seconds: Math.max(1, Math.round(path || total)) });
}

function titlesOf(todos: readonly TodoItem[]): Record<string, string> {
  return Object.fromEntries(todos.map((todo) => [todo.id, todo.title]));
}

interface EditorProps {
  todos: readonly TodoItem[];
  begun: (id: string) => boolean;
  onSave: (patch: PatchOperation[], andRun: boolean) => Promise<boolean>;
  asked: boolean;
  onClose: () => void;
}

function PlanEditor({ todos, begun, onSave, asked, onClose }: EditorProps) {
  const t = useTexts();
  const [draft, setDraft] = useState<Draft>(UNCHANGED);
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const gone = new Set(draft.removed);
    if (gone.has(id)) {
      // what it builds on comes back with it
      for (const before of ancestors(todos, id)) gone.delete(before);
    } else {
      for (const other of withDependents(todos, id)) gone.add(other);
    }
    setDraft({ ...draft, removed: gone });
  };
  const patch = patchOf(todos, draft);
  const none = draft.removed.size === todos.length;
  const unready = none || broken.size > 0 || patch.length === 0;
  const save = (andRun: boolean) => void onSave(patch, andRun).then((saved) => saved && onClose());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save(false);
      }}
    >
      <ol>
        {todos.map((todo) => (
          <StepEditor
            key={todo.id}
            todo={todo}
            removed={draft.removed.has(todo.id)}
            fixed={begun(todo.id)}
            onToggle={() => toggle(todo.id)}
            onTitle={(title) => setDraft({ ...draft, titles: { ...draft.titles, [todo.id]: title } })}
            onParams={(params: JsonObject | null) => {
              setBroken(without(broken, todo.id, params === null));
              if (params) setDraft({ ...draft, params: { ...draft.params, [todo.id]: params } });
            }}
          />
        ))}
      </ol>
      <Failure text={none ? t("plan.none") : null} />
      <div className="offers">
        {asked && (
          <button type="button" className="primary" disabled={unready} onClick={() => save(true)}>
            {t("plan.save_and_run")}
          </button>
        )}
        <button type="submit" disabled={unready}>
          {t("plan.save")}
        </button>
        <button type="button" onClick={onClose}>
          {t("plan.discard")}
        </button>
      </div>
    </form>
  );
}

function without(set: ReadonlySet<string>, id: string, has: boolean): Set<string> {
  const changed = new Set(set);
  if (has) changed.add(id);
  else changed.delete(id);
  return changed;
}

function ancestors(todos: readonly TodoItem[], id: string): Set<string> {
  const back = new Set([id]);
  for (const todo of [...todos].reverse()) {
    if (back.has(todo.id)) for (const before of todo.depends_on ?? []) back.add(before);
  }
  return back;
}
