/**
 * A transaction: what it was, how it ended and why, its events, what it changed, and its trace.
 * @module
 */
export const transaction: string = `
/** The parts of a transaction with its infos, in either form of the wire. */
function readTransaction(item) {
  const outer = member(item, 'transaction');
  const data = member(outer, 'data') || outer;
  const info = member(item, 'execution_info');
  const sequence = member(item, 'sequence_info') || member(outer, 'sequence_info');
  return {
    data, info, sequence,
    order: textAt(sequence, 'tx_order'),
    hash: textAt(info, 'tx_hash'),
    status: member(info, 'status'),
    called: shortName(textAt(data, 'action', 'function_call', 'function_id') || '') || undefined,
  };
}

/** What it does, in a few words. */
function whatItDoes({ data, called }) {
  if (called) return short(called);
  const block = member(member(data, 'action'), 'l1_block') || data;
  const height = textAt(block, 'block_height');
  if (height !== undefined) return 'Bitcoin block ' + height;
  const txid = textAt(member(member(data, 'action'), 'l1_transaction') || data, 'bitcoin_txid');
  if (txid !== undefined) return 'Bitcoin transaction ' + txid.slice(0, 8) + '…';
  const modules = itemsOf(member(member(data, 'action'), 'module_bundle')).length;
  if (modules > 0) return modules === 1 ? 'publishes a module' : 'publishes ' + modules + ' modules';
  return textAt(data, 'action_type') || textAt(data, 'type') || 'transaction';
}

/** Shows the transaction of a hash or an order. */
async function showTransaction(name) {
  byId('tx-title').textContent = /^\\d+$/.test(name) ? 'Transaction ' + name : 'Transaction';
  await fillPanel('tx', async (signal) => {
    const item = await findTransaction(name, signal);
    if (item === undefined) return [element('p', { class: 'hint' }, 'There is no transaction ' + short(name) + ' on this chain.')];
    const read = readTransaction(item);
    byId('tx-title').textContent = 'Transaction ' + read.order;
    say('Transaction ' + read.order + ': ' + statusText(read.status));
    return [neighbours(BigInt(read.order)), ...transactionParts(item)];
  }, true);
}

async function findTransaction(name, signal) {
  if (!/^\\d{1,20}$/.test(name)) return itemsOf(await call(methodNamed('getTransactionsByHash'), JSON.stringify([[name]]), signal)).find((item) => item.kind === 'object');
  const before = name === '0' ? 'null' : JSON.stringify(String(BigInt(name) - 1n));
  const page = await call(methodNamed('getTransactionsByOrder'), '[' + before + ',"1",false]', signal);
  return itemsOf(member(page, 'data')).find((item) => readTransaction(item).order === name);
}

function neighbours(order) {
  return element('p', { class: 'tools' },
    ...(order > 0n ? [element('a', { class: 'button', href: transactionLink(order - 1n) }, 'Transaction ' + (order - 1n))] : []),
    element('a', { class: 'button', href: transactionLink(order + 1n) }, 'Transaction ' + (order + 1n)));
}

/** All that is known of a transaction; most of it is read when it is opened. */
function transactionParts(item) {
  const read = readTransaction(item);
  const { order, status, hash } = read;
  const reason = element('div', {});
  if (textAt(status, 'type') !== 'executed' && isOffered(methodNamed('trace'))) fillWith(reason, failureParts(order));
  return [
    outcomeLine(status, ' at order ' + order),
    reason,
    transactionFacts(read),
    tracePart(order),
    openingCard({ title: 'Events', isPlain: true, fill: () => eventsOf(hash) }),
    openingCard({ title: 'Changes', facts: [element('span', { class: 'hint' }, 'objects before and after')], isPlain: true, fill: () => changesOf(order) }),
    wholeAnswer(item),
  ];
}

function transactionFacts({ data, info, sequence, order, hash, called }) {
  const sender = textAt(data, 'sender');
  const milliseconds = textAt(sequence, 'tx_timestamp');
  const call = member(member(data, 'action'), 'function_call');
  const types = itemsOf(member(call, 'ty_args')).map((type) => textAt(type));
  const limit = textAt(data, 'max_gas_amount');
  return factsList([
    ['Does', called ? element('a', { href: sendLink(called) }, short(called) + (types.length > 0 ? '<' + types.join(', ') + '>' : '')) : whatItDoes({ data })],
    ['Sender', sender && element('a', { href: accountLink(sender) }, short(sender))],
    ['Hash', hash && element('a', { href: transactionLink(hash), title: hash }, short(hash))],
    ['Time', milliseconds && momentText(milliseconds)],
    ['Gas', textAt(info, 'gas_used') + (limit && limit !== '0' ? ' of at most ' + limit : '')],
    ['State root', element('code', { title: textAt(info, 'state_root') }, short(textAt(info, 'state_root') || ''))],
    ['Bitcoin', ['block_height', 'bitcoin_block_hash', 'bitcoin_txid'].map((key) => {
      const action = member(data, 'action');
      return textAt(member(action, 'l1_block') || member(action, 'l1_transaction') || data, key);
    }).filter(Boolean).join(' · ')],
  ]);
}

/** Milliseconds since 1970 as a moment in UTC. */
function momentText(milliseconds) {
  if (milliseconds === undefined) return undefined;
  const moment = new Date(Number(milliseconds));
  return Number.isNaN(moment.getTime()) ? milliseconds + ' ms' : moment.toISOString().replace('T', ' ').replace(/(?:\\.000)?Z/, ' UTC');
}

/** Why a transaction of the past failed: its trace tells. */
async function failureParts(order) {
  const trace = await call(methodNamed('trace'), '[' + JSON.stringify(order) + ']');
  return traceFailure(trace);
}

function tracePart(order) {
  if (isOffered(methodNamed('trace'))) return traceCard(() => call(methodNamed('trace'), '[' + JSON.stringify(order) + ',{"calls":true}]'));
  return openingCard({ title: 'Trace', isPlain: true, fill: () => element('p', {}, 'This node does not trace. A test node does: start it with ', element('code', {}, '--dev'), '.') });
}

const EVENTS_SHOWN = 50;

async function eventsOf(hash) {
  const filter = JSON.stringify({ tx_hash: hash });
  const page = await call(methodNamed('queryEvents'), '[' + filter + ',null,"' + EVENTS_SHOWN + '",{"decode":true,"descending":false}]');
  const events = itemsOf(member(page, 'data'));
  if (events.length === 0) return element('p', { class: 'hint' }, 'It emitted no events.');
  const rest = textAt(page, 'has_next_page') === 'true';
  return [...events.map((event) => eventCard(event)), ...(rest ? [element('a', { href: watchLink('events', filter) }, 'All events of this transaction')] : [])];
}

async function changesOf(order) {
  const before = order === '0' ? 'null' : JSON.stringify(String(BigInt(order) - 1n));
  const page = await call(methodNamed('syncStates'), '["all",' + before + ',"1",{"descending":false}]');
  const set = itemsOf(member(page, 'data')).find((item) => textAt(item, 'tx_order') === order);
  const changes = itemsOf(member(member(set, 'state_change_set'), 'changes'));
  if (changes.length === 0) return element('p', { class: 'hint' }, 'It changed nothing.');
  return shownInParts(changes, (change) => changeCard(change, order));
}

/** A transaction in a line; all that is known of it when the line is opened. */
function transactionCard(item) {
  const read = readTransaction(item);
  return openingCard({
    title: whatItDoes(read),
    facts: [element('span', {}, 'order ' + read.order), statusMark(read.status)],
    links: [read.hash && element('a', { href: transactionLink(read.hash) }, short(read.hash))],
    isPlain: true,
    fill: () => transactionParts(item),
  });
}
`;
