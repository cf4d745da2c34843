/**
 * Values of a kind that a function does not take, by what it takes.
 * @module
 */
export const ANYTHING_ELSE: readonly unknown[] = [null, 5, 5n, Number.NaN, true, Date.now, Symbol('s')];
export const NO_OBJECT: readonly unknown[] = [undefined, ...ANYTHING_ELSE, 'text'];
export const NO_OPTIONS: readonly unknown[] = [
  ...ANYTHING_ELSE.filter((value) => typeof value !== 'function'),
  'text',
  [],
  Date.now,
];
export const NO_TEXT: readonly unknown[] = [undefined, ...ANYTHING_ELSE, {}, [], new Uint8Array(32)];
export const NO_BYTES: readonly unknown[] = [undefined, ...ANYTHING_ELSE, {}, 'text', '0x00', [1, 2]];
export const NO_FUNCTION: readonly unknown[] = [undefined, null, 5, 'text', {}];
export const NO_LIST: readonly unknown[] = [...ANYTHING_ELSE, {}, 'text', new Map()];
export const NO_ADDRESS: readonly unknown[] = [
  undefined,
  ...ANYTHING_ELSE,
  {},
  [],
  '',
  'zebra',
  '0xzz',
  `0x${'1'.repeat(65)}`,
  'rooch1qqqq',
  'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq',
  'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
  new Uint8Array(31),
  new Uint8Array(33),
];
export const NO_HASH: readonly unknown[] = [
  ...ANYTHING_ELSE,
  {},
  [],
  '',
  '0x00',
  'zebra',
  new Uint8Array(31),
  new Uint8Array(33),
  'a'.repeat(65),
];
export const NO_STRUCT: readonly unknown[] = [
  undefined,
  ...ANYTHING_ELSE,
  {},
  [],
  '',
  'u64',
  '0x3::gas_coin',
  new Uint8Array(32),
];
export const NO_OBJECT_ID: readonly unknown[] = [
  undefined,
  ...ANYTHING_ELSE,
  {},
  'zebra',
  '0x3::gas_coin',
  new Uint8Array(5),
  ['0x3'],
];
export const NO_OUTPOINT: readonly unknown[] = [
  undefined,
  ...ANYTHING_ELSE,
  {},
  '',
  'ab:0',
  'a'.repeat(64),
  { txid: 'a'.repeat(64) },
  { txid: 5, vout: 0 },
  { txid: 'a'.repeat(64), vout: -1 },
  { txid: 'a'.repeat(64), vout: 0.5 },
  { txid: 'a'.repeat(64), vout: 2 ** 32 },
  { txid: 'a'.repeat(64), vout: Number.NaN },
];
export const NO_INSCRIPTION_ID: readonly unknown[] = [
  undefined,
  ...ANYTHING_ELSE,
  {},
  '',
  'a'.repeat(64),
  `${'a'.repeat(64)}i4294967296`,
  { txid: 'a'.repeat(64) },
  { txid: 'a'.repeat(64), index: -1 },
];
/** Where a u64 is expected. */
export const NO_ORDER: readonly unknown[] = [undefined, null, 5, Number.NaN, '5', {}, Date.now];
export const NO_LIMIT: readonly unknown[] = [null, 5n, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40, '5', {}];
export const NO_TYPE: readonly unknown[] = [undefined, ...ANYTHING_ELSE, {}, [], '', 'u65', 'vector<', { kind: 'u65' }];
export const NO_FLAG: readonly unknown[] = [null, 'yes', 1, {}];
