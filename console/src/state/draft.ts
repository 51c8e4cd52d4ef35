/** What somebody is writing in a conversation, and the files beside it, until it has been taken. The tab keeps it: over a
 * look at another page, and over a reload. */

import { useCallback, useSyncExternalStore } from "react";
import type { Attachment } from "../api/types";

export interface Draft {
  text: string;
  files: readonly Attachment[];
}

const KEY = "dream.drafts";
const NOTHING: Draft = { text: "", files: [] };
const listeners = new Set<() => void>();
let drafts: Readonly<Record<string, Draft>> = load();

function load(): Record<string, Draft> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Record<string, Draft>;
  } catch {
    return {};
  }
}

function keep(place: string, draft: Draft): void {
  const { [place]: _, ...others } = drafts;
  drafts = draft.text || draft.files.length > 0 ? { ...others, [place]: draft } : others;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(drafts));
  } catch {
    // a browser that keeps nothing: then it is there until the page is left
  }
  for (const changed of listeners) changed();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** The draft of a conversation, or of the one that has not begun; and what changes it, also after the page shows another. */
export function useDraft(session: string | null): [Draft, (change: (now: Draft) => Draft) => void] {
  const place = session ?? "new";
  const all = useSyncExternalStore(subscribe, () => drafts);
  const change = useCallback((to: (now: Draft) => Draft) => keep(place, to(drafts[place] ?? NOTHING)), [place]);
  return [all[place] ?? NOTHING, change];
}

/** Nothing of what was written here is there any more: the person has left. */
export function forgetDrafts(): void {
  drafts = {};
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // nothing was kept
  }
  for (const changed of listeners) changed();
}

/** What is left of a draft when this much of it has been taken: what was written meanwhile. */
export function without(draft: Draft, taken: Draft): Draft {
  return {
    text: draft.text === taken.text ? "" : draft.text,
    files: draft.files.filter((file) => !taken.files.includes(file)),
  };
}
