import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { assertBlock, BITCOIN_BLOCK_BYTES_MAX } from '../../src/bitcoin/block.ts';
import { decodeBlock, formatBitcoinHash, RegtestChain, reveal, spend } from '../../src/bitcoin/index.ts';
import { mineBlock } from '../../src/bitcoin/mine.ts';
import { NULL_OUTPOINT } from '../../src/bitcoin/outpoint.ts';
import { OP_1, pushBytes, pushNumber } from '../../src/bitcoin/script.ts';
import {
  type BitcoinInput,
  bitcoinTransaction,
  checkedTransaction,
  createTransaction,
  decodeTransaction,
  encodeBitcoinTransaction,
  hasWitness,
  isCoinbase,
  VALUE_SAT_MAX,
  witnessTxid,
} from '../../src/bitcoin/transaction.ts';

// BIP 143, the signed transaction of "Native P2WPKH".
const BIP143 =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000';

describe('a transaction with witnesses', () => {
  const transaction = decodeTransaction(fromHex(BIP143));

  it('has the ids of its two forms', () => {
    expect(formatBitcoinHash(transaction.txid)).toBe(
      'e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609',
    );
    expect(toHex(encodeBitcoinTransaction(transaction))).toBe(BIP143);
    // Of the independent model (tools/bitcoin/btc.py).
    expect(formatBitcoinHash(witnessTxid(transaction))).toBe(
      'c36c38370907df2324d9ce9d149d191192f338b37665a82e78e76a12c909b762',
    );
  });

  it('has its parts', () => {
    expect(transaction).toMatchObject({ version: 1, lockTime: 17 });
    expect(transaction.inputs.map(({ witness }) => witness.length)).toEqual([0, 2]);
    expect(transaction.inputs.map(({ sequence }) => sequence)).toEqual([0xffff_ffee, 0xffff_ffff]);
    expect(transaction.outputs.map(({ value }) => value)).toEqual([112_340_000n, 223_450_000n]);
    expect([hasWitness(transaction), isCoinbase(transaction)]).toEqual([true, false]);
  });

  it('shares one array between all empty witness items, of which a block may have four million', () => {
    const witness = new Array<Uint8Array>(1_000).fill(new Uint8Array(0));
    const made = spend(
      [{ outpoint: { txid: new Uint8Array(32), vout: 0 }, witness }],
      [{ scriptPubkey: Uint8Array.of(OP_1), value: 0n }],
    );
    const stored = encode(bitcoinTransaction, made);
    for (const read of [decodeTransaction(encodeBitcoinTransaction(made)), decode(bitcoinTransaction, stored)]) {
      expect(read.inputs[0]?.witness).toEqual(witness);
      expect(new Set(read.inputs[0]?.witness).size).toBe(1);
    }
  });

  it('is read from a Buffer as from an array, and shares its memory', () => {
    const bytes = fromHex(BIP143);
    const fromBuffer = decodeTransaction(Buffer.from(bytes));
    expect(fromBuffer.txid).toEqual(transaction.txid);
    expect(Buffer.isBuffer(fromBuffer.inputs[0]!.scriptSig)).toBe(false);
    expect(decodeTransaction(bytes).inputs[0]!.scriptSig.buffer).toBe(bytes.buffer);
  });
});

