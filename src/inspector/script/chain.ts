/**
 * The chain at a glance: its network and height, the newest transactions, accounts and contracts; and the funded accounts.
 * @module
 */
export const chain: string = `
const NEWEST_SHOWN = 10;
/** The least time between two refreshes. */
const RENEWAL_MS = 250;

/** The state of the view: { feed, isReading, isStale }. */
let glancing;

/** Shows the chain and keeps it up to date. A part that cannot be read shows why. */
async function showGlance() {
  leaveGlance();
  const mine = { feed: undefined, isReading: false, isStale: false };
  glancing = mine;
  byId('glance-newest').replaceChildren(waiting());
  byId('glance-node').replaceChildren(openingCard({ title: 'Node', facts: [hint('state, limits, versions')], isPlain: true, fill: nodeFacts }));
  await loadFunded().catch(() => {});
  if (glancing !== mine) return;
  const head = await renewGlance(mine);
  if (glancing !== mine || head === undefined) return;
  mine.feed = openFeed({ isEvents: false, filter: '"all"', next: head + 1n, tell: {
    item: () => renewGlance(mine),
    // After a revert, or a lag of this page, the list has replaced transactions or a gap.
    note: () => showGlance(),
    status: (text) => {
      byId('glance-live').textContent = text.startsWith('Watching') ? 'live' : text;
    },
    failed: (failure) => {
      byId('glance-live').textContent = 'New transactions are not shown by themselves: ' + failure.message;
    },
  } });
}

/** Stops updates when another view is shown. */
function leaveGlance() {
  if (glancing) closeFeed(glancing.feed);
  glancing = undefined;
}

/** Refreshes all parts, once after a burst of transactions. Promises the newest order. */
async function renewGlance(mine) {
  mine.isStale = true;
  if (mine.isReading) return undefined;
  mine.isReading = true;
  let head;
  while (mine.isStale && glancing === mine) {
    mine.isStale = false;
    await Promise.all([
      fillPanel('glance-facts', async (signal) => chainFacts(signal)),
      fillPanel('glance-newest', async (signal) => {
        const page = await call(methodNamed('getTransactionsByOrder'), JSON.stringify([null, String(NEWEST_SHOWN), true]), signal);
        const items = itemsOf(member(page, 'data'));
        head = items.length === 0 ? -1n : BigInt(readTransaction(items[0]).order);
        const done = items.filter((item) => readTransaction(item).order !== '0');
        return done.length === 0 ? nothingYet() : [await transactionTable(done, signal)];
      }),
      fillPanel('glance-accounts', accountRows),
      fillPanel('glance-published', async (signal) => publishedList(await publishedHere(signal))),
    ]);
    if (mine.isStale) await new Promise((resolve) => setTimeout(resolve, RENEWAL_MS));
  }
  mine.isReading = false;
  return head;
}

const nothingYet = () => [
  empty('Nothing has happened on this chain yet. ', element('a', { href: contractLink('0x3::transfer::transfer_coin') }, 'Send coins'), ' from one account to another, ', ...(inside ? [element('a', { href: '#/code' }, 'publish a contract'), '.'] : ['publish a contract, or run a program against ', element('code', {}, nodeUrl()), '.'])),
];

const publishedList = (packages) => (packages.length === 0 ? howToPublish() : [element('ul', { class: 'rows' }, packages.map(({ address, modules }) => element('li', {},
  element('span', { class: 'names' }, modules.map((name) => moduleTag(address, name))), hint('by'), accountTag(address))))]);

const NETWORKS = { 1: 'The main network', 2: 'The test network', 3: 'A development chain', 4: 'A local chain' };

/** The chain in a sentence and in figures. */
async function chainFacts(signal) {
  const [status, id, clock] = await Promise.all([
    call(methodNamed('status'), '[]', signal),
    call(methodNamed('getChainID'), '[]', signal).then(textAt, () => undefined),
    isOffered('dev_time') ? readClock(signal).catch(() => undefined) : undefined,
  ]);
  const chain = chainStatus(status);
  const order = textAt(chain, 'sequencer_info', 'last_order');
  const block = ['pending_block', 'confirmed_block'].map((name) => textAt(member(status, 'bitcoin_status'), name, 'block_height')).find(Boolean);
  const follower = member(status, 'follower_status');
  const isLocal = id === '4' || id === '3';
  showChip(id, order);
  byId('chain-title').textContent = NETWORKS[id] || 'Chain ' + (id || '');
  const figure = (name, value, about) => element('div', { class: 'figure' }, element('dt', {}, name), element('dd', {}, element('strong', {}, value), ...(about ? [element('span', { class: 'hint' }, about)] : [])));
  return [
    element('p', { class: 'lead' }, ...whatFor(isLocal)),
    element('dl', { class: 'figures' },
      figure('Transactions', order === undefined ? '?' : decimalText(order, 0), 'order of the newest'),
      clock && figure('Time', momentText(clock.now).slice(0, 19), clock.isRunning ? 'running' : 'standing still'),
      figure('Bitcoin height', block ? decimalText(block, 0) : 'none', block ? 'newest block' : 'no blocks yet'),
      figure('Service', textAt(status, 'service_status') || '?', follower ? followerLine(follower) : undefined)),
  ];
}

/** The purpose of the chain, in a sentence. */
function whatFor(isLocal) {
  if (isOffered('dev_call')) return ['For tests: accounts have coins, calls need no signatures, and its ', element('a', { href: '#/dev' }, 'clock, balances and blocks'), ' can be set.'];
  if (!isLocal) return ['Its clock and its blocks are those of the network.'];
  return ['It takes signed transactions only. Started with ', element('code', {}, '--dev'), ', its node has accounts with coins, calls without signatures, and controls.'];
}

async function nodeFacts() {
  const status = await call(methodNamed('status'), '[]');
  const chain = chainStatus(status);
  const follower = member(status, 'follower_status');
  const limits = (documented.info && documented.info['x-limits']) || {};
  const root = textAt(chain, 'root_state', 'state_root');
  return factsList([
    ['State root', root && element('code', {}, root)],
    ['Objects at the root', textAt(chain, 'root_state', 'size')],
    ['Version', documented.info && wordsOf(documented.info['x-package-version'])],
    ['Methods', element('a', { href: '#/call' }, String(methods.length))],
    ['Objects', element('a', { href: '#/state/object' }, 'all of them')],
    ['History', textAt(status, 'history_status', 'kept')],
    ['Follows', follower && followerLine(follower)],
    ['Last error', follower && textAt(follower, 'last_error')],
    ...Object.entries(limits).map(([name, limit]) => [name.replace(/([A-Z])/g, (letter) => ' ' + letter.toLowerCase()), String(limit)]),
  ]);
}

/** The state of the follower of a Bitcoin node, its lag, and the remaining time. */
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

/** The chain and its height in the bar above each view. */
function showChip(id, order) {
  const name = { 1: 'main', 2: 'test', 3: 'dev', 4: 'local' }[id] || 'chain ' + (id || '?');
  byId('chip').replaceChildren(element('span', { class: 'mark', 'aria-hidden': 'true' }), name, ' ', element('strong', {}, '#' + (order === undefined ? '?' : order)));
  byId('chip').hidden = false;
}

/** Refreshes the bar; without an answer it is hidden, since the status below says why. */
async function renewChip() {
  await Promise.all([call(methodNamed('getChainID'), '[]').then(textAt), headOrder()]).then(
    ([id, order]) => showChip(id, order),
    () => {
      byId('chip').hidden = true;
    });
}

/** All coins of an account: { type, units, coin }. */
async function balancesOf(address, signal) {
  const page = await call(methodNamed('getBalances'), JSON.stringify([address, null, PAGE_ITEMS]), signal);
  return itemsOf(member(page, 'data')).map(readBalance);
}

const fundedBalances = (signal) => Promise.all(funded.map((address) => balancesOf(address, signal).catch(() => [])));

async function accountRows(signal) {
  await loadFunded(signal);
  byId('glance-funded').hidden = funded.length === 0;
  const balances = await fundedBalances(signal);
  return [element('ol', { class: 'rows accounts' }, funded.map((address, index) => element('li', {}, accountTag(address),
    ...(balances[index].length === 0 ? [hint('no coins')] : balances[index].map(({ units, coin }) => amountTag(units, coin))))))];
}

/** Shows the funded accounts with their balances. */
async function showAccounts() {
  await fillPanel('accounts', async (signal) => {
    await loadFunded(signal).catch(() => {});
    if (funded.length === 0) return [empty('This chain began without funded accounts. Any other is found by its address, in the search above.')];
    const accounts = itemsOf(await call('dev_accounts', '[]', signal));
    const balances = await fundedBalances(signal);
    const rows = accounts.map((account, index) => {
      const address = textAt(account, 'address');
      return [accountTag(address), balances[index].length === 0 ? hint('none') : balances[index].map(({ units, coin }) => element('div', {}, amountTag(units, coin))),
        element('span', { class: 'id' }, short(address)),
        [copyButton('Copy', () => address, 'Copy the address of account ' + index), ' ',
          element('a', { class: 'button', href: contractLink('0x3::transfer::transfer_coin'), 'aria-label': 'Send from account ' + index, onclick: () => {
            chosenSender = address;
          } }, 'Send')]];
    });
    say('Accounts are shown.');
    return [
      panel('Funded accounts', 'their keys are public: for tests only', table(['Account', 'Balance', 'Address', ''], rows, { class: 'wide', label: 'Funded accounts' })),
      empty('Any other account is found by its address, in the search above.'),
    ];
  }, true);
}
`;
