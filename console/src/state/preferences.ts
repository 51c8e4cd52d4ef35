/** What this browser keeps: who one is, how it looks, and the conversations that were had here. */

export interface Known {
  id: string;
  title: string;
  at: string;
}

export interface Preferences {
  language: string;
  user: string;
  theme: "system" | "light" | "dark";
  sessions: Known[];
}

const KEY = "dream.preferences";
const MOST = 200;

export function load(): Preferences {
  const fresh: Preferences = {
    language: navigator.language.slice(0, 2),
    user: "",
    theme: "system",
    sessions: [],
  };
  try {
    return { ...fresh, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>) };
  } catch {
    return fresh;
  }
}

export function save(preferences: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // a browser that keeps nothing: the conversation itself is the server's
  }
}

/** Calls `changed` with what another tab of this browser has kept; returns what ends that. */
export function watch(changed: (preferences: Preferences) => void): () => void {
  const stored = (event: StorageEvent) => {
    if (event.key === KEY) changed(load());
  };
  window.addEventListener("storage", stored);
  return () => window.removeEventListener("storage", stored);
}

/** The list with this conversation: in its place, or first if it is new or something was just said in it. */
export function remembered(sessions: Known[], session: Known, spoken: boolean): Known[] {
  const known = sessions.find((other) => other.id === session.id);
  if (known && !spoken) return sessions;
  const entry = { ...session, title: known?.title || session.title };
  return [entry, ...sessions.filter((other) => other.id !== session.id)].slice(0, MOST);
}
