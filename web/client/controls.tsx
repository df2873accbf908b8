import { Component, h } from "preact";
import { getJson, reasonOf } from "../lib/api";
import { number } from "../lib/format";
import { Action, Trouble } from "../lib/page";
import { Window } from "./state";

interface SettingProps {
  label: string;
  path: string; // takes ?value=
  now: number;
  step: string;
}

/** A number of the client that is shown and can be set. */
class Setting extends Component<SettingProps, { failed?: string; typed?: string }> {
  private set = async (event: Event) => {
    event.preventDefault();
    const value = encodeURIComponent(this.state.typed ?? String(this.props.now));
    try {
      await getJson(`${this.props.path}?value=${value}&type=json`);
      this.setState({ failed: "", typed: undefined });
    } catch (error) {
      this.setState({ failed: reasonOf(error) });
    }
  };

  render() {
    const { label, path, now, step } = this.props;
    return (
      <form onSubmit={this.set} id={`set-${path}`}>
        <label>
          {label}{" "}
          <input
            type="number"
            min="0"
            step={step}
            required
            value={this.state.typed ?? String(now)}
            onInput={(e: Event) => this.setState({ typed: (e.target as HTMLInputElement).value })}
          />
        </label>
        <button>Set</button>
        <span class="soft">now {number(now)}</span>
        <Trouble text={this.state.failed ?? ""} />
      </form>
    );
  }
}

export function Controls({ window }: { window: Window }) {
  return (
    <section class="card">
      <h2>Load</h2>
      <Setting label="Jobs outstanding" path="parallel" now={window.parallelism} step="1" />
      <Setting label="Jobs a second" path="rate" now={window.rate ?? 0} step="any" />
      <p class="soft">One ends the other: jobs are kept outstanding, or sent at a rate, or by a profile.</p>
      <p class="row">
        <Action label="Reset" what="the measuring window" act={() => getJson("reset?type=json")} />
        <a href="window">this window as JSON</a>
      </p>
    </section>
  );
}
