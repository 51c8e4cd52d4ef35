import { describe, expect, it } from "vitest";
import type { TodoItem } from "../api/types";
import { patchOf, UNCHANGED, withDependents } from "./plan-edit";

const TODOS: TodoItem[] = [
  { id: "a", title: "A", tool: "t" },
  { id: "b", title: "B", tool: "t", depends_on: ["a"], params: { n: 1 } },
  { id: "c", title: "C", tool: "t", depends_on: ["b"] },
  { id: "d", title: "D", tool: "t", depends_on: ["b", "a"], wants: ["b"] },
];

describe("leaving out a step", () => {
  it("takes what needs it along, and leaves what only profits from it", () => {
    expect([...withDependents(TODOS, "b")]).toEqual(["b", "c"]);
    expect([...withDependents(TODOS, "a")]).toEqual(["a", "b", "c", "d"]);
  });
});

describe("the patch", () => {
  it("is empty where nothing was changed", () => {
    expect(patchOf(TODOS, { ...UNCHANGED, titles: { a: "A " } })).toEqual([]);
  });

  it("changes first and removes from the end, so that every place is the one that is meant", () => {
    const patch = patchOf(TODOS, { removed: new Set(["b", "c"]), params: { a: { k: 2 }, c: { x: 1 } }, titles: { d: "Dd" } });
    const list = structuredClone(TODOS);
    for (const { op, path, value } of patch) {
      const [, at, member] = path.split("/");
      if (op === "remove") list.splice(Number(at), 1);
      else list[Number(at)]![member!] = value;
    }
    expect(list).toMatchObject([
      { id: "a", params: { k: 2 } },
      { id: "d", title: "Dd" },
    ]);
    expect(list).toHaveLength(2);
  });
});
