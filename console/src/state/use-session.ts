/** A session as React sees it: the frames as they come, folded. */

import { useEffect, useMemo, useState } from "react";
import { Feed, type Frame, type Link } from "../api/feed";
import type { EventFrame } from "../api/types";
import { type Conversation, EMPTY, isEvent, replayed, told } from "./conversation";

export interface Session {
  conversation: Conversation;
  events: readonly EventFrame[];
  link: Link;
  /** False until the history of the session has come. */
  complete: boolean;
}

interface Held {
  session: string | null;
  frames: Frame[];
  conversation: Conversation;
  link: Link;
  head: number;
}

/** Anything else in a link is no id of a session, and might be a path. */
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const NOTHING: Held = { session: null, frames: [], conversation: EMPTY, link: "connecting", head: -1 };

/** The session's frames until `until`, or all of them, from when it is shown until it is not. */
export function useSession(id: string | null, until: number | null): Session {
  const [held, setHeld] = useState<Held>(NOTHING);
  useEffect(() => {
    setHeld({ ...NOTHING, session: id });
    if (id === null) return;
    if (!ID.test(id)) {
      setHeld({ ...NOTHING, session: id, link: "unknown" });
      return;
    }
    let waiting: Frame[] = [];
    let scheduled = 0;
    // a history of a thousand frames is one picture, not a thousand
    const flush = () => {
      scheduled = 0;
      const arrived = waiting;
      waiting = [];
      setHeld((now) => ({
        ...now,
        frames: [...now.frames, ...arrived.filter(isEvent)],
        conversation: arrived.reduce(told, now.conversation),
      }));
    };
    const feed = new Feed(id, {
      frame: (frame) => {
        waiting.push(frame);
        scheduled ||= window.setTimeout(flush, 16);
      },
      state: (state) => setHeld((now) => ({ ...now, head: state.version })),
      link: (link) => setHeld((now) => ({ ...now, link })),
    });
    return () => {
      feed.close();
      clearTimeout(scheduled);
    };
  }, [id]);
  // until the effect has run, what is held is the conversation before
  const { frames, conversation, link, head } = held.session === id ? held : NOTHING;
  const shown = useMemo(
    () => (until === null || until >= conversation.version ? conversation : replayed(frames, until)),
    [frames, conversation, until],
  );
  return {
    conversation: shown,
    events: frames as EventFrame[],
    link,
    complete: id === null || (head >= 0 && conversation.version >= head),
  };
}
