/** Which page is shown, in the address behind #, so that a link leads to it and "back" goes back. */

import { useMemo, useSyncExternalStore } from "react";

export type Route = { page: "talk"; session: string | null } | { page: "runs" } | { page: "letters" };

export function parse(hash: string): Route {
  const [, page, id] = hash.split("/");
  if (page === "runs") return { page: "runs" };
  if (page === "dead-letters") return { page: "letters" };
  return { page: "talk", session: page === "sessions" && id ? id : null };
}

export function go(hash: string): void {
  window.location.hash = hash;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => parse(hash), [hash]);
}
