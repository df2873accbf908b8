import { h, render } from "preact";
import { LineChart } from "../lib/chart";
import { duration, number } from "../lib/format";
import { LinkNote, Live, OtherToken, Table, TokenForm } from "../lib/page";
import { Controls } from "./controls";
import { Profile } from "./profile";
import { SPAN, start, State, store, Times, Window } from "./state";

const PARTS = { wait: "wait", run_time: "run time", overhead: "overhead", round_trip: "round trip" } as const;
const COLUMNS = ["avg", "p50", "p90", "p99", "p99.9", "max"] as const;

/** A time, and below it the interval of a percentile. */
function Time({ times, column }: { times: Times; column: (typeof COLUMNS)[number] }) {
  const interval = times.intervals[column];
  return (
    <span>
      {duration(times[column])}
      {interval && <div class="soft">{`${duration(interval[0])} to ${duration(interval[1])}`}</div>}
    </span>
  );
}

function Throughput({ window, rate }: { window: Window; rate: State["rate"] }) {
  const [lower, upper] = window.interval;
  return (
    <section class="card" id="throughput">
      <h2>Throughput</h2>
      <ul class="figures">
        <li data-figure="throughput">
          <b>{number(window.throughput)}</b>jobs/s
        </li>
        <li>
          <b>{upper === null ? "-" : `${number(lower)} to ${number(upper)}`}</b>
          {upper === null ? "too little was seen for an interval" : "95 % interval"}
        </li>
        <li data-figure="succeeded">
          <b>{number(window.succeeded)}</b>succeeded
        </li>
        <li>
          <b>{number(window.failed)}</b>failed
        </li>
        <li>
          <b>{number(window.pending)}</b>pending
        </li>
        <li>
          <b>{duration(window.seconds)}</b>window
        </li>
      </ul>
      <p class="soft">{window.steady ? "The interval can be relied on." : `Not steady: ${window.reason}.`}</p>
      <LineChart most={SPAN} unit="jobs/s, of the last seconds" lines={[{ name: "ended", points: rate }]} />
    </section>
  );
}

function Latencies({ window, p50, p99 }: { window: Window; p50: State["p50"]; p99: State["p99"] }) {
  const rows = Object.entries(PARTS).map(([part, name]) => ({
    name,
    times: window.latency_seconds[part as keyof typeof PARTS],
  }));
  const columns = COLUMNS.map((column) => ({
    head: column,
    cell: ({ times }: { times: Times }) => <Time times={times} column={column} />,
  }));
  return (
    <section class="card">
      <h2>Latency</h2>
      <Table
        label="Latencies"
        rows={rows}
        id={({ name }) => name}
        columns={[{ head: "part", left: true, cell: ({ name }) => name }, ...columns]}
      />
      <p class="soft">Below a percentile stands the interval that holds it with 95 %; "-": too few jobs have ended to say.</p>
      <LineChart
        most={SPAN}
        unit="s round trip, of the window"
        lines={[
          { name: "p50", points: p50 },
          { name: "p99", points: p99 },
        ]}
      />
    </section>
  );
}

function Places({ nodes, nodes_left_out }: Window) {
  return (
    <section class="card">
      <h2>Where the jobs ran</h2>
      {nodes.length === 0 && <p class="soft">None has ended so far.</p>}
      {nodes.map(({ node, device, percent, jobs, failed }) => (
        <label class="bar-row" key={`${node} ${device}`}>
          <span>{[node || "no worker", device].filter(Boolean).join(", ")}</span>
          <progress value={String(percent)} max={100} />
          <span>
            {number(jobs)}
            {failed > 0 && <span class="failed"> ({number(failed)} failed)</span>}
          </span>
        </label>
      ))}
      {nodes_left_out > 0 && <p class="soft">{number(nodes_left_out)} more have fewer jobs; <a href="nodes">all</a>.</p>}
    </section>
  );
}

function Errors({ errors }: { errors: Window["errors"] }) {
  const rows = Object.entries(errors).sort(([, a], [, b]) => b - a);
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>Errors</h2>
      <Table
        label="Errors"
        rows={rows}
        id={([text]) => text}
        columns={[
          { head: "jobs", cell: ([, n]) => number(n) },
          { head: "what the job said last", left: true, cell: ([text]) => text },
        ]}
      />
    </section>
  );
}

function Body(state: State) {
  const { window, readOnly, rate, p50, p99 } = state;
  if (!window) return <p class="card">Waiting for the numbers ...</p>;
  return (
    <div class="cards">
      {!readOnly && <Controls window={window} />}
      {!readOnly && <Profile window={window} />}
      <Throughput window={window} rate={rate} />
      <Latencies window={window} p50={p50} p99={p99} />
      <Places {...window} />
      <Errors errors={window.errors} />
    </div>
  );
}

function App(state: State) {
  const { link, window, readOnly } = state;
  return (
    <div>
      <header>
        <h1>Load for queue {window?.queue ?? "..."}</h1>
        {window && <span class="soft">{`${window.connection}, ${window.frontend}`}</span>}
        {readOnly && <span id="read-only">Read-only: {readOnly}. </span>}
        <LinkNote link={link} />
      </header>
      <main class={link.state === "live" ? "" : "old"}>
        {link.state === "token" ? <TokenForm link={link} onToken={start} /> : <Body {...state} />}
      </main>
      <footer class="soft">
        <OtherToken onForgotten={start} />{" "}
        <a href="plain">plain page</a> <a href="stats">statistics</a> <a href="nodes">nodes</a>{" "}
        <a href="metrics">metrics</a>
      </footer>
    </div>
  );
}

render(<Live store={store} view={(state) => <App {...state} />} />, document.getElementById("app")!);
start();
