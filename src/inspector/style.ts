/**
 * The look of the web client: system fonts, two colour schemes, one column if there is no room for two.
 * @module
 */
export const style: string = String.raw`
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --line: #d5d9e0; --text: #1b1f27; --dim: #596273; --accent: #1f5fd0;
  --on-accent: #ffffff; --string: #17683a; --number: #8a3ba8; --word: #a34a08; --bad: #b3261e; --bad-ground: #fdecea;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --raised: #1d2127; --line: #363c46; --text: #e4e7ec; --dim: #9aa4b4; --accent: #7fb0ff;
    --on-accent: #0c1526; --string: #7fd1a0; --number: #d8a0ee; --word: #f0a566; --bad: #ff9a92; --bad-ground: #3a1c1a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
[hidden] { display: none !important; }
h1, h2, h3, p, ul, ol, dl { margin: 0; }
h1 { font-size: 1.1rem; letter-spacing: .02em; }
h2 { font-size: 1.15rem; }
h3 { font-size: .95rem; margin-top: 1.25rem; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.offscreen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.hint { color: var(--dim); font-size: .85em; font-weight: normal; }
.help { color: var(--dim); font-size: .87em; overflow-wrap: anywhere; }
code { font-size: .92em; overflow-wrap: anywhere; }

header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .6rem 1.25rem;
  background: var(--raised); border-bottom: 1px solid var(--line); }
#about { font-size: .87em; color: var(--dim); flex: 1 1 16rem; }
#skip { position: absolute; left: .5rem; top: -4rem; padding: .4rem .8rem; background: var(--accent); color: var(--on-accent); border-radius: 5px; z-index: 1; }
#skip:focus { top: .5rem; }
main:focus, section:focus { outline: none; }
header nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
header nav a { text-decoration: none; padding: .2rem 0; border-bottom: 2px solid transparent; }
header nav a[aria-current='page'] { color: var(--text); border-color: var(--accent); }
#node { min-width: 0; display: flex; gap: .5rem; align-items: center; flex: 1 1 20rem; max-width: 38rem; margin-left: auto; }
#find { min-width: 0; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; flex: 1 1 18rem; max-width: 34rem; }
#find-trouble:empty { display: none; }
#node label { white-space: nowrap; font-size: .87em; color: var(--dim); }
#url, #path, #tx-module, #watch-filter, #find-what { flex: 1 1 12rem; min-width: 0; }
#status { flex-basis: 100%; font-size: .85em; color: var(--dim); }
#status.failed { color: var(--bad); }

input, select, textarea, button { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 5px;
  background: var(--ground); padding: .35rem .55rem; }
code, .code, textarea, #url, #find-what, .inline input, .field input, .field select, #method-name, aside a { font-family: var(--mono); }
input[type='checkbox'] { accent-color: var(--accent); }
textarea { resize: vertical; }
.field input, .field textarea, .field select, #filter { width: 100%; }
.field input, .field textarea, .field select, #url, .inline input { font-size: .9em; }
[aria-invalid] { border-color: var(--bad); }
button, a.button { cursor: pointer; background: var(--raised); }
a.button { display: inline-block; border: 1px solid var(--line); border-radius: 5px; padding: .35rem .8rem; text-decoration: none; }
button:hover, a.button:hover { border-color: var(--accent); }
button:disabled { opacity: .5; cursor: default; }
button.primary { background: var(--accent); color: var(--on-accent); border-color: var(--accent); font-weight: 600; padding: .4rem 1.4rem; }
button.quiet { border: 0; background: none; color: var(--accent); padding: 0 .3rem; text-decoration: underline; font-size: .87em; }

.columns { flex: 1; display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
aside { border-right: 1px solid var(--line); padding: 1rem; font-size: .87em; overflow: auto; }
aside { max-height: 100vh; position: sticky; top: 0; }
aside summary { cursor: pointer; }
aside summary h2 { display: inline; font-size: 1rem; font-family: system-ui, sans-serif; }
aside details + details { margin-top: 1.25rem; padding-top: .75rem; border-top: 1px solid var(--line); }
aside h3 { margin: .75rem 0 .1rem; color: var(--dim); font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; }
aside ul, aside ol { list-style: none; padding: 0; }
aside li a { display: block; padding: .14rem .4rem; border-radius: 4px; text-decoration: none; color: var(--text); overflow-wrap: anywhere; }
aside li a:hover { background: var(--raised); }
aside li a[aria-current] { background: var(--accent); color: var(--on-accent); }
#filter { margin-top: .6rem; }
#past-list .hint { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; padding-left: 1rem; }
.mark { display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; background: var(--string); margin-right: .5rem; }
.mark.failed { background: var(--bad); border-radius: 0; }

main { padding: 1.25rem; max-width: 84rem; min-width: 0; }
.pair { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); gap: 0 2rem; align-items: start; }
#chain-view, #tx-view, #account-view, #dev-view, #state-view, #send-view, #watch-view { width: 100%; margin: 0 auto; }
#method-name { overflow-wrap: anywhere; }
#method-about { color: var(--dim); max-width: 60rem; white-space: pre-line; }
#call { margin-top: .75rem; }
.field { margin: .8rem 0; max-width: 52rem; }
.field label { display: flex; gap: .6rem; align-items: baseline; font-weight: 600; margin-bottom: .2rem; }
.trouble { color: var(--bad); font-size: .87em; overflow-wrap: anywhere; }
.tools { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .4rem 0; font-size: .87em; }
.check { display: flex; gap: .4rem; align-items: center; }
.facts { font-size: .87em; color: var(--dim); }
.code { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; font-size: .85em;
  line-height: 1.45; overflow-x: auto; overflow-wrap: anywhere; white-space: pre-wrap; }
.json summary { cursor: pointer; list-style: none; display: inline; }
.json summary::-webkit-details-marker { display: none; }
.json summary::after { content: ' \25B8'; color: var(--dim); }
.json[open] > summary::after { content: ''; }
.json[open] > summary > .json-closed { display: none; }
.json, .json-body > div { white-space: normal; }
.json { display: inline; }
.json-body { padding-left: 1.4em; border-left: 1px solid var(--line); margin-left: .25em; }
.json-key { color: var(--accent); }
.json-string { color: var(--string); white-space: pre-wrap; }
.json-number { color: var(--number); }
.json-word { color: var(--word); }
.error { background: var(--bad-ground); border: 1px solid var(--bad); border-radius: 6px; padding: .7rem .9rem; margin: .5rem 0; }
.error strong { color: var(--bad); }
.error dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem; font-size: .9em; }
.error dt { color: var(--dim); }
.error dd { margin: 0; font-family: var(--mono); overflow-wrap: anywhere; }

.inline { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .5rem; }
#dev-outcome { min-height: 1.6rem; margin-top: .5rem; }
#dev-mine-to { flex: 1 1 10rem; min-width: 0; }
#path-help, #tx-module-help, #watch-help { margin: .5rem 0 1rem; max-width: 60rem; }
.labelled { display: flex; gap: .5rem; align-items: center; min-width: 0; }
.labelled.wide { flex: 1 1 14rem; }
#watch-from { width: 8rem; }
.notice { background: var(--raised); border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 6px; padding: .6rem .9rem; margin: .5rem 0; max-width: 60rem; }
.names { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-family: var(--mono); font-size: .9em; }
.outcome { font-weight: 600; overflow-wrap: anywhere; }
.outcome.failed { color: var(--bad); }
.meaning { color: var(--dim); }
.stack { font-family: var(--mono); font-size: .85em; overflow-wrap: anywhere; }
.trace { margin: 0; overflow-x: auto; white-space: pre; }
#watch-list, .cards { list-style: none; padding: 0; }
.facts-list { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1.5rem; margin: .75rem 0; }
.facts-list dt { color: var(--dim); }
.facts-list dd { margin: 0; overflow-wrap: anywhere; }
.rows { list-style: none; padding: 0; }
.rows li { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1rem; padding: .3rem 0; border-top: 1px solid var(--line); }
.rows a, .rows code, .order { font-family: var(--mono); font-size: .9em; }
.order { min-width: 2rem; color: var(--dim); }
.rows button { font-size: .87em; padding: .1rem .7rem; }
.label { font-size: .87rem; font-weight: 600; margin: .9rem 0 0; }
#state-here { font-family: var(--mono); font-size: .87em; overflow-wrap: anywhere; }
.card { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; display: flex; flex-wrap: wrap; align-items: baseline; font-family: var(--mono); font-size: .85rem; }
.card > details { flex: 1 1 auto; min-width: 0; max-width: 100%; }
.card > details[open] { flex-basis: 100%; }
.card > details > summary { cursor: pointer; display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1rem; padding: .45rem .8rem .45rem 1.9rem; overflow-wrap: anywhere; position: relative; }
.card > details > summary:hover { background: var(--raised); }
.card > details > .code { border: 0; border-top: 1px solid var(--line); border-radius: 0 0 6px 6px; font-size: 1em; }
.card > .links { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: .45rem .8rem; }
@media (min-width: 52rem) {
  .card { position: relative; }
  .card > details { flex-basis: 100%; }
  .card:has(> .links) > details > summary { padding-right: 12rem; }
  .card:has(> .links > a + a) > details > summary { padding-right: 18rem; }
  .card > .links { position: absolute; top: 0; right: 0; max-width: 18rem; }
}
.type { font-weight: 600; }
.bad { color: var(--bad); }
.inside { padding: .2rem .8rem .6rem; font-family: system-ui, sans-serif; min-width: 0; }
.card > details > .inside { border-top: 1px solid var(--line); }
.calls { list-style: none; padding: 0; font-family: var(--mono); font-size: .85rem; }
.calls summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .1rem .3rem .1rem 1.2rem; overflow-wrap: anywhere; position: relative; }
.calls summary:hover { background: var(--raised); }
.calls summary::before, .card > details > summary::before { content: '\25B8'; color: var(--dim); font-family: system-ui, sans-serif; position: absolute; left: .7rem; }
.calls summary::before { left: .1rem; }
.calls details[open] > summary::before, .card > details[open] > summary::before { content: '\25BE'; }
.calls .inside { padding: 0 0 0 .45rem; margin-left: .3rem; border-left: 1px solid var(--line); }
.calls .facts-list { font-size: .8rem; margin: .2rem 0 .4rem .4rem; }
.gas { min-width: 4.5em; text-align: right; color: var(--number); }
.row { display: flex; flex-wrap: wrap; gap: .1rem .8rem; padding: .2rem 0; border-top: 1px solid var(--line); font-size: .87rem; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; margin: .4rem 0; }
caption { text-align: left; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; min-width: 3rem; }
th { font-weight: 600; }
tbody th, td { font-family: var(--mono); font-weight: normal; font-size: .95em; }
progress { width: 4rem; height: .5rem; margin-left: .5rem; accent-color: var(--accent); }

@media (max-width: 72rem) { .pair { display: block; } }
@media (max-width: 30rem) {
  table { font-size: .78rem; }
  th, td { padding-right: .4rem; }
  .gas { min-width: 0; }
}
@media (max-width: 52rem) {
  .columns { display: block; }
  aside { position: static; max-height: none; border-right: 0; border-bottom: 1px solid var(--line); }
  #methods { max-height: 14rem; overflow: auto; }
  #node { margin-left: 0; }
  header { padding: .6rem 1rem; }
  #about { display: none; }
  main { padding: 1rem; }
}
@media (prefers-reduced-motion: no-preference) { button, a { transition: border-color .12s, background-color .12s; } }
`;
