import { h, render } from "preact";

render(<h1>Twofold frontend</h1>, document.getElementById("app")!);
