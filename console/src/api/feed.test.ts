import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

class FakeSocket {
  static all: FakeSocket[] = [];
  sent: string[] = [];
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {}
  hear(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

const state = { type: "session_state", session_id: "s", version: 2, reminders: [] };
const event = (version: number) => ({ type: "event", version, event: "X", run_id: "r", data: {} });
const last = () => FakeSocket.all.at(-1)!;

describe("a feed", () => {
  const seen: number[] = [];
  const links: string[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    FakeSocket.all = [];
    seen.length = links.length = 0;
    vi.stubGlobal("WebSocket", FakeSocket);
    vi.stubGlobal("window", { dispatchEvent() {}, location: { href: "https://h.test/below/console/#/" }, addEventListener() {}, removeEventListener() {} });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  async function follow() {
    const { Feed } = await import("./feed");
    return new Feed("s", {
      frame: (frame) => void ("version" in frame && seen.push(frame.version)),
      state: () => undefined,
      link: (link) => void links.push(link),
    });
  }

  it("goes on after the last version it saw, and shows nothing twice", async () => {
    const feed = await follow();
    expect(last().url).toBe("wss://h.test/below/ws/s?after=0&log=1&chunk=1");
    last().hear(state);
    last().hear(event(1));
    last().hear(event(2));
    last().onclose?.({ code: 1006, reason: "" });
    expect(links).toEqual(["connecting", "live", "away"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(FakeSocket.all).toHaveLength(2);
    expect(last().url).toContain("after=2");
    last().hear(state);
    last().hear(event(2));
    last().hear(event(3));
    expect(seen).toEqual([1, 2, 3]);
    feed.close();
  });

  it("comes back when the gateway that restarts has said", async () => {
    const feed = await follow();
    last().hear(state);
    last().onclose?.({ code: 1012, reason: "restarts; retry-after=3" });
    await vi.advanceTimersByTimeAsync(2900);
    expect(FakeSocket.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(FakeSocket.all).toHaveLength(2);
    feed.close();
  });

  it("asks no more for a session that is not there", async () => {
    const feed = await follow();
    last().onclose?.({ code: 4404, reason: "" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(links.at(-1)).toBe("unknown");
    feed.close();
  });

  it("takes a socket on which nobody answers for dead", async () => {
    const feed = await follow();
    const first = last();
    first.hear(state);
    await vi.advanceTimersByTimeAsync(45_000);
    expect(first.sent).toContain('{"type": "ping"}');
    await vi.advanceTimersByTimeAsync(45_000);
    expect(FakeSocket.all.length).toBeGreaterThan(1);
    feed.close();
  });
});
