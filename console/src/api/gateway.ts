/** The gateway's REST calls. All of them may be sent again: those that change something carry an Idempotency-Key. */

import { newKey } from "./keys";
import type { Attachment, DeadLetter, Json, JsonObject, OpenRun, PatchOperation, Reminder } from "./types";

const BASE = new URL("../", window.location.href.split(/[?#]/)[0]);
const TRIES = 4;
/** An event of the window: a key is needed, or the login is over. */
export const UNAUTHENTICATED = "dream:unauthenticated";

/** An answer that is a problem document (RFC 9457), or none at all (`status` 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: number | null,
    message: string,
  ) {
    super(message);
  }
}

export function address(path: string): URL {
  return new URL(path, BASE);
}

export function artifactUrl(attachment: Attachment): string {
  return address(`artifacts/${attachment.artifact_id}?name=${encodeURIComponent(attachment.name)}`).href;
}

export function socketUrl(session: string, after: number): string {
  const url = address(`ws/${session}?after=${after}&log=1&chunk=1`);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

function problemOf(status: number, text: string): Problem {
  try {
    const said = JSON.parse(text) as { detail?: string; title?: string; code?: number; errors?: { message?: string }[] };
    const more = (said.errors ?? []).map((error) => error.message).filter(Boolean);
    return new Problem(status, said.code ?? null, [said.detail ?? said.title ?? text, ...more].join("\n"));
  } catch {
    return new Problem(status, null, text || `HTTP ${status}`);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** What is not there yet, or not at the moment, is asked for again; the rest is a Problem. */
async function call<T>(method: string, path: string, body?: Json, key?: string): Promise<T> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  for (let tried = 1; ; tried += 1) {
    const last = tried === TRIES || (method !== "GET" && !key);
    let response: Response;
    try {
      response = await fetch(address(path), { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    } catch {
      if (last) throw new Problem(0, null, "");
      await pause(300 * 2 ** tried);
      continue;
    }
    const text = await response.text();
    if (response.ok) return (text ? JSON.parse(text) : null) as T;
    if (response.status === 401) window.dispatchEvent(new Event(UNAUTHENTICATED));
    if (response.status !== 503 || last) throw problemOf(response.status, text);
    await pause(1000 * Math.min(Number(response.headers.get("Retry-After")) || 1, 5));
  }
}

export type Message = {
  text: string;
  attachments?: Attachment[];
  auto_approve?: boolean;
};

export interface Person {
  user?: string;
  timezone?: string;
}

export interface Began {
  session_id: string;
  run_id: string;
  version: number;
}

/** The last message, until the gateway has said that it has it: sent again, it is the same message, with the same key. */
let unanswered = { said: "", key: "" };

/** Begins a run, in the session or in a new one of this person. */
export async function say(session: string | null, person: Person, message: Message): Promise<Began> {
  const who: JsonObject = session
    ? { session_id: session }
    : {
        ...(person.user ? { user: person.user } : {}),
        ...(person.timezone ? { profile: { timezone: person.timezone } } : {}),
      };
  const body: JsonObject = { ...who, ...message };
  const said = JSON.stringify(body);
  const key = said === unanswered.said ? unanswered.key : newKey();
  unanswered = { said, key };
  const began = await call<Began>("POST", "agent/run-async", body, key);
  unanswered = { said: "", key: "" };
  return began;
}

export function decide(session: string, decision: string, answer: JsonObject): Promise<unknown> {
  return call("POST", `sessions/${session}/decisions/${decision}`, { answer }, newKey());
}

export function control(session: string, run: string, what: string): Promise<unknown> {
  return call("POST", `sessions/${session}/runs/${run}/control`, { control: what }, newKey());
}

export function editPlan(session: string, run: string, version: number, patch: PatchOperation[]): Promise<unknown> {
  const body = { plan_version: version, patch };
  return call("PATCH", `sessions/${session}/runs/${run}/plan`, body, newKey());
}

export function rate(session: string, run: string, rating: number, comment?: string): Promise<unknown> {
  const body = { run_id: run, rating, ...(comment ? { comment } : {}) };
  return call("POST", `sessions/${session}/feedback`, body, newKey());
}

export function reminderSeen(session: string, reminder: string, due: string): Promise<unknown> {
  return call("POST", `sessions/${session}/reminders/${reminder}/seen`, { due_at: due }, newKey());
}

export function openRuns(stuck: boolean): Promise<{ runs: OpenRun[]; next: string | null }> {
  return call("GET", `runs?limit=200&stuck=${stuck}`);
}

export function deadLetters(state: string): Promise<{ dead_letters: DeadLetter[] }> {
  return call("GET", `dead-letters?limit=200&state=${state}`);
}

export function settleLetter(letter: string, verb: "retry" | "discard"): Promise<unknown> {
  return call("POST", `dead-letters/${letter}/${verb}`);
}

export interface Me {
  auth: "off" | "keys";
  user: string | null;
  /** Null while a key is needed. */
  role: "person" | "operator" | null;
}

/** Who the gateway takes us for. */
export function me(): Promise<Me> {
  return call("GET", "me");
}

/** Shows a key once; the browser has a cookie from then on that no script can read. */
export function logIn(key: string): Promise<Me> {
  return call("POST", "login", { key });
}

export function logOut(): Promise<unknown> {
  return call("POST", "logout");
}

export interface SessionView {
  open_decisions: unknown[];
  reminders: Reminder[];
}

/** A session as it stands. */
export function session(id: string): Promise<SessionView> {
  return call("GET", `sessions/${id}`);
}

/** What keeps the gateway from answering; empty when it does. Probes are not for pages: a proxy need not let them through.
 * Raises where nobody answers at all. */
export async function unready(): Promise<string> {
  const response = await fetch(address("me"));
  return response.ok ? "" : problemOf(response.status, await response.text()).message;
}

export interface Profiled {
  found: { tool: string; result: JsonObject | null }[];
}

export function profile(attachment: Attachment): Promise<Profiled> {
  return call("GET", `artifacts/${attachment.artifact_id}/profile?name=${encodeURIComponent(attachment.name)}`);
}

/** Stores a file; `told` hears which part of it (0 to 1) is up. */
export function upload(file: File, session: string | null, told: (part: number) => void): Promise<Attachment> {
  const where = address(`artifacts?name=${encodeURIComponent(file.name)}${session ? `&session_id=${session}` : ""}`);
  return new Promise((resolve, reject) => {
    // fetch does not say how far an upload is
    const request = new XMLHttpRequest();
    request.open("POST", where);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Idempotency-Key", newKey());
    request.upload.onprogress = (event) => told(event.lengthComputable ? event.loaded / event.total : 0);
    request.onerror = () => reject(new Problem(0, null, ""));
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as Attachment);
      else reject(problemOf(request.status, request.responseText));
    };
    request.send(file);
  });
}
