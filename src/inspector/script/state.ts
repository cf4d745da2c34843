/**
 * Objects and other parts of the state by access path, and the versions of an object.
 * @module
 */
export const state: string = String.raw`
const TITLES = new Map([['object', 'Objects'], ['resource', 'Resources'], ['module', 'Modules']]);

/** Shows an access path: the states that it names, and the list below it. */
async function showState(path, cursor) {
  const [kind, subject, names] = path.replace(/^\/+/, '').split('/');
  const isObject = kind === 'object' && subject;
  byId('state-title').textContent = isObject ? 'Object' : TITLES.get(kind) || 'Fields';
  byId('path').value = path;
  byId('state-here').replaceChildren(...crumbs(path));
  const isShown = await fillPanel('state', async (signal) => {
    await loadFunded(signal).catch(() => {});
    const states = (isObject || names) && cursor === undefined ? await readStates(path, signal) : [];
    if (isObject ? subject.includes(',') : names) return states;
    const [listed, title] = isObject ? ['/fields/' + subject, 'Fields and child objects'] : [path, TITLES.get(kind) || 'Fields'];
    const list = await listStates(listed, cursor, path, signal, title).catch((failure) => [failureBox(failure)]);
    // An object without fields has no list.
    return isObject && states.length > 0 && list.isEmpty ? states : [...states, ...list];
  }, true);
  if (isShown) say(path + ' is shown.');
}

/** The path, with links to its prefixes. */
function crumbs(path) {
  const [kind, ...rest] = path.replace(/^\/+/, '').split('/');
  const links = [element('a', { href: stateLink('/object') }, 'all objects')];
  if (kind !== 'object' && rest[0]) links.push(element('a', { href: accountLink(rest[0]) }, accountName(rest[0]) || short(rest[0])));
  if (kind !== 'object' && rest.length > 1) links.push(element('a', { href: stateLink('/' + kind + '/' + rest[0]) }, '/' + kind + '/' + short(rest[0])));
  links.push(element('span', { 'aria-current': 'page' }, ...breakable('/' + [kind, ...rest].map(short).join('/'))));
  return links.flatMap((link, index) => (index === 0 ? [link] : [' › ', link]));
}

async function readStates(path, signal) {
  const result = await call(methodNamed('getStates'), JSON.stringify([path, { decode: true }]), signal);
  const states = result.kind === 'array' ? result.items : [result];
  const parts = await Promise.all(states.map((state) => {
    if (state.kind === 'null') return [empty('Nothing is stored there now. ', element('a', { href: stateLink('/object') }, 'All objects'), ' lists what is.')];
    return textAt(state, 'id') && path.startsWith('/object/') ? objectParts(state, signal) : [card(state, textAt(state, 'id'), true)];
  }));
  return parts.flat();
}

const SHARED = 1;
const FROZEN = 2;

/** An object: its metadata, its fields, the entries of its tables, its last change, and its history. */
async function objectParts(state, signal) {
  const id = textAt(state, 'id');
  const owner = textAt(state, 'owner');
  const flag = Number(textAt(state, 'flag'));
  const type = shortName(textAt(state, 'object_type') || '');
  const decoded = member(state, 'decoded_value');
  const struct = decoded && structOf(decoded);
  // In the interface's form the object wraps its value.
  const inner = struct && (struct.type.startsWith('0x2::object::ObjectEntity<') ? structOf(member(struct.inner, 'value')) : struct);
  byId('state-title').textContent = typeName(type) || 'Object';
  const blame = isOffered(methodNamed('getBlame')) ? await call(methodNamed('getBlame'), JSON.stringify([id]), signal).then((found) => member(found, 'version'), () => undefined) : undefined;
  const changed = textAt(blame, 'tx_order');
  return [
    factsList([
      ['Type', typeTag(type)],
      ['Owner', flag & SHARED ? 'shared: any transaction may use it' : flag & FROZEN ? 'frozen: nobody can change it' : owner && (isNobody(owner) ? 'held by another object, or by the chain' : accountTag(owner))],
      ['Last changed', changed && ['in ', element('a', { href: transactionLink(changed) }, 'transaction ' + changed), ', ' + momentText(textAt(blame, 'tx_timestamp'))]],
      ['Created', momentText(textAt(state, 'created_at'))],
      ['Id', [element('code', { class: 'id' }, id), ' ', copyButton('Copy', () => id, 'Copy the id')]],
    ]),
    panel('Value', undefined, element('div', { id: 'state-value' }, inner ? objectValue(inner.inner) : longText(textAt(state, 'value') || ''))),
    ...(inner ? tablesOf(inner.inner).map(([name, handle, held]) => tablePart(name, handle, held)) : []),
    versionsCard(id),
    isOffered(methodNamed('getProof')) ? openingCard({ title: 'Proof', facts: [hint('that the state has it')], isPlain: true, fill: () => proofParts(id) }) : undefined,
    wholeAnswer(state),
  ].filter(Boolean);
}

/** The proof of an object against the state root. */
async function proofParts(id) {
  const proof = await call(methodNamed('getProof'), JSON.stringify([{ object_id: id }]));
  return [
    element('p', { class: 'help' }, 'movelet/proof checks it against a state root, without a node.'),
    element('p', { class: 'tools' }, copyButton('Copy the proof', () => writeJson(proof))),
    element('div', { class: 'code' }, jsonTree(proof)),
  ];
}

const objectValue = (inner) => (inner.kind === 'object' ? fieldsView(inner.members, 0) : valueView(inner));

/** The tables among the members of a struct: name, handle, type. */
const tablesOf = (inner) => (inner.kind === 'object' ? inner.members : []).flatMap(([name, node]) => {
  const struct = structOf(node);
  const handle = struct && textAt(struct.inner, 'handle', 'value', 'id');
  return handle ? [[name, handle, struct.type]] : [];
});

/** The entries of a table, as keys and values. */
function tablePart(name, handle, type) {
  return pagedSection({
    title: name, hint: typeName(type), method: 'listStates', none: 'The table has no entries.',
    params: pageParams('/fields/' + handle, { decode: true }),
    make: (items) => table(['Key', 'Value'], items.map((item) => {
      const field = member(member(member(item, 'state') || item, 'decoded_value'), 'value');
      const key = member(item, 'key_state') ? member(member(item, 'key_state'), 'decoded_key') : member(field, 'name');
      return [valueView(key, 'account'), valueView(member(item, 'key_state') ? member(member(item, 'state'), 'decoded_value') : member(field, 'value'))];
    }), { label: name }),
  });
}

/** One page of a list. here is the path of the links to other pages. */
async function listStates(path, cursor, here, signal, title) {
  const params = JSON.stringify([path, cursor === undefined ? null : cursor, '20', { decode: true }]);
  const result = await call(methodNamed('listStates'), params, signal);
  const items = itemsOf(member(result, 'data'));
  const next = textAt(result, 'next_cursor');
  const parts = [element('h3', {}, title)];
  if (cursor !== undefined) parts.push(element('p', { class: 'help' }, 'after ', element('code', {}, short(cursor)), ' · ', element('a', { href: stateLink(here) }, 'from the beginning')));
  if (items.length === 0) parts.push(empty(cursor === undefined ? 'None.' : 'No more.'));
  parts.push(...items.map((item) => itemCard(item)));
  if (next !== undefined && textAt(result, 'has_next_page') === 'true') {
    parts.push(element('p', {}, element('a', { class: 'button', href: stateLink(here, next) }, 'Next page'), ' ', element('code', { class: 'hint' }, short(next))));
  }
  parts.isEmpty = items.length === 0 && cursor === undefined;
  return parts;
}

/** An item of a list, in either of its two forms. */
function itemCard(item) {
  const state = member(item, 'state') || item;
  const name = textAt(item, 'key_state', 'decoded_key') || textAt(state, 'decoded_value', 'value', 'name');
  const id = textAt(state, 'id') || (OBJECT_ID.test(name || '') ? name : undefined);
  return card(item, id, false, name === id ? undefined : name, textAt(item, 'field_key') || textAt(item, 'key_state', 'key'));
}

/** The account and the name of a module of the current path. */
function moduleOf(listed) {
  const [, kind, owner, only] = byId('path').value.split('/');
  const name = listed || only;
  return kind === 'module' && name && /^\w+$/.test(name) ? owner + '::' + name : undefined;
}

/** A state: its type and name in a line, which opens to its value and the raw answer. */
function card(node, id, open, name, key) {
  const state = member(node, 'state') || node;
  const stored = shortName(textAt(state, 'object_type') || textAt(state, 'value_type') || 'state');
  // A field is an object of its own; its value tells more.
  const field = DYNAMIC_FIELD.exec(stored);
  const type = field ? field[2] : stored;
  const label = name === undefined ? undefined : accountName(name) || typeName(shortName(name));
  const decoded = member(state, 'decoded_value') || member(state, 'value');
  const bytes = textAt(decoded, 'value', 'byte_codes') || textAt(decoded, 'value', 'value', 'value', 'byte_codes');
  const size = textAt(state, 'size');
  const module = bytes && moduleOf(textAt(decoded, 'value', 'name'));
  const facts = [
    label && label !== key && label !== typeName(type) ? element('span', {}, label.length > 80 ? label.slice(0, 80) + '…' : short(label)) : undefined,
    id || !key ? undefined : element('code', { class: 'hint' }, short(key)),
    bytes ? hint((bytes.length - 2) / 2 + ' bytes of code') : undefined,
    size && size !== '0' ? hint(countText(size, 'field')) : undefined,
  ].filter(Boolean);
  const value = decoded && decoded.kind === 'object' ? (field && member(member(decoded, 'value'), 'value')) || decoded : undefined;
  return openingCard({
    open, title: typeName(type), facts, isPlain: true,
    links: [id && !module ? objectTag(id) : undefined, module ? element('a', { href: contractLink(module) }, 'functions and code') : undefined],
    fill: () => [...(value && !bytes ? [valueView(value)] : []), wholeAnswer(node)],
  });
}

/** A line that opens to the versions of an object, the newest first. */
function versionsCard(id) {
  return openingCard({
    title: 'History',
    facts: [hint('who changed it, and from what to what')],
    isPlain: true,
    fill: () => pagedSection({
      title: 'Versions',
      method: 'getHistory',
      params: pageParams(id, { descending: true }),
      areCards: true,
      none: 'No transaction that this node keeps changed it.',
      row: (item) => [versionCard(item)],
    }) || empty('This node does not tell what changed an object.'),
  });
}

function versionCard(item) {
  const order = textAt(item, 'tx_order');
  const changed = member(item, 'change');
  const fields = itemsOf(member(item, 'fields'));
  return openingCard({
    title: 'order ' + order,
    facts: [element('span', {}, KINDS[textAt(changed, 'kind')] || textAt(changed, 'kind')), ...(fields.length > 0 ? [hint(countText(fields.length, 'field') + ' within')] : [])],
    links: [element('a', { href: transactionLink(order) }, 'transaction ' + order)],
    isPlain: true,
    fill: async () => {
      const found = await findTransaction(order);
      return [
        ...(found ? [element('p', {}, ...authorOf(readTransaction(found)))] : []),
        changedTable(changed),
        ...fields.map((each) => changeCard(each)),
        ...(textAt(item, 'has_more_fields') === 'true' ? [empty('More fields changed; the transaction has all of them.')] : []),
      ];
    },
  });
}

/** The sender of a transaction, and its call. */
function authorOf(read) {
  return ['by ', ...whatItDoes(read), ...(read.sender ? [' of ', accountTag(read.sender)] : [])];
}
`;
