/** A session's frames, each once and in order, whatever happens to the socket on the way. */

import { socketUrl, UNAUTHENTICATED } from "./gateway";
import type { ChunkFrame, EventFrame, LogFrame, SessionState } from "./types";

export type Link = "connecting" | "live" | "away" | "unknown";
export type Frame = EventFrame | LogFrame | ChunkFrame;

const LOGGED_OUT = 4401;
const UNKNOWN_SESSION = 4404;
const MALFORMED = 4400;
const LONGEST = 10_000;
const SILENCE = 30_000;

export interface Listener {
  frame(frame: Frame): void;
  state(state: SessionState): void;
  link(link: Link): void;
}

/** Closes a socket that nobody listens to any more. Before it is open, the browser would call that a failure. */
function leave(socket: WebSocket): void {
  socket.onmessage = null;
  if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close(1000);
  else socket.close(1000);
}

/** Connects until `close`, again and again, and goes on after the last version that was seen. */
export class Feed {
  private socket: WebSocket | null = null;
  private closed = false;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private heard = 0;
  private pinging: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly session: string,
    private readonly listener: Listener,
    private version = 0,
  ) {
    window.addEventListener("online", this.atOnce);
    this.connect();
  }

  close(): void {
    this.closed = true;
    window.removeEventListener("online", this.atOnce);
    clearTimeout(this.timer);
    clearInterval(this.pinging);
    if (this.socket) leave(this.socket);
  }

  private readonly atOnce = (): void => {
    if (this.socket === null) {
      clearTimeout(this.timer);
      this.connect();
    }
  };

  private connect(): void {
    if (this.closed) return;
    this.listener.link(this.failures ? "away" : "connecting");
    const socket = new WebSocket(socketUrl(this.session, this.version));
    this.socket = socket;
    socket.onmessage = (message) => this.take(JSON.parse(String(message.data)) as { type: string });
    socket.onclose = (event) => {
      if (this.socket === socket) this.lost(event);
    };
  }

  private take(frame: { type: string }): void {
    this.heard = Date.now();
    if (frame.type === "session_state") {
      this.failures = 0;
      this.listener.link("live");
      this.listener.state(frame as SessionState);
      this.watch();
    } else if ("version" in frame && "event" in frame) {
      const event = frame as EventFrame;
      if (event.version <= this.version) return;
      this.version = event.version;
      this.listener.frame(event);
    } else if (frame.type === "log" || frame.type === "chunk") {
      this.listener.frame(frame as LogFrame | ChunkFrame);
    }
  }

  /** A socket that nobody answers on is dead, whatever the browser believes. */
  private watch(): void {
    clearInterval(this.pinging);
    this.pinging = setInterval(() => {
      const quiet = Date.now() - this.heard;
      if (quiet > 2 * SILENCE) {
        const socket = this.socket;
        this.lost();
        socket?.close();
      } else if (quiet > SILENCE) this.socket?.send('{"type": "ping"}');
    }, SILENCE / 2);
  }

  private lost(event?: CloseEvent): void {
    clearInterval(this.pinging);
    this.socket = null;
    if (this.closed) return;
    if (event?.code === UNKNOWN_SESSION || event?.code === MALFORMED) {
      this.listener.link("unknown");
      return;
    }
    this.failures += 1;
    this.listener.link("away");
    if (event?.code === LOGGED_OUT) {
      window.dispatchEvent(new Event(UNAUTHENTICATED));
      return;
    }
    const asked = /retry-after=([\d.]+)/.exec(event?.reason ?? "")?.[1];
    const own = Math.min(LONGEST, 250 * 2 ** this.failures) * (0.5 + Math.random() / 2);
    this.timer = setTimeout(() => this.connect(), asked ? Number(asked) * 1000 : own);
  }
}
