import { h } from "preact";
import { postJson } from "../lib/api";
import { LineChart } from "../lib/chart";
import { duration, number } from "../lib/format";
import { Action } from "../lib/page";
import { available, History, jobsPage, SPAN } from "./model";
import { State } from "./state";
import { Queue } from "./types";

function newest(points: History["rate"]): number | null {
  return points.length > 0 ? points[points.length - 1].value : null;
}

function Figures({ queue, history }: { queue: Queue; history: History }) {
  const failed = queue.finished.failed + queue.finished.timed_out + queue.finished.lost;
  const figures: [string, string][] = [
    ["jobs/s", number(newest(history.rate))],
    ["waiting", number(queue.waiting)],
    ["running", number(queue.running)],
    ["oldest", queue.waiting > 0 ? duration(queue.oldest_waiting_seconds) : "-"],
    ["workers", number(available(queue))],
    ["succeeded", number(queue.finished.succeeded)],
    ["failed", number(failed)],
  ];
  return (
    <ul class="figures">
      {figures.map(([name, value]) => (
        <li key={name} data-figure={name}>
          <b>{value}</b>
          {name}
        </li>
      ))}
    </ul>
  );
}

function Actions({ queue }: { queue: Queue }) {
  const to = (verb: string) => () => postJson(`api/v1/queues/${encodeURIComponent(queue.name)}/${verb}`);
  const what = `queue ${queue.name}`;
  return (
    <p class="row">
      {queue.state === "open" && <Action key="pause" label="Pause" what={what} act={to("pause")} />}
      {queue.state !== "open" && <Action key="resume" label="Resume" what={what} act={to("resume")} />}
      {queue.state !== "draining" && <Action key="drain" label="Drain" what={what} act={to("drain")} asks />}
      <a href={jobsPage({ queue: queue.name })}>its jobs</a>
    </p>
  );
}

function QueueCard({ queue, history, mayAct }: { queue: Queue; history: History; mayAct: boolean }) {
  return (
    <section class="card" id={`queue-${queue.name}`}>
      <h2>
        {queue.name} <span class={`tag ${queue.state}`}>{queue.state}</span>
      </h2>
      <Figures queue={queue} history={history} />
      {mayAct && <Actions queue={queue} />}
      <LineChart most={SPAN} unit="jobs/s" lines={[{ name: "throughput", points: history.rate }]} />
      <LineChart
        most={SPAN}
        unit="slots"
        lines={[
          { name: "available", points: history.available },
          { name: "wanted", points: history.wanted },
        ]}
      />
      <LineChart most={SPAN} unit="jobs" lines={[{ name: "waiting", points: history.waiting }]} />
    </section>
  );
}

export function QueuesPage({ queues, histories, mayAct }: State) {
  if (queues.length === 0) return <p class="card">No queue so far.</p>;
  return (
    <div class="cards">
      {queues.map((queue) => (
        <QueueCard key={queue.name} queue={queue} history={histories[queue.name]} mayAct={mayAct} />
      ))}
    </div>
  );
}
