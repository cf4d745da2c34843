/** Rows of the ledger that are missing, cut or of another format are named. */
import { expect, it } from 'vitest';
import { readHead, storedHead } from '../../../src/chain/ledger/head.ts';
import { readHistory } from '../../../src/chain/ledger/history.ts';
import { readExecutionInfo, readTransaction } from '../../../src/chain/ledger/transactions.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { orderBytes } from '../../../src/store/column.ts';

const rowsOf = (row: Uint8Array | undefined) => ({ get: () => row });
const corrupt = (message: string): unknown => expect.objectContaining({ code: 'corrupt', message });
const undecoded = (message: string): unknown =>
  expect.objectContaining({ code: 'corrupt', message, cause: expect.objectContaining({ code: 'malformed-bytes' }) });

/** A head row begins with its format version, little endian. */
const headOf = (version: number): Uint8Array => Uint8Array.of(version, 0, 0, 0, 7);

it('the head', () => {
  expect(readHead(rowsOf(undefined))).toBeUndefined();
  expect(() => storedHead(rowsOf(undefined))).toThrow(corrupt('the head row is missing'));
  for (const version of [2, 3, 4]) {
    expect(() => readHead(rowsOf(headOf(version)))).toThrow(undecoded('the head row does not decode'));
  }
  for (const [row, received, what] of [
    [headOf(1), 1, 'it was written by an older movelet'],
    [headOf(5), 5, 'it was written by a newer movelet'],
    [headOf(3).subarray(0, 3), undefined, 'got format none'],
  ] as const) {
    const details = { expected: 4, oldest: 2, received };
    const message = expect.stringContaining(what);
    expect(() => readHead(rowsOf(row))).toThrow(expect.objectContaining({ code: 'format-unknown', message, details }));
  }
});

it('the history', () => {
  expect(readHistory(rowsOf(undefined))).toBeUndefined();
  expect(() => readHistory(rowsOf(Uint8Array.of(9)))).toThrow(undecoded('the history row does not decode'));
});

it.each([
  ['transaction', readTransaction],
  ['executionInfo', readExecutionInfo],
])('the %s of an order', (column, read) => {
  const name = `the ${column} row at order 5`;
  expect(() => read(rowsOf(undefined), 5n)).toThrow(corrupt(`${name} is missing`));
  expect(() => read(rowsOf(Uint8Array.of(99)), 5n)).toThrow(undecoded(`${name} does not decode`));
});

it('a transaction that stands under another order', async () => {
  await using engine = await Engine.open();
  const { store } = engine.inside.core.writer;
  for (const order of [1n, 2n]) expect((await engine.dev.mint('0x42', 1n)).order).toBe(order);
  // The rows of the first order, whichever is asked for: their keys end with it.
  const first = { get: (key: Uint8Array) => store.get(Uint8Array.from([...key.subarray(0, -8), ...orderBytes(1n)])) };
  expect(readTransaction(first, 1n).order).toBe(1n);
  expect(() => readTransaction(first, 2n)).toThrow(corrupt('the transaction row at order 2 has another order'));
});
