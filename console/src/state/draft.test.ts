import { describe, expect, it } from "vitest";
import type { Attachment } from "../api/types";
import { without } from "./draft";

const file = (name: string): Attachment => ({ artifact_id: name, name, media_type: "text/csv", size: 1, type: "file.table" });

describe("a draft that was taken", () => {
  const [old, added] = [file("old.csv"), file("added.csv")];
  it("is gone", () => {
    expect(without({ text: "hello", files: [old] }, { text: "hello", files: [old] })).toEqual({ text: "", files: [] });
  });
  it("leaves what was written and attached meanwhile", () => {
    const now = { text: "and then", files: [old, added] };
    expect(without(now, { text: "hello", files: [old] })).toEqual({ text: "and then", files: [added] });
  });
});
