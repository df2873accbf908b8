#pragma once

#include <string_view>

namespace twofold::report {

/// The style sheet of a page. The policy of the page allows this one alone, by its hash: a test
/// says the new one when the style has changed.
inline constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ground: #fff; --text: #1f2933; --soft: #52606d; --line: #cbd2d9;
  --link: #0b61a4; --raised: #f5f7fa; --good: #0a5c36; --bad: #9b1c1c; --open: #7a4f01; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181d; --text: #e4e7eb; --soft: #9fb0c0; --line: #3e4c59; --link: #7cc4fa;
    --raised: #1f252c; --good: #7fe0ae; --bad: #ffa8a8; --open: #ffd479; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { position: static; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: .5rem 0; padding: 0; }
.verdict { font-size: 1.15rem; border-left: .4rem solid var(--line); background: var(--raised); padding: .6rem .8rem; margin: 1rem 0; }
.good { border-color: var(--good); } .bad { border-color: var(--bad); } .open { border-color: var(--open); }
.verdict strong { display: block; } .good strong { color: var(--good); } .bad strong { color: var(--bad); } .open strong { color: var(--open); }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
.wide { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; overflow-wrap: normal; }
caption { text-align: left; color: var(--soft); padding: .25rem 0; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: normal; }
thead th { color: var(--soft); white-space: nowrap; } .number { text-align: right; white-space: nowrap; } tbody td { min-width: 5rem; } tbody td:last-child { min-width: 8rem; }
figure { margin: 1.2rem 0; break-inside: avoid; }
figure svg { display: block; width: 100%; min-width: 40rem; height: auto; border-radius: 4px; }
figcaption, .soft { color: var(--soft); font-size: .9rem; }
pre { background: var(--raised); padding: .7rem; overflow-x: auto; font-size: .85rem; overflow-wrap: normal; }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: .5rem; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin: 0 0 .4rem; } }
@media print {
  @page { size: A4; margin: 15mm; }
  :root { color-scheme: light; --ground: #fff; --text: #000; --soft: #444; --line: #999; --raised: #fff;
    --good: #0a5c36; --bad: #9b1c1c; --open: #7a4f01; }
  body { max-width: none; padding: 0; font-size: 10pt; } nav, .skip { display: none; }
  figure svg { min-width: 0; } .wide { overflow: visible; } pre { white-space: pre-wrap; } tr { break-inside: avoid; }
}
)css";
inline constexpr std::string_view kStyleHash =
    "sha256-RivhkEvwqI1JSIGE2+fnSiOxTq62x9ghG7B5w+OgQYg=";

}  // namespace twofold::report
