import { Component, h } from "preact";
import { getJson, postYaml, reasonOf } from "../lib/api";
import { Action, Trouble } from "../lib/page";
import { Window } from "./state";

const EXAMPLE = `stages:
  - {parallel: 4, duration: 30s}
  - {parallel: 4, to: 16, duration: 1m}
  - {rate: 20, duration: 30s}
`;

/** A load of stages that follow each other: docs/load.md. The text stays as it is while it runs, or is refused. */
export class Profile extends Component<{ window: Window }, { text?: string; failed?: string }> {
  async componentDidMount() {
    const known = await getJson<{ profile: string | null }>("profile").catch(() => null);
    if (this.state.text === undefined) this.setState({ text: known?.profile || EXAMPLE });
  }

  private begin = async (event: Event) => {
    event.preventDefault();
    try {
      await postYaml("profile?type=json", this.state.text ?? "");
      this.setState({ failed: "" });
    } catch (error) {
      this.setState({ failed: reasonOf(error) });
    }
  };

  render() {
    const { profile } = this.props.window;
    return (
      <section class="card" id="profile">
        <h2>Profile</h2>
        <p class="soft" role="status">{profile ?? "None runs."}</p>
        <form onSubmit={this.begin}>
          <label class="wide">
            Stages, in YAML
            <textarea
              rows={6}
              required
              value={this.state.text ?? ""}
              onInput={(e: Event) => this.setState({ text: (e.target as HTMLTextAreaElement).value })}
            />
          </label>
          <button>Start</button>
          {profile && <Action label="Stop" what="the load" act={() => getJson("parallel?value=0&type=json")} />}
          <a href="profile">what runs, as JSON</a>
        </form>
        <Trouble text={this.state.failed ?? ""} />
      </section>
    );
  }
}
