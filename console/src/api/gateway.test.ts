import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const TAKEN = { ok: true, status: 202, text: async () => '{"session_id": "s", "run_id": "r", "version": 2}' };
const REFUSED = { ok: false, status: 422, text: async () => '{"title": "Unprocessable", "detail": "too long", "code": 1002}' };

describe("a message", () => {
  const keys: string[] = [];
  let answers: unknown[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    keys.length = 0;
    vi.stubGlobal("window", { location: { href: "https://h.test/below/console/#/" } });
    vi.stubGlobal("fetch", async (_: URL, how: { headers: Record<string, string> }) => {
      keys.push(how.headers["Idempotency-Key"] ?? "");
      const answer = answers.shift();
      if (!answer) throw new TypeError("network");
      return answer;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  async function said(...texts: string[]) {
    const { say } = await import("./gateway");
    const told: string[] = [];
    for (const text of texts) {
      const saying = say("s", {}, { text }).then(
        () => told.push("taken"),
        (failure: { message: string }) => told.push(failure.message || "unreachable"),
      );
      await vi.runAllTimersAsync();
      await saying;
    }
    return told;
  }

  it("that nobody answered has the same key when it is sent again", async () => {
    answers = [null, null, null, null, TAKEN];
    expect(await said("hello", "hello")).toEqual(["unreachable", "taken"]);
    expect(keys).toHaveLength(5);
    expect(new Set(keys).size).toBe(1);
  });

  it("that was taken is another one when it is said again", async () => {
    answers = [TAKEN, TAKEN];
    expect(await said("hello", "hello")).toEqual(["taken", "taken"]);
    expect(new Set(keys).size).toBe(2);
  });

  it("that follows another one has a key of its own", async () => {
    answers = [REFUSED, TAKEN, TAKEN];
    expect(await said("hello", "goodbye", "hello")).toEqual(["too long", "taken", "taken"]);
    expect(new Set(keys).size).toBe(3);
  });
});
