/** What the frames of a session tell: its runs in the order in which they began, what is open, what has come due. */

import type { EventFrame, JsonObject, Reminder } from "../api/types";
import type { Frame } from "../api/feed";
import { advance, isOver, logged, newRun, piece, type Run } from "./run";

export interface Conversation {
  version: number;
  runs: Run[];
  reminders: Reminder[];
}

export const EMPTY: Conversation = { version: 0, runs: [], reminders: [] };

export function isEvent(frame: Frame): frame is EventFrame {
  return "version" in frame;
}

/** The conversation after one more frame. */
export function told(conversation: Conversation, frame: Frame): Conversation {
  if (!isEvent(frame)) {
    const change = frame.type === "log" ? (run: Run) => logged(run, frame) : (run: Run) => piece(run, frame);
    return { ...conversation, runs: conversation.runs.map((run) => (run.id === frame.run_id ? change(run) : run)) };
  }
  const next = { ...conversation, version: frame.version };
  if (frame.event === "ReminderDue") return { ...next, reminders: due(conversation.reminders, frame.data) };
  if (frame.event === "ReminderSeen") return { ...next, reminders: seen(conversation.reminders, frame.data) };
  if (!frame.run_id) return next;
  const known = conversation.runs.some((run) => run.id === frame.run_id);
  const runs = known ? conversation.runs : [...conversation.runs, newRun(frame.run_id, frame.recorded_at)];
  return { ...next, runs: runs.map((run) => (run.id === frame.run_id ? advance(run, frame) : run)) };
}

/** The conversation as it was at a version: what somebody saw then. */
export function replayed(frames: readonly Frame[], until: number): Conversation {
  return frames.filter((frame) => isEvent(frame) && frame.version <= until).reduce(told, EMPTY);
}

function due(reminders: Reminder[], data: JsonObject): Reminder[] {
  const reminder = data as unknown as Reminder;
  return [...reminders.filter((known) => known.reminder_id !== reminder.reminder_id), reminder];
}

function seen(reminders: Reminder[], data: JsonObject): Reminder[] {
  const until = typeof data.due_at === "string" ? Date.parse(data.due_at) : Infinity;
  return reminders.filter((known) => known.reminder_id !== data.reminder_id || Date.parse(known.due_at) > until);
}

/** The run that a person may steer or answer: the last that is not over. */
export function openRun(conversation: Conversation): Run | undefined {
  return conversation.runs.findLast((run) => !isOver(run));
}
