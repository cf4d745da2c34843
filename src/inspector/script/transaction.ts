/**
 * A transaction: what it was, how it ended and why, its events, what it changed, and its trace.
 * @module
 */
export const transaction: string = String.raw`
/** What was executed: the result of dev_call as elements. */
function receiptParts(result) {
  const status = member(member(result, 'execution_info'), 'status');
  const order = textAt(result, 'sequence_info', 'tx_order');
  const hash = textAt(result, 'execution_info', 'tx_hash');
  const output = member(result, 'output');
  const target = hash && linkOf('tx_hash', hash);
  return [
    outcomeLine(status, (order === undefined ? '' : ' at order ' + order)),
    element('p', { class: 'facts' }, 'gas ' + textAt(result, 'execution_info', 'gas_used') + ' · ',
      target ? element('a', { href: target }, short(hash)) : element('code', {}, short(hash || ''))),
    ...reasonParts(member(member(result, 'error_info'), 'vm_error_info')),
    ...printParts(itemsOf(member(result, 'prints'))),
    ...eventParts(itemsOf(member(output, 'events'))),
    ...changeParts(itemsOf(member(member(output, 'changeset'), 'changes')), order),
    tracePart(order),
    wholeAnswer(result),
  ];
}

/** What would be executed: the result of dev_simulate as elements. */
function simulationParts(result) {
  const output = member(result, 'raw_output');
  const trace = member(result, 'trace');
  return [
    outcomeLine(member(output, 'status'), ', if it were sent'),
    element('p', { class: 'facts' }, 'gas ' + textAt(output, 'gas_used')),
    ...reasonParts(member(result, 'vm_error_info')),
    ...printParts(itemsOf(member(result, 'prints'))),
    ...(trace ? [traceCard(() => Promise.resolve(trace))] : []),
    wholeAnswer(result),
  ];
}

/** Why it failed, by the error that the node gave. */
function reasonParts(info) {
  const failure = member(info, 'failure');
  return reasonBlock(textAt(info, 'error_message'), textAt(failure, 'abort_meaning'), member(failure, 'call_stack'));
}

/** A sentence, what the abort code means, and the calls that led there, the innermost first. */
function reasonBlock(sentence, meaning, stack) {
  if (!sentence) return [];
  const frames = itemsOf(stack).map((frame) => {
    const name = textAt(frame, 'module') + '::' + textAt(frame, 'function');
    const instruction = textAt(frame, 'instruction');
    return element('li', {}, linkTo(name.startsWith('0x') ? sendLink(name) : undefined, name),
      ', offset ' + textAt(frame, 'code_offset') + (instruction ? ': ' + instruction : ''));
  });
  return [
    element('p', {}, sentence),
    ...(meaning ? [element('p', { class: 'meaning' }, meaning)] : []),
    ...(frames.length > 0 ? [element('ol', { class: 'stack', 'aria-label': 'Call stack, innermost first' }, ...frames.reverse())] : []),
  ];
}

/** What debug::print was given, a line each. */
function printParts(prints) {
  if (prints.length === 0) return [];
  return [
    element('p', { class: 'label' }, 'Printed'),
    element('ul', { class: 'stack prints' }, ...prints.map((print) => element('li', {}, textAt(print, 'value') || brief(member(print, 'value'))))),
  ];
}

const itemsOf = (node) => (node && node.kind === 'array' ? node.items : []);

function outcomeLine(status, where) {
  const text = statusText(status) + where;
  const isExecuted = textAt(status, 'type') === 'executed';
  return element('p', { class: isExecuted ? 'outcome' : 'outcome failed' },
    element('span', { class: isExecuted ? 'mark' : 'mark failed', 'aria-hidden': 'true' }), text);
}

/** The same in a list. */
function statusMark(status) {
  return element('span', { class: textAt(status, 'type') === 'executed' ? 'hint' : 'bad' }, statusText(status));
}

function statusText(status) {
  const place = shortName(textAt(status, 'location') || '');
  switch (textAt(status, 'type')) {
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

function eventParts(events) {
  return [
    element('p', { class: 'label' }, 'Events ', element('span', { class: 'hint' }, String(events.length))),
    ...events.map((event) => eventCard(event)),
  ];
}

/** An event: its type and fields in a line, all of it on demand. */
function eventCard(event, ...facts) {
  const value = member(member(event, 'decoded_event_data'), 'value');
  return lazyCard(event, shortName(textAt(event, 'event_type') || 'event'), ...facts, value ? element('span', { class: 'hint' }, brief(value)) : undefined);
}

function changeParts(changes, order) {
  return [
    element('p', { class: 'label' }, 'Changes ', element('span', { class: 'hint' }, String(changes.length))),
    shownInParts(changes, (change) => changeCard(change, order)),
  ];
}

function wholeAnswer(node) {
  return lazyCard(node, 'The whole answer');
}

/** A line that opens to all of a node; links among the facts stand beside it. */
function lazyCard(node, title, ...facts) {
  const given = facts.filter(Boolean);
  const isLink = (fact) => fact.tagName === 'A';
  return openingCard({
    title: short(title),
    facts: given.filter((fact) => !isLink(fact)),
    links: given.filter(isLink),
    fill: () => jsonTree(node, linkOf),
  });
}

const BRIEF_LENGTH_MAX = 240;

/** Fields and their values in one line. */
function brief(node) {
  const text = node.kind === 'object'
    ? node.members.map(([name, value]) => name + ' ' + (value.kind === 'string' ? value.value : writeJson(value))).join(', ')
    : writeJson(node);
  const shortened = short(text.replace(/0x0+([0-9a-f]+)::/g, '0x$1::'));
  return shortened.length > BRIEF_LENGTH_MAX ? shortened.slice(0, BRIEF_LENGTH_MAX) + '…' : shortened;
}

const CHANGES = { new: 'created', modify: 'modified', delete: 'removed' };
const DYNAMIC_FIELD = /^0x2::object::DynamicField<([^<>]+), (.+)>$/;

/** A change of a change set; what differs is read from the states around the order when it is opened. */
function changeCard(change, order) {
  const id = textAt(change, 'metadata', 'id');
  const type = textAt(change, 'metadata', 'object_type') || 'object';
  const field = DYNAMIC_FIELD.exec(type);
  const fields = itemsOf(member(change, 'fields'));
  return openingCard({
    title: short(shortName(field ? field[2] : type)),
    facts: [
      element('span', {}, changeWord(member(change, 'value')) + (field ? ' field' : '')),
      ...(fields.length > 0 ? [element('span', { class: 'hint' }, fields.length + (fields.length === 1 ? ' field' : ' fields') + ' within')] : []),
    ],
    links: [id && element('a', { href: objectLink(id) }, short(id))],
    isPlain: true,
    fill: () => changeDetails(id, order, fields),
  });
}

/** The value of a change is { new: bytes }, { modify: bytes } or "delete"; where it is null only the metadata changed. */
function changeWord(value) {
  if (value && value.kind === 'string') return CHANGES[value.value] || value.value;
  return (value && value.kind === 'object' && CHANGES[value.members[0][0]]) || 'touched';
}

async function changeDetails(id, order, fields) {
  const at = (moment) => call(methodNamed('getObjectStates'), JSON.stringify([id, { decode: true, order: String(moment) }]));
  const number = BigInt(order);
  const [before, after] = await Promise.all([number === 0n ? undefined : at(number - 1n), at(number)]);
  const [old, now] = [before, after].map((answer) => itemsOf(answer).find((state) => state.kind === 'object'));
  return [differenceTable(differences(comparable(old), comparable(now), '')), shownInParts(fields, (field) => changeCard(field, order))];
}

/** The places at which two states of an object differ; either side may be absent. */
function differenceTable(rows) {
  if (rows.length === 0) return element('p', { class: 'hint' }, 'The object itself is as it was.');
  const cell = (node) => element('td', {}, node === undefined ? element('span', { class: 'hint' }, 'none') : jsonTree(node, linkOf));
  return element('table', { class: 'differences' },
    element('thead', {}, element('tr', {}, ...['Member', 'Before', 'After'].map((name) => element('th', { scope: 'col' }, name)))),
    element('tbody', {}, ...rows.map(({ path, before: old, after: now }) => element('tr', {},
      element('th', { scope: 'row' }, path), cell(old), cell(now)))));
}

/** Of a state: its value, or its bytes where nothing decodes them, and what is said of the object. */
function comparable(state) {
  if (state === undefined) return undefined;
  const value = member(state, 'decoded_value');
  const members = [['value', value && value.kind !== 'null' ? bareValue(value) : member(state, 'value')]];
  for (const name of ['owner', 'flag', 'object_type']) members.push([name, member(state, name)]);
  return { kind: 'object', members: members.filter(([, node]) => node) };
}

/** A decoded value without the types and abilities around its structs. */
function bareValue(node) {
  if (node.kind === 'array') return { kind: 'array', items: node.items.map(bareValue) };
  if (node.kind !== 'object') return node;
  if (member(node, 'abilities') && member(node, 'type') && member(node, 'value')) return bareValue(member(node, 'value'));
  return { kind: 'object', members: node.members.map(([key, value]) => [key, bareValue(value)]) };
}

/** The places at which two JSON nodes differ, as deep as both go. */
function differences(before, after, path) {
  if (before && after && before.kind === after.kind && (before.kind === 'object' || before.kind === 'array')) {
    const parts = (node) => new Map(node.kind === 'array' ? node.items.map((item, index) => ['[' + index + ']', item]) : node.members.map(([key, value]) => [(path && '.') + key, value]));
    const [old, now] = [parts(before), parts(after)];
    return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => differences(old.get(key), now.get(key), path + key));
  }
  if (!before && !after) return [];
  if (before && after && writeJson(before) === writeJson(after)) return [];
  // The members of what is only on one side have lines of their own.
  const only = path === '' ? before || after : undefined;
  if (only && only.kind === 'object') return only.members.flatMap(([key, value]) => differences(before && value, after && value, key));
  return [{ path, before, after }];
}

const FUNCTIONS_SHOWN = 20;
const CALL_ARGUMENT_LENGTH_MAX = 60;

/** A line that opens to the trace that ask() promises. */
function traceCard(ask) {
  return openingCard({
    title: 'Trace',
    facts: [element('span', { class: 'hint' }, 'what it did, call by call')],
    isPlain: true,
    fill: () => ask().then(traceParts),
  });
}

function traceParts(trace) {
  const text = textAt(trace, 'text') || '';
  const count = (name) => itemsOf(member(trace, name)).length;
  const section = (title, amount, fill) => (amount === 0 ? [] : [openingCard({
    title, facts: [element('span', { class: 'hint' }, String(amount))], isPlain: true, fill })]);
  const calls = itemsOf(member(trace, 'calls'));
  return [
    ...printParts(itemsOf(member(trace, 'prints'))),
    ...(calls.length > 0 ? [element('p', { class: 'hint' }, 'The calls, each with the gas that it used:'), callList(calls)] : []),
    ...(textAt(trace, 'is_truncated') === 'true' ? [element('p', { class: 'hint' }, 'This trace is not whole: ' + textAt(trace, 'omitted_calls') + ' calls are left out.')] : []),
    ...section('Gas by function', count('functions'), () => gasTable(trace)),
    ...section('Reads and writes', count('accesses'), () => shownInParts(itemsOf(member(trace, 'accesses')), accessRow)),
    ...section('Events as they were emitted', count('events'), () => itemsOf(member(trace, 'events')).map((event) => lazyCard(event, textAt(event, 'event_type') || 'event'))),
    openingCard({ title: 'As text', isPlain: true, open: calls.length === 0, fill: () => [
      element('p', { class: 'tools' }, copyButton('Copy the trace', () => text)),
      element('pre', { class: 'trace', tabindex: '0' }, text)] }),
  ];
}

/** Why it failed, and the calls that led there. */
function traceFailure(trace) {
  const failure = member(trace, 'failure');
  if (!failure || failure.kind === 'null') return [];
  return reasonBlock(textAt(failure, 'message'), textAt(failure, 'abort_meaning'), member(failure, 'call_stack'));
}

function gasTable(trace) {
  const total = Number(textAt(trace, 'gas_used'));
  const functions = itemsOf(member(trace, 'functions'));
  const row = (entry) => {
    const name = textAt(entry, 'function');
    const gas = textAt(entry, 'gas_self');
    return element('tr', {},
      element('th', { scope: 'row' }, linkTo(name.startsWith('0x') ? sendLink(name) : undefined, name)),
      element('td', {}, textAt(entry, 'calls')),
      element('td', {}, gas),
      element('td', {}, total > 0 ? ((Number(gas) * 100) / total).toFixed(1) + ' %' : '',
        element('progress', { max: String(total || 1), value: gas, 'aria-hidden': 'true' })));
  };
  const heads = ['Function', 'Calls', 'Gas', 'Share'].map((name) => element('th', { scope: 'col' }, name));
  const size = textAt(trace, 'gas_before');
  return [
    element('table', {}, element('caption', { class: 'hint' },
      'Gas by itself, without the calls inside' + (size && size !== '0' ? '; ' + size + ' more for the size of the transaction' : '')),
      element('thead', {}, element('tr', {}, ...heads)),
      element('tbody', {}, ...functions.slice(0, FUNCTIONS_SHOWN).map(row))),
    ...(functions.length > FUNCTIONS_SHOWN ? [element('p', { class: 'hint' }, 'and ' + (functions.length - FUNCTIONS_SHOWN) + ' functions that used less')] : []),
  ];
}

/** Calls one below the other; those within one are made when it is opened. */
function callList(calls) {
  return element('ol', { class: 'calls' }, ...calls.map((each) => element('li', {}, callItem(each))));
}

function callItem(traced) {
  const inner = itemsOf(member(traced, 'calls'));
  const isFailed = textAt(traced, 'is_failed') === 'true';
  const name = textAt(traced, 'module') + '::' + textAt(traced, 'function');
  const body = element('div', { class: 'inside' });
  const details = element('details', { open: isFailed },
    element('summary', {},
      element('span', { class: 'gas' }, textAt(traced, 'gas_used')),
      element('span', {}, name),
      ...(inner.length > 0 ? [element('span', { class: 'hint' }, inner.length + (inner.length === 1 ? ' call' : ' calls'))] : []),
      ...(isFailed ? [element('strong', { class: 'bad' }, 'failed')] : [])),
    body);
  const show = () => {
    if (details.open && !body.hasChildNodes()) body.append(...callParts(traced, name, inner));
  };
  details.addEventListener('toggle', show);
  show();
  return details;
}

function callParts(traced, name, inner) {
  const types = itemsOf(member(traced, 'type_arguments')).map((type) => shortName(textAt(type)));
  const values = (key) => itemsOf(member(traced, key)).map((value, index, all) => element('div', {},
    element('code', { class: 'hint' }, shortName(textAt(value, 'type')) + ' '), tracedValue(member(value, 'value')), index < all.length - 1 ? ',' : ''));
  const omitted = textAt(traced, 'omitted_calls');
  return [
    factsList([
      ['function', name.startsWith('0x') ? element('a', { href: sendLink(name) }, name) : name],
      ['types', types.join(', ')],
      ['arguments', member(traced, 'arguments').items.length > 0 ? values('arguments') : undefined],
      ['results', itemsOf(member(traced, 'results')).length > 0 ? values('results') : undefined],
      ['gas by itself', textAt(traced, 'gas_self')],
    ]),
    ...(inner.length > 0 ? [callList(inner)] : []),
    ...(omitted && omitted !== '0' ? [element('p', { class: 'hint' }, omitted + ' calls are left out')] : []),
  ];
}

/** A value of a trace, its ids as links. One that was too long to be kept is null. */
function tracedValue(value) {
  return value && value.kind !== 'null' ? jsonTree(value, linkOf) : element('span', { class: 'hint' }, 'too long to be kept');
}

function accessRow(access) {
  const id = textAt(access, 'object_id');
  const name = member(access, 'field_name');
  const key = textAt(access, 'field_key');
  return element('div', { class: 'row' },
    element('span', {}, textAt(access, 'kind') + ' (' + textAt(access, 'operation') + ')'),
    linkTo(OBJECT_ID.test(id) ? objectLink(id) : undefined, short(id)),
    key === undefined ? '' : element('span', { class: 'hint' }, 'field ' + (name && name.kind !== 'null' ? brief(name) : short(key))),
    textAt(access, 'is_failed') === 'true' ? element('strong', { class: 'bad' }, 'failed') : '');
}

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
  byId('tx-title').textContent = /^\d+$/.test(name) ? 'Transaction ' + name : 'Transaction';
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
  if (!/^\d{1,20}$/.test(name)) return itemsOf(await call(methodNamed('getTransactionsByHash'), JSON.stringify([[name]]), signal)).find((item) => item.kind === 'object');
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
  return Number.isNaN(moment.getTime()) ? milliseconds + ' ms' : moment.toISOString().replace('T', ' ').replace(/(?:\.000)?Z/, ' UTC');
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
