import { useEffect, useState } from "react";

/** What is being written in a conversation: it outlives a reload of the page, in this tab. */
export function useDraft(session: string | null): [draft: string, setDraft: (text: string) => void] {
  const key = `dream.draft.${session ?? "new"}`;
  const [held, setHeld] = useState({ key, text: read(key) });
  useEffect(() => setHeld({ key, text: read(key) }), [key]);
  const setDraft = (text: string) => {
    setHeld({ key, text });
    try {
      if (text) sessionStorage.setItem(key, text);
      else sessionStorage.removeItem(key);
    } catch {
      // a browser that keeps nothing
    }
  };
  return [held.key === key ? held.text : "", setDraft];
}

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
