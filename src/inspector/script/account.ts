/**
 * An account: its addresses, what it holds, what it did.
 * @module
 */
export const account: string = String.raw`
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
`;
