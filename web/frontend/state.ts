import { getJson, Me, reasonOf } from "../lib/api";
import { Link, LinkStatus } from "../lib/link";
import { Point } from "../lib/series";
import { Store } from "../lib/store";
import { endedUntil, History, permission, remembered, Route, routeOf, streamOf } from "./model";
import { Queue, Queues, Run, RunResults, WorkerNames, WorkerStates } from "./types";

export interface State {
  link: LinkStatus;
  route: Route;
  mayAct: boolean;
  readOnly: string; // why it may not; "": it may, or that is not known so far
  queues: Queue[];
  histories: Record<string, History>;
  names: WorkerNames | null;
  states: WorkerStates | null;
  runs: Run[];
  run: RunResults | null;
  ended: Point[]; // jobs of `run`, a counter
  trouble: string; // what the server says of what it cannot show
}

export const store = new Store<State>({
  link: { state: "connecting", since: new Date(), reason: "" },
  route: routeOf(location.hash),
  mayAct: false,
  readOnly: "",
  queues: [],
  histories: {},
  names: null,
  states: null,
  runs: [],
  run: null,
  ended: [],
  trouble: "",
});

/** The jobs of `run` that have ended, with this moment. */
function endedNow(run: RunResults | null): Point[] {
  return endedUntil(store.get().ended, run, performance.now() / 1e3);
}

/** Comes twice a second, whatever happens. */
function takeQueues({ seconds, queues }: Queues): void {
  const { histories: before, run } = store.get();
  const rows = queues.map((q) => [q.name, remembered(before[q.name], q, seconds)]);
  store.set({ queues, histories: Object.fromEntries(rows), ended: endedNow(run) });
}

function takeRun(run: RunResults): void {
  store.set({ run, ended: endedNow(run) });
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

const link = new Link(take, (status) => {
  const anew = status.state === "live" && store.get().link.state !== "live";
  store.set({ link: status });
  if (anew) askWhoIam(); // it may be another server, or token, than before
});

async function askWhoIam(): Promise<void> {
  try {
    store.set(permission(await getJson<Me>("api/v1/me")));
  } catch (error) {
    store.set({ mayAct: false, readOnly: reasonOf(error) });
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
}
