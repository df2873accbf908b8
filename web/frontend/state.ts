import { getJson } from "../lib/api";
import { Link, LinkStatus } from "../lib/link";
import { appended, Point, rate } from "../lib/series";
import { Store } from "../lib/store";
import { Queue, Queues, Run, RunResults, WorkerNames, WorkerStates } from "./types";

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

export interface State {
  link: LinkStatus;
  route: Route;
  mayAct: boolean;
  queues: Queue[];
  histories: Record<string, History>;
  names: WorkerNames | null;
  states: WorkerStates | null;
  runs: Run[];
  run: RunResults | null;
  ended: Point[]; // jobs of `run`, a counter
  trouble: string; // what the server says of what it cannot show
}

/** "#/jobs/17?queue=sleep" -> page "jobs", id "17", query queue=sleep. Pure. */
export function routeOf(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const [page, id = ""] = path.split("/");
  return { page: page || "queues", id: decodeURIComponent(id), query: new URLSearchParams(query) };
}

/** The stream that a page needs, and no more. Pure. */
export function streamOf({ page, id }: Route): string {
  const topics = ["queues", ...(page === "workers" || page === "runs" ? [page] : [])];
  const run = page === "runs" && id ? `&run=${encodeURIComponent(id)}` : "";
  return `api/v1/stream?topics=${topics.join(",")}${run}`;
}

export function available({ workers }: Queue): number {
  return workers.idle + workers.busy;
}

const NO_HISTORY: History = { ended: [], rate: [], waiting: [], wanted: [], available: [] };

/** `history` with what `queue` is at `seconds`. Pure. */
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

/** Jobs of a run that have ended. Pure. */
export function endedOf({ counts }: Run): number {
  return counts.succeeded + counts.failed + counts.withdrawn;
}

export const store = new Store<State>({
  link: { state: "connecting", since: new Date(), reason: "" },
  route: routeOf(location.hash),
  mayAct: false,
  queues: [],
  histories: {},
  names: null,
  states: null,
  runs: [],
  run: null,
  ended: [],
  trouble: "",
});

function takeQueues({ seconds, queues }: Queues): void {
  const before = store.get().histories;
  const rows = queues.map((q) => [q.name, remembered(before[q.name], q, seconds)]);
  store.set({ queues, histories: Object.fromEntries(rows) });
}

function takeRun(run: RunResults): void {
  const point = { seconds: performance.now() / 1e3, value: endedOf(run.run) };
  store.set({ run, ended: appended(store.get().ended, point, SPAN) });
}

const TAKE: Record<string, (data: any) => void> = {
  queues: takeQueues,
  workers: (names) => store.set({ names }),
  "worker-states": (states) => store.set({ states }),
  runs: ({ runs }) => store.set({ runs }),
  run: takeRun,
};

function take(name: string, data: unknown): void {
  const { error } = data as { error?: string };
  store.set({ trouble: error ?? "" });
  if (!error) TAKE[name]?.(data);
}

const link = new Link(take, (status) => store.set({ link: status }));

async function askWhoIam(): Promise<void> {
  try {
    const { roles } = await getJson<{ roles: string[] }>("api/v1/me");
    store.set({ mayAct: roles.includes("admin") });
  } catch {
    store.set({ mayAct: false });
  }
}

/** Shows what the address bar says; also with a token that was just given. */
export function go(): void {
  const route = routeOf(location.hash);
  const other = route.id !== store.get().route.id;
  store.set({ route, trouble: "", ...(other ? { run: null, ended: [] } : {}) });
  link.open(streamOf(route));
}

export function start(): void {
  addEventListener("hashchange", go);
  go();
  askWhoIam();
}

export function takeToken(): void {
  askWhoIam();
  go();
}
