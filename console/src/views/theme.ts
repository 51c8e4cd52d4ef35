import { useSyncExternalStore } from "react";

const wanted = window.matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark: as the person chose (on the root element), else as the system is. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && wanted.matches);
}

function subscribe(changed: () => void): () => void {
  wanted.addEventListener("change", changed);
  return () => wanted.removeEventListener("change", changed);
}

export function useDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}
