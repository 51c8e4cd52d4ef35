/** What the frames of one run tell: a pure fold, the same as the terminal's (dream/client/run_progress.py). */

import type { Answer, Attachment, ChunkFrame, Decision, ErrorInfo, EventFrame, LogFrame, Plan, TodoItem } from "../api/types";

export const LAYERS = ["cognitive", "planning", "execution", "response"] as const;
export type Layer = (typeof LAYERS)[number];
export type Stage = "waiting" | "running" | "done" | "failed" | "skipped" | "retrying";
export type Status = "running" | "completed" | "partial" | "failed" | "cancelled" | "rejected" | "expired";

const KEPT_LINES = 200;

export interface Line {
  text: string;
  leftOut: number;
}

export interface Todo {
  item: TodoItem;
  stage: Stage;
  fraction: number;
  note: string;
  seconds: number | null;
  round: number;
  attempt: number;
  /** In the line for its tool, from 1; 0 = it does not wait. */
  place: number;
  error: ErrorInfo | null;
  files: Attachment[];
  lines: Line[];
}

export interface Settled {
  question: Decision;
  /** What the person answered; null when nobody did in time, whatever was done then. */
  answer: { [name: string]: unknown } | null;
}

export interface Usage {
  calls: number;
  tokens: number;
  money: number;
}

export interface Run {
  id: string;
  text: string;
  files: Attachment[];
  began: string;
  ended: string | null;
  layers: Record<Layer, Stage>;
  plan: Plan | null;
  approved: boolean;
  todos: Record<string, Todo>;
  questions: Decision[];
  settled: Settled[];
  cannot: string[];
  answer: Answer | null;
  /** What a model has written so far, until the answer is there. */
  written: string;
  status: Status;
  error: ErrorInfo | null;
  reason: string;
  /** It was cancelled while it asked what is meant: nothing was stopped, there was nothing yet. */
  left: boolean;
  paused: boolean;
  usage: Usage;
  rating: number | null;
  versions: number[];
}

export function newRun(id: string, began: string): Run {
  return {
    id,
    text: "",
    files: [],
    began,
    ended: null,
    layers: { cognitive: "waiting", planning: "waiting", execution: "waiting", response: "waiting" },
    plan: null,
    approved: false,
    todos: {},
    questions: [],
    settled: [],
    cannot: [],
    answer: null,
    written: "",
    status: "running",
    error: null,
    reason: "",
    left: false,
    paused: false,
    usage: { calls: 0, tokens: 0, money: 0 },
    rating: null,
    versions: [],
  };
}

export function isOver(run: Run): boolean {
  return run.status !== "running";
}

/** The todos in the order of the plan. */
export function inOrder(run: Run): Todo[] {
  return (run.plan?.todos ?? []).flatMap((item) => run.todos[item.id] ?? []);
}

// Data of events are the gateway's, checked against their contract when they were recorded; docs/protocol.md names them.
type Data = any;

/** The run after one more event of its own. What it knows nothing of changes nothing: the server may be newer. */
export function advance(run: Run, frame: EventFrame): Run {
  const data = frame.data as Data;
  const next = { ...run, versions: [...run.versions, frame.version] };
  if (frame.type === "layer_start" && frame.layer) next.layers = starting(run.layers, frame.layer);
  if (frame.event.startsWith("Todo")) return withTodo(next, frame.event, data);
  return CHANGES[frame.event]?.(next, data, frame) ?? next;
}

const CHANGES: Record<string, (run: Run, data: Data, frame: EventFrame) => Run> = {
  MessageReceived: (run, data) => ({ ...run, text: data.text, files: data.attachments ?? [] }),
  ModelCalled: (run, data) => ({
    ...run,
    usage: {
      calls: run.usage.calls + (data.local ? 0 : 1),
      tokens: run.usage.tokens + (data.input_tokens ?? 0) + (data.output_tokens ?? 0),
      money: run.usage.money + (data.cost ?? 0),
    },
  }),
  PlanningOutput: planned,
  PlanApproved: (run) => ({ ...run, approved: true }),
  RunControlRequested: (run, data) => ({ ...run, paused: data.control === "pause" || data.control === "interrupt" }),
  ToolBusy: (run, data) => changed(run, data.todo_id, { place: data.position ?? 1 }),
  ToolLeased: (run, data) => changed(run, data.todo_id, { place: 0 }),
  DecisionRequested: (run, data) => ({ ...run, questions: [...run.questions, data] }),
  DecisionAnswered: settled,
  DecisionExpired: settled,
  ResponseOutput: (run, data) => ({ ...run, answer: data, written: "", layers: starting(run.layers, "response") }),
  RunCompleted: (run, data, frame) => ended(run, frame, data.partial ? "partial" : "completed", "done"),
  RunFailed: (run, data, frame) => ({ ...ended(run, frame, "failed", "failed"), error: data.error }),
  RunCancelled: (run, data, frame) => ({
    ...ended(run, frame, data.reason === "requested" ? "cancelled" : data.reason, "failed"),
    reason: data.message ?? "",
    left: data.reason === "requested" && run.questions.some((question) => question.kind === "clarify"),
  }),
  FeedbackGiven: (run, data) => ({ ...run, rating: data.rating ?? run.rating }),
};

