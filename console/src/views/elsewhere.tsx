/** Reminders that have come due in conversations that are not shown. */

import { useState } from "react";
import type { Waiting } from "../state/use-waiting";
import { Due } from "./due";

export function Elsewhere({ waiting, shown }: { waiting: Waiting; shown: string | null }) {
  // what waits is only asked for now and then
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const due = [...waiting.of].flatMap(([id, waits]) =>
    (id === shown ? [] : waits.reminders).map((reminder) => ({ id, reminder, key: reminder.reminder_id + reminder.due_at })),
  );
  const open = due.filter(({ key }) => !seen.has(key));
  if (open.length === 0) return null;
  return (
    <div className="toasts">
      {open.map(({ id, reminder, key }) => (
        <Due key={key} session={id} reminder={reminder} onSeen={() => setSeen(new Set([...seen, key]))} />
      ))}
    </div>
  );
}
