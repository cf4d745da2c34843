/**
 * The elements of the web client that are always there. What a node says is added by the script, as text.
 * @module
 */
export const markup: string = `
<header>
  <h1>movelet</h1>
  <nav aria-label="Views">
    <a id="call-tab" href="#/call">Call a method</a>
    <a id="state-tab" href="#/state/object">Browse the state</a>
  </nav>
  <form id="node">
    <label for="url">Node URL</label>
    <input id="url" type="url" required spellcheck="false" autocomplete="off">
    <button type="submit">Connect</button>
  </form>
  <p id="status" role="status"></p>
</header>
<p id="said" class="offscreen" role="status"></p>
<noscript><p class="error">This page needs JavaScript. Requests also go by POST to the address of this page.</p></noscript>

<div id="call-view" class="columns">
  <aside>
    <details id="method-panel" open>
      <summary><h2>Methods</h2></summary>
      <label for="filter" class="offscreen">Find a method, or name one</label>
      <input id="filter" type="search" placeholder="Find or name a method" spellcheck="false" autocomplete="off">
      <nav id="methods" aria-label="Methods"></nav>
    </details>
    <details id="past-panel">
      <summary><h2>History <span id="past-count" class="hint">0</span></h2></summary>
      <ol id="past-list"></ol>
      <button id="past-clear" type="button" class="quiet" hidden>Clear history</button>
    </details>
  </aside>
  <main>
    <h2 id="method-name"></h2>
    <p id="method-about"></p>
    <div class="pair">
      <form id="call" aria-labelledby="method-name">
        <p id="examples" class="tools"></p>
        <div id="fields"></div>
        <div id="params-row" class="field" hidden>
          <label for="params">Parameters <span class="hint">a JSON array, or an object with names</span></label>
          <textarea id="params" rows="6" spellcheck="false"></textarea>
          <p id="params-trouble" class="trouble" hidden></p>
        </div>
        <p class="tools">
          <button id="send" type="submit" class="primary" disabled>Send</button>
          <label class="check"><input id="as-json" type="checkbox"> Parameters as JSON</label>
        </p>
      </form>
      <section aria-labelledby="request-title">
        <h3 id="request-title">Request</h3>
        <div id="request-tools" class="tools"></div>
        <div id="request" class="code"></div>
      </section>
    </div>
    <section aria-labelledby="response-title">
      <h3 id="response-title">Response</h3>
      <div id="response"></div>
    </section>
  </main>
</div>

<main id="state-view" hidden>
  <h2>State</h2>
  <form id="browse">
    <label for="path">Access path</label>
    <input id="path" type="text" required spellcheck="false" autocomplete="off" aria-describedby="path-help">
    <button type="submit">Open</button>
  </form>
  <p id="path-help" class="help">
    <a href="#/state/object">/object</a> lists all objects, <code>/object/ID</code> or <code>/object/TYPE</code> shows one and
    its fields, <code>/resource/ADDRESS</code> the resources of an account such as
    <a href="#/state/resource/0x3">/resource/0x3</a>, <code>/module/ADDRESS</code> its modules such as
    <a href="#/state/module/0x2">/module/0x2</a>, <code>/fields/ID</code> the fields of an object or table.
  </p>
  <nav id="state-here" aria-label="Path"></nav>
  <div id="state"></div>
</main>
`;