describe('what is not a transaction', () => {
  const one = toHex(
    encodeBitcoinTransaction(
      spend(
        [{ outpoint: { txid: new Uint8Array(32).fill(1), vout: 0 } }],
        [{ scriptPubkey: Uint8Array.of(OP_1), value: 1n }],
      ),
    ),
  );
  const input = one.slice(8 + 2, 8 + 2 + 82);
  const output = one.slice(8 + 2 + 82 + 2, -8);

  it.each([
    ['nothing', '', /expected 4 bytes at byte 0/],
    ['a part', one.slice(0, 60), /expected 1 inputs after byte 4, got only 25 more bytes/],
    ['all but the last byte', one.slice(0, -2), /expected 4 bytes at byte/],
    ['one byte more', `${one}00`, /expected the end at byte 61, got 1 more bytes/],
    ['no inputs', '02000000000200000000', /expected the segwit flag 1/],
    ['no inputs with witnesses', '0200000000010000000000000000', /expected at least one input/],
    ['witnesses that are all empty', `02000000000101${input}01${output}0000000000`, /expected a witness/],
    ['more inputs than bytes', `02000000ff${'ff'.repeat(8)}`, /expected 18446744073709551615 inputs/],
    [
      'a count in 3 bytes that fits in one',
      `02000000fd0100${input}01${output}00000000`,
      /expected the shortest form of a count at byte 4/,
    ],
    ['a count in 5 bytes that fits in 3', `02000000fe01000000${input}01${output}00000000`, /shortest form/],
    ['a count in 9 bytes that fits in 5', `02000000ff0100000000000000${input}01${output}00000000`, /shortest form/],
    [
      'a value above the supply',
      `0200000001${input}0101${'ff'.repeat(7)}015100000000`,
      /at most 2100000000000000 sat together/,
    ],
    [
      'a script that runs past the end',
      `0200000001${input}01${output.slice(0, 16)}7f5100000000`,
      /expected 127 bytes after byte/,
    ],
  ])('%s', (_name, hex, message) => {
    expect(() => decodeTransaction(fromHex(hex))).toThrow(message);
  });

  it('values that together exceed the supply', () => {
    const scriptPubkey = Uint8Array.of(OP_1);
    const inputs = [{ outpoint: { txid: new Uint8Array(32), vout: 0 } }];
    const fits = spend(inputs, [
      { scriptPubkey, value: VALUE_SAT_MAX },
      { scriptPubkey, value: 0n },
    ]);
    expect(decodeTransaction(encodeBitcoinTransaction(fits))).toEqual(fits);
    const [first, second] = fits.outputs;
    const over = createTransaction({ inputs: fits.inputs, outputs: [first!, { ...second!, value: 1n }] });
    expect(() => decodeTransaction(encodeBitcoinTransaction(over))).toThrow(/with output 1$/);
  });
});

describe('what consensus forbids in a transaction', () => {
  const input = (vout: number, scriptSig = new Uint8Array(0)): BitcoinInput => ({
    previousOutput: { txid: new Uint8Array(32).fill(1), vout },
    scriptSig,
    sequence: 0,
    witness: [],
  });
  const coinbase = (length: number) => ({ ...input(0, new Uint8Array(length)), previousOutput: NULL_OUTPOINT });
  const output = { scriptPubkey: Uint8Array.of(OP_1), value: 1n };
  const supply = { ...output, value: VALUE_SAT_MAX };
  const checked = (inputs: BitcoinInput[], outputs: (typeof output)[]) =>
    checkedTransaction(createTransaction({ inputs, outputs }), 'given');

  // CheckTransaction of Bitcoin Core: its names for these are in the first column.
  it.each([
    ['bad-txns-vin-empty', [], [output], /^given: expected at least one input, got none$/],
    ['bad-txns-vout-empty', [input(0)], [], /^given: expected at least one output, got none$/],
    ['bad-txns-txouttotal-toolarge', [input(0)], [supply, output], /with output 1$/],
    ['bad-txns-inputs-duplicate', [input(0), input(1), input(0)], [output], /(01){32}:0 as inputs 0 and 2$/],
    ['bad-txns-prevout-null', [input(0), coinbase(2)], [output], /null outpoint.* as input 1$/],
    ['bad-cb-length, short', [coinbase(1)], [output], /script of 2 to 100 bytes, got 1$/],
    ['bad-cb-length, long', [coinbase(101)], [output], /script of 2 to 100 bytes, got 101$/],
  ])('%s', (_name, inputs, outputs, message) => {
    expect(() => checked(inputs, outputs)).toThrow(message);
  });

  it('what is just within the limits', () => {
    expect(() => checked([input(0), input(1)], [supply])).not.toThrow();
    for (const length of [2, 100]) expect(() => checked([coinbase(length)], [output])).not.toThrow();
  });

  it('is not made by any builder', () => {
    const outpoint = { txid: new Uint8Array(32), vout: 0 };
    const refusal = expect.objectContaining({ code: 'invalid-argument' });
    for (const outputs of [[], [output], [output, output]]) expect(() => spend([], outputs)).toThrow(refusal);
    expect(() => spend([{ outpoint }], [])).toThrow(refusal);
    expect(() => reveal(outpoint, { body: 'x' }, [])).toThrow(refusal);
    const transactions = [createTransaction({ inputs: [], outputs: [output] })];
    const to = fromHex(`0200${'11'.repeat(20)}`);
    expect(() => new RegtestChain().mine({ to, transactions })).toThrow(refusal);
    expect(() => new RegtestChain().mine({ to, coinbaseOutputs: [] })).toThrow(refusal);
  });
});

