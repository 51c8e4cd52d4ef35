/** Reminders that have come due in conversations that are not shown. */

import type { Waiting } from "../state/use-waiting";
import { Due } from "./due";

export function Elsewhere({ waiting, shown }: { waiting: Waiting; shown: string | null }) {
  const due = [...waiting.of].flatMap(([id, waits]) => (id === shown ? [] : waits.reminders.map((reminder) => ({ id, reminder }))));
  if (due.length === 0) return null;
  return (
    <div className="toasts">
      {due.map(({ id, reminder }) => (
        <Due key={reminder.reminder_id + reminder.due_at} session={id} reminder={reminder} />
      ))}
    </div>
  );
}
