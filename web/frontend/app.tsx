import { h, render } from "preact";
import { LinkNote, Live, OtherToken, TokenForm, Trouble } from "../lib/page";
import { JobsPage } from "./jobs";
import { QueuesPage } from "./queues";
import { RunsPage } from "./runs";
import { go, start, State, store } from "./state";
import { WorkersPage } from "./workers";

const PAGES: Record<string, (state: State) => JSX.Element> = {
  queues: QueuesPage,
  workers: WorkersPage,
  jobs: JobsPage,
  runs: RunsPage,
};

function App(state: State) {
  const { link, route, readOnly, trouble } = state;
  const Page = PAGES[route.page] ?? QueuesPage;
  return (
    <div>
      <header>
        <h1>Twofold</h1>
        <nav aria-label="Pages">
          {Object.keys(PAGES).map((name) => (
            <a key={name} href={`#/${name}`} aria-current={name === route.page ? "page" : null}>{name}</a>
          ))}
        </nav>
        <LinkNote link={link} />
      </header>
      <main class={link.state === "live" ? "" : "old"}>
        {link.state === "token" ? <TokenForm link={link} onToken={go} /> : <Page key={route.page} {...state} />}
        <Trouble text={trouble} />
      </main>
      <footer class="soft">
        {readOnly && <span id="read-only">Read-only: {readOnly}. </span>}
        <OtherToken onForgotten={go} />{" "}
        <a href="plain">plain page</a> <a href="metrics">metrics</a> <a href="api/v1/queues">JSON</a>
      </footer>
    </div>
  );
}

render(<Live store={store} view={(state) => <App {...state} />} />, document.getElementById("app")!);
start();
