/**
 * Finding anything by its name: an order, a hash, an address, an object, a module, a function, an outpoint.
 * @module
 */
export const finder: string = String.raw`
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
      if (location.hash === target) route();
      else location.hash = target;
      byId('find-what').value = '';
    } catch (failure) {
      byId('find-trouble').textContent = failure.message;
    }
  });
}
`;
