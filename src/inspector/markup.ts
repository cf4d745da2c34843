/**
 * The static elements of the web client. The script adds the node's answers, as text.
 * @module
 */
export const markup: string = `
<a id="skip" href="#skip">Skip to the content</a>
<header>
  <div class="bar">
    <h1><a href="#/chain">movelet</a></h1>
    <nav aria-label="Views">
      <a id="chain-tab" href="#/chain">Chain</a>
      <a id="contract-tab" href="#/contract">Contracts</a>
      <a id="accounts-tab" href="#/accounts">Accounts</a>
      <a id="dev-tab" href="#/dev" hidden>Controls</a>
      <a id="call-tab" href="#/call">Methods</a>
    </nav>
    <form id="find" role="search">
      <label for="find-what" class="offscreen">Find</label>
      <input id="find-what" type="search" required spellcheck="false" autocomplete="off" aria-describedby="find-trouble"
        aria-keyshortcuts="/" placeholder="Search: order, hash, account, object, contract…">
      <button type="submit" class="offscreen">Find</button>
      <kbd aria-hidden="true">/</kbd>
    </form>
    <a id="chip" href="#/chain" title="The chain, and the order of its newest transaction" hidden></a>
    <button id="look" type="button" class="icon" aria-label="Light or dark">◐</button>
    <details id="menu">
      <summary class="icon" aria-label="Node">⋯</summary>
      <form id="node">
        <label for="url">Node URL</label>
        <input id="url" type="url" required spellcheck="false" autocomplete="off">
        <button type="submit">Connect</button>
        <p class="help">Another node must allow this page: <code>--cors ORIGIN</code>.</p>
      </form>
    </details>
  </div>
  <p id="find-trouble" class="trouble" role="status"></p>
  <p id="status" role="status"></p>
</header>
<p id="said" class="offscreen" role="status"></p>
<noscript><p class="error">This page needs JavaScript. Requests also go by POST to the address of this page.</p></noscript>

<main id="lost-view" tabindex="-1" hidden>
  <h2>Nothing is here</h2>
  <p>This page has no view <code id="lost-name"></code>.</p>
  <p>It has <a href="#/chain">the chain</a>, <a href="#/contract">contracts</a>, <a href="#/accounts">accounts</a>,
    <a href="#/state/object">objects</a>, <a href="#/watch">what happens now</a>, <a href="#/dev">controls</a> and
    <a href="#/call">methods</a>. The search above finds transactions, accounts, objects and contracts.</p>
</main>

<main id="chain-view" tabindex="-1" hidden>
  <h2 id="chain-title">Chain</h2>
  <div id="glance-facts"></div>
  <section class="panel" aria-labelledby="newest-title">
    <h3 id="newest-title">Newest transactions <span id="glance-live" class="hint"></span>
      <a class="more" href="#/watch?what=transactions&amp;filter=all">Watch, and all before</a></h3>
    <div id="glance-newest"></div>
  </section>
  <div class="pair">
    <section id="glance-funded" class="panel" aria-labelledby="accounts-title" hidden>
      <h3 id="accounts-title">Accounts <span class="hint">funded, for tests</span> <a class="more" href="#/accounts">Addresses</a></h3>
      <div id="glance-accounts"></div>
    </section>
    <section class="panel" aria-labelledby="published-title">
      <h3 id="published-title">Contracts <span class="hint">published here</span> <a class="more" href="#/contract">All</a></h3>
      <div id="glance-published"></div>
    </section>
  </div>
  <div id="glance-node"></div>
</main>

<main id="tx-view" tabindex="-1" hidden>
  <div class="heading"><h2 id="tx-title">Transaction</h2><p id="tx-near" class="tools"></p></div>
  <div id="tx"></div>
</main>

<main id="accounts-view" tabindex="-1" hidden>
  <h2>Accounts</h2>
  <div id="accounts"></div>
</main>

<main id="account-view" tabindex="-1" hidden>
  <h2 id="account-title">Account</h2>
  <p id="account-name" class="id"></p>
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
      <form id="call" class="panel" aria-labelledby="method-name">
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
      <section class="panel" aria-labelledby="request-title">
        <h3 id="request-title">Request</h3>
        <div id="request-tools" class="tools"></div>
        <div id="request" class="code"></div>
      </section>
    </div>
    <section id="answer" class="panel" aria-labelledby="response-title" tabindex="-1">
      <h3 id="response-title">Response</h3>
      <div id="response"></div>
    </section>
  </main>
</div>

<main id="contract-view" tabindex="-1" hidden>
  <h2 id="contract-title">Contracts</h2>
  <p id="contract-name" class="id"></p>
  <div id="contract"></div>
  <div id="tx-part" hidden>
    <p id="tx-module" class="help"></p>
    <div id="tx-off" class="notice" hidden>
      <p><strong>This node only takes signed transactions.</strong> Start it with <code>--dev</code> for calls without a signature
        (<code>npm start</code> does), or copy the call as a command, which signs it for a funded account.</p>
    </div>
    <div class="pair">
      <form id="tx-form" class="panel" aria-label="Call" novalidate>
        <div class="field only-sent">
          <label for="tx-sender">Sender <span class="hint">without its signature</span></label>
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
        <p class="tools">
          <button id="tx-look" type="submit" class="primary" hidden>View</button>
          <button id="tx-send" type="submit" class="primary only-sent">Send</button>
          <button id="tx-try" type="button" class="only-sent">Simulate first</button>
        </p>
      </form>
      <section class="panel" aria-labelledby="tx-same-title">
        <h3 id="tx-same-title">The same elsewhere <span class="hint">as a command, and in TypeScript</span></h3>
        <div class="command" id="tx-command-copy"><pre id="tx-command" class="code" tabindex="0"></pre></div>
        <div class="command" id="tx-program-copy"><pre id="tx-program" class="code" tabindex="0"></pre></div>
      </section>
    </div>
    <section id="tx-answer" aria-label="Receipt" tabindex="-1"><div id="tx-receipt"></div></section>
  </div>
</main>

<main id="watch-view" tabindex="-1" hidden>
  <h2>Watch</h2>
  <form id="watch" class="inline">
    <span class="labelled">
      <label for="watch-kind">What</label>
      <select id="watch-kind"><option value="transactions">transactions</option><option value="events">events</option></select>
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
    <button id="watch-pause" type="button" disabled>Pause</button>
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
  <h2>Controls</h2>
  <p id="dev-off" class="notice" hidden>This node has no controls. A test node has: start it with <code>--dev</code> (<code>npm start</code> does).</p>
  <div id="dev-outcome" role="status"></div>
  <div class="grid">
    <section id="dev-time-part" class="panel" aria-labelledby="dev-time-title" hidden>
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
        <label for="dev-set-to">Set to <span class="hint">UTC</span></label>
        <input id="dev-set-to" type="datetime-local" required>
        <button type="submit">Set</button>
      </form>
      <p class="help">Contracts see the new time from the next transaction on. It never goes back, except to a snapshot.</p>
    </section>
    <section id="dev-fund-part" class="panel" aria-labelledby="dev-fund-title" hidden>
      <h3 id="dev-fund-title">Balance</h3>
      <form id="dev-fund">
        <div class="field"><label for="dev-fund-choice">Account</label>
          <select id="dev-fund-choice"></select></div>
        <div class="field" id="dev-fund-another" hidden><label for="dev-fund-to">Address</label>
          <input id="dev-fund-to" type="text" spellcheck="false" autocomplete="off"></div>
        <div class="field"><label for="dev-fund-amount">Amount <span class="hint">in coins</span></label>
          <input id="dev-fund-amount" type="text" inputmode="decimal" required value="100" autocomplete="off"></div>
        <div class="field"><label for="dev-fund-coin">Coin type</label>
          <input id="dev-fund-coin" type="text" required spellcheck="false" autocomplete="off" value="0x3::gas_coin::RGas"></div>
        <button type="submit">Mint</button>
      </form>
      <p class="help">Makes new coins for the account; the supply grows by as many.</p>
    </section>
    <section id="dev-mine-part" class="panel" aria-labelledby="dev-mine-title" hidden>
      <h3 id="dev-mine-title">Bitcoin blocks</h3>
      <form id="dev-mine">
        <div class="field"><label for="dev-mine-count">Blocks</label>
          <input id="dev-mine-count" type="text" inputmode="numeric" required value="1" size="4" autocomplete="off"></div>
        <div class="field"><label for="dev-mine-choice">Reward to</label>
          <select id="dev-mine-choice"></select></div>
        <div class="field" id="dev-mine-another" hidden><label for="dev-mine-to">Bitcoin address</label>
          <input id="dev-mine-to" type="text" spellcheck="false" autocomplete="off"></div>
        <button type="submit">Mine</button>
      </form>
      <p class="help">Each block is taken in as if it came from Bitcoin: its reward is an output of that account.</p>
    </section>
    <section id="dev-snapshot-part" class="panel" aria-labelledby="dev-snapshot-title" hidden>
      <h3 id="dev-snapshot-title">Snapshots <span class="hint">of this page</span></h3>
      <form id="dev-snapshot"><p class="tools"><button type="submit">Take a snapshot</button></p></form>
      <ol id="dev-snapshots" class="rows"></ol>
      <p class="help">Going to a snapshot takes back all transactions since, or brings back those that were taken back.</p>
    </section>
    <section id="dev-reset-part" class="panel" aria-labelledby="dev-reset-title" hidden>
      <h3 id="dev-reset-title">Reset</h3>
      <form id="dev-reset"><p class="tools"><button type="submit" class="danger">Back to the beginning</button></p></form>
      <p class="help">Takes back everything since the chain began: transactions, contracts, blocks. Take a snapshot before, to be able to return.</p>
    </section>
  </div>
</main>

<main id="state-view" tabindex="-1" hidden>
  <nav id="state-here" aria-label="Path"></nav>
  <h2 id="state-title">State</h2>
  <div id="state"></div>
  <details class="paths">
    <summary>Open an access path</summary>
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
  </details>
</main>
`;
