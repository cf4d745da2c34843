/**
 * The style of the web client: system fonts, two colour schemes, one column on a narrow screen. Nothing may make the page
 * wider than its window: long words break anywhere.
 * @module
 */
export const style: string = String.raw`
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f9, #0f1217); --surface: light-dark(#ffffff, #171b22); --raised: light-dark(#f0f2f5, #20262f);
  --line: light-dark(#dfe3e9, #2d343f); --edge: light-dark(#8a94a3, #66707f); --text: light-dark(#171b22, #e6e9ef); --dim: light-dark(#586172, #9ba6b6);
  --accent: light-dark(#2456c9, #8ab4ff); --on-accent: light-dark(#ffffff, #0b1526); --wash: light-dark(#e9effc, #1b2740);
  --good: light-dark(#17683a, #7fd1a0); --good-ground: light-dark(#e4f4ea, #14301f);
  --bad: light-dark(#b3261e, #ff9a92); --bad-ground: light-dark(#fdecea, #341a19);
  --number: light-dark(#8a3ba8, #d8a0ee); --word: light-dark(#a34a08, #f0a566);
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
:root[data-look='light'] { color-scheme: light; }
:root[data-look='dark'] { color-scheme: dark; }
* { box-sizing: border-box; min-width: 0; }
html { overflow-wrap: anywhere; scroll-padding-top: 1rem; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
[hidden] { display: none !important; }
h1, h2, h3, p, ul, ol, dl, dd, pre { margin: 0; }
h2 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h3 { font-size: 1rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem; }
h3 .more { margin-left: auto; font-size: .87rem; font-weight: normal; }
ul, ol { padding: 0; list-style: none; }
a { color: var(--accent); text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); text-underline-offset: .15em; }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus, section:focus { outline: none; }
.offscreen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.hint { color: var(--dim); font-size: .87em; font-weight: normal; }
.help, .empty { color: var(--dim); font-size: .9em; margin-top: .4rem; max-width: 62rem; }
code, .id, .code, .name, .trace, .stack, textarea, #url, .field input, #method-name, aside a, .order { font-family: var(--mono); font-size: .9em; }
.name .hint { font-size: 1em; }
.id { color: inherit; }
a.id, a .id { color: var(--accent); }
time { white-space: nowrap; }
.in { color: var(--good); }
.out { color: var(--bad); }

header { background: var(--surface); border-bottom: 1px solid var(--line); padding: .55rem 1.25rem; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; max-width: 80rem; margin: 0 auto; }
h1 { font-size: 1.05rem; letter-spacing: -.01em; }
h1 a { color: var(--text); text-decoration: none; }
header nav { display: flex; flex-wrap: wrap; gap: .15rem .25rem; }
header nav a { text-decoration: none; color: var(--dim); padding: .25rem .6rem; border-radius: 6px; font-size: .93rem; }
header nav a:hover { background: var(--raised); }
header nav a[aria-current='page'] { color: var(--accent); background: var(--wash); font-weight: 600; }
#find { flex: 1 1 16rem; max-width: 32rem; margin-left: auto; position: relative; }
#find-what { width: 100%; padding-right: 2rem; }
#find .offscreen { left: 0; }
#find kbd { position: absolute; right: .6rem; top: .42rem; font: .8rem var(--mono); color: var(--dim); border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; pointer-events: none; }
#find-what:focus ~ kbd { display: none; }
#chip { display: flex; align-items: center; gap: .35rem; font-size: .87rem; text-decoration: none; color: var(--dim); }
#chip strong { color: var(--text); }
#menu { position: relative; }
#menu summary { list-style: none; }
#menu summary::-webkit-details-marker { display: none; }
#menu form { position: absolute; right: 0; top: 2.4rem; z-index: 2; width: min(21rem, calc(100vw - 2rem)); background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: .9rem; display: grid; gap: .5rem; box-shadow: 0 8px 24px #0003; }
.icon { display: grid; place-items: center; width: 2.1rem; height: 2.1rem; padding: 0; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); cursor: pointer; font-size: 1rem; }
#skip { position: absolute; left: .5rem; top: -4rem; padding: .4rem .8rem; background: var(--accent); color: var(--on-accent); border-radius: 5px; z-index: 3; }
#skip:focus { top: .5rem; }
#find-trouble, #status { max-width: 80rem; margin: .4rem auto 0; font-size: .9em; }
#find-trouble:empty, #status:empty { display: none; }
#status:not(.failed) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
#status.failed { color: var(--bad); }

input, select, textarea, button { font: inherit; color: inherit; border: 1px solid var(--edge); border-radius: 6px; background: var(--surface); padding: .35rem .6rem; max-width: 100%; }
input::placeholder { color: var(--dim); opacity: 1; }
input[type='checkbox'] { accent-color: var(--accent); }
textarea { resize: vertical; }
select { text-overflow: ellipsis; }
.field input, .field textarea, .field select, #filter, #url { width: 100%; }
.field select + input { margin-top: .3rem; }
[aria-invalid] { border-color: var(--bad); }
button, a.button { cursor: pointer; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; }
a.button { display: inline-block; padding: .2rem .7rem; text-decoration: none; font-size: .9rem; white-space: nowrap; }
button:hover, a.button:hover { border-color: var(--accent); }
button:disabled { opacity: .5; cursor: default; }
button.primary { background: var(--accent); color: var(--on-accent); border-color: var(--accent); font-weight: 600; padding: .4rem 1.5rem; }
button.danger { color: var(--bad); }
button.quiet { border: 0; background: none; color: var(--accent); padding: 0 .3rem; text-decoration: underline; font-size: .87em; }
td button, .rows button, dd button, .command button { font-size: .85rem; padding: .1rem .6rem; }

main { padding: 1.5rem 1.25rem 4rem; max-width: 82.5rem; width: 100%; margin: 0 auto; }
.heading { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .3rem 1rem; }
.heading .tools { margin: 0; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1.25rem; align-items: start; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 0 1.25rem; align-items: start; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem .8rem; margin-top: 1.1rem; }
.panel > h3 { margin-bottom: .4rem; }
.card .panel, .panel .panel { border: 0; padding: 0; background: none; margin-top: .6rem; }
.lead, .sentence { font-size: 1.08rem; margin-top: .4rem; max-width: 62rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); gap: .8rem; margin: 1rem 0; }
.figure { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: .7rem 1rem; }
.figure dt { color: var(--dim); font-size: .87rem; }
.figure strong { display: block; font-size: 1.15rem; line-height: 1.3; }
.field { margin: .8rem 0; max-width: 52rem; }
.field:first-child { margin-top: 0; }
.field label { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; font-weight: 600; margin-bottom: .2rem; }
.trouble { color: var(--bad); font-size: .9em; }
.tools { display: flex; flex-wrap: wrap; gap: .4rem .7rem; align-items: center; margin: .6rem 0; font-size: .93em; }
.check { display: flex; gap: .4rem; align-items: center; }
.facts { font-size: .87em; color: var(--dim); }
.badge { display: inline-block; border-radius: .75rem; padding: .05rem .6rem; font-size: .85rem; font-weight: 600; max-width: 100%; min-width: min(5.9rem, 100%); text-align: center; }
.badge.good { color: var(--good); background: var(--good-ground); }
.badge.failed { color: var(--bad); background: var(--bad-ground); }
.number { color: var(--number); }
.text { white-space: pre-wrap; }
.source { font-family: var(--mono); font-size: .93em; }
.event { padding: .5rem 0; border-top: 1px solid var(--line); }
.event:first-of-type { border-top: 0; }
.returned { margin-top: .6rem; font-size: 1.05em; }
.label { font-size: .87rem; color: var(--dim); }
#tx-answer { margin-top: 1.1rem; }
.now strong { font-size: 1.1rem; }

table { border-collapse: collapse; width: 100%; font-size: .93rem; margin: .3rem 0; }
th, td { text-align: left; vertical-align: top; padding: .45rem 1rem .45rem 0; border-top: 1px solid var(--line); font-weight: normal; }
th > div, td > div { min-width: 5.2rem; }
thead th, thead td { color: var(--dim); font-size: .85rem; border-top: 0; padding-block: .1rem; white-space: nowrap; }
tbody tr:hover { background: color-mix(in srgb, var(--wash) 45%, transparent); }
.transactions tbody th, .functions td:last-child { white-space: nowrap; }
.order { font-weight: 600; text-decoration: none; }
.order + .hint { margin-left: .4rem; }
td > div > span + span { margin-left: .5rem; }
.parameter { display: block; }
td > div > .parameter, .parameter + .parameter { margin: 0 !important; }

.facts-list { display: grid; grid-template-columns: fit-content(35%) minmax(0, 1fr); gap: .3rem 1.25rem; margin: .6rem 0; }
.facts-list dt { color: var(--dim); }
.facts-list.values { font-size: .95em; margin: .2rem 0; }
.list { border-left: 2px solid var(--line); padding-left: .7rem; }
.rows li { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.rows li:first-child { border-top: 0; }
.accounts { columns: 20rem auto; column-gap: 2rem; }
.accounts li { justify-content: space-between; break-inside: avoid; border-top: 0; border-bottom: 1px solid var(--line); }
.names { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
.code, .command pre { background: var(--raised); border-radius: 6px; padding: .6rem .8rem; font-size: .85rem; line-height: 1.5; white-space: pre-wrap; }
.command { display: flex; flex-wrap: wrap; gap: .4rem; align-items: start; margin-top: .5rem; }
.command pre { flex: 1 1 14rem; }
.json summary { cursor: pointer; list-style: none; display: inline; }
.json summary::-webkit-details-marker { display: none; }
.json summary::after { content: ' \25B8'; color: var(--dim); }
.json[open] > summary::after { content: ''; }
.json[open] > summary > .json-closed { display: none; }
.json, .json-body > div { white-space: normal; }
.json { display: inline; }
.json-body { padding-left: 1.1em; border-left: 1px solid var(--line); margin-left: .25em; }
.json-key { color: var(--accent); }
.json-string { color: var(--good); white-space: pre-wrap; }
.text .json-string, .facts-list .json-string, table .json-string { color: inherit; }
.json-number { color: var(--number); }
.json-word { color: var(--word); }
.error { background: var(--bad-ground); border: 1px solid color-mix(in srgb, var(--bad) 45%, transparent); border-radius: 8px; padding: .8rem 1rem; margin: .8rem 0; }
.error > strong, .failure > p strong:first-child { color: var(--bad); }
.error dl { display: grid; grid-template-columns: fit-content(35%) minmax(0, 1fr); gap: .15rem 1rem; font-size: .9em; }
.error .hint { color: inherit; }
.stack li { padding: .1rem 0; }
.failure .stack { margin-top: .3rem; font-family: inherit; font-size: 1em; }
.notice { background: var(--wash); border-radius: 8px; padding: .7rem 1rem; margin: .8rem 0; max-width: 62rem; }
.done { background: var(--good-ground); border-radius: 8px; padding: .6rem 1rem; margin-top: .8rem; }

.card { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; margin-top: .6rem; display: flex; flex-wrap: wrap; align-items: baseline; position: relative; }
.card .card, .panel .card { border-radius: 6px; }
.card > details { flex: 1 1 100%; }
.card > details > summary { cursor: pointer; display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .8rem; padding: .5rem .9rem .5rem 2rem; position: relative; list-style: none; border-radius: 8px; }
.card > details > summary:hover { background: var(--raised); }
.card > details > .code { border-top: 1px solid var(--line); border-radius: 0 0 8px 8px; }
.card > .links { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0 .9rem .5rem 2rem; font-size: .93em; }
.type { font-weight: 600; }
.bad { color: var(--bad); }
.inside { padding: .2rem 1rem .8rem; }
.card > details > .inside { border-top: 1px solid var(--line); }
summary::-webkit-details-marker { display: none; }
.card > details > summary::before, .calls summary::before { content: '\25B8'; color: var(--dim); position: absolute; left: .8rem; }
.calls summary::before { left: .1rem; }
.card > details[open] > summary::before, .calls details[open] > summary::before { content: '\25BE'; }
.paths { margin-top: 1rem; }
.paths summary { cursor: pointer; }
@media (min-width: 52rem) {
  .card > details { flex-basis: auto; }
  .card:has(> .links) > details:not([open]) > summary { padding-right: 1rem; }
  .card > details { flex: 1 1 60%; }
  .card > details[open] { flex-basis: 100%; }
  .card > .links { padding: .5rem .9rem; }
  .card > details[open] + .links { position: absolute; top: 0; right: 0; }
}
.calls { font-size: .93rem; margin-top: .4rem; }
.calls summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .15rem .3rem .15rem 1.2rem; position: relative; list-style: none; border-radius: 4px; }
.calls summary:hover { background: var(--raised); }
.calls .inside { padding: 0 0 0 .5rem; margin-left: .35rem; border-left: 1px solid var(--line); }
.calls .facts-list { font-size: .9em; margin: .2rem 0 .4rem .4rem; }
.gas { min-width: 4.5em; text-align: right; color: var(--number); font-family: var(--mono); font-size: .9em; }
.trace { overflow-wrap: anywhere; white-space: pre-wrap; }
.row { display: flex; flex-wrap: wrap; gap: .1rem .8rem; padding: .25rem 0; border-top: 1px solid var(--line); font-size: .9rem; }
progress { width: 4rem; height: .5rem; accent-color: var(--accent); }
.mark { display: inline-block; flex: none; width: .5rem; height: .5rem; border-radius: 50%; background: var(--good); }
.mark.failed { background: var(--bad); border-radius: 0; }

.inline { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .6rem; }
.labelled { display: flex; gap: .5rem; align-items: center; }
.labelled.wide { flex: 1 1 14rem; }
.labelled.wide input, #path { flex: 1 1 10rem; width: 100%; font-family: var(--mono); font-size: .9em; }
#watch-from { width: 8rem; }
#dev-advance-by { width: 4rem; }

.columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 82.5rem; margin: 0 auto; }
aside { padding: 1.5rem 0 1rem 1.25rem; font-size: .9em; overflow: auto; max-height: 100vh; position: sticky; top: 0; }
aside summary { cursor: pointer; }
aside summary h2 { display: inline; font-size: 1rem; }
aside details + details { margin-top: 1.25rem; padding-top: .75rem; border-top: 1px solid var(--line); }
aside h3 { margin: .75rem 0 .1rem; color: var(--dim); font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; }
aside li a { display: block; padding: .14rem .4rem; border-radius: 4px; text-decoration: none; color: var(--text); }
aside li a:hover { background: var(--raised); }
aside li a[aria-current] { background: var(--wash); color: var(--accent); font-weight: 600; }
#filter { margin-top: .6rem; }
#past-list .hint { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; padding-left: 1rem; }
#past-list .mark { margin-right: .5rem; }
#method-name { font-size: 1.25rem; }
#method-about { color: var(--dim); max-width: 60rem; white-space: pre-line; }

@media (max-width: 72rem) {
  .pair { display: block; }
  #find { order: 1; flex-basis: 100%; max-width: none; }
  .bar nav { margin-right: auto; }
}
@media (max-width: 52rem) {
  header { padding: .5rem 1rem; }
  .bar { gap: .4rem .6rem; }
  .bar nav { order: 1; flex-basis: 100%; justify-content: space-between; }
  h1 { margin-right: auto; }
  header nav a { padding: .2rem .4rem; font-size: .87rem; }
  main { padding: 1rem 1rem 3rem; }
  .panel { padding: .8rem .9rem; }
  .columns { display: block; }
  aside { position: static; max-height: none; padding: 1rem 1rem 0; }
  #methods { max-height: 14rem; overflow: auto; }
}
@media (max-width: 40rem) {
  table, tbody, tr, tbody th, tbody td { display: block; }
  th > div, td > div { min-width: 0; }
  td:has(> div > .nothing) { display: none !important; }
  .figure { padding: .6rem .75rem; }
  .figure strong { font-size: 1.05rem; }
  thead { position: absolute; left: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .5rem 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  tbody th, tbody td { border: 0; padding: .1rem 0; display: grid; grid-template-columns: 5.2rem minmax(0, 1fr); gap: .6rem; }
  tbody th::before, tbody td::before { content: attr(data-head); color: var(--dim); font-size: .87em; }
  .transactions tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem .7rem; }
  .transactions tbody th, .transactions tbody td { display: block; white-space: normal; }
  .transactions tbody th::before, .transactions tbody td::before, td[data-head='']::before { content: none; }
  .transactions td { order: 2; }
  .transactions td:has(> div > .badge) { order: 1; }
  .transactions td:last-child { flex-basis: 100%; }
  td[data-head=''] { grid-template-columns: minmax(0, 1fr); }
  .functions td:last-child { white-space: normal; }
  .facts-list { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts-list dd { margin-bottom: .35rem; }
  .facts-list.values { grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .1rem .7rem; }
  .values .values { grid-template-columns: minmax(0, 1fr); border-left: 2px solid var(--line); padding-left: .5rem; }
  .gas { min-width: 0; }
  h2 { font-size: 1.3rem; }
}
@media (max-width: 30rem) {
  header nav { gap: 0; }
  header nav a { font-size: .82rem; padding: .25rem .3rem; letter-spacing: -.01em; }
}
@media (max-width: 22.5rem) { header nav a { font-size: .78rem; padding: .25rem .16rem; } }
`;
