/**
 * A trace: the calls as a tree, with the framework's closed; gas by function, reads and writes, events, and the text.
 * @module
 */
export const trace: string = `
const FUNCTIONS_SHOWN = 20;
const GIVEN_LENGTH_MAX = 80;

/** A card with the trace that ask() promises. */
function traceCard(ask) {
  return openingCard({
    title: 'Trace',
    facts: [hint('what it did, call by call, and the gas of each')],
    isPlain: true,
    fill: () => ask().then(traceParts),
  });
}

function traceParts(trace) {
  const text = textAt(trace, 'text') || '';
  const count = (name) => itemsOf(member(trace, name)).length;
  const section = (title, amount, fill) => (amount === 0 ? [] : [openingCard({ title, facts: [hint(String(amount))], isPlain: true, fill })]);
  const calls = itemsOf(member(trace, 'calls'));
  const around = calls.filter(isAround);
  return [
    ...printParts(itemsOf(member(trace, 'prints'))),
    ...(calls.length > 0 ? [callList(calls.filter((each) => !around.includes(each)))] : []),
    ...section('Checks and fees of the framework around it', around.length, () => callList(around)),
    ...(textAt(trace, 'is_truncated') === 'true' ? [empty('This trace is incomplete: ' + textAt(trace, 'omitted_calls') + ' calls were left out.')] : []),
    ...section('Gas by function', count('functions'), () => gasTable(trace)),
    ...section('Reads and writes', count('accesses'), () => element('div', { class: 'list' }, shownInParts(itemsOf(member(trace, 'accesses')), accessRow))),
    ...section('Events as they were emitted', count('events'), () => itemsOf(member(trace, 'events')).map((event) => eventCard(tracedEvent(event)))),
    openingCard({ title: 'As text', isPlain: true, open: calls.length === 0, fill: () => [
      element('p', { class: 'tools' }, copyButton('Copy the trace', () => text)),
      element('pre', { class: 'trace', tabindex: '0' }, text)] }),
  ];
}

function gasTable(trace) {
  const total = Number(textAt(trace, 'gas_used'));
  const functions = itemsOf(member(trace, 'functions'));
  const row = (entry) => {
    const name = textAt(entry, 'function');
    const gas = textAt(entry, 'gas_self');
    return [name.startsWith('0x') ? functionTag(name) : name, textAt(entry, 'calls'), decimalText(gas, 0),
      [total > 0 ? ((Number(gas) * 100) / total).toFixed(1) + ' % ' : '', element('progress', { max: String(total || 1), value: gas, 'aria-hidden': 'true' })]];
  };
  const size = textAt(trace, 'gas_before');
  return [
    element('p', { class: 'help' }, 'Gas by itself, without the calls inside' + (size && size !== '0' ? '; ' + size + ' more for the size of the transaction' : '') + '.'),
    table(['Function', 'Calls', 'Gas', 'Share'], functions.slice(0, FUNCTIONS_SHOWN).map(row), { label: 'Gas by function' }),
    ...(functions.length > FUNCTIONS_SHOWN ? [empty('and ' + (functions.length - FUNCTIONS_SHOWN) + ' functions that used less')] : []),
  ];
}

/** The framework's checks before an action, and its handling of gas after it. */
const isAround = (traced) => textAt(traced, 'module') === '0x3::transaction_validator' && /^(?:pre|post)_execute$/.test(textAt(traced, 'function'));

/** A list of calls; inner calls are made when a call is opened. */
function callList(calls) {
  return element('ol', { class: 'calls' }, ...calls.map((each) => element('li', {}, callItem(each))));
}

function callItem(traced) {
  const inner = itemsOf(member(traced, 'calls'));
  const isFailed = textAt(traced, 'is_failed') === 'true';
  const name = textAt(traced, 'module') + '::' + textAt(traced, 'function');
  const body = element('div', { class: 'inside' });
  const given = itemsOf(member(traced, 'arguments')).map((each) => brief(member(each, 'value'))).join(', ');
  // Calls of contracts are open, those of the framework closed unless they failed.
  const details = element('details', { open: isFailed || !isFramework(name) },
    element('summary', {},
      element('span', { class: 'gas' }, decimalText(textAt(traced, 'gas_used'), 0)),
      element('span', { class: 'name' }, ...breakable(name.startsWith('0x') ? name.split('::').slice(1).join('::') : name),
        element('span', { class: 'hint' }, '(' + (given.length > GIVEN_LENGTH_MAX ? given.slice(0, GIVEN_LENGTH_MAX) + '…' : given) + ')')),
      ...(inner.length > 0 ? [hint(countText(inner.length, 'call'))] : []),
      ...(isFailed ? [element('strong', { class: 'bad' }, 'failed')] : [])),
    body);
  return onOpened(details, body, () => body.append(...callParts(traced, name, inner)));
}

function callParts(traced, name, inner) {
  const types = itemsOf(member(traced, 'type_arguments')).map((type) => typeName(shortName(textAt(type))));
  const values = (key) => (itemsOf(member(traced, key)).length === 0 ? undefined
    : itemsOf(member(traced, key)).map((each) => element('div', {}, hint(typeName(shortName(textAt(each, 'type'))) + ' '), tracedValue(each))));
  const omitted = textAt(traced, 'omitted_calls');
  return [
    factsList([
      ['function', name.startsWith('0x') ? element('a', { href: contractLink(name) }, ...breakable(short(name))) : name],
      ['types', types.join(', ')],
      ['arguments', values('arguments')],
      ['results', values('results')],
      ['gas by itself', decimalText(textAt(traced, 'gas_self'), 0)],
    ]),
    ...(inner.length > 0 ? [callList(inner)] : []),
    ...(omitted && omitted !== '0' ? [empty(omitted + ' calls were left out')] : []),
  ];
}

/** A value of a trace, an object by its type. A value that was too long to be kept is null. */
function tracedValue(each) {
  const { name, inner } = readType(shortName(textAt(each, 'type')));
  const held = member(each, 'value');
  const id = textAt(held, 'id');
  if (name === '0x2::object::Object' && id) return objectTag(id, inner[0]);
  return held && held.kind !== 'null' ? valueView(held) : hint('too long to be kept');
}

function accessRow(access) {
  const id = textAt(access, 'object_id');
  const name = member(access, 'field_name');
  const key = textAt(access, 'field_key');
  return element('div', { class: 'row' },
    element('span', {}, textAt(access, 'kind') + ' (' + textAt(access, 'operation') + ')'),
    linkTo(OBJECT_ID.test(id) ? objectLink(id) : undefined, short(id)),
    key === undefined ? '' : hint('field ' + (name && name.kind !== 'null' ? brief(name) : short(key))),
    textAt(access, 'is_failed') === 'true' ? element('strong', { class: 'bad' }, 'failed') : '');
}
`;
