import { Me } from "../lib/api";
import { appended, Point, rate } from "../lib/series";
import { Queue, Run, RunResults } from "./types";

/** What follows from addresses and events. Pure. */

export const SPAN = 120; // seconds that charts show
const RATE_SPAN = 10; // seconds over which a rate is taken

/** The last SPAN seconds of a queue. */
export interface History {
  ended: Point[]; // a counter
  rate: Point[]; // jobs ended a second
  waiting: Point[];
  wanted: Point[];
  available: Point[];
}

export interface Route {
  page: string;
  id: string;
  query: URLSearchParams;
}

/** "#/jobs/17?queue=sleep" -> page "jobs", id "17", query queue=sleep. */
export function routeOf(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const [page, id = ""] = path.split("/");
  return { page: page || "queues", id: decodeURIComponent(id), query: new URLSearchParams(query) };
}

/** What `state` of the page of jobs is for all of them. */
export const ALL_STATES = "waiting,running,finished";

/** The address of the page of the jobs that `query` chooses; what is empty is left out. */
export function jobsPage(query: Record<string, string>): string {
  const chosen = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return `#/jobs?${chosen}`;
}

/** The stream that a page needs, and no more. */
export function streamOf({ page, id }: Route): string {
  const topics = ["queues", ...(page === "workers" || page === "runs" ? [page] : [])];
  const run = page === "runs" && id ? `&run=${encodeURIComponent(id)}` : "";
  return `api/v1/stream?topics=${topics.join(",")}${run}`;
}

/** What the page may do, and why it may not. */
export function permission({ roles, tokens }: Me): { mayAct: boolean; readOnly: string } {
  if (roles.includes("admin")) return { mayAct: true, readOnly: "" };
  const why = tokens ? "the token is not that of an admin" : "without tokens, only the frontend's own machine may change something";
  return { mayAct: false, readOnly: why };
}

export function available({ workers }: Queue): number {
  return workers.idle + workers.busy;
}

const NO_HISTORY: History = { ended: [], rate: [], waiting: [], wanted: [], available: [] };

/** `history` with what `queue` is at `seconds`. */
export function remembered(history: History = NO_HISTORY, queue: Queue, seconds: number): History {
  const add = (points: Point[], value: number | null) => appended(points, { seconds, value }, SPAN);
  const total = Object.values(queue.finished).reduce((sum, n) => sum + n, 0);
  const ended = add(history.ended, total);
  return {
    ended,
    rate: add(history.rate, rate(ended, RATE_SPAN)),
    waiting: add(history.waiting, queue.waiting),
    wanted: add(history.wanted, queue.wanted_workers),
    available: add(history.available, available(queue)),
  };
}

/** Jobs of a run that have ended. */
export function endedOf({ counts }: Run): number {
  return counts.succeeded + counts.failed + counts.withdrawn;
}

/**
 * `ended` with the jobs of `run` that have ended until `seconds`. A run says something only when a
 * job ends: whoever wants its rate adds a point when nothing comes as well, or the rate never falls.
 */
export function endedUntil(ended: Point[], run: RunResults | null, seconds: number): Point[] {
  return run ? appended(ended, { seconds, value: endedOf(run.run) }, SPAN) : ended;
}
