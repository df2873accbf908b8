import { getJson, Me, reasonOf } from "../lib/api";
import { Link, LinkStatus } from "../lib/link";
import { appended, Point, rate } from "../lib/series";
import { Store } from "../lib/store";

export const SPAN = 120; // seconds that charts show
const RATE_SPAN = 5; // seconds over which a rate is taken

export interface Times {
  avg: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  "p99.9": number | null;
  max: number | null;
  intervals: Partial<Record<string, [number | null, number | null]>>; // of the percentiles, 95 %
}

export interface Place {
  node: string;
  device: string;
  percent: number;
  jobs: number;
  failed: number;
}

/** The event of /events, as far as the page uses it: docs/client.md. */
export interface Window {
  queue: string;
  frontend: string;
  connection: string;
  throughput: number | null;
  interval: [number | null, number | null];
  succeeded: number;
  failed: number;
  rejected: number;
  seconds: number; // how long the window is
  clock_seconds: number; // never jumps
  parallelism: number;
  pending: number;
  held_back: number;
  steady: boolean;
  reason: string;
  errors: Record<string, number>;
  latency_seconds: Record<"wait" | "run_time" | "overhead" | "round_trip", Times>;
  nodes: Place[]; // those with the most jobs
  nodes_left_out: number;
  rate?: number; // jobs that are to arrive a second; absent: the parallelism is what counts
  profile?: string; // how far it is; absent: none runs
}

export interface State {
  link: LinkStatus;
  readOnly: string; // why the load cannot be changed; "": it can, or that is not known so far
  window: Window | null;
  ended: Point[]; // a counter
  rate: Point[]; // jobs ended a second, of the last seconds
  p50: Point[];
  p99: Point[];
}

export const store = new Store<State>({
  link: { state: "connecting", since: new Date(), reason: "" },
  readOnly: "",
  window: null,
  ended: [],
  rate: [],
  p50: [],
  p99: [],
});

/** What `window` adds to what is known. Pure. */
export function remembered(state: Readonly<State>, window: Window): Partial<State> {
  const seconds = window.clock_seconds;
  const add = (points: Point[], value: number | null) => appended(points, { seconds, value }, SPAN);
  const ended = add(state.ended, window.succeeded + window.failed);
  const { round_trip } = window.latency_seconds;
  return {
    window,
    ended,
    rate: add(state.rate, rate(ended, RATE_SPAN)),
    p50: add(state.p50, round_trip.p50),
    p99: add(state.p99, round_trip.p99),
  };
}

const link = new Link(
  (name, data) => {
    if (name === "window") store.set(remembered(store.get(), data as Window));
  },
  (status) => store.set({ link: status }),
);

/** Why who has `roles` may not change the load; "": they may. Pure. */
export function whyReadOnly({ roles }: Me): string {
  return roles.some((role) => role === "admin" || role === "client") ? "" : "the token is not that of a client";
}

async function askPermission(): Promise<void> {
  try {
    store.set({ readOnly: whyReadOnly(await getJson<Me>("me")) });
  } catch (error) {
    store.set({ readOnly: reasonOf(error) });
  }
}

export function start(): void {
  void askPermission();
  link.open("events");
}
