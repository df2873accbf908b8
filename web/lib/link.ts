import { ApiError, hasToken, openStream, reasonOf } from "./api";
import { EventParser } from "./sse";

/** connecting: not so far; live: events come; stale: they no longer do; token: one is asked for. */
export type LinkState = "connecting" | "live" | "stale" | "token";

export interface LinkStatus {
  state: LinkState;
  since: Date; // of the last event, or of the start
  reason: string; // why it is not live
}

const LATE_MS = 3_000; // servers send twice a second
const DEAD_MS = 20_000; // heartbeats come every 15 s
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** The pause before connection attempt `failures` + 1: doubles, with up to a quarter of jitter. */
export function pauseMs(failures: number, random: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (1 - random / 4);
}

/** Whether another token may help: there is none, or it is not known, or its role reads nothing here. */
function wantsToken({ status }: ApiError): boolean {
  return status === 401 || (status === 403 && hasToken());
}

/**
 * Keeps one event stream open. It is read by fetch and not by EventSource, which cannot send a
 * token. A stream that ends or goes quiet is opened again, later each time that it fails.
 */
export class Link {
  private attempt = new AbortController();
  private timer = 0;
  private path = "";
  private failures = 0;
  private last = Date.now();
  private status: LinkStatus = { state: "connecting", since: new Date(), reason: "" };

  constructor(
    private readonly onEvent: (name: string, data: unknown) => void,
    private readonly onStatus: (status: LinkStatus) => void,
  ) {
    setInterval(() => this.look(), 1_000);
    addEventListener("pagehide", () => this.attempt.abort());
    document.addEventListener("visibilitychange", () => this.seen(!document.hidden));
  }

  /** Reads `path` from now on, and nothing else. */
  open(path: string): void {
    this.path = path;
    this.attempt.abort();
    clearTimeout(this.timer);
    const attempt = (this.attempt = new AbortController());
    this.last = Date.now();
    this.read(path, attempt.signal)
      .catch((error: unknown) => error)
      .then((error) => {
        if (this.attempt === attempt) this.retry(error);
      });
  }

  /** A page that nobody sees reads nothing: browsers have few connections for all tabs together. */
  private seen(visible: boolean): void {
    if (visible) return this.open(this.path);
    this.attempt.abort();
    this.attempt = new AbortController();
  }

  private async read(path: string, signal: AbortSignal): Promise<void> {
    const reader = (await openStream(path, signal)).body!.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.take(parser, decoder.decode(value, { stream: true }));
    }
  }

  private take(parser: EventParser, text: string): void {
    const events = parser.take(text);
    if (events.length === 0) return;
    this.failures = 0;
    this.last = Date.now();
    this.tell({ state: "live", since: new Date(), reason: "" });
    for (const event of events) this.onEvent(event.name, JSON.parse(event.data));
  }

  private retry(error: unknown): void {
    if (error instanceof ApiError && wantsToken(error)) {
      this.tell({ ...this.status, state: "token", reason: error.message });
      return; // open() again, with a token
    }
    this.lose(error ? reasonOf(error) : "the stream has ended");
    this.timer = window.setTimeout(() => this.open(this.path), pauseMs(this.failures++, Math.random()));
  }

  private look(): void {
    if (document.hidden) return;
    const quiet = Date.now() - this.last;
    if (this.status.state === "live" && quiet > LATE_MS) this.lose("nothing comes from the server");
    if (quiet > DEAD_MS && this.status.state === "stale") this.open(this.path);
  }

  private lose(reason: string): void {
    const state = this.status.state === "connecting" ? "connecting" : "stale";
    this.tell({ ...this.status, state, reason });
  }

  private tell(status: LinkStatus): void {
    this.status = status;
    this.onStatus(status);
  }
}