/** `layer` runs; those before it are done, or were passed over. */
function starting(layers: Run["layers"], layer: string): Run["layers"] {
  const at = LAYERS.indexOf(layer as Layer);
  if (at < 0) return layers;
  const changed = { ...layers };
  for (const name of LAYERS.slice(0, at)) changed[name] = layers[name] === "waiting" ? "skipped" : "done";
  changed[LAYERS[at]!] = "running";
  return changed;
}

function planned(run: Run, data: Data): Run {
  const plan = data.plan as Plan;
  // edited while it runs, a plan keeps what has been begun
  const todos = Object.fromEntries(plan.todos.map((item) => [item.id, { ...(run.todos[item.id] ?? newTodo(item)), item }]));
  // a plan that is asked about says so in its question
  const cannot = data.requires_approval === false ? (data.cannot ?? []) : [];
  return { ...run, plan, todos, cannot };
}

function newTodo(item: TodoItem): Todo {
  return {
    item,
    stage: "waiting",
    fraction: 0,
    note: "",
    seconds: null,
    round: 1,
    attempt: 0,
    place: 0,
    error: null,
    files: [],
    lines: [],
  };
}

function changed(run: Run, id: string, change: Partial<Todo>): Run {
  const todo = run.todos[id];
  return todo ? { ...run, todos: { ...run.todos, [id]: { ...todo, ...change } } } : run;
}

function settled(run: Run, data: Data): Run {
  const question = run.questions.find((open) => open.decision_id === data.decision_id);
  if (!question) return run;
  return {
    ...run,
    questions: run.questions.filter((open) => open !== question),
    settled: [...run.settled, { question, answer: data.answer ?? null }],
  };
}

function ended(run: Run, frame: EventFrame, status: Status, stage: Stage): Run {
  const layers = { ...run.layers };
  for (const name of LAYERS) if (layers[name] === "running") layers[name] = stage;
  return { ...run, status, layers, ended: frame.recorded_at, paused: false, questions: [], written: "" };
}

function withTodo(run: Run, event: string, data: Data): Run {
  const id: string = event === "TodoDispatched" ? data.todo.id : data.todo_id;
  if (data.late) return run;
  const change = todoChange(event, data);
  return change ? changed(run, id, change) : run;
}

function todoChange(event: string, data: Data): Partial<Todo> | null {
  switch (event) {
    case "TodoDispatched":
      return { stage: "running", round: data.round ?? 1, attempt: data.attempt, place: 0, note: "", error: null };
    case "TodoStarted":
      return { stage: "running", place: 0 };
    case "TodoProgressed":
      return { stage: "running", fraction: data.fraction ?? 0, note: data.message ?? "" };
    case "TodoSucceeded":
      return { stage: "done", fraction: 1, note: "", seconds: data.seconds ?? 0, files: data.attachments ?? [] };
    case "TodoFailed":
      // stopped by an interrupt: it is done again
      if (data.error.detail?.control === "interrupt") return { stage: "waiting", fraction: 0, note: "" };
      return { stage: data.will_retry_at ? "retrying" : "failed", note: data.error.message, error: data.error };
    case "TodoSkipped":
      return { stage: "skipped", note: data.reason };
    default:
      return null;
  }
}

/** The run with a line that a tool wrote. */
export function logged(run: Run, frame: LogFrame): Run {
  const todo = run.todos[frame.todo_id];
  if (!todo) return run;
  const line = { text: frame.line, leftOut: frame.left_out ?? 0 };
  return changed(run, frame.todo_id, { lines: [...todo.lines, line].slice(-KEPT_LINES) });
}

/** The run with a piece of its answer; one without index begins anew. */
export function piece(run: Run, frame: ChunkFrame): Run {
  if (frame.role !== "reporter" || isOver(run) || run.answer) return run;
  return { ...run, written: frame.index ? run.written + frame.text : frame.text };
}