describe('what is not a block', () => {
  const to = fromHex(`0200${'11'.repeat(20)}`);
  const plan = { previousHash: new Uint8Array(32), height: 1, time: 0, to };
  const transfer = spend([{ outpoint: { txid: new Uint8Array(32).fill(1), vout: 0 } }], [{ to, value: 1n }]);
  const { bytes } = mineBlock({ ...plan, transactions: [transfer] });

  it('bytes that end early or late', () => {
    expect(() => decodeBlock(bytes.subarray(0, 79))).toThrow(/expected 80 bytes at byte 0, got 79/);
    expect(() => decodeBlock(bytes.subarray(0, 80))).toThrow(/expected 1 bytes at byte 80/);
    expect(() => decodeBlock(bytes.subarray(0, -1))).toThrow(/^transaction 1 of 2: expected 4 bytes/);
    expect(() => decodeBlock(concatBytes(bytes, Uint8Array.of(0)))).toThrow(/expected the end/);
    expect(() => decodeBlock(new Uint8Array(BITCOIN_BLOCK_BYTES_MAX + 1))).toThrow(
      /at most 4000000 bytes, got 4000001/,
    );
  });

  it('transactions that the header does not name', () => {
    const changed = bytes.slice();
    changed[changed.length - 1] = 1;
    expect(() => assertBlock(decodeBlock(changed))).toThrow(/header's Merkle root [0-9a-f]{64}, got [0-9a-f]{64}$/);
  });

  it('no coinbase first, a second one, or another transaction twice', () => {
    const block = decodeBlock(bytes);
    const [coinbase, other] = block.transactions as [typeof transfer, typeof transfer];
    const rearranged = (transactions: (typeof transfer)[]) => ({ ...block, transactions });
    expect(() => assertBlock(rearranged([]))).toThrow(/a coinbase as the first/);
    expect(() => assertBlock(rearranged([other, coinbase]))).toThrow(/a coinbase as the first/);
    expect(() => assertBlock(rearranged([coinbase, other, coinbase]))).toThrow(
      /^transaction 2: expected no input that spends/,
    );
    const third = createTransaction({ inputs: other.inputs, outputs: [] });
    expect(() => assertBlock(rearranged([coinbase, other, third, other]))).toThrow(
      /^transaction 3: expected no transaction twice, got transaction 1 again$/,
    );
    const joined = createTransaction({ inputs: [...other.inputs, ...coinbase.inputs], outputs: [] });
    expect(isCoinbase(joined)).toBe(false);
    expect(() => assertBlock(rearranged([coinbase, joined]))).toThrow(/^transaction 1: expected no input/);
  });
});

const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const scripts = fc.uint8Array({ maxLength: 300 });
const transactions = fc
  .record({
    version: fc.nat({ max: 0xffff_ffff }),
    lockTime: fc.nat({ max: 0xffff_ffff }),
    inputs: fc.array(
      fc.record({
        previousOutput: fc.oneof(
          fc.constant(NULL_OUTPOINT),
          fc.record({ txid: hashes, vout: fc.nat({ max: 0xffff_ffff }) }),
        ),
        scriptSig: scripts,
        sequence: fc.nat({ max: 0xffff_ffff }),
        witness: fc.array(scripts, { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    outputs: fc.array(fc.record({ value: fc.bigInt({ min: 0n, max: 1_000_000n }), scriptPubkey: scripts }), {
      maxLength: 5,
    }),
  })
  .map(createTransaction);

describe('properties', () => {
  it('consensus bytes and BCS round-trip', () => {
    fc.assert(
      fc.property(transactions, (transaction) => {
        expect(decodeTransaction(encodeBitcoinTransaction(transaction))).toEqual(transaction);
        expect(decode(bitcoinTransaction, encode(bitcoinTransaction, transaction))).toEqual(transaction);
      }),
    );
  });
});

describe('pushes', () => {
  // script_buf.move's test of numbers; BIP 62's shortest forms.
  it.each([
    [0, '00'],
    [1, '51'],
    [16, '60'],
    [17, '0111'],
    [127, '017f'],
    [128, '028000'],
    [255, '02ff00'],
    [256, '020001'],
    [65_536, '03000001'],
    [2_147_483_648, '050000008000'],
    [1_000_000_000_000, '060010a5d4e800'],
  ])('%i', (value, expected) => expect(toHex(pushNumber(value))).toBe(expected));

  it('refuse anything but a whole number of 0 or more', () => {
    for (const value of [-1, 0.5, 2 ** 53]) expect(() => pushNumber(value)).toThrow(/safe integer/);
  });

  it.each([
    [0, '00'],
    [75, '4b'],
    [76, '4c4c'],
    [255, '4cff'],
    [256, '4d0001'],
    [65_536, '4e00000100'],
  ])('of %i bytes', (length, head) => {
    const pushed = pushBytes(new Uint8Array(length));
    expect(toHex(pushed.subarray(0, head.length / 2))).toBe(head);
    expect(pushed).toHaveLength(head.length / 2 + length);
  });
});
