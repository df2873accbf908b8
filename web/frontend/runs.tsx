import { h } from "preact";
import { getJson, postJson } from "../lib/api";
import { Interval, LineChart } from "../lib/chart";
import { count, duration, moment, number } from "../lib/format";
import { Action, Poll, Table } from "../lib/page";
import { eta, rate } from "../lib/series";
import { ALL_STATES, endedOf, jobsPage, SPAN } from "./model";
import { variedOf } from "./matrix";
import { Matrix } from "./matrix_table";
import { byMetric, isOver, jobsOf, Row, sideBySide } from "./run_numbers";
import { State } from "./state";
import { Run, RunResults } from "./types";

function Progress({ run }: { run: Run }) {
  const label = `${number(endedOf(run))} of ${count(jobsOf(run), "job")}`;
  return (
    <label>
      {label}
      <progress value={String(endedOf(run))} max={Math.max(1, jobsOf(run))} />
    </label>
  );
}

function pageOf({ id }: Run): string {
  return `#/runs/${encodeURIComponent(id)}`;
}

function RunList({ runs }: State) {
  return (
    <section class="card">
      <h2>Runs</h2>
      {runs.length === 0 && <p class="soft">No run so far. A frontend keeps them when it has a --store.</p>}
      <Table
        label="Runs"
        rows={runs}
        id={(run) => run.id}
        columns={[
          { head: "run", left: true, cell: (run) => <a href={pageOf(run)}>{run.name || run.id}</a> },
          { head: "kind", left: true, cell: (run) => run.kind },
          { head: "state", left: true, cell: (run) => <span class={run.state}>{run.state}</span> },
          { head: "progress", left: true, cell: (run) => <Progress run={run} /> },
          { head: "failed", cell: (run) => number(run.counts.failed) },
          { head: "begun", cell: (run) => moment(run.created_unix_seconds) },
        ]}
      />
    </section>
  );
}

// ---- one run

function MetricTable({ label, rows }: { label: string; rows: Row[] }) {
  const most = Math.max(...rows.map(({ metric }) => Math.max(metric.mean, metric.upper ?? 0)));
  return (
    <section class="card">
      <h2>{label}</h2>
      <Table
        label={label}
        rows={rows}
        id={({ permutation }) => String(permutation.permutation)}
        columns={[
          { head: "permutation", left: true, cell: ({ permutation: p }) => variedOf(p) || String(p.permutation) },
          { head: "n", cell: ({ metric }) => metric.n },
          { head: "mean", cell: ({ metric }) => number(metric.mean) },
          { head: "95 % from", cell: ({ metric }) => number(metric.lower) },
          { head: "to", cell: ({ metric }) => number(metric.upper) },
          { head: "0 to the most", left: true, cell: ({ metric }) => <Interval metric={metric} most={most} /> },
        ]}
      />
    </section>
  );
}

function Ahead({ run, ended }: { run: Run; ended: State["ended"] }) {
  if (isOver(run)) return <p class="soft">It is over.</p>;
  const left = eta(jobsOf(run) - endedOf(run), rate(ended, SPAN));
  const text = left === null ? "How long it takes cannot be told so far." : `About ${duration(left)} to go.`;
  return <p class="soft">{text}</p>;
}

/** Says so if the event has not all permutations: it has about a megabyte. */
function LeftOut({ id, next }: { id: string; next: number }) {
  return (
    <Poll
      everyMs={0}
      ask={() => getJson<RunResults>(`api/v1/runs/${encodeURIComponent(id)}/results?from=${next}`)}
      until={() => true}
      view={({ permutations }) =>
        permutations.length > 0 ? (
          <p class="soft">
            From permutation {next} on, none is shown here; <code>twofold results {id}</code> has all.
          </p>
        ) : (
          <span />
        )
      }
    />
  );
}

function OneRun({ run: results, ended, mayAct }: State) {
  if (!results) return <p class="card">Waiting for the run ...</p>;
  const { run, next } = results;
  const permutations = sideBySide(results.permutations);
  return (
    <div>
      <section class="card" id="run">
        <h2>
          {run.name || run.id} <span class={`tag ${run.state}`}>{run.state}</span>
        </h2>
        <p>{run.kind}, begun {moment(run.created_unix_seconds)}, {number(run.counts.failed)} failed</p>
        <Progress run={run} />
        <Ahead run={run} ended={ended} />
        {mayAct && !isOver(run) && (
          <Action label="Cancel" what="this run" act={() => postJson(`api/v1/runs/${encodeURIComponent(run.id)}/cancel`)} asks />
        )}
        <p>
          <a href={jobsPage({ run: run.id, state: ALL_STATES })}>its jobs</a>{" "}
          <a href={`api/v1/runs/${encodeURIComponent(run.id)}/report`}>report</a>
        </p>
        <Matrix permutations={permutations} />
        {next !== null && <LeftOut key={`${run.id} ${next}`} id={run.id} next={next} />}
        <LineChart most={SPAN} unit="jobs" lines={[{ name: "ended", points: ended }]} />
      </section>
      {byMetric(permutations).map(([label, rows]) => <MetricTable key={label} label={label} rows={rows} />)}
    </div>
  );
}

export function RunsPage(state: State) {
  return state.route.id ? <OneRun {...state} /> : <RunList {...state} />;
}
