/**
 * The chain at a glance: how far it is, its newest transactions, and the accounts that a test node funds.
 * @module
 */
export const glance: string = `
const NEWEST_SHOWN = 8;

let glancing;

/** Shows how the chain is now. A part that the node does not tell is left out, or says why it failed. */
async function showGlance() {
  if (glancing) glancing.abort();
  const mine = new AbortController();
  glancing = mine;
  const parts = [['glance-facts', chainFacts], ['glance-newest', newestTransactions], ['glance-accounts', accountRows]];
  await Promise.all(parts.map(async ([id, read]) => {
    const panel = byId(id);
    panel.setAttribute('aria-busy', 'true');
    let shown;
    try {
      shown = await read(mine.signal);
    } catch (failure) {
      if (glancing !== mine) return;
      shown = failureBox(failure);
    }
    if (glancing !== mine) return;
    panel.replaceChildren(shown);
    panel.removeAttribute('aria-busy');
  }));
}

async function chainFacts(signal) {
  const status = await call(methodNamed('status'), '[]', signal);
  const chain = member(status, 'chain_status') || member(status, 'rooch_status');
  const best = member(status, 'bitcoin_status');
  const block = ['pending_block', 'confirmed_block'].map((name) => textAt(best, name, 'block_height')).find(Boolean);
  const follower = member(status, 'follower_status');
  const lag = textAt(follower, 'lag');
  const facts = [
    ['Service', textAt(status, 'service_status')],
    ['Order', textAt(chain, 'sequencer_info', 'last_order')],
    ['State root', textAt(chain, 'root_state', 'state_root')],
    ['Bitcoin height', block || 'no blocks yet'],
    ['Follows', follower && [textAt(follower, 'state'), lag && lag !== 'null' ? lag + ' blocks behind' : undefined].filter(Boolean).join(', ')],
    ['Last error', follower && textAt(follower, 'last_error') !== 'null' ? textAt(follower, 'last_error') : undefined],
  ];
  return element('dl', { class: 'facts-list' }, ...facts.filter(([, value]) => value).flatMap(([name, value]) => [
    element('dt', {}, name), element('dd', {}, name === 'State root' ? element('code', { title: value }, short(value)) : value)]));
}

/** Newest first. */
async function newestTransactions(signal) {
  const params = JSON.stringify([null, String(NEWEST_SHOWN), true]);
  const result = await call(methodNamed('getTransactionsByOrder'), params, signal);
  const items = itemsOf(member(result, 'data'));
  if (items.length === 0) return element('p', { class: 'hint' }, 'None yet.');
  return element('ol', { class: 'rows' }, ...items.map((item) => {
    const info = member(item, 'execution_info');
    const hash = textAt(info, 'tx_hash');
    const target = hash && linkOf('tx_hash', hash);
    const called = textAt(item, 'transaction', 'action', 'function_call', 'function_id');
    const what = called ? called.replace(/^(?:0x)?0*([0-9a-f]+::)/, '0x$1') : textAt(item, 'transaction', 'data', 'type') || textAt(item, 'transaction', 'action_type');
    return element('li', {},
      element('span', { class: 'order' }, textAt(item, 'sequence_info', 'tx_order') || textAt(item, 'transaction', 'sequence_info', 'tx_order')),
      target ? element('a', { href: target }, short(hash)) : element('code', {}, short(hash || '')),
      element('span', { class: 'hint' }, [what, textAt(info, 'status', 'type')].filter(Boolean).join(' · ')));
  }));
}

async function accountRows(signal) {
  await loadFunded(signal);
  byId('glance-funded').hidden = funded.length === 0;
  return element('ol', { class: 'rows' }, ...funded.map((address, index) => element('li', {},
    element('span', { class: 'order' }, String(index)),
    element('a', { href: stateLink('/resource/' + address) }, short(address)),
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
