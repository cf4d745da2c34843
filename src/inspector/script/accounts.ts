/**
 * An account: its balances, objects and transactions; and the search by name, id or hash.
 * @module
 */
export const accounts: string = String.raw`
const TEXT_PREVIEW_BYTES = 120;

/** Shows the account of an address in any of its forms. */
async function showAccount(address) {
  byId('account-title').textContent = accountName(address) || 'Account';
  byId('account-name').textContent = address;
  await fillPanel('account', async (signal) => {
    await loadFunded(signal).catch(() => {});
    // Objects have both forms of their owner's address; for an account without objects only the given form is known.
    const owned = await call(methodNamed('queryObjectStates'), JSON.stringify([{ owner: address }, null, '1', { decode: true }]), signal);
    const [first] = itemsOf(member(owned, 'data'));
    const hex = textAt(first, 'owner') || (address.startsWith('0x') ? address : undefined);
    const bitcoin = textAt(first, 'owner_bitcoin_address') || (hex === address ? undefined : address);
    byId('account-title').textContent = (hex && accountName(hex)) || 'Account';
    say('Account ' + short(address) + ' is shown.');
    const copied = (text) => [element('code', { class: 'id' }, text), ' ', copyButton('Copy', () => text, 'Copy ' + text)];
    const modules = hex ? await modulesOf(hex, signal).catch(() => []) : [];
    return [
      element('div', { class: 'pair' },
        element('div', {}, balancesPart(address), modules.length > 0 ? panel('Contracts', String(modules.length), moduleNames(hex, modules)) : undefined),
        element('div', {}, objectsPart(address))),
      transactionsPart(address),
      openingCard({ title: 'Bitcoin', facts: [hint('its outputs and inscriptions')], isPlain: true, fill: () => bitcoinParts(address) }),
      openingCard({ title: 'Events', facts: [hint('of its transactions')], isPlain: true, fill: () => eventsPart(address) }),
      openingCard({ title: 'Details', facts: [hint('addresses, resources, session keys')], isPlain: true, fill: () => factsList([
        ['Address', hex && copied(hex)],
        ['Bitcoin address', bitcoin && copied(bitcoin)],
        ['State', hex && [element('a', { href: stateLink('/resource/' + hex) }, 'resources and session keys'), ' · ',
          element('a', { href: stateLink('/module/' + hex) }, 'modules'), ' · ', element('a', { href: objectLink(hex) }, 'account object')]],
        ['Live', hex && [element('a', { href: watchLink('transactions', hex) }, 'transactions'), ' · ',
          element('a', { href: watchLink('events', JSON.stringify({ sender: hex })) }, 'events')]],
      ]) }),
    ];
  }, true);
}

function balancesPart(address) {
  const none = element('span', {}, 'It has no coins. ', ...(isOffered('dev_fund') ? [element('a', { href: '#/dev' }, 'The controls'), ' give it some.'] : []));
  return pagedSection({ title: 'Balances', method: 'getBalances', none, row: balanceRow, params: pageParams(address) });
}

function objectsPart(address) {
  return pagedSection({ title: 'Objects', method: 'queryObjectStates', none: 'It owns no objects.', params: pageParams({ owner: address }, NEWEST),
    make: (items) => {
      const byType = new Map();
      for (const item of items) byType.set(textAt(item, 'object_type'), [...(byType.get(textAt(item, 'object_type')) || []), item]);
      // Objects of contracts before those of the framework.
      const groups = [...byType].sort(([left], [right]) => Number(isFramework(left)) - Number(isFramework(right)));
      return table(['Type', 'Objects'], groups.map(([type, group]) => [typeTag(shortName(type)),
        element('div', {}, group.map((item) => element('div', {}, objectTag(textAt(item, 'object_id') || textAt(item, 'id')))))]), { label: 'Objects' });
    } });
}

function transactionsPart(address) {
  return pagedSection({ title: 'Transactions', method: 'queryTransactions', params: pageParams({ sender: address }, NEWEST), make: (items) => transactionTable(items, undefined, false),
    none: element('span', {}, 'It has sent none. ', element('a', { href: contractLink('0x3::transfer::transfer_coin') }, 'Send coins'), ' or ', element('a', { href: '#/contract' }, 'call a contract'), '.') });
}

const eventsPart = (address) => pagedSection({ title: 'Events', method: 'queryEvents', none: 'It has caused none.', areCards: true, params: pageParams({ sender: address }, NEWEST),
  row: (item) => [eventCard(item, element('a', { href: transactionLink(textAt(item, 'indexer_event_id', 'tx_order')) }, 'order ' + textAt(item, 'indexer_event_id', 'tx_order')))] });

function bitcoinParts(address) {
  const params = pageParams({ owner: address }, true);
  return [
    pagedSection({ title: 'UTXOs', method: 'queryUTXOs', none: 'No unspent outputs.', row: utxoRow, params }),
    pagedSection({ title: 'Inscriptions', method: 'queryInscriptions', none: 'No inscriptions.', row: inscriptionRow, params }),
  ].filter(Boolean);
}

function balanceRow(item) {
  const { type, units, coin } = readBalance(item);
  return [element('strong', {}, amountTag(units, coin)), element('span', {}, textAt(item, 'name') || ''), typeTag(type)];
}

function utxoRow(item) {
  const id = textAt(item, 'object_id') || textAt(item, 'id');
  const value = member(item, 'value');
  return [
    element('strong', {}, decimalText(textAt(value, 'value'), 8) + ' BTC'),
    linkTo(id && objectLink(id), (textAt(value, 'bitcoin_txid') || textAt(value, 'txid')).slice(0, 12) + '…:' + textAt(value, 'vout')),
    hint('since order ' + textAt(item, 'tx_order')),
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
    hint((type || 'no type') + ', ' + body.length / 2 + ' bytes'),
    /^(?:text|application\/json)\b/.test(type || '') ? element('code', {}, previewOf(body)) : undefined,
  ];
}

/** The first characters of text in hex. */
function previewOf(hex) {
  const bytes = hex.slice(0, 2 * TEXT_PREVIEW_BYTES).match(/../g) || [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => parseInt(byte, 16))) + (hex.length > 2 * TEXT_PREVIEW_BYTES ? '…' : '');
}

const FINDABLE = 'an order, a hash, an address (0x…, rooch1…, bc1…), account 0 to 9, an object id, a module or function (0x3::transfer), a type, an outpoint (txid:vout) or an inscription id';

/** The view for a search text. Asks the node what a hash belongs to. */
async function placeOf(text) {
  const numbered = /^(?:account|a)\s*#?(\d{1,3})$/i.exec(text);
  if (numbered) {
    await loadFunded().catch(() => {});
    if (funded[numbered[1]]) return accountLink(funded[numbered[1]]);
    throw notFound(text, 'There are ' + funded.length + ' funded accounts.');
  }
  const order = /^#?(\d{1,20})$/.exec(text);
  if (order) return placeOfOrder(order[1]);
  const outpoint = /^([0-9a-f]{64}):(\d+)$/i.exec(text);
  if (outpoint) return bitcoinObject(text, 'queryUTXOs', { out_point: { txid: outpoint[1], vout: Number(outpoint[2]) } });
  if (/^[0-9a-f]{64}i\d+$/i.test(text)) return bitcoinObject(text, 'queryInscriptions', { inscription_id: text });
  if (/^(?:0x)?[0-9a-f]+::\w+(?:::\w+(?:<.+>)?)?$/i.test(text)) return placeOfName(text);
  const hash = /^(?:0x)?([0-9a-f]{64})$/i.exec(text);
  if (hash) return placeOfHash('0x' + hash[1].toLowerCase());
  if (OBJECT_ID.test(text)) return objectLink(text);
  if (/^0x[0-9a-f]{1,64}$/i.test(text) || /^(?:rooch1|bc1|tb1|bcrt1|[13mn2])[0-9a-z]{20,}$/i.test(text)) return accountLink(text);
  return placeOfWord(text);
}

const notFound = (text, more) => new Error('Nothing was found for “' + (text.length > 80 ? text.slice(0, 80) + '…' : text) + '”. ' + more);

async function placeOfOrder(order) {
  const head = await headOrder().catch(() => undefined);
  if (head !== undefined && BigInt(order) > head) throw notFound(order, 'The newest transaction is ' + head + '.');
  return transactionLink(order);
}

/** A module or function, or the named object of a type. */
async function placeOfName(text) {
  const [address, module, last] = text.split('<')[0].split('::');
  if (last && /^[A-Z]/.test(last)) return objectLink(text);
  if ((await abiOf(text)) === undefined) throw notFound(text, 'There is no module ' + module + ' at ' + short(address) + '.');
  return contractLink(text);
}

/** A word may be the name of a module published here. */
async function placeOfWord(text) {
  const [module, name] = text.split('::');
  const packages = await publishedHere().catch(() => []);
  const found = packages.find(({ modules }) => modules.includes(module));
  if (found) return contractLink(found.address + '::' + text);
  throw notFound(text, 'What can be found: ' + FINDABLE + (packages.length > 0 && !name ? ', or the name of a contract: ' + packages.flatMap(({ modules }) => modules).join(', ') : '') + '.');
}

async function bitcoinObject(text, method, filter) {
  const page = await call(methodNamed(method), JSON.stringify([filter, null, '1', true]));
  const id = itemsOf(member(page, 'data')).map((item) => textAt(item, 'object_id') || textAt(item, 'id'))[0];
  if (id === undefined) throw notFound(text, 'It may have been spent, or never have been on this chain.');
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
  onSubmit('find', async () => {
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
  byId('find-what').addEventListener('input', () => {
    byId('find-trouble').textContent = '';
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select')) return;
    event.preventDefault();
    byId('find-what').focus();
  });
}
`;
