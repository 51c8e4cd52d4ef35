import { describe, expect, it } from "vitest";
import type { EventFrame, JsonObject } from "../api/types";
import { EMPTY, openRun, replayed, told } from "./conversation";
import { inOrder } from "./run";

const RUN = "0197a1f0-0000-7000-8000-000000000001";
const TODOS: JsonObject[] = [
  { id: "t1", title: "read", tool: "m.collector" },
  { id: "t2", title: "report", tool: "m.report", depends_on: ["t1"] },
];
const QUESTION: JsonObject = { decision_id: "d1", kind: "plan", question: "May it run?", options: [], answer_schema: {}, deadline: "2026-01-02T00:00:00Z" };

type Happened = [event: string, data: JsonObject, type?: string, layer?: string];

function framesOf(...happened: Happened[]): EventFrame[] {
  return happened.map(([event, data, type = "event", layer], at) => ({
    type,
    version: at + 1,
    event,
    event_id: `e${at}`,
    run_id: event.startsWith("Session") || event.startsWith("Reminder") ? null : RUN,
    producer: "test",
    ...(layer ? { layer } : {}),
    recorded_at: `2026-01-01T00:00:0${at % 10}Z`,
    data,
  }));
}

const ASKED: Happened[] = [
  ["SessionOpened", {}],
  ["MessageReceived", { text: "make a report" }, "layer_start", "cognitive"],
  ["CognitiveOutput", {}, "layer_start", "planning"],
  ["PlanningOutput", { plan: { plan_id: "p", todos: TODOS }, requires_approval: true, cannot: ["no film"] }, "plan"],
  ["DecisionRequested", QUESTION, "hitl_request"],
];
const DONE: Happened[] = [
  ...ASKED,
  ["DecisionAnswered", { decision_id: "d1", answer: { action: "approve" } }, "hitl_resolved"],
  ["PlanApproved", {}, "layer_start", "execution"],
  ["TodoDispatched", { todo: TODOS[0]!, attempt: 1 }, "todo_progress"],
  ["TodoProgressed", { todo_id: "t1", attempt: 1, fraction: 0.5, message: "half" }, "todo_progress"],
  ["TodoSucceeded", { todo_id: "t1", attempt: 1, seconds: 1.5 }, "todo_progress"],
  ["TodoDispatched", { todo: TODOS[1]!, attempt: 1 }, "todo_progress"],
  ["TodoFailed", { todo_id: "t2", attempt: 1, error: { code: 6102, message: "no text" } }, "todo_progress"],
  ["ExecutionOutput", {}, "layer_start", "response"],
  ["ResponseOutput", { text: "read, and no report", format: "text" }, "response"],
  ["RunCompleted", { partial: true }, "complete"],
];

function after(...happened: Happened[]) {
  return framesOf(...happened).reduce(told, EMPTY).runs[0]!;
}

describe("a run", () => {
  it("waits for its person with a plan and a question", () => {
    const run = after(...ASKED);
    expect(run.text).toBe("make a report");
    expect(run.layers).toEqual({ cognitive: "done", planning: "running", execution: "waiting", response: "waiting" });
    expect(run.questions.map((question) => question.decision_id)).toEqual(["d1"]);
    expect(run.cannot).toEqual([]); // the question says it
    expect(inOrder(run).map((todo) => todo.stage)).toEqual(["waiting", "waiting"]);
  });

  it("tells how far each step is, and what became of it", () => {
    const half = after(...DONE.slice(0, 9));
    expect(half.todos.t1).toMatchObject({ stage: "running", fraction: 0.5, note: "half" });
    const run = after(...DONE);
    expect(run.status).toBe("partial");
    expect(run.todos.t1).toMatchObject({ stage: "done", seconds: 1.5 });
    expect(run.todos.t2).toMatchObject({ stage: "failed", note: "no text" });
    expect(run.answer?.text).toBe("read, and no report");
    expect(run.settled[0]?.answer).toEqual({ action: "approve" });
  });

  it("keeps what was begun when its plan is edited", () => {
    const run = after(...DONE.slice(0, 10), ["PlanningOutput", { plan: { plan_id: "p", version: 2, todos: [TODOS[0]!] } }, "plan"]);
    expect(inOrder(run).map((todo) => [todo.item.id, todo.stage])).toEqual([["t1", "done"]]);
  });

  it("does an interrupted step again, and heeds nothing that came late", () => {
    const interrupted = after(...DONE.slice(0, 8), [
      "TodoFailed",
      { todo_id: "t1", attempt: 1, error: { code: 4011, message: "stopped", detail: { control: "interrupt" } } },
    ]);
    expect(interrupted.todos.t1?.stage).toBe("waiting");
    const late = after(...DONE, ["TodoSucceeded", { todo_id: "t2", attempt: 1, seconds: 1, late: true }]);
    expect(late.todos.t2?.stage).toBe("failed");
  });

  it("that is left at its menu was not stopped", () => {
    const menu = { ...QUESTION, kind: "clarify" };
    const left = after(...ASKED.slice(0, 3), ["DecisionRequested", menu], ["RunCancelled", { reason: "requested" }]);
    expect([left.status, left.left]).toEqual(["cancelled", true]);
    expect(after(...ASKED, ["RunCancelled", { reason: "requested" }]).left).toBe(false);
  });

  it("is not upset by events that it does not know", () => {
    expect(after(...ASKED, ["SomethingNew", { a: 1 }]).questions).toHaveLength(1);
  });

  it("takes pieces of its answer, and begins anew where a piece has no index", () => {
    const open = framesOf(...ASKED).reduce(told, EMPTY);
    const chunk = (text: string, index?: number) => ({ type: "chunk" as const, run_id: RUN, role: "reporter", text, ...(index ? { index } : {}) });
    const written = [chunk("a"), chunk("b", 1), chunk("x"), chunk("y", 1)].reduce(told, open);
    expect(written.runs[0]?.written).toBe("xy");
  });
});

describe("a conversation", () => {
  it("can be seen as it was at each version", () => {
    const frames = framesOf(...DONE);
    for (let version = 0; version <= frames.length; version += 1) {
      expect(replayed(frames, version)).toEqual(frames.slice(0, version).reduce(told, EMPTY));
    }
  });

  it("knows which run is open", () => {
    expect(openRun(framesOf(...ASKED).reduce(told, EMPTY))?.id).toBe(RUN);
    expect(openRun(framesOf(...DONE).reduce(told, EMPTY))).toBeUndefined();
  });

  it("shows a reminder once until it has been seen, up to the time that was seen", () => {
    const due = (at: string): Happened => ["ReminderDue", { reminder_id: "r", text: "call", due_at: at }];
    const seen: Happened = ["ReminderSeen", { reminder_id: "r", due_at: "2026-01-01T09:00:00Z" }];
    const both = framesOf(due("2026-01-01T09:00:00Z"), due("2026-01-02T09:00:00Z"));
    expect(both.reduce(told, EMPTY).reminders).toHaveLength(1);
    expect(framesOf(due("2026-01-01T09:00:00Z"), seen).reduce(told, EMPTY).reminders).toEqual([]);
    const again = framesOf(due("2026-01-01T09:00:00Z"), due("2026-01-02T09:00:00Z"), seen);
    expect(again.reduce(told, EMPTY).reminders).toHaveLength(1);
  });
});
