import { h } from "preact";
import { getJson, postJson } from "../lib/api";
import { duration, number } from "../lib/format";
import { Action, Choice, Poll, Table } from "../lib/page";
import { ALL_STATES, jobsPage } from "./model";
import { State } from "./state";
import { Explanation, Job, Jobs } from "./types";

const EVERY_MS = 2_000;

function wordOf(job: Job): string {
  return job.outcome || job.state;
}

function wordText(word: string): string {
  return word.replace("_", " ");
}

const OUTCOMES = ["succeeded", "failed", "timed_out", "cancelled", "lost", "rejected", "abandoned"];

// What may be asked for as `state`, and what it is called.
const STATES: [string, string][] = [
  ["", "waiting or running"],
  ["waiting", "waiting"],
  ["running", "running"],
  ["finished", "ended"],
  ...OUTCOMES.map((outcome): [string, string] => [outcome, wordText(outcome)]),
  [ALL_STATES, "all"],
];

function Filter({ queues, route: { query } }: State) {
  const now = { queue: query.get("queue") ?? "", run: query.get("run") ?? "", state: query.get("state") ?? "" };
  const choose = (field: keyof typeof now) => (value: string) => {
    location.hash = jobsPage({ ...now, [field]: value });
  };
  const typed = (event: Event) => choose("run")((event.target as HTMLInputElement).value.trim());
  const names = queues.map(({ name }): [string, string] => [name, name]);
  return (
    <form class="card" id="filter" onSubmit={(event: Event) => event.preventDefault()}>
      <label>
        State <Choice value={now.state} options={STATES} onChoice={choose("state")} />
      </label>
      <label>
        Queue <Choice value={now.queue} options={[["", "all"], ...names]} onChoice={choose("queue")} />
      </label>
      <label>
        Run <input name="run" value={now.run} size={14} onChange={typed} />
      </label>
      <p class="soft">Of jobs that have ended, only durable ones are kept.</p>
    </form>
  );
}

/** A page may have none though a later one has. */
function nothingText(next: string): string {
  return next ? "No such job on this page." : "No such job now. Jobs that are not durable leave when they end.";
}

function JobsTable({ jobs, next_page_token, query }: Jobs & { query: URLSearchParams }) {
  const { page_token: earlier, ...chosen } = Object.fromEntries(query);
  return (
    <section class="card">
      <Table
        label="Jobs"
        rows={jobs}
        id={(job) => job.id}
        columns={[
          { head: "job", left: true, cell: (job) => <a href={`#/jobs/${job.id}`}>{job.id}</a> },
          { head: "queue", left: true, cell: (job) => job.queue },
          { head: "state", left: true, cell: (job) => <span class={wordOf(job)}>{wordText(wordOf(job))}</span> },
          { head: "waited", cell: (job) => duration(job.wait_seconds) },
          { head: "ran", cell: (job) => (job.attempts > 0 ? duration(job.run_seconds) : "-") },
          { head: "attempts", cell: (job) => number(job.attempts) },
          { head: "node", left: true, cell: (job) => job.node },
        ]}
      />
      {jobs.length === 0 && <p class="soft">{nothingText(next_page_token)}</p>}
      <p class="row">
        {earlier && <a href={jobsPage(chosen)}>first page</a>}{" "}
        {next_page_token && <a href={jobsPage({ ...chosen, page_token: next_page_token })}>next page</a>}
      </p>
    </section>
  );
}

function JobList(state: State) {
  const query = state.route.query;
  return (
    <div>
      <Filter {...state} />
      <Poll
        key={String(query)}
        everyMs={EVERY_MS}
        ask={() => getJson<Jobs>(`api/v1/jobs?${query}`)}
        view={(page) => <JobsTable {...page} query={query} />}
      />
    </div>
  );
}

// ---- one job

function Explained({ id }: { id: string }) {
  const ask = () => getJson<Explanation>(`api/v1/jobs/${id}/explain`);
  return <Poll everyMs={EVERY_MS} ask={ask} view={({ text }) => <p id="explanation">Why it waits: {text}</p>} />;
}

/** From its arrival to its end, to scale. */
function Way({ job }: { job: Job }) {
  const total = Math.max(job.total_seconds, job.wait_seconds + job.run_seconds);
  const waited = total > 0 ? (100 * job.wait_seconds) / total : 0;
  const ran = total > 0 ? (100 * job.run_seconds) / total : 0;
  return (
    <figure>
      <figcaption>
        <span class="swatch i" /> waited {duration(job.wait_seconds)} <span class="swatch b" /> ran{" "}
        {duration(job.run_seconds)}
      </figcaption>
      <svg class="way" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="waited" x="0" y="0" width={waited} height="4" />
        <rect class="ran" x={String(waited)} y="0" width={ran} height="4" />
      </svg>
    </figure>
  );
}

function facts(job: Job): [string, string][] {
  const all: [string, string][] = [
    ["queue", job.queue],
    ["suite", job.suite],
    ["run", job.run],
    ["priority", String(job.priority)],
    ["attempts", String(job.attempts)],
    ["node", job.node],
    ["pod", job.pod],
    ["device", job.device],
    ["gang", job.gang_size > 0 ? `${job.gang_size} members` : ""],
    ["kept", job.durable ? "durable" : "volatile"],
    ["progress", job.progress > 0 ? `${number(100 * job.progress)} % ${job.progress_line}` : job.progress_line],
    ["error", job.report?.error ?? ""],
    ["exit code", job.report?.exit_code ? String(job.report.exit_code) : ""],
    ["signal", job.report?.signal ? String(job.report.signal) : ""],
  ];
  return all.filter(([, value]) => value !== "");
}

function JobCard({ job, mayAct }: { job: Job; mayAct: boolean }) {
  return (
    <section class="card" id="job">
      <h2>
        Job {job.id} <span class={`tag ${wordOf(job)}`}>{wordText(wordOf(job))}</span>
      </h2>
      {job.state !== "finished" && mayAct && (
        <Action label="Cancel" what={`job ${job.id}`} act={() => postJson(`api/v1/jobs/${job.id}/cancel`)} asks />
      )}
      <Way job={job} />
      {job.state === "waiting" && <Explained id={job.id} />}
      <dl class="facts">
        {facts(job).map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
      </dl>
      {job.report?.output && <h3>The end of its output</h3>}
      {job.report?.output && <pre tabIndex={0} role="region" aria-label="Output">{job.report.output}</pre>}
    </section>
  );
}

function OneJob({ route, mayAct }: State) {
  return (
    <div>
      <p>
        <a href="#/jobs">all jobs</a>
      </p>
      <Poll
        key={route.id}
        everyMs={1_000}
        ask={() => getJson<Job>(`api/v1/jobs/${route.id}`)}
        until={(job) => job.state === "finished"}
        view={(job) => <JobCard job={job} mayAct={mayAct} />}
      />
    </div>
  );
}

export function JobsPage(state: State) {
  return state.route.id ? <OneJob key="one" {...state} /> : <JobList key="all" {...state} />;
}
