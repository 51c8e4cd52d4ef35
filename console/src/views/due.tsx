import { reminderSeen } from "../api/gateway";
import type { Reminder } from "../api/types";
import { useTexts } from "../texts";
import { Icon } from "./icons";
import { useLanguage } from "./language";
import { Failure, moment, useCall } from "./parts";

/** A reminder that has come due, until the person has seen it. */
export function Due({ session, reminder, onSeen }: { session: string; reminder: Reminder; onSeen?: () => void }) {
  const t = useTexts();
  const language = useLanguage();
  const [busy, error, call] = useCall();
  return (
    <aside className="reminder" role="alert">
      <Icon name="clock" /> <strong>{t("reminder.due")}</strong> {reminder.text} <small>{moment(reminder.due_at, language)}</small>
      {(reminder.times ?? 1) > 1 && <small>{t("reminder.times", { times: reminder.times ?? 1 })}</small>}
      <button
        type="button"
        disabled={busy}
        onClick={() =>
          void call(() => reminderSeen(session, reminder.reminder_id, reminder.due_at)).then((seen) => seen && onSeen?.())
        }
      >
        {t("reminder.seen")}
      </button>
      <Failure text={error} />
    </aside>
  );
}
