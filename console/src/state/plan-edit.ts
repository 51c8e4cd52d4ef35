/** What a person changes in a plan before it runs, as JSON Patch over its list of todos. */

import type { JsonObject, PatchOperation, TodoItem } from "../api/types";

export interface Draft {
  removed: ReadonlySet<string>;
  params: Readonly<Record<string, JsonObject>>;
  titles: Readonly<Record<string, string>>;
}

export const UNCHANGED: Draft = { removed: new Set(), params: {}, titles: {} };

/** The todo and all that cannot be done without it: what builds on a step goes with it, unless it only profits from it. */
export function withDependents(todos: readonly TodoItem[], id: string): Set<string> {
  const gone = new Set([id]);
  for (const todo of todos) {
    const wants = (todo.wants as string[] | undefined) ?? [];
    const needs = (todo.depends_on ?? []).filter((other) => !wants.includes(other));
    if (needs.some((other) => gone.has(other))) gone.add(todo.id);
  }
  return gone;
}

/** The patch that makes the draft of these todos; from the last to the first, so that places stay what they were. */
export function patchOf(todos: readonly TodoItem[], draft: Draft): PatchOperation[] {
  const patch: PatchOperation[] = [];
  todos.forEach((todo, at) => {
    if (draft.removed.has(todo.id)) return;
    const params = draft.params[todo.id];
    const title = draft.titles[todo.id]?.trim();
    if (params) patch.push({ op: "params" in todo ? "replace" : "add", path: `/${at}/params`, value: params });
    if (title && title !== todo.title) patch.push({ op: "replace", path: `/${at}/title`, value: title });
  });
  for (let at = todos.length - 1; at >= 0; at -= 1) {
    if (draft.removed.has(todos[at]!.id)) patch.push({ op: "remove", path: `/${at}` });
  }
  return patch;
}
