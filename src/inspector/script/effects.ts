/**
 * The effects of transactions: their own events without the framework's around them, the coins that moved, and the reason
 * of a failure.
 * @module
 */
export const effects: string = String.raw`
/** The parts of a transaction with its infos, in either form of the wire. */
function readTransaction(item) {
  const outer = member(item, 'transaction');
  const data = member(outer, 'data') || outer;
  const info = member(item, 'execution_info');
  const sequence = member(item, 'sequence_info') || member(outer, 'sequence_info');
  const action = member(data, 'action');
  const block = member(action, 'l1_block');
  const status = member(info, 'status');
  return {
    data, info, sequence, status,
    order: textAt(sequence, 'tx_order'),
    time: textAt(sequence, 'tx_timestamp'),
    hash: textAt(info, 'tx_hash'),
    isExecuted: textAt(status, 'type') === 'executed',
    called: shortName(textAt(action, 'function_call', 'function_id') || '') || undefined,
    given: itemsOf(member(member(action, 'function_call'), 'args')).map((each) => textAt(each)),
    types: itemsOf(member(member(action, 'function_call'), 'ty_args')).map((each) => shortName(textAt(each))),
    height: textAt(block || data, 'block_height'),
    bitcoinHash: textAt(block || data, 'bitcoin_block_hash'),
    txid: textAt(member(action, 'l1_transaction') || data, 'bitcoin_txid'),
    // The interface has the system as the sender of Bitcoin's transactions.
    sender: block || member(action, 'l1_transaction') ? undefined : textAt(data, 'sender'),
  };
}

const PUBLISH = '0x2::module_store::publish_package_entry';
const UPGRADE = '0x2::module_store::UpgradeEvent';

/** What a transaction does, as elements. */
function whatItDoes({ called, height, txid, data }) {
  if (called === PUBLISH) return ['publish'];
  if (called) return [functionTag(called)];
  if (txid !== undefined) return ['Bitcoin transaction ', element('span', { class: 'id' }, txid.slice(0, 8) + '…')];
  if (height !== undefined) return ['Bitcoin block ' + decimalText(height, 0)];
  const modules = itemsOf(member(member(data, 'action'), 'module_bundle')).length;
  if (modules > 0) return ['publish ' + countText(modules, 'module')];
  return [{ scriptcall: 'a script' }[textAt(data, 'action_type')] || 'the genesis'];
}

/** An order that a transaction has, and the index of an event in it. */
const placeOfEvent = (event) => [textAt(event, 'indexer_event_id', 'tx_order'), textAt(event, 'indexer_event_id', 'event_index')];
const eventValue = (event) => member(member(event, 'decoded_event_data'), 'value');
const eventType = (event) => shortName(textAt(event, 'event_type') || 'event');
const WITHDRAWAL = /^0x3::(?:multi_)?coin_store::WithdrawEvent$/;
const DEPOSIT = /^0x3::(?:multi_)?coin_store::DepositEvent$/;

/**
 * Splits the events of a transaction, in their order: { own, around, paid }. The framework moves the maximal gas cost to a
 * store before the action, and refunds from that store after it: the events in between are the action's own.
 */
function partEvents(events) {
  const [taken, put] = events;
  const amount = (event) => textAt(eventValue(event), 'amount');
  const store = (event) => textAt(eventValue(event), 'coin_store_id');
  const isPrepaid = put && WITHDRAWAL.test(eventType(taken)) && DEPOSIT.test(eventType(put)) && amount(taken) === amount(put);
  if (!isPrepaid) return { own: events, around: [] };
  const after = events.findIndex((event, index) => index > 1 && WITHDRAWAL.test(eventType(event)) && store(event) === store(put));
  const end = after === -1 ? events.length : after;
  return { own: events.slice(2, end), around: [taken, put, ...events.slice(end)], paid: amount(taken) };
}

const EVENTS_READ = 1000;

/** Promises the split events of a range of transactions, by order; without the oldest ones if there are too many. */
async function eventsBetween(from, to, signal) {
  const filter = { tx_order_range: { from_order: String(from), to_order: String(BigInt(to) + 1n) } };
  const page = await call(methodNamed('queryEvents'), JSON.stringify([filter, null, String(EVENTS_READ), { decode: true, descending: true }]), signal);
  const found = new Map();
  for (const event of itemsOf(member(page, 'data'))) {
    const [order] = placeOfEvent(event);
    found.set(order, [event, ...(found.get(order) || [])]);
  }
  // The oldest transaction of an incomplete page may have more events.
  if (textAt(page, 'has_next_page') === 'true') found.delete([...found.keys()].pop());
  return new Map([...found].map(([order, events]) => [order, partEvents(events)]));
}

/** The coins that the action moved, by coin store: { store, type, amount }, negative for withdrawals. */
function netMoves(events) {
  const net = new Map();
  for (const event of events) {
    const sign = DEPOSIT.test(eventType(event)) ? 1n : WITHDRAWAL.test(eventType(event)) ? -1n : 0n;
    if (sign === 0n) continue;
    const [store, type] = ['coin_store_id', 'coin_type'].map((name) => textAt(eventValue(event), name));
    const one = net.get(store + type) || { store, type: shortName(type), amount: 0n };
    one.amount += sign * BigInt(textAt(eventValue(event), 'amount'));
    net.set(store + type, one);
  }
  return [...net.values()].filter(({ amount }) => amount !== 0n);
}

const isNobody = (address) => !address || /^0x0*$/.test(address);

/**
 * Adds holder and coin to moves: the holder is the owner of the store, or the object that contains it, if it is among the
 * candidates. Moves of several stores of one holder become one.
 */
async function nameMoves(moves, candidates, signal) {
  if (moves.length === 0) return [];
  const ids = [...new Set(moves.map(({ store }) => store))];
  const states = (list) => call(methodNamed('getObjectStates'), JSON.stringify([list.join(','), { decode: true }]), signal).then(itemsOf);
  const stores = await states(ids);
  const owners = new Map(ids.map((id, index) => [id, textAt(stores[index], 'owner')]));
  const held = ids.filter((id) => isNobody(owners.get(id)));
  const holders = held.length > 0 && candidates.length > 0 ? await states([...new Set(candidates)].slice(0, 100)) : [];
  const named = new Map();
  for (const { store, type, amount } of moves) {
    const holder = held.includes(store) && holders.find((state) => textAt(state, 'id') !== store && (textAt(state, 'value') || '').includes(store.slice(2)));
    const who = holder ? textAt(holder, 'id') : isNobody(owners.get(store)) ? store : owners.get(store);
    const one = named.get(who + type) || { who, type, amount: 0n, coin: await coinOf(type),
      tag: () => (holder ? objectTag(who, shortName(textAt(holder, 'object_type'))) : who === store ? objectTag(store, 'CoinStore') : accountTag(who)) };
    one.amount += amount;
    named.set(who + type, one);
  }
  return [...named.values()].filter(({ amount }) => amount !== 0n);
}

/** The objects among the arguments of a transaction. */
const givenObjects = ({ given }) => given.flatMap((hex) => (/^0x01[0-9a-f]{64}$/.test(hex) ? ['0x' + hex.slice(4)] : []));

/** The moves in a line: an amount from one holder to another, or each move by itself. */
function movesLine(moves, verb = '') {
  const [from, to] = [moves.find(({ amount }) => amount < 0n), moves.find(({ amount }) => amount > 0n)];
  if (moves.length === 2 && from && to && from.type === to.type && from.amount === -to.amount) {
    return [element('span', {}, amountTag(to.amount, to.coin), verb + ' from ', from.tag(), ' to ', to.tag())];
  }
  return moves.slice(0, 3).map((move) => element('span', {}, signedAmount(move), ' ', move.tag())).concat(moves.length > 3 ? ['and ' + (moves.length - 3) + ' more'] : []);
}

const signedAmount = ({ amount, coin }) =>
  element('span', { class: amount < 0n ? 'amount out' : 'amount in', title: amount + ' of the smallest unit' }, (amount > 0n ? '+' : '') + amountText(amount, coin));

/** An event's type in words: BidPlaced is "bid placed"; a queued event has the words of the inner type. */
const eventWords = (type) => typeName(type.replace(/^0x2::event_queue::OffChainEvent<(.+)>$/, '$1')).split('<')[0].replace(/Event$/, '').replace(/([a-z])(?=[A-Z])/g, '$1 ').toLowerCase();

/** Whether an event is a deposit or withdrawal of a coin store, which balance changes show. */
const isOfCoins = (event) => /^0x3::(?:multi_)?coin_store::/.test(eventType(event));

/** The types of the action's own events in words, without repetition. */
const happened = (own) => [...new Set(own.filter((event) => !isOfCoins(event)).map((event) =>
  (eventType(event) === UPGRADE ? 'version ' + textAt(eventValue(event), 'version') : eventWords(eventType(event)))))];

/** Promises of failures by transaction hash: { name, message, meaning, code, status, places }, innermost place first. */
const failures = new Map();

const FAILURES_KEPT = 1000;

/** The failure of a transaction, from its trace if the node traces. */
function failureOf({ order, hash, status }) {
  if (failures.size >= FAILURES_KEPT) failures.clear();
  if (!failures.has(hash)) failures.set(hash, isOffered(methodNamed('trace'))
    ? call(methodNamed('trace'), JSON.stringify([order])).then((trace) => readFailure(member(trace, 'failure'), status), () => readFailure(undefined, status))
    : Promise.resolve(readFailure(undefined, status)));
  return failures.get(hash);
}

/** A failure of a trace, a dry run or a view, completed from the status. */
function readFailure(failure, status, sentence) {
  const message = textAt(failure, 'message') || sentence;
  const stack = itemsOf(member(failure, 'call_stack')).map((frame) => ({
    name: textAt(frame, 'module') + '::' + textAt(frame, 'function'),
    offset: textAt(frame, 'code_offset'), instruction: textAt(frame, 'instruction'), source: textAt(frame, 'source'),
  })).reverse();
  const code = textAt(failure, 'abort_code') || textAt(status, 'abort_code');
  // A failure other than an abort has a named status: ARITHMETIC_ERROR.
  const fault = code === undefined ? textAt(failure, 'status') : undefined;
  const name = textAt(failure, 'abort_name') || (/^aborted with code \d+ \((.+?)\) in/.exec(message || '') || [])[1] || (fault && fault.toLowerCase().replaceAll('_', ' '));
  const own = textAt(failure, 'module') ? [{ name: textAt(failure, 'module') + '::' + textAt(failure, 'function'), source: textAt(failure, 'source') }] : [];
  return { message, code, name, status: statusText(status) || textAt(failure, 'status') || 'Failed', meaning: textAt(failure, 'abort_meaning'), places: stack.length > 0 ? stack : own };
}

/** The status of a transaction in words. */
function statusText(status) {
  const place = shortName(textAt(status, 'location') || '').split('::').pop();
  switch (textAt(status, 'type')) {
    case undefined:
      return undefined;
    case 'executed':
      return 'Executed';
    case 'outofgas':
      return 'Out of gas';
    case 'moveabort':
      return 'Aborted with code ' + textAt(status, 'abort_code') + ' in ' + place;
    case 'executionfailure':
      return 'Failed in ' + place + ' at offset ' + textAt(status, 'code_offset') + ' of function ' + textAt(status, 'function');
    default:
      return 'Failed: ' + textAt(status, 'type');
  }
}

/** A badge for success or failure. */
const badge = (isGood, text) => element('span', { class: isGood ? 'badge good' : 'badge failed' }, ...breakable(text));

/** The result of a transaction in a list; the name of its failure is added when it is known. */
function resultTag(read) {
  if (read.isExecuted) return badge(true, 'Executed');
  const made = badge(false, statusText(read.status) || 'Failed');
  failureOf(read).then(({ name }) => {
    if (name) made.replaceChildren(...breakable(name));
  });
  return made;
}

/**
 * Transactions as a table: time, sender, call, result, effects. Reads the events of all of them in one query; without
 * events the effects stay empty.
 */
async function transactionTable(items, signal, hasSender = true) {
  const reads = items.map(readTransaction);
  const orders = reads.map(({ order }) => BigInt(order)).sort((left, right) => (left < right ? -1 : 1));
  const [events, now] = await Promise.all([
    orders.length === 0 ? new Map() : eventsBetween(orders[0], orders[orders.length - 1], signal).catch(() => new Map()),
    chainTime(signal),
  ]);
  const rows = await Promise.all(reads.map(async (read) => {
    const { own } = events.get(read.order) || { own: [] };
    const moves = await nameMoves(netMoves(own), givenObjects(read), signal).catch(() => []);
    const said = happened(own);
    const published = read.called === PUBLISH && read.isExecuted ? await modulesOf(read.sender, signal).catch(() => []) : [];
    return [
      [element('a', { class: 'order', href: transactionLink(read.order), 'aria-label': 'Transaction ' + read.order }, '#' + read.order), ' ',
        element('time', { class: 'hint', datetime: momentOf(read.time), title: momentText(read.time) }, ageText(read.time, now || Date.now()))],
      ...(hasSender ? [read.sender ? accountTag(read.sender) : element('span', { class: 'hint' }, read.txid || read.height ? 'Bitcoin' : 'the chain')] : []),
      whatItDoes(read),
      resultTag(read),
      published.length > 0 ? element('span', {}, published.map((name) => [moduleTag(read.sender, name), ', ']).flat(), said.join(', '))
        : moves.length > 0 ? movesLine(moves) : said.length > 0 ? hint(said.join(', ')) : element('span', { class: 'hint nothing' }, '–'),
    ];
  }));
  return table(['Transaction', ...(hasSender ? ['Sender'] : []), 'Call', 'Result', 'What happened'], rows, { class: 'transactions', label: 'Transactions' });
}

const momentOf = (milliseconds) => (Number.isNaN(new Date(Number(milliseconds)).getTime()) ? undefined : new Date(Number(milliseconds)).toISOString());

/** The chain's time, if the node has the control. */
const chainTime = (signal) => (isOffered('dev_time') ? call('dev_time', '[]', signal).then((answer) => textAt(answer, 'now'), () => undefined) : Promise.resolve(undefined));
`;
