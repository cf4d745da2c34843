/**
 * The playground: the web client with an engine inside, as a static page. `scripts/playground.mjs` builds it and the
 * engine's worker; any file server serves both.
 * @module
 */
import { markup } from './markup.ts';
import { hashSource, htmlPage } from './page.ts';
import { code } from './script/code.ts';
import { scriptWith } from './script.ts';
import { style } from './style.ts';

const TAB = '<a id="chain-tab"';

const CODE_VIEW = `
<main id="code-view" tabindex="-1" hidden>
  <div class="heading"><h2>Playground</h2>
    <p class="tools">
      <button id="code-link" type="button">Copy link</button>
      <button id="code-save" type="button">Save run</button>
      <label class="button">Open run <input id="code-open" class="offscreen" type="file"></label>
      <button id="code-anew" type="button" class="danger">New chain</button>
    </p></div>
  <p id="code-shared" class="facts" role="status"></p>
  <div class="pair">
    <form id="code" class="panel" aria-label="Code">
      <p class="tools">
        <label for="code-sender">Publisher</label> <select id="code-sender"></select>
        <button id="code-publish" type="submit" class="primary">Publish</button>
        <span id="code-state" class="hint" role="status"></span>
        <button id="code-example" type="button" class="quiet">The example again</button>
      </p>
      <div class="editor"><pre id="code-lines" aria-hidden="true"></pre><label for="code-text" class="offscreen">Source in Move</label><textarea
        id="code-text" wrap="off" spellcheck="false" autocomplete="off" autocapitalize="off"></textarea></div>
      <ol id="code-troubles" class="rows"></ol>
    </form>
    <section class="panel" aria-label="What was published"><div id="code-answer"></div></section>
  </div>
</main>
`;

const CODE_STYLE = `
#menu { display: none; }
.editor { display: grid; grid-template-columns: max-content 1fr; max-height: 34rem; overflow: auto; border: 1px solid var(--edge); border-radius: 6px; background: var(--ground); font: .87rem/1.5 var(--mono); }
.editor:focus-within { outline: 2px solid var(--accent); outline-offset: 2px; }
.editor pre { padding: .5rem .6rem; text-align: right; color: var(--dim); user-select: none; font: inherit; position: sticky; left: 0; background: var(--raised); }
.editor pre .failed { color: var(--bad); font-weight: 700; }
.editor textarea { border: 0; border-radius: 0; padding: .5rem .6rem; background: none; font: inherit; resize: none; overflow: hidden; white-space: pre; width: 100%; min-width: 44rem; tab-size: 4; outline: none; }
label.button { cursor: pointer; border: 1px solid var(--line); border-radius: 6px; padding: .35rem .6rem; position: relative; }
label.button:focus-within { outline: 2px solid var(--accent); outline-offset: 2px; }
.steps { list-style: decimal; padding-left: 1.4rem; display: grid; gap: .5rem; max-width: 40rem; }
#code-troubles:not(:empty) { margin-top: .7rem; }
`;

/**
 * @param source the initial text of the editor
 * @returns the page; its style and script are allowed by their hashes, its worker by its origin
 */
export function playgroundHtml(source: string): string {
  const script = scriptWith(`const DEFAULT_SOURCE = ${JSON.stringify(source).replaceAll('<', '\\u003c')};\n${code}`);
  const look = style + CODE_STYLE;
  const policy = [
    "default-src 'none'",
    `style-src ${hashSource(look)}`,
    `script-src 'self' ${hashSource(script)}`,
    "worker-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = `
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="description" content="A Move and Bitcoin chain in a page: write a contract, publish it, call it, see what happened, share the run as a link.">`;
  const tab = '<a id="code-tab" href="#/code">Playground</a>\n      ';
  return htmlPage(head, look, markup.replace(TAB, tab + TAB) + CODE_VIEW, script);
}
