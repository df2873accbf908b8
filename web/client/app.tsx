import { h, render } from "preact";

render(<h1>Twofold client</h1>, document.getElementById("app")!);
