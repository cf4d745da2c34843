/**
 * The chain at a glance: its progress, its newest transactions as they are committed, and the accounts funded by a test
 * node.
 * @module
 */
export const glance: string = `
const NEWEST_SHOWN = 10;

/** What is shown now: { feed, isReading, isStale }. */
let glancing;

/** Shows how the chain is, and goes on showing it. A part that the node does not tell says why it failed. */
async function showGlance() {
  leaveGlance();
  const mine = { feed: undefined, isReading: false, isStale: false };
  glancing = mine;
  renewFacts(mine);
  fillPanel('glance-accounts', async (signal) => [await accountRows(signal)]);
  let head;
  await fillPanel('glance-newest', async (signal) => {
    const params = JSON.stringify([null, String(NEWEST_SHOWN), true]);
    const page = await call(methodNamed('getTransactionsByOrder'), params, signal);
    const items = itemsOf(member(page, 'data'));
    head = items.length === 0 ? -1n : BigInt(readTransaction(items[0]).order);
    return [element('ol', { class: 'rows' }, ...items.map(newestRow))];
  }, true);
  if (glancing !== mine || head === undefined) return;
  mine.feed = openFeed({ isEvents: false, filter: '"all"', next: head + 1n, tell: {
    item: (item) => {
      const list = byId('glance-newest').firstChild;
      list.prepend(newestRow(item));
      while (list.childElementCount > NEWEST_SHOWN) list.lastElementChild.remove();
      renewFacts(mine);
    },
    // After the chain went back, or this page lagged behind, the list is of another chain or has a gap.
    note: () => showGlance(),
    status: (text) => { byId('glance-live').textContent = text; },
    failed: (failure) => { byId('glance-live').textContent = 'New transactions are not shown by themselves: ' + failure.message; },
  } });
}

/** Another view is shown: nothing is followed for this one. */
function leaveGlance() {
  if (glancing) closeFeed(glancing.feed);
  glancing = undefined;
}

/** Reads the facts anew, after a burst of transactions once. */
async function renewFacts(mine) {
  mine.isStale = true;
  if (mine.isReading) return;
  mine.isReading = true;
  while (mine.isStale && glancing === mine) {
    mine.isStale = false;
    await fillPanel('glance-facts', async (signal) => [await chainFacts(signal)]);
  }
  mine.isReading = false;
}

/** What the follower of a Bitcoin node does, how far it is behind, and how long it will take. */
function followerLine(follower) {
  const [lag, rate, left] = ['lag', 'blocks_per_second', 'seconds_left'].map((name) => textAt(follower, name));
  const height = textAt(follower, 'node_height');
  return [
    textAt(follower, 'state'),
    height && 'Bitcoin node at height ' + height,
    lag && lag + ' blocks behind',
    rate && Number(rate).toFixed(1) + ' blocks/s',
    left && 'about ' + left + ' s left',
  ].filter(Boolean).join(', ');
}

async function chainFacts(signal) {
  const status = await call(methodNamed('status'), '[]', signal);
  const chain = member(status, 'chain_status') || member(status, 'rooch_status');
  const best = member(status, 'bitcoin_status');
  const block = ['pending_block', 'confirmed_block'].map((name) => textAt(best, name, 'block_height')).find(Boolean);
  const follower = member(status, 'follower_status');
  const root = textAt(chain, 'root_state', 'state_root');
  return factsList([
    ['Service', textAt(status, 'service_status')],
    ['Order', textAt(chain, 'sequencer_info', 'last_order')],
    ['State root', root && element('code', { title: root }, short(root))],
    ['Bitcoin height', block || 'no blocks yet'],
    ['Follows', follower && followerLine(follower)],
    ['Last error', follower && textAt(follower, 'last_error') !== 'null' ? textAt(follower, 'last_error') : undefined],
  ]);
}

function newestRow(item) {
  const read = readTransaction(item);
  return element('li', {},
    element('span', { class: 'order' }, read.order),
    linkTo(read.hash && transactionLink(read.hash), short(read.hash || '')),
    element('span', {}, whatItDoes(read)),
    statusMark(read.status));
}

async function accountRows(signal) {
  await loadFunded(signal);
  byId('glance-funded').hidden = funded.length === 0;
  return element('ol', { class: 'rows' }, ...funded.map((address, index) => element('li', {},
    element('span', { class: 'order' }, String(index)),
    element('a', { href: accountLink(address) }, short(address)),
    element('button', {
      type: 'button',
      'aria-label': 'Use account ' + index,
      onclick: () => useAccount(address),
    }, 'Use'),
    copyButton('Copy', () => address))));
}

/** Goes to the form of a transfer with this account as the sender. */
async function useAccount(address) {
  chosenSender = address;
  location.hash = sendLink('0x3::transfer');
}
`;
