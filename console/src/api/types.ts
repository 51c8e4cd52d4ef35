/** What the gateway sends, as docs/protocol.md has it. Members that equal their default may be left out. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

// what is sent is a type and no interface: only those are known to be nothing but JSON
export type Attachment = {
  artifact_id: string;
  name: string;
  media_type: string;
  size: number;
  type: string;
  meta?: JsonObject;
};

export interface TodoItem {
  id: string;
  title: string;
  tool: string;
  executor?: string;
  params?: JsonObject;
  depends_on?: string[];
  estimate_seconds?: number;
  [name: string]: unknown;
}

export interface Plan {
  plan_id: string;
  version?: number;
  todos: TodoItem[];
  estimate?: { total_seconds?: number; critical_path_seconds?: number; money?: number; tokens?: number };
}

export interface Option {
  value: string;
  label: string;
}

export interface AnswerSchema {
  properties?: { [name: string]: AnswerSchema };
  required?: string[];
  anyOf?: AnswerSchema[];
  type?: string;
  enum?: Json[];
  minimum?: number;
  maxLength?: number;
}

export interface Decision {
  decision_id: string;
  kind: string;
  question: string;
  language?: string;
  options?: Option[];
  answer_schema: AnswerSchema;
  deadline: string;
  default?: JsonObject | null;
  subject?: JsonObject;
}

export interface NextAction {
  label: string;
  text: string;
}

export interface Table {
  columns: string[];
  rows: Json[][];
}

export interface Answer {
  text: string;
  format?: string;
  language?: string;
  attachments?: Attachment[];
  next_actions?: NextAction[];
  ui_hint?: { buttons?: string[]; next_action?: string | null; primary_artifact?: string | null };
  data?: JsonObject;
}

export interface ErrorInfo {
  code: number;
  message: string;
  detail?: JsonObject;
}

export interface Reminder {
  reminder_id: string;
  text: string;
  due_at: string;
  times?: number;
}

/** An event of the session's stream. */
export interface EventFrame {
  type: string;
  version: number;
  event: string;
  event_id: string;
  run_id: string | null;
  producer: string;
  layer?: string;
  recorded_at: string;
  data: JsonObject;
}

/** A line that a tool wrote; live only. */
export interface LogFrame {
  type: "log";
  run_id: string;
  todo_id: string;
  line: string;
  left_out?: number;
}

/** A piece of an answer that a model is writing; live only. */
export interface ChunkFrame {
  type: "chunk";
  run_id: string;
  role: string;
  todo_id?: string;
  index?: number;
  text: string;
}

export interface SessionState {
  type: "session_state";
  session_id: string;
  version: number;
  reminders: Reminder[];
}

export interface OpenRun {
  run_id: string;
  session_id: string;
  text: string;
  state: "moving" | "waiting" | "paused" | "stuck";
  stuck: boolean;
  began: string;
  last_event: string;
  actor: string;
  what: string;
  since: string;
  deadline: string | null;
}

export interface DeadLetter {
  dead_letter_id: string;
  consumer: string;
  subject: string;
  event_id: string | null;
  code: number;
  reason: string;
  deliveries: number;
  state: "dead" | "retried" | "discarded";
  recorded_at: string;
}

export type PatchOperation = {
  op: "remove" | "replace" | "add" | "move";
  path: string;
  from?: string;
  value?: Json;
};
