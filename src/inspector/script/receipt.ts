/**
 * The outcome of a transaction, for people.
 * @module
 */
export const receipt: string = `
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
`;
