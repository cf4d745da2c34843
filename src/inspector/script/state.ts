/**
 * The state: objects and fields by access paths, the versions of an object, accounts, and whatever else a name, id or
 * hash finds.
 * @module
 */
export const state: string = String.raw`
/** Shows what lies at an access path: the states that it names, and the list under it. */
async function showState(path, cursor) {
  byId('path').value = path;
  byId('state-here').replaceChildren(...crumbs(path));
  const [kind, subject, names] = path.replace(/^\/+/, '').split('/');
  const isObject = kind === 'object' && subject;
  const isShown = await fillPanel('state', async (signal) => {
    const states = (isObject || names) && cursor === undefined ? await readStates(path, signal) : [];
    if (isObject ? subject.includes(',') : names) return states;
    const [listed, title] = isObject ? ['/fields/' + subject, 'Fields and child objects'] : [path, titleOf(kind)];
    return [...states, ...(await listStates(listed, cursor, path, signal, title).catch((failure) => [failureBox(failure)]))];
  }, true);
  if (isShown) say(path + ' is shown.');
}

const TITLES = new Map([['object', 'Objects'], ['resource', 'Resources'], ['module', 'Modules']]);

const titleOf = (kind) => TITLES.get(kind) || 'Fields';

/** The path, each of its shorter forms that also is one a link. */
function crumbs(path) {
  const [kind, ...rest] = path.replace(/^\/+/, '').split('/');
  const links = [element('a', { href: stateLink('/object') }, 'all objects')];
  if (kind !== 'object' && rest.length > 1) links.push(element('a', { href: stateLink('/' + kind + '/' + rest[0]) }, '/' + kind + '/' + short(rest[0])));
  links.push(element('span', { 'aria-current': 'page' }, '/' + [kind, ...rest].map(short).join('/')));
  const steps = links.flatMap((link, index) => (index === 0 ? [link] : [' › ', link]));
  if (kind !== 'resource' || !rest[0]) return steps;
  const balances = callLink(methodNamed('getBalances'), JSON.stringify([rest[0]]));
  return [...steps, ' · ', element('a', { href: balances }, 'balances of this account')];
}

async function readStates(path, signal) {
  const result = await call(methodNamed('getStates'), JSON.stringify([path, { decode: true }]), signal);
  const states = result.kind === 'array' ? result.items : [result];
  return states.flatMap((state) => {
    if (state.kind === 'null') return [element('p', { class: 'hint' }, 'Nothing is stored there.')];
    return textAt(state, 'id') && path.startsWith('/object/') ? objectParts(state) : [card(state, textAt(state, 'id'), true)];
  });
}

const SHARED = 1;
const FROZEN = 2;

/** An object: what it is, its decoded value, all that the node says of it, and who changed it. */
function objectParts(state) {
  const id = textAt(state, 'id');
  const owner = textAt(state, 'owner');
  const flag = Number(textAt(state, 'flag'));
  const decoded = member(state, 'decoded_value');
  const bare = decoded && decoded.kind !== 'null' ? bareValue(decoded) : member(state, 'value');
  const type = shortName(textAt(state, 'object_type') || '');
  const isWrapped = (textAt(decoded, 'type') || '').startsWith('0x2::object::ObjectEntity<');
  return [
    factsList([
      ['Type', element('a', { href: sendLink(type.split('<')[0].split('::').slice(0, 2).join('::')), title: 'the functions of its module' }, short(type))],
      ['Object', [element('code', {}, short(id)), ' ', copyButton('Copy', () => id)]],
      ['Owner', flag & SHARED ? 'shared' : flag & FROZEN ? 'frozen' : owner && element('a', { href: accountLink(owner) }, short(owner))],
      ['Created', momentText(textAt(state, 'created_at'))],
      ['Updated', momentText(textAt(state, 'updated_at'))],
    ]),
    element('div', { class: 'code', id: 'state-value' }, jsonTree((isWrapped && member(bare, 'value')) || bare, linkOf)),
    versionsCard(id),
    wholeAnswer(state),
  ];
}

/** One page of a list. here is the path that the links of the pages stay on. */
async function listStates(path, cursor, here, signal, title) {
  const params = JSON.stringify([path, cursor === undefined ? null : cursor, '20', { decode: true }]);
  const result = await call(methodNamed('listStates'), params, signal);
  const data = member(result, 'data');
  const items = data && data.kind === 'array' ? data.items : [];
  const next = textAt(result, 'next_cursor');
  const parts = [element('h3', {}, title)];
  if (cursor !== undefined) parts.push(element('p', { class: 'hint' }, 'after ', element('code', {}, short(cursor)), ' · ', element('a', { href: stateLink(here) }, 'from the beginning')));
  if (items.length === 0) parts.push(element('p', { class: 'hint' }, cursor === undefined ? 'None.' : 'No more.'));
  parts.push(...items.map((item) => itemCard(item)));
  if (next !== undefined && textAt(result, 'has_next_page') === 'true') {
    parts.push(element('p', {}, element('a', { class: 'button', href: stateLink(here, next) }, 'Next page'), ' ', element('code', { class: 'hint' }, short(next))));
  }
  return parts;
}

/** An item of a list, in either of its two forms. */
function itemCard(item) {
  const state = member(item, 'state') || item;
  const name = textAt(item, 'key_state', 'decoded_key') || textAt(state, 'decoded_value', 'value', 'name');
  const id = textAt(state, 'id') || (OBJECT_ID.test(name || '') ? name : undefined);
  return card(item, id, false, name === id ? undefined : name, textAt(item, 'field_key') || textAt(item, 'key_state', 'key'));
}

/** The account and the name of a module of the path that is shown. */
function moduleOf(listed) {
  const [, kind, owner, only] = byId('path').value.split('/');
  const name = listed || only;
  return kind === 'module' && name && /^\w+$/.test(name) ? { owner, name } : undefined;
}

/** Leads from a module of the path that is shown to the form that calls its functions. */
function functionsLink(listed) {
  const module = moduleOf(listed);
  return module && element('a', { href: sendLink(module.owner + '::' + module.name) }, 'functions');
}

/** What is shown of a state: the code of a module, and all members. */
function stateParts(node, module) {
  const tree = jsonTree(node, linkOf);
  return module ? element('div', {}, codeCard(module), tree) : tree;
}

/** A module's code as text, read when the card is opened. */
function codeCard({ owner, name }) {
  return openingCard({
    title: 'Disassembly',
    facts: [],
    links: [],
    fill: () => {
      const text = element('pre', { class: 'trace', tabindex: '0' }, 'Waiting for the code…');
      call(methodNamed('disassembleModule'), JSON.stringify([owner, name])).then(
        (listing) => { text.textContent = textAt(listing) || 'There is no module ' + name + ' any more.'; },
        (failure) => { text.replaceWith(failureBox(failure)); },
      );
      return text;
    },
  });
}

/** A state: its type and id in a line, all of it on demand. */
function card(node, id, open, name, key) {
  const state = member(node, 'state') || node;
  const stored = textAt(state, 'object_type') || textAt(state, 'value_type') || 'state';
  // A field is an object of its own; what it holds tells more.
  const field = DYNAMIC_FIELD.exec(stored);
  const type = field ? field[2] : stored;
  const label = name === undefined ? undefined : shortName(name);
  const moduleBytes = textAt(state, 'decoded_value', 'value', 'byte_codes') || textAt(state, 'decoded_value', 'value', 'value', 'value', 'byte_codes');
  const facts = [
    label && label !== key && label !== type ? element('span', {}, label.length > 80 ? label.slice(0, 80) + '…' : label) : undefined,
    id || !key ? undefined : element('code', { class: 'hint' }, short(key)),
    moduleBytes ? element('span', { class: 'hint' }, (moduleBytes.length - 2) / 2 + ' bytes of code') : undefined,
    textAt(state, 'size') && textAt(state, 'size') !== '0' ? element('span', { class: 'hint' }, textAt(state, 'size') + (textAt(state, 'size') === '1' ? ' field' : ' fields')) : undefined,
  ].filter(Boolean);
  const moduleName = textAt(state, 'decoded_value', 'value', 'name');
  const links = [
    id ? element('a', { href: objectLink(id) }, short(id)) : undefined,
    moduleBytes ? functionsLink(moduleName) : undefined,
  ];
  const module = moduleBytes ? moduleOf(moduleName) : undefined;
  return openingCard({ open, title: short(type), facts, links, fill: () => stateParts(node, module) });
}

/** A line that opens to the versions of an object, the newest first. */
function versionsCard(id) {
  return openingCard({
    title: 'History',
    facts: [element('span', { class: 'hint' }, 'who changed it, and from what to what')],
    isPlain: true,
    fill: () => pagedSection({
      title: 'Versions',
      method: 'getHistory',
      params: (cursor) => '[' + JSON.stringify(id) + ',' + cursor + ',"' + PAGE_ITEMS + '",{"descending":true}]',
      areCards: true,
      none: 'No transaction that this node keeps changed it.',
      row: (item) => [versionCard(item)],
    }) || element('p', { class: 'hint' }, 'This node does not tell what changed an object.'),
  });
}

const KINDS = { fields: 'its fields changed' };

function versionCard(item) {
  const order = textAt(item, 'tx_order');
  const changed = member(item, 'change');
  const kind = textAt(changed, 'kind');
  const fields = itemsOf(member(item, 'fields'));
  return openingCard({
    title: 'order ' + order,
    facts: [element('span', {}, KINDS[kind] || kind),
      ...(fields.length > 0 ? [element('span', { class: 'hint' }, fields.length + (fields.length === 1 ? ' field' : ' fields') + ' within')] : [])],
    links: [element('a', { href: transactionLink(order) }, 'transaction ' + order)],
    isPlain: true,
    fill: async () => {
      const found = await findTransaction(order);
      return [
        ...(found ? [element('p', {}, ...authorOf(readTransaction(found)))] : []),
        changedTable(changed),
        ...fields.map(changedFieldCard),
        ...(textAt(item, 'has_more_fields') === 'true' ? [element('p', { class: 'hint' }, 'More fields changed; the transaction has all of them.')] : []),
      ];
    },
  });
}

/** Whose transaction it was, and what that did. */
function authorOf(read) {
  const sender = textAt(read.data, 'sender');
  return ['by ', linkTo(read.called && sendLink(read.called), whatItDoes(read)),
    ...(sender ? [' of ', element('a', { href: accountLink(sender) }, short(sender))] : [])];
}

/** What differs within a change: its members, or all of the one side that there is. */
function changedTable(changed) {
  const side = (node) => (node && node.kind !== 'null' ? bareValue(node) : undefined);
  const members = itemsOf(member(changed, 'members')).map((each) => ({
    path: textAt(each, 'path'), before: side(member(each, 'before')), after: side(member(each, 'after')) }));
  return differenceTable(members.length > 0 ? members : differences(side(member(changed, 'before')), side(member(changed, 'after')), ''));
}

function changedFieldCard(changed) {
  const id = textAt(changed, 'object_id');
  const type = textAt(changed, 'object_type') || 'field';
  const field = DYNAMIC_FIELD.exec(type);
  return openingCard({
    title: short(shortName(field ? field[2] : type)),
    facts: [element('span', {}, textAt(changed, 'kind') + (field ? ' field' : ''))],
    links: [id && element('a', { href: objectLink(id) }, short(id))],
    isPlain: true,
    fill: () => changedTable(changed),
  });
}

const TEXT_PREVIEW_BYTES = 120;

/** Shows the account of an address in any of its forms. */
async function showAccount(address) {
  byId('account-title').textContent = 'Account ' + short(address);
  await fillPanel('account', async (signal) => {
    // Objects name their owner in both forms; an account that owns none is known by the one that was given.
    const owned = await call(methodNamed('queryObjectStates'), JSON.stringify([{ owner: address }, null, '1', { decode: true }]), signal);
    const [first] = itemsOf(member(owned, 'data'));
    const hex = textAt(first, 'owner') || (address.startsWith('0x') ? address : undefined);
    const bitcoin = textAt(first, 'owner_bitcoin_address') || (hex === address ? undefined : address);
    say('Account ' + short(address) + ' is shown.');
    const copied = (text) => [element('code', {}, text), ' ', copyButton('Copy', () => text)];
    return [
      factsList([
        ['Address', hex && copied(hex)],
        ['Bitcoin address', bitcoin && copied(bitcoin)],
        ['State', hex && [element('a', { href: stateLink('/resource/' + hex) }, 'resources'), ' · ',
          element('a', { href: stateLink('/module/' + hex) }, 'modules'), ' · ', element('a', { href: objectLink(hex) }, 'account object')]],
        ['Live', hex && [element('a', { href: watchLink('transactions', hex) }, 'transactions'), ' · ',
          element('a', { href: watchLink('events', JSON.stringify({ sender: hex })) }, 'events')]],
      ]),
      element('div', { class: 'pair' }, element('div', {}, ...holdings(address)), element('div', {}, ...doings(address))),
    ];
  }, true);
}

/** The parameters of a query: its filter, where the page begins, the newest first. */
const newestBy = (filter) => (cursor) => '[' + JSON.stringify(filter) + ',' + cursor + ',"' + PAGE_ITEMS + '",{"decode":true,"descending":true}]';

function holdings(address) {
  const bitcoin = (cursor) => '[' + JSON.stringify({ owner: address }) + ',' + cursor + ',"' + PAGE_ITEMS + '",true]';
  return [
    pagedSection({ title: 'Balances', method: 'getBalances', none: 'No coins.', row: balanceRow,
      params: (cursor) => '[' + JSON.stringify(address) + ',' + cursor + ',"' + PAGE_ITEMS + '"]' }),
    pagedSection({ title: 'UTXOs', method: 'queryUTXOs', none: 'No unspent outputs.', row: utxoRow, params: bitcoin }),
    pagedSection({ title: 'Inscriptions', method: 'queryInscriptions', none: 'No inscriptions.', row: inscriptionRow, params: bitcoin }),
    pagedSection({ title: 'Objects', method: 'queryObjectStates', none: 'No objects.', areCards: true, params: newestBy({ owner: address }),
      row: (item) => [card(item, textAt(item, 'object_id'), false)] }),
  ].filter(Boolean);
}

function doings(address) {
  return [
    pagedSection({ title: 'Transactions', method: 'queryTransactions', none: 'It has sent none.', areCards: true, params: newestBy({ sender: address }),
      row: (item) => [transactionCard(item)] }),
    pagedSection({ title: 'Events', method: 'queryEvents', none: 'It has caused none.', areCards: true, params: newestBy({ sender: address }),
      row: (item) => [eventCard(item, element('span', {}, 'order ' + textAt(item, 'indexer_event_id', 'tx_order')))] }),
  ].filter(Boolean);
}

/** A whole number of the smallest units as a decimal number. */
function decimalText(units, decimals) {
  if (!/^\d+$/.test(units) || decimals === 0) return units;
  const padded = units.padStart(decimals + 1, '0');
  const fraction = padded.slice(-decimals).replace(/0+$/, '');
  return padded.slice(0, -decimals) + (fraction === '' ? '' : '.' + fraction);
}

function balanceRow(item) {
  const amount = textAt(item, 'balance');
  return [
    element('strong', { title: amount + ' of the smallest units' }, decimalText(amount, Number(textAt(item, 'decimals'))) + ' ' + (textAt(item, 'symbol') || '')),
    element('span', {}, textAt(item, 'name') || ''),
    element('code', { class: 'hint' }, short(textAt(item, 'coin_type') || '')),
  ];
}

function utxoRow(item) {
  const id = textAt(item, 'object_id') || textAt(item, 'id');
  const value = member(item, 'value');
  return [
    element('strong', {}, decimalText(textAt(value, 'value'), 8) + ' BTC'),
    linkTo(id && objectLink(id), (textAt(value, 'bitcoin_txid') || textAt(value, 'txid')).slice(0, 12) + '…:' + textAt(value, 'vout')),
    element('span', { class: 'hint' }, 'since order ' + textAt(item, 'tx_order')),
  ];
}

function inscriptionRow(item) {
  const id = textAt(item, 'object_id') || textAt(item, 'id');
  const value = member(item, 'value');
  const type = textAt(value, 'content_type');
  const body = (textAt(value, 'body') || '0x').slice(2);
  return [
    element('strong', {}, 'Inscription ' + textAt(value, 'inscription_number')),
    linkTo(id && objectLink(id), short('0x' + (textAt(value, 'id') || '')).slice(2)),
    element('span', { class: 'hint' }, (type || 'no type') + ', ' + body.length / 2 + ' bytes'),
    /^(?:text|application\/json)\b/.test(type || '') ? element('code', {}, previewOf(body)) : undefined,
  ];
}

/** The first characters of text in hex. */
function previewOf(hex) {
  const bytes = hex.slice(0, 2 * TEXT_PREVIEW_BYTES).match(/../g) || [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => parseInt(byte, 16))) + (hex.length > 2 * TEXT_PREVIEW_BYTES ? '…' : '');
}

/** The address of the view that shows what a text names. Asks the node where a hash may be of several things. */
async function placeOf(text) {
  if (/^\d{1,20}$/.test(text)) return transactionLink(text);
  if (text.includes('::')) {
    const [, , last] = text.split('<')[0].split('::');
    return last && /^[A-Z]/.test(last) ? objectLink(text) : sendLink(text);
  }
  const outpoint = /^([0-9a-f]{64}):(\d+)$/i.exec(text);
  if (outpoint) return bitcoinObject('queryUTXOs', { out_point: { txid: outpoint[1], vout: Number(outpoint[2]) } });
  if (/^[0-9a-f]{64}i\d+$/i.test(text)) return bitcoinObject('queryInscriptions', { inscription_id: text });
  const hash = /^(?:0x)?([0-9a-f]{64})$/i.exec(text);
  if (hash) return placeOfHash('0x' + hash[1].toLowerCase());
  return OBJECT_ID.test(text) ? objectLink(text) : accountLink(text);
}

async function bitcoinObject(method, filter) {
  const page = await call(methodNamed(method), JSON.stringify([filter, null, '1', true]));
  const id = itemsOf(member(page, 'data')).map((item) => textAt(item, 'object_id') || textAt(item, 'id'))[0];
  if (id === undefined) throw new Error('The chain has no such thing now.');
  return objectLink(id);
}

/** A transaction, an object, or else the account of that address. */
async function placeOfHash(hash) {
  const [transaction] = itemsOf(await call(methodNamed('getTransactionsByHash'), JSON.stringify([[hash]])));
  if (transaction && transaction.kind === 'object') return transactionLink(hash);
  const [state] = itemsOf(await call(methodNamed('getObjectStates'), JSON.stringify([hash])));
  const type = textAt(state, 'object_type');
  return type && type !== '0x2::account::Account' ? objectLink(hash) : accountLink(hash);
}

function startFinder() {
  byId('find').addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = byId('find-what').value.trim();
    byId('find-trouble').textContent = '';
    try {
      const target = await placeOf(text);
      if (byId('find-what').value.trim() !== text) return;
      goTo(target);
      byId('find-what').value = '';
    } catch (failure) {
      byId('find-trouble').textContent = failure.message;
    }
  });
}
`;
