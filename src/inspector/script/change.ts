/**
 * How an object changed: its decoded value before and after.
 * @module
 */
export const change: string = `
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
`;
