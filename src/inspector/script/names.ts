/**
 * Readable forms of ids and numbers: names of accounts, functions and types, amounts in coins, and times.
 * @module
 */
export const names: string = String.raw`
/** The addresses of the node's funded accounts, by number. */
let funded = [];
/** By type: promises of { symbol, decimals }. */
const coins = new Map();

async function loadFunded(signal) {
  if (funded.length > 0 || !isOffered('dev_accounts')) return;
  funded = itemsOf(await call('dev_accounts', '[]', signal)).map((account) => textAt(account, 'address'));
}

const FRAMEWORK = new Map([['1', 'MoveStdlib'], ['2', 'MoveosStdlib'], ['3', 'RoochFramework'], ['4', 'BitcoinMove']]);

/** The digits of an address without its zeros: 3 for 0x3. */
const bareAddress = (address) => address.replace(/^0x/, '').replace(/^0+(?=.)/, '');

/** Whether a module, function or type, given by its full name, belongs to the framework. */
const isFramework = (name) => FRAMEWORK.has(bareAddress(name.split('::')[0]));

/** The name of an address, if it has one. */
function accountName(address) {
  const index = funded.indexOf(address);
  if (index !== -1) return 'account ' + index;
  const bare = bareAddress(address);
  return bare === '0' ? 'the chain' : FRAMEWORK.get(bare);
}

/** A link to an account, with its name or its shortened address. */
const accountTag = (address) =>
  element('a', { class: accountName(address) ? undefined : 'id', href: accountLink(address), title: address }, accountName(address) || short(address));

/** A link to the form of a function, with its module and name. */
const functionTag = (name) => element('a', { class: 'name', href: contractLink(name), title: name }, ...breakable(name.split('::').slice(1).join('::')));

/** A name that may be broken after its colons, and between its words. */
const breakable = (text) => text.split(/(?<=::|_)|(?<=[a-z])(?=[A-Z])/).flatMap((part, index) => (index === 0 ? [part] : [element('wbr', {}), part]));

/** A type by the last parts of its names: CoinStore<RGas>. */
const typeName = (type) => type.replace(/(?:0x)?[0-9a-f]+::\w+::(?=\w)/g, '');

/** The module of a type or function, or undefined where there is none. */
const moduleName = (name) => (/^[^<]*::/.test(name) ? shortName(name).split('<')[0].split('::').slice(0, 2).join('::') : undefined);

/** A link to the module of a type, with its short name. */
function typeTag(type) {
  const module = moduleName(type.replace(/^&(?:mut )?/, ''));
  const text = breakable(typeName(type));
  return module ? element('a', { class: 'name', href: contractLink(module), title: shortName(type) }, ...text) : element('span', { class: 'name' }, ...text);
}

/** A link to an object, with its type and id. */
const objectTag = (id, type) =>
  element('a', { href: objectLink(id), title: id }, ...(type ? [typeName(type).split('<')[0] + ' '] : []), element('span', { class: 'id' }, short(id)));

/** A balance of an answer: { type, units, coin }. */
function readBalance(item) {
  const type = textAt(item, 'coin_type') || '';
  return { type, units: textAt(item, 'balance'), coin: readCoin(item, type) };
}

const readCoin = (item, type) => ({ symbol: textAt(item, 'symbol') || typeName(type), decimals: Number(textAt(item, 'decimals')) || 0 });

/** The symbol and the decimals of a coin. */
function coinOf(type) {
  const key = shortName(type);
  if (!coins.has(key)) {
    coins.set(key, call(methodNamed('getBalance'), JSON.stringify(['0x0', key])).then(
      (balance) => readCoin(balance, key),
      // Without an answer, the amount is in the smallest unit, under the name of the type.
      () => ({ symbol: typeName(key), decimals: 0 })));
  }
  return coins.get(key);
}

/** A whole number of the smallest units, negative or not, as a decimal number with its thousands apart. */
function decimalText(units, decimals) {
  if (!/^-?\d+$/.test(units)) return units;
  const digits = units.replace('-', '').padStart(decimals + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - decimals), decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '')];
  return (units.startsWith('-') ? '−' : '') + whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + (fraction === '' ? '' : '.' + fraction);
}

/** An amount of a coin of { symbol, decimals }. */
const amountText = (units, { symbol, decimals }) => decimalText(String(units), decimals) + '\u00a0' + symbol;

const amountTag = (units, coin) => element('span', { class: 'amount', title: units + ' of the smallest unit' }, amountText(units, coin));

/** A count with its noun. */
const countText = (count, one, many = one + 's') => decimalText(String(count), 0) + ' ' + (String(count) === '1' ? one : many);

/** Milliseconds since 1970 as a time in UTC. */
function momentText(milliseconds) {
  if (milliseconds === undefined) return undefined;
  const moment = new Date(Number(milliseconds));
  return Number.isNaN(moment.getTime()) ? milliseconds + ' ms' : moment.toISOString().replace('T', ' ').replace(/\.\d+Z/, ' UTC');
}

const AGES = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

/** The age of a time at the chain's time, in words; its date after a month. */
function ageText(milliseconds, now) {
  const seconds = Math.floor((Number(now) - Number(milliseconds)) / 1000);
  if (!(seconds >= 0) || seconds > 30 * 86400) return momentText(milliseconds).slice(0, 16);
  const [unit, word] = AGES.find(([each]) => seconds >= each) || AGES[3];
  return seconds === 0 ? 'now' : Math.floor(seconds / unit) + ' ' + word + ' ago';
}

/** A text whose parts between backticks are code. */
const marked = (text) => text.split(/\x60([^\x60]+)\x60/).map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part)).filter((part) => part !== '');
`;
