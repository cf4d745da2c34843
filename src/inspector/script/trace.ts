/**
 * Traces: why an execution failed, where its gas went, its calls as a tree, what it read and wrote.
 * @module
 */
export const trace: string = `
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
`;
