/**
 * Links: every view has an address, and every hash, account, object, function and type in an answer links to one.
 * @module
 */
export const links: string = `
const OBJECT_ID = /^0x(?:[0-9a-f]{64})+$/;
const ADDRESS_KEYS = new Set(['owner', 'sender', 'address', 'addr', 'account', 'module_address']);
const FUNCTION_KEYS = new Set(['function_id', 'location', 'module']);
/** Members that hold 32 bytes of hex and name no object. */
const NOT_AN_OBJECT = /(?:_root|roots|_hash|hash|txid|payload|raw|key|data|value|args|body|cursor)$/;

const callLink = (method, params) =>
  '#/call/' + encodeURIComponent(method) + (params === undefined ? '' : '?params=' + encodeURIComponent(params));
const stateLink = (path, cursor) =>
  '#/state' + path.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':').replaceAll('%2C', ',') +
  (cursor === undefined ? '' : '?cursor=' + encodeURIComponent(cursor));
const objectLink = (id) => stateLink('/object/' + id);
/** name is a hash or an order. */
const transactionLink = (name) => '#/tx/' + name;
const accountLink = (address) => '#/account/' + address;
/** name is an address, a module or a function. */
const sendLink = (name) => '#/send/' + name;
/** what is events or transactions, filter what the form of that view takes. */
const watchLink = (what, filter) => '#/watch?what=' + what + '&filter=' + encodeURIComponent(filter);

/** Where a string of an answer leads, if anywhere. */
function linkOf(key, text) {
  if (/bitcoin_address$/.test(key || '')) return accountLink(text);
  if (key === 'tx_order') return transactionLink(text);
  if (key === 'event_type') return watchLink('events', text);
  if (FUNCTION_KEYS.has(key)) return text.includes('::') ? sendLink(shortName(text)) : undefined;
  if (!OBJECT_ID.test(text)) return undefined;
  if (/(?:^|_)tx_hash$/.test(key || '')) return transactionLink(text);
  if (ADDRESS_KEYS.has(key)) return accountLink(text);
  return key && NOT_AN_OBJECT.test(key) ? undefined : objectLink(text);
}

/** Long hex with its middle left out. */
function short(text) {
  return text.replace(/0x([0-9a-f]{8})[0-9a-f]{20,}([0-9a-f]{6})(?![0-9a-f])/g, '0x$1…$2');
}

/** The name of a module, a function or a type with the zeros of its addresses left out; one form of the wire has no 0x. */
function shortName(text) {
  return text.replace(/^(?=[0-9a-f]{64}::)/, '0x').replace(/0x0+(?=[0-9a-f]+::)/g, '0x');
}

/** A link, unless there is nothing that it leads to. */
const linkTo = (target, text) => (target ? element('a', { href: target }, text) : element('code', {}, text));

const isOffered = (name) => methods.some((method) => method.name === name);

/** The full name of a method under the first namespace that the node serves it by. */
function methodNamed(word) {
  const found = methods.map((method) => method.name).filter((name) => name.endsWith('_' + word));
  return found.find((name) => name.startsWith('chain_')) || found[0] || 'chain_' + word;
}
`;
