/**
 * The static elements of the web client. The script adds what the node says, as text.
 * @module
 */
export const markup: string = `
<a id="skip" href="#skip">Skip to the content</a>
<header>
  <h1>movelet</h1>
  <p id="about">A Move and Bitcoin chain: call its methods, send transactions, watch and browse it.</p>
  <nav aria-label="Views">
    <a id="chain-tab" href="#/chain">The chain</a>
    <a id="call-tab" href="#/call">Call a method</a>
    <a id="send-tab" href="#/send/0x3::transfer">Call a function</a>
    <a id="watch-tab" href="#/watch">Watch</a>
    <a id="state-tab" href="#/state/object">Browse the state</a>
    <a id="dev-tab" href="#/dev" hidden>Controls</a>
  </nav>
  <form id="find" role="search">
    <label for="find-what" class="offscreen">Find</label>
    <input id="find-what" type="search" required spellcheck="false" autocomplete="off" aria-describedby="find-trouble"
      placeholder="Order, hash, address, object, module…">
    <button type="submit">Find</button>
    <span id="find-trouble" class="trouble" role="status"></span>
  </form>
  <form id="node">
    <label for="url">Node URL</label>
    <input id="url" type="url" required spellcheck="false" autocomplete="off">
    <button type="submit">Connect</button>
  </form>
  <p id="status" role="status"></p>
</header>
<p id="said" class="offscreen" role="status"></p>
<noscript><p class="error">This page needs JavaScript. Requests also go by POST to the address of this page.</p></noscript>

<main id="chain-view" tabindex="-1" hidden>
  <h2>The chain</h2>
  <div id="glance-facts"></div>
  <div class="pair">
    <section aria-labelledby="newest-title">
      <h3 id="newest-title">Newest transactions</h3>
      <p id="glance-live" class="help"></p>
      <div id="glance-newest"></div>
    </section>
    <section id="glance-funded" aria-labelledby="accounts-title" hidden>
      <h3 id="accounts-title">Funded accounts <span class="hint">their keys are public: for tests only</span></h3>
      <div id="glance-accounts"></div>
    </section>
  </div>
</main>

<main id="tx-view" tabindex="-1" hidden>
  <h2 id="tx-title">Transaction</h2>
  <div id="tx"></div>
</main>

<main id="account-view" tabindex="-1" hidden>
  <h2 id="account-title">Account</h2>
  <div id="account"></div>
</main>

<div id="call-view" class="columns" hidden>
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
  <main tabindex="-1">
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
    <section id="answer" aria-labelledby="response-title" tabindex="-1">
      <h3 id="response-title">Response</h3>
      <div id="response"></div>
    </section>
  </main>
</div>

<main id="send-view" tabindex="-1" hidden>
  <h2>Call a function</h2>
  <form id="tx-find" class="inline">
    <label for="tx-module">Module</label>
    <input id="tx-module" type="text" required spellcheck="false" autocomplete="off" placeholder="0x3::transfer" aria-describedby="tx-module-help">
    <button type="submit">Open</button>
  </form>
  <p id="tx-module-help" class="help">
    <code>ADDRESS::MODULE</code>, such as <a href="#/send/0x3::transfer">0x3::transfer</a>; an address alone, such as
    <a href="#/send/0x3">0x3</a>, lists its modules.
  </p>
  <div id="tx-found"></div>
  <div id="tx-off" class="notice" hidden>
    <p><strong>This node only takes signed transactions.</strong> Start it with <code>--dev</code> for calls without a signature
      (<code>npm start</code> does), or copy the call as a command, which signs it for a funded account.</p>
  </div>
  <div class="pair">
    <form id="tx-form" aria-label="Call" novalidate hidden>
      <div class="field">
        <label for="tx-function">Function</label>
        <select id="tx-function"></select>
      </div>
      <div class="field only-sent">
        <label for="tx-sender">Sender <span class="hint">a funded account, without its signature</span></label>
        <select id="tx-sender"></select>
      </div>
      <div class="field" id="tx-another-row" hidden>
        <label for="tx-another">Address of the sender</label>
        <input id="tx-another" type="text" spellcheck="false" autocomplete="off" aria-describedby="tx-another-trouble">
        <p id="tx-another-trouble" class="trouble" hidden></p>
      </div>
      <div id="tx-fields"></div>
      <div class="field only-sent">
        <label for="tx-gas">Gas limit <span class="hint">optional</span></label>
        <input id="tx-gas" type="text" inputmode="numeric" spellcheck="false" autocomplete="off" aria-describedby="tx-gas-trouble">
        <p id="tx-gas-trouble" class="trouble" hidden></p>
      </div>
      <p id="tx-tools" class="tools">
        <button id="tx-look" type="submit" class="primary" hidden>View</button>
        <button id="tx-send" type="submit" class="primary only-sent">Send</button>
        <button id="tx-try" type="button" class="only-sent">Dry run</button>
      </p>
    </form>
    <section id="tx-answer" aria-label="Receipt" tabindex="-1"><div id="tx-receipt"></div></section>
  </div>
</main>

<main id="watch-view" tabindex="-1" hidden>
  <h2>Watch the chain</h2>
  <form id="watch" class="inline">
    <span class="labelled">
      <label for="watch-kind">What</label>
      <select id="watch-kind"><option value="events">events</option><option value="transactions">transactions</option></select>
    </span>
    <span class="labelled wide">
      <label for="watch-filter">Filter</label>
      <input id="watch-filter" type="text" spellcheck="false" autocomplete="off" placeholder="all" aria-describedby="watch-help">
    </span>
    <span class="labelled">
      <label for="watch-from">From order</label>
      <input id="watch-from" type="text" inputmode="numeric" spellcheck="false" autocomplete="off" placeholder="now" aria-describedby="watch-help">
    </span>
    <button id="watch-start" type="submit" class="primary">Start</button>
    <button id="watch-stop" type="button" disabled>Stop</button>
  </form>
  <p id="watch-help" class="help">
    The filter is an event type, a sender of transactions, or JSON as <code>queryEvents</code> and
    <code>queryTransactions</code> take it. What comes is shown first, what was before below it; with an order, all since then.
  </p>
  <p id="watch-status" role="status"></p>
  <p id="watch-count" class="facts"></p>
  <div id="watch-trouble"></div>
  <ol id="watch-list" aria-label="Newest first"></ol>
  <div id="watch-past"></div>
</main>

<main id="dev-view" tabindex="-1" hidden>
  <h2>Controls of a test node</h2>
  <p id="dev-off" class="notice" hidden>This node has no controls. A test node has: start it with <code>--dev</code> (<code>npm start</code> does).</p>
  <div id="dev-outcome" role="status"></div>
  <div class="pair">
    <div>
      <section id="dev-time-part" aria-labelledby="dev-time-title" hidden>
        <h3 id="dev-time-title">Time</h3>
        <div id="dev-now"></div>
        <form id="dev-advance" class="inline">
          <label for="dev-advance-by">Advance by</label>
          <input id="dev-advance-by" type="text" inputmode="numeric" required value="1" size="6" autocomplete="off">
          <label for="dev-advance-unit" class="offscreen">Unit</label>
          <select id="dev-advance-unit">
            <option value="1000">seconds</option><option value="60000">minutes</option>
            <option value="3600000" selected>hours</option><option value="86400000">days</option>
          </select>
          <button type="submit">Advance</button>
        </form>
        <form id="dev-set" class="inline">
          <label for="dev-set-to">Set to <span class="hint">UTC, never back</span></label>
          <input id="dev-set-to" type="datetime-local" required>
          <button type="submit">Set</button>
        </form>
      </section>
      <section id="dev-mine-part" aria-labelledby="dev-mine-title" hidden>
        <h3 id="dev-mine-title">Bitcoin blocks</h3>
        <form id="dev-mine" class="inline">
          <label for="dev-mine-count">Blocks</label>
          <input id="dev-mine-count" type="text" inputmode="numeric" required value="1" size="4" autocomplete="off">
          <label for="dev-mine-to">Coinbase to</label>
          <input id="dev-mine-to" type="text" spellcheck="false" autocomplete="off" placeholder="the first funded account">
          <button type="submit">Mine</button>
        </form>
      </section>
    </div>
    <div>
      <section id="dev-snapshot-part" aria-labelledby="dev-snapshot-title" hidden>
        <h3 id="dev-snapshot-title">Snapshots <span class="hint">of this page</span></h3>
        <form id="dev-snapshot"><p class="tools"><button type="submit">Take a snapshot</button></p></form>
        <ol id="dev-snapshots" class="rows"></ol>
      </section>
      <section id="dev-fund-part" aria-labelledby="dev-fund-title" hidden>
        <h3 id="dev-fund-title">Coins</h3>
        <form id="dev-fund">
          <div class="field"><label for="dev-fund-account">Account</label>
            <input id="dev-fund-account" type="text" required spellcheck="false" autocomplete="off"></div>
          <div class="field"><label for="dev-fund-coin">Coin type</label>
            <input id="dev-fund-coin" type="text" required spellcheck="false" autocomplete="off" value="0x3::gas_coin::RGas"></div>
          <div class="field"><label for="dev-fund-amount">Amount <span class="hint">in the smallest unit</span></label>
            <input id="dev-fund-amount" type="text" inputmode="numeric" required autocomplete="off"></div>
          <button type="submit">Mint</button>
        </form>
      </section>
    </div>
  </div>
</main>

<main id="state-view" tabindex="-1" hidden>
  <h2>State</h2>
  <form id="browse" class="inline">
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
