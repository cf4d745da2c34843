/**
 * A transaction: a sentence about its effects, its result and the reason of a failure, its arguments, balance changes,
 * events, changed objects, and its trace.
 * @module
 */
export const transaction: string = String.raw`
/** Shows the transaction of a hash or an order. */
async function showTransaction(name) {
  byId('tx-title').textContent = /^\d+$/.test(name) ? 'Transaction ' + name : 'Transaction';
  byId('tx-near').replaceChildren();
  await fillPanel('tx', async (signal) => {
    await loadFunded(signal).catch(() => {});
    const [item, head] = await Promise.all([findTransaction(name, signal), headOrder(signal).catch(() => undefined)]);
    if (item === undefined) {
      const known = head === undefined ? '' : ' Its newest one is ';
      return [empty('There is no transaction ', element('code', {}, short(name)), ' on this chain.', known,
        ...(head === undefined ? [] : [element('a', { href: transactionLink(head) }, 'transaction ' + head), '.']))];
    }
    const read = readTransaction(item);
    byId('tx-title').textContent = 'Transaction ' + read.order;
    byId('tx-near').replaceChildren(...neighbours(BigInt(read.order), head));
    const parts = await transactionParts(item, signal);
    say('Transaction ' + read.order + ': ' + statusText(read.status));
    return parts;
  }, true);
}

async function findTransaction(name, signal) {
  if (!/^\d{1,20}$/.test(name)) return itemsOf(await call(methodNamed('getTransactionsByHash'), JSON.stringify([[name]]), signal)).find((item) => item.kind === 'object');
  const before = BigInt(name) === 0n ? 'null' : JSON.stringify(String(BigInt(name) - 1n));
  const page = await call(methodNamed('getTransactionsByOrder'), '[' + before + ',"1",false]', signal);
  return itemsOf(member(page, 'data')).find((item) => readTransaction(item).order === String(BigInt(name)));
}

function neighbours(order, head) {
  const link = (to, text) => element('a', { class: 'button', href: transactionLink(to), 'aria-label': 'Transaction ' + to }, text);
  return [...(order > 0n ? [link(order - 1n, '← ' + (order - 1n))] : []), ...(head === undefined || order < head ? [link(order + 1n, order + 1n + ' →')] : [])];
}

/** All parts of a transaction, its meaning first; slow parts are read when they are opened. */
async function transactionParts(item, signal) {
  const read = readTransaction(item);
  const [events, changes, abi] = await Promise.all([
    eventsBetween(read.order, read.order, signal).then((found) => found.get(read.order), () => undefined),
    changesOf(read.order, signal).catch((refusal) => refusal),
    read.called ? abiOf(read.called, signal).catch(() => undefined) : undefined,
  ]);
  const parted = events || { own: [], around: [] };
  const changed = Array.isArray(changes) ? changes : [];
  const candidates = [...givenObjects(read), ...changed.filter((each) => !isBookkeeping(each)).map((each) => textAt(each, 'object_id'))];
  const moves = await nameMoves(netMoves(parted.own), candidates, signal).catch(() => []);
  const fee = feeOf(read, parted);
  const values = argumentsOf(read, abi);
  const came = [...happened(parted.own), ...createdTags(changed), ...movesLine(moves, ' moved')];
  const [sentence, outcome, reason] = [element('p', { class: 'sentence' }), element('span', { class: 'outcome' }), element('div', {})];
  const show = (failure) => {
    sentence.replaceChildren(...sentenceOf(read, values, came, failure).flat());
    outcome.replaceChildren(failure ? badge(false, failure.name || 'Failed') : badge(true, 'Executed'));
    if (failure) reason.replaceChildren(failurePanel(failure));
  };
  show(read.isExecuted ? undefined : readFailure(undefined, read.status));
  // The reason takes a second run, which may be slow.
  if (!read.isExecuted) failureOf(read).then(show);
  return [
    sentence,
    element('p', { class: 'tools' }, outcome, element('time', { datetime: momentOf(read.time) }, momentText(read.time)),
      ...(fee === undefined ? [] : [element('span', { title: textAt(read.info, 'gas_used') + ' units of gas' }, 'fee ' + amountText(fee, await coinOf(GAS)))])),
    reason,
    inPair([argumentsPanel(read, values), balancePanel(read, moves, fee, await coinOf(GAS))].filter(Boolean), [eventsPanel(parted)]),
    changesPanel(changes),
    tracePart(read.order),
    openingCard({ title: 'Details', facts: [hint('hash, gas, roots')], isPlain: true, fill: () => transactionFacts(read) }),
    wholeAnswer(item),
  ];
}

/** Two columns, or one if the first is empty. */
const inPair = (left, right) => (left.length === 0 ? element('div', {}, right) : element('div', { class: 'pair' }, element('div', {}, left), element('div', {}, right)));

const GAS = '0x3::gas_coin::RGas';
const hint = (text) => element('span', { class: 'hint' }, text);

/** The fee: the gas used at the price of the prepaid maximum. */
function feeOf({ info, data, sender }, { paid }) {
  const [used, most] = [textAt(info, 'gas_used'), textAt(data, 'max_gas_amount')].map((text) => BigInt(text || '0'));
  return sender && paid && most > 0n ? (used * BigInt(paid)) / most : undefined;
}

const ARGUMENTS_IN_SENTENCE = 3;
const ARGUMENT_LENGTH_MAX = 60;

const CREATED_IN_SENTENCE = 2;

/** The contracts' objects that a transaction created, in a few words. */
function createdTags(changed) {
  const made = changed.filter((each) => textAt(each, 'kind') === 'created' && textAt(each, 'is_field') !== 'true' && !isFramework(textAt(each, 'object_type') || '0x2'));
  const tags = made.slice(0, CREATED_IN_SENTENCE).map((each) => element('span', {}, 'created ', objectTag(textAt(each, 'object_id'), textAt(each, 'object_type'))));
  return made.length > CREATED_IN_SENTENCE ? [...tags, 'and ' + (made.length - CREATED_IN_SENTENCE) + ' more'] : tags;
}

/** The sentence about a transaction: sender, call and effects. */
function sentenceOf(read, values, came, failure) {
  const who = read.sender ? [accountTag(read.sender)] : ['The chain'];
  const what = read.called === PUBLISH ? [' published its ', element('a', { href: contractLink(read.sender) }, 'contracts')]
    : read.called ? [' called ', functionTag(read.called), ...givenWords(values)]
    : read.txid !== undefined || read.height !== undefined ? [' took in ', ...whatItDoes(read)]
    : [' ran ', ...whatItDoes(read)];
  if (failure) return [...who, ...what, '. It failed', ': ', marked(failure.meaning || (failure.name || failure.status[0].toLowerCase() + failure.status.slice(1)) + '.')];
  return [...who, ...what, ...came.flatMap((each, index) => [index === 0 ? ': ' : ', ', each]), '.'];
}

function givenWords(values) {
  const shown = values.filter(({ node }) => node).slice(0, ARGUMENTS_IN_SENTENCE);
  return shown.flatMap(({ node, type }, index) => [index === 0 ? ' with ' : index === shown.length - 1 ? ' and ' : ', ', argumentView(node, type, true)]);
}

/** The value of an argument: an account, an object of its type, or a value. */
function argumentView(node, type, isBrief) {
  const { name, inner } = readType(type);
  if (!node) return undefined;
  if (name === 'address') return accountTag(textAt(node));
  if (OBJECTS.has(name)) return objectTag(textAt(node), inner[0]);
  const text = textAt(node);
  if (isBrief && text !== undefined && text.length > ARGUMENT_LENGTH_MAX) return element('q', {}, text.slice(0, ARGUMENT_LENGTH_MAX) + '…');
  if (STRINGS.has(name) && isBrief) return element('q', {}, text);
  return /^u\d+$/.test(name) ? element('span', { class: 'number' }, decimalText(text, 0)) : valueView(node);
}

/** The arguments of a call: { name, type, node, hex }; node is undefined for an unknown type. */
function argumentsOf({ given, types }, abi) {
  const found = parametersOf(abi).filter(({ type }) => !isSigner(type));
  return given.map((hex, index) => {
    const parameter = found[index];
    const type = parameter && concreteType(parameter.type, types);
    return { name: parameter ? parameter.name : 'argument ' + index, type, hex, node: type && readArgument(type, hex) };
  });
}

function argumentsPanel({ called, types }, values) {
  if (!called || called === PUBLISH || values.length + types.length === 0) return undefined;
  const rows = [
    ...types.map((type, index) => ['T' + index, 'type', typeTag(type)]),
    ...values.map(({ name, type, node, hex }) => [name, type ? typeTag(type) : hint('unknown'), node ? argumentView(node, type) : longText(hex)]),
  ];
  return panel('Arguments', undefined, table(['Name', 'Type', 'Value'], rows, { label: 'Arguments' }));
}

function balancePanel({ sender }, moves, fee, gas) {
  if (moves.length === 0 && fee === undefined) return undefined;
  const rows = moves.map((move) => [move.tag(), signedAmount(move)]);
  if (fee !== undefined && sender) rows.push([[accountTag(sender), ' ', hint('gas')], signedAmount({ amount: -fee, coin: gas })]);
  return panel('Balance changes', undefined, table(['Account', 'Change'], rows, { class: 'balances', label: 'Balance changes' }));
}

/** The reason of a failure: the error, its meaning, and the call stack. */
function failurePanel({ name, code, message, meaning, status, places }) {
  return element('section', { class: 'error failure', 'aria-label': 'Why it failed' },
    element('p', {}, element('strong', {}, name ? name + (code ? ' (' + code + ')' : '') : status), ...(meaning ? [': ', ...marked(meaning)] : [])),
    ...(places.length > 0 ? [element('ol', { class: 'stack', 'aria-label': 'Call stack, innermost first' },
      places.map((place, index) => element('li', {}, index === 0 ? 'in ' : 'called by ', functionPlace(place))))] : []),
    ...(message && code === undefined ? [element('p', { class: 'hint' }, marked(short(message)))] : []),
    ...(isUnexplained(places) ? [element('p', { class: 'hint' }, 'With the source of the contract, this names the error and the line: ', element('code', {}, 'movelet serve --sources FOLDER'), '.')] : []),
    ...(places.length === 0 && !isOffered(methodNamed('trace')) ? [element('p', { class: 'hint' }, 'A test node says where and why: start it with ', element('code', {}, '--dev'), '.')] : []));
}

/** Whether a contract without known source failed. */
const isUnexplained = ([innermost]) => innermost !== undefined && innermost.source === undefined && innermost.name.startsWith('0x') && !isFramework(innermost.name);

/** A function, and the line of its source, or else the instruction. */
const functionPlace = ({ name, source, offset, instruction }) => element('span', {},
  name.startsWith('0x') ? functionTag(name) : element('span', { class: 'name' }, name),
  source ? [', ', element('strong', { class: 'source' }, source)] : offset ? ', offset ' + offset + (instruction ? ': ' + instruction : '') : '');

/** A card that opens to items; undefined for none. */
const foldedCard = (items, one, of, about, make) => (items.length === 0 ? undefined : openingCard({
  title: countText(items.length, one) + of, facts: [hint(about)], isPlain: true, fill: () => shownInParts(items, make) }));

function eventsPanel({ own, around }) {
  const [coins, told] = [own.filter(isOfCoins), own.filter((event) => !isOfCoins(event))];
  const folded = foldedCard(around, 'event', ' of the framework', 'gas taken and given back', (event) => eventCard(event));
  const ofCoins = foldedCard(coins, 'event', ' of coin stores', 'the parts of the balance changes', (event) => eventCard(event));
  return panel('Events', told.length === 0 ? undefined : String(told.length),
    ...(told.length === 0 ? [empty('The action emitted none' + (coins.length === 0 ? '.' : ' but those of coin stores.'))] : [shownInParts(told, (event) => eventItem(event))]), ofCoins, folded);
}

/** An event of the action, with its fields. */
function eventItem(event) {
  const type = eventType(event);
  const value = eventValue(event);
  return element('div', { class: 'event' }, element('p', {}, typeTag(type), ' ', element('a', { class: 'hint', href: watchLink('events', type), 'aria-label': 'All events ' + typeName(type) }, 'all of them')),
    value ? valueView(value) : longText(textAt(event, 'event_data') || ''));
}

/** An event in a line, which opens to the raw event. */
function eventCard(event, ...facts) {
  const value = eventValue(event);
  return lazyCard(event, typeName(eventType(event)), ...facts, value ? hint(brief(value)) : undefined);
}

/** The framework's bookkeeping, which every transaction writes. */
const BOOKS = /^0x2::(?:account::Account$|timestamp::|table::TablePlaceholder$)|^(?:0x2::object::DynamicField<.*, (?:0x2::object::Object<)?)?0x3::(?:(?:multi_)?coin_store|transaction_fee)::/;
const isBookkeeping = (change) => BOOKS.test(shortName(textAt(change, 'object_type') || ''));

const CHANGES_READ = 200;

/** The differences between the states before and after a transaction. */
async function changesOf(order, signal) {
  if (order === '0') return [];
  const page = await call(methodNamed('getDiff'), JSON.stringify([String(BigInt(order) - 1n), order, null, String(CHANGES_READ)]), signal);
  return itemsOf(member(page, 'data'));
}

/** changes is a list, or the error in its place. */
function changesPanel(changes) {
  if (!Array.isArray(changes)) return panel('Objects changed', undefined, failureBox(changes));
  const isForeign = (each) => Number(isFramework(textAt(each, 'object_type') || '0x2'));
  const own = changes.filter((each) => !isBookkeeping(each)).sort((left, right) => isForeign(left) - isForeign(right));
  const books = changes.filter(isBookkeeping);
  const folded = foldedCard(books, 'change', ' of the framework’s books', 'coin stores, fees, sequence number, time', (each) => changeCard(each));
  return panel('Objects changed', own.length === 0 ? undefined : own.length === CHANGES_READ ? 'the first ' + CHANGES_READ : String(own.length),
    ...(own.length === 0 ? [empty('The action changed none of its own.')] : [shownInParts(own, (each) => changeCard(each, own.length <= CHANGES_OPEN_MAX))]), folded);
}

const CHANGES_OPEN_MAX = 3;
const KINDS = { created: 'created', modified: 'changed', removed: 'removed', fields: 'its fields changed' };
const DYNAMIC_FIELD = /^0x2::object::DynamicField<([^<>]+), (.+)>$/;

/** A change of an object or a field, which opens to the differences. */
function changeCard(change, open) {
  const id = textAt(change, 'object_id') || '';
  const type = shortName(textAt(change, 'object_type') || 'object');
  const field = DYNAMIC_FIELD.exec(type);
  const kind = textAt(change, 'kind');
  const name = field && (/^[+~-] field "?(.*?)"? of /.exec(textAt(change, 'text') || '') || [])[1];
  return openingCard({
    open,
    title: field ? (name ? accountName(name) || short(name) : typeName(field[2])) : typeName(type),
    facts: [element('span', {}, (field ? 'entry ' : '') + (KINDS[kind] || kind))],
    links: [id && (field ? element('a', { class: 'id', href: objectLink(id.slice(0, 66)) }, 'of ' + short(id.slice(0, 66))) : objectTag(id))],
    isPlain: true,
    fill: () => changedTable(change),
  });
}

/** The differences of a change: its members before and after, or the value of an added or removed object. */
function changedTable(changed) {
  const side = (node) => (node && node.kind !== 'null' ? node : undefined);
  const [before, after] = ['before', 'after'].map((name) => side(member(changed, name)));
  const rows = itemsOf(member(changed, 'members')).map((each) => ({ path: textAt(each, 'path'), before: side(member(each, 'before')), after: side(member(each, 'after')) }));
  if (rows.length > 0) return differenceTable(rows);
  if (!before && !after) return empty('The object itself is as it was; only what it holds changed.');
  if (before && after) return differenceTable([{ path: 'value', before, after }]);
  const whole = before || after;
  return whole.kind === 'object' && member(whole, 'value') ? valueView(member(whole, 'value')) : valueView(whole);
}

const differenceTable = (rows) => table(['Field', 'Before', 'After'],
  rows.map(({ path, before, after }) => {
    const last = path.split('.').pop();
    return [path.replace(/^value\./, ''), before ? valueView(before, last) : hint('none'), after ? valueView(after, last) : hint('none')];
  }), { class: 'differences', label: 'Before and after' });

function transactionFacts({ data, info, sequence, order, hash, types, called, sender, bitcoinHash, txid, height }) {
  const limit = textAt(data, 'max_gas_amount');
  const whole = (text) => text && element('code', {}, text);
  return factsList([
    ['Function', called && element('a', { href: contractLink(called) }, called + (types.length > 0 ? '<' + types.join(', ') + '>' : ''))],
    ['Sender', sender && element('a', { href: accountLink(sender) }, sender)],
    ['Sequence number', sender && textAt(data, 'sequence_number')],
    ['Hash', hash && [whole(hash), ' ', copyButton('Copy', () => hash)]],
    ['Order', order],
    ['Time', textAt(sequence, 'tx_timestamp') && momentText(textAt(sequence, 'tx_timestamp'))],
    ['Gas', textAt(info, 'gas_used') + (limit && limit !== '0' ? ' of at most ' + limit : '')],
    ['State root', whole(textAt(info, 'state_root'))],
    ['Event root', whole(textAt(info, 'event_root'))],
    ['Bitcoin block', [height, bitcoinHash].filter(Boolean).join(' · ')],
    ['Bitcoin transaction', whole(txid)],
  ]);
}

function tracePart(order) {
  if (isOffered(methodNamed('trace'))) return traceCard(() => call(methodNamed('trace'), '[' + JSON.stringify(order) + ',{"calls":true}]'));
  return openingCard({ title: 'Trace', isPlain: true, fill: () => empty('This node does not trace. A test node does: start it with ', element('code', {}, '--dev'), '.') });
}

function wholeAnswer(node) {
  return lazyCard(node, 'Raw', hint('the whole answer as JSON'));
}

/** A card that opens to a node as JSON; links among the facts stand beside it. */
function lazyCard(node, title, ...facts) {
  const given = facts.filter(Boolean);
  const isLink = (fact) => fact.tagName === 'A';
  return openingCard({ title, facts: given.filter((fact) => !isLink(fact)), links: given.filter(isLink), fill: () => jsonTree(node, linkOf) });
}

/** The result of dev_call as elements. */
async function receiptParts(result, signal) {
  const order = textAt(result, 'sequence_info', 'tx_order');
  const item = order && (await findTransaction(order, signal));
  // A reverted chain no longer has it.
  if (!item) return [empty('The chain went back before the receipt was read.'), wholeAnswer(result)];
  return [element('p', {}, element('a', { href: transactionLink(order) }, 'Transaction ' + order)), ...printParts(itemsOf(member(result, 'prints'))), ...(await transactionParts(item, signal))];
}

/** The result of dev_simulate as elements. */
async function simulationParts(result, signal) {
  const output = member(result, 'raw_output');
  const status = member(output, 'status');
  const trace = member(result, 'trace');
  const isExecuted = textAt(status, 'type') === 'executed';
  const info = member(result, 'vm_error_info');
  const failure = isExecuted ? undefined : readFailure(member(info, 'failure'), status, textAt(info, 'error_message'));
  const { own } = partEvents(itemsOf(member(trace, 'events')).map(tracedEvent));
  const given = form.fields.map(({ input }) => input.value.trim()).filter((text) => OBJECT_ID.test(text));
  const moves = isExecuted ? await nameMoves(netMoves(own), given, signal).catch(() => []) : [];
  return [
    element('p', { class: 'outcome' }, badge(isExecuted, isExecuted ? 'It would be executed' : 'It would fail'), ' ', hint('nothing was sent; gas ' + textAt(output, 'gas_used'))),
    ...(failure ? [failurePanel(failure)] : []),
    ...printParts(itemsOf(member(result, 'prints'))),
    ...(isExecuted && trace ? [inPair([balancePanel({}, moves)].filter(Boolean), [eventsPanel({ own, around: [] })])] : []),
    ...(trace ? [traceCard(() => Promise.resolve(trace))] : []),
    wholeAnswer(result),
  ];
}

/** An event of a trace in the form of one of a list. */
const tracedEvent = (event) => ({ kind: 'object', members: [['event_type', member(event, 'event_type')],
  ['decoded_event_data', { kind: 'object', members: [['value', member(event, 'value')]] }]] });

/** The values of debug::print, one per line. */
function printParts(prints) {
  if (prints.length === 0) return [];
  return [panel('Printed', undefined, element('ul', { class: 'stack prints' }, prints.map((print) => element('li', {}, textAt(print, 'value') || brief(member(print, 'value'))))))];
}

const itemsOf = (node) => (node && node.kind === 'array' ? node.items : []);

/** A transaction in a line, which opens to all of its parts. */
function transactionCard(item) {
  const read = readTransaction(item);
  return openingCard({
    title: element('span', {}, whatItDoes(read).map((each) => (each.tagName === 'A' ? each.textContent : each))),
    facts: [resultTag(read), ...(read.sender ? [hint('by ' + (accountName(read.sender) || short(read.sender)))] : [])],
    links: [element('a', { href: transactionLink(read.order) }, 'order ' + read.order)],
    isPlain: true,
    fill: () => transactionParts(item),
  });
}
`;
