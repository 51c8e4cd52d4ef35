/** What waits for the person in the conversations of this browser, also in those that are not shown. */

import { useEffect, useMemo, useState } from "react";
import { session } from "../api/gateway";
import type { Reminder } from "../api/types";
import type { Known } from "./preferences";

const LOOKED_AT = 12;
const EVERY = 8_000;

export interface Waits {
  decisions: number;
  reminders: Reminder[];
}

export interface Waiting {
  /** By session; those that wait for nothing are left out. */
  of: ReadonlyMap<string, Waits>;
  count: number;
}

/** Looks at the newest conversations now and then, while the page is looked at or in the background of the browser. */
export function useWaiting(sessions: readonly Known[], asks: boolean): Waiting {
  const ids = sessions
    .slice(0, LOOKED_AT)
    .map((known) => known.id)
    .join();
  const [of, setOf] = useState<ReadonlyMap<string, Waits>>(new Map());
  useEffect(() => {
    if (!asks || !ids) {
      setOf(new Map());
      return;
    }
    let gone = false;
    const look = async () => {
      const found = new Map<string, Waits>();
      for (const id of ids.split(",")) {
        try {
          const { open_decisions: open, reminders } = await session(id);
          if (open.length || reminders.length) found.set(id, { decisions: open.length, reminders });
        } catch {
          // it was erased, or the gateway is away: the conversation itself says so when it is opened
        }
        if (gone) return;
      }
      setOf(found);
    };
    void look();
    const timer = setInterval(() => void look(), EVERY);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [ids, asks]);
  return useMemo(() => ({ of, count: of.size }), [of]);
}
