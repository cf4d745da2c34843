/**
 * A run that was recorded leads to the same roots when it is played again: in memory and on disk, to its end and to any
 * order; in other processes and under other versions of Node (other-nodes.test.ts). What differs is named.
 */

import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { signedTransaction } from '../../../src/chain/transaction/signed.ts';
import { Engine, type LogEntry, type Recording, record, replay } from '../../../src/index.ts';
import type { RecordedCommit } from '../../../src/log/record.ts';
import {
  decodeRunEntry,
  encodeRunEntry,
  encodeRunHeader,
  type RunEntry,
  readRunFile,
} from '../../../src/log/recording/run-file.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import { crc32 } from '../../../src/store/row-checksum.ts';
import { seed } from '../../effort.ts';
import { payment } from '../../payment.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { contentOf } from '../cluster.ts';
import { MIXED_OPTIONS, playMixedRun, tickingClock } from './mixed-run.ts';

const newDirectory = temporaryDirectories();
const GAS = '0x3::gas_coin::RGas';

/** A run with returns and resets, and how it ended. */
let engine: Engine;
let recording: Recording;
let file: Uint8Array;

beforeAll(async () => {
  engine = await Engine.open({ ...MIXED_OPTIONS, clock: tickingClock() });
  recording = record(engine);
  await playMixedRun(engine, { seed, orders: 70, reverts: true });
  file = await recording.bytes();
});

afterAll(() => engine.close());

/** The content of every row of a chain, a line each. It is one text, since a matcher takes seconds for thousands of them. */
const rowsOf = async (of: Engine): Promise<string> => {
  let rows = '';
  const { store } = of.inside.core.writer;
  for await (const row of store.scan({}))
    rows += `${Buffer.from(row.key).toString('hex')} ${Buffer.from(contentOf(store, row)).toString('hex')}\n`;
  return rows;
};

describe('a recorded run', () => {
  it('leads to the same chain, row by row, in memory', async () => {
    await using again = await replay(file);
    expect(again.head).toEqual(engine.head);
    expect(await rowsOf(again)).toBe(await rowsOf(engine));
    expect(again.inside.core.writer.store.kind).toBe('memory');
  });

  it('leads to the same chain on disk, which is given one branch', async () => {
    const store = newDirectory();
    {
      await using again = await replay(file, { store, durability: 'os' });
      expect(again.head).toEqual(engine.head);
    }
    await using reopened = await Engine.open({ store });
    expect(reopened.head).toEqual(engine.head);
    expect(await rowsOf(reopened)).toBe(await rowsOf(engine));
  });

  it('stops after any order, and goes on from there', async () => {
    const { order } = engine.head;
    for (const to of [0n, 1n, order / 2n, order]) {
      await using again = await replay(file, { to });
      expect(again.head.order).toBe(to);
      expect(again.head.stateRoot).toEqual(engine.transactions.get(to)!.executionInfo.stateRoot);
      const alice = again.accounts[0]!;
      const { status } = await again.execute(alice.signTransaction({ function: '0x3::empty::empty' }));
      expect(status.kind).toBe('executed');
    }
    await expect(replay(file, { to: order + 1n })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`from 0 to ${order}`),
    });
  });

  it('says how far it is, up to each return and after it', async () => {
    await using returning = await Engine.open({ ...MIXED_OPTIONS, clock: tickingClock() });
    const short = record(returning);
    const fund = (amount: bigint) => returning.dev.mint('0x42', amount);
    await fund(1n);
    const snapshot = returning.snapshot();
    await fund(2n);
    await fund(3n);
    await returning.revert(snapshot);
    await fund(4n);
    const told: [number, number][] = [];
    const again = await replay(await short.bytes(), { onProgress: (played, total) => told.push([played, total]) });
    await again.close();
    expect(told).toEqual([
      [1, 4],
      [3, 4],
      [4, 4],
    ]);
  });

  it('has the clock that controls moved', async () => {
    const clock = (): bigint => 1_700_000_000_000n;
    await using first = await Engine.open({ clock });
    const own = record(first);
    await first.dev.time.advance(5_000n);
    await using again = await replay(await own.bytes(), { clock });
    expect(again.inside.core.clock?.offset).toBe(5_000n);
    expect(again.dev.time.now()).toBe(first.dev.time.now());
  });

  it('is signed by its original signer, whose key is not in it', async () => {
    const sequencerKey = new Uint8Array(32).fill(7);
    await using secret = await Engine.open({ sequencerKey });
    const own = record(secret);
    await secret.dev.mint('0x42', 1n);
    const bytes = await own.bytes();
    expect(toHex(bytes)).not.toContain(toHex(sequencerKey));
    await using again = await replay(bytes);
    expect(await rowsOf(again)).toBe(await rowsOf(secret));
  });

  it('may be checked as little as where it was recorded', async () => {
    await using lenient = await Engine.open({ verifySignatures: false });
    const own = record(lenient);
    const [alice, bob] = lenient.accounts;
    const transfer = payment(bob!.address);
    const { data, authenticator } = decode(signedTransaction, alice!.signTransaction(transfer));
    const payload = authenticator.payload.slice();
    payload[20]! ^= 1;
    await lenient.execute({ data, authenticator: { ...authenticator, payload } });
    await using again = await replay(await own.bytes());
    expect(again.head).toEqual(lenient.head);
  });
});

describe('a recording', () => {
  it('of a chain that is under way begins with a dump of it, at whatever moment it is started', async () => {
    await using chain = await Engine.open();
    const fund = (count: number) => Promise.all(Array.from({ length: count }, () => chain.dev.mint('0x42', 1n)));
    await fund(3);
    const late = record(chain);
    await fund(2);
    const pending = fund(40);
    // Somewhere among the groups that are written.
    for (let turn = 0; turn < 7; turn++) await Promise.resolve();
    const amid = record(chain);
    await pending;
    for (const own of [late, amid]) {
      await using again = await replay(await own.bytes());
      expect(again.head).toEqual(chain.head);
      expect(await rowsOf(again)).toBe(await rowsOf(chain));
    }
    expect(readRunFile(await late.bytes()).header).toMatchObject({ order: 3n, start: { kind: 'dump' } });
  });

  it('of a durable chain begins with its genesis or a dump of it, too', async () => {
    await using chain = await Engine.open({ store: newDirectory(), durability: 'os' });
    const first = record(chain);
    await chain.dev.mint('0x42', 1n);
    const second = await Engine.open();
    await second.close();
    await using again = await replay(await first.bytes());
    expect(await rowsOf(again)).toBe(await rowsOf(chain));
    first.stop();
    const late = record(chain);
    await chain.dev.mint('0x42', 2n);
    await using later = await replay(await late.bytes());
    expect(await rowsOf(later)).toBe(await rowsOf(chain));
  });

  it('goes on in forks, from where their chain’s recording began', async () => {
    await using chain = await Engine.open();
    const whole = record(chain);
    await chain.dev.mint('0x42', 1n);
    await using fork = chain.fork();
    await using second = fork.fork();
    await chain.dev.mint('0x42', 2n);
    await fork.dev.mint('0x42', 3n);
    await second.dev.mint('0x42', 4n);
    await second.reset();
    await second.dev.mint('0x42', 5n);
    whole.stop();
    await chain.dev.mint('0x42', 6n);
    for (const [own, amount, inputs] of [
      [whole, 3n, 2],
      [record(fork), 4n, 2],
      [record(second), 6n, 3],
    ] as const) {
      expect(own.inputs).toBe(inputs);
      const bytes = await own.bytes();
      expect(readRunFile(bytes).header).toMatchObject({ order: 0n, start: { kind: 'genesis' } });
      await using again = await replay(bytes);
      expect(again.balances.get('0x42', GAS).balance).toBe(amount);
    }
    await using unrecorded = chain.fork();
    expect(readRunFile(await record(unrecorded).bytes()).header.start.kind).toBe('dump');
    await using lenient = fork.fork({ verifySignatures: false });
    expect(readRunFile(await record(lenient).bytes()).header).toMatchObject({
      start: { kind: 'dump' },
      settings: { verifySignatures: false },
    });
  });

  it('takes nothing more once it is stopped', async () => {
    await using chain = await Engine.open();
    const own = record(chain);
    await chain.dev.mint('0x42', 1n);
    expect(own.isOver).toBe(false);
    own.stop();
    own.stop();
    await chain.dev.mint('0x42', 1n);
    expect([own.inputs, own.isOver, own.failure]).toEqual([1, true, undefined]);
    expect(readRunFile(await own.bytes()).entries).toHaveLength(1);
  });

  it('ends with a reason when the chain goes back to before it', async () => {
    const log: LogEntry[] = [];
    await using chain = await Engine.open({ log: (entry) => log.push(entry) });
    const genesis = chain.snapshot();
    await chain.dev.mint('0x42', 1n);
    const own = record(chain);
    await chain.revert(genesis);
    await expect(own.bytes()).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('to order 0'),
    });
    expect([own.isOver, own.failure?.code]).toEqual([true, 'not-supported']);
    expect(log.at(-1)).toMatchObject({ level: 'error', message: own.failure?.message });
  });

  it('is written piece by piece, and kept nowhere else', async () => {
    await using chain = await Engine.open();
    const pieces: Uint8Array[] = [];
    const written = record(chain, { write: (piece) => pieces.push(piece) });
    const kept = record(chain);
    const snapshot = chain.snapshot();
    await chain.dev.mint('0x42', 1n);
    await chain.revert(snapshot);
    await chain.dev.mint('0x42', 2n);
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(await kept.bytes()));
    await expect(written.bytes()).rejects.toMatchObject({ code: 'not-supported' });
    expect(written.inputs).toBe(2);
  });

  it('ends with a reason when a piece cannot be written, and the chain goes on', async () => {
    await using chain = await Engine.open();
    let left = 2;
    const cause = new Error('disk full');
    const own = record(chain, {
      write: () => {
        if (left-- === 0) throw cause;
      },
    });
    await chain.dev.mint('0x42', 1n);
    await chain.dev.mint('0x42', 1n);
    await chain.dev.mint('0x42', 1n);
    expect(own.failure).toMatchObject({ code: 'store-failed', message: expect.stringContaining('disk full'), cause });
    expect(chain.head.order).toBe(3n);
  });
});

describe('a file that is not what it was', () => {
  it('is played up to where it was cut', async () => {
    await using chain = await Engine.open();
    const own = record(chain);
    for (let count = 0; count < 3; count++) await chain.dev.mint('0x42', 1n);
    const bytes = await own.bytes();
    const last = encodeRunEntry(decodeRunEntry(readRunFile(bytes).entries[2]!)).length;
    for (const cut of [1, last - 1, last - 5, last]) {
      const log: LogEntry[] = [];
      await using again = await replay(bytes.subarray(0, bytes.length - cut), { log: (entry) => log.push(entry) });
      expect(again.head.order).toBe(2n);
      expect(log.map(({ message }) => message)).toEqual(
        cut === last ? [] : [expect.stringContaining('ends within an entry, which is left out: 2 entries')],
      );
    }
    // A file system may have given the end its length, and not its bytes.
    const hollow = bytes.slice();
    hollow.fill(0, bytes.length - last + 3);
    await using again = await replay(hollow);
    expect(again.head.order).toBe(2n);
  });

  it('was cut, and not changed, if only a part of its last entry has the checksum of all of it', () => {
    const { header, entries } = readRunFile(file);
    const whole = Buffer.concat([encodeRunHeader(header), encodeRunEntry(decodeRunEntry(entries[0]!))]);
    const summed = (...parts: readonly Uint8Array[]): Buffer => {
      const bytes = Buffer.concat(parts);
      const sum = Buffer.alloc(4);
      sum.writeUInt32LE(crc32(bytes));
      return Buffer.concat([bytes, sum]);
    };
    const numbers = (...values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
    // Bytes with their own CRC-32 behind them have the same one, whatever they are.
    const part = summed(numbers(1, 2));
    const rests = [
      // No frame: its checksum is another, it is longer than what is left, or there is too little for one.
      numbers(0, 7, 7),
      Buffer.concat([numbers(100, crc32(Uint8Array.of(5, 6))), Uint8Array.of(5, 6)]),
      Uint8Array.of(5, 6),
    ];
    for (const rest of rests) {
      const content = summed(part, rest, numbers(9));
      const cut = Buffer.concat([whole, numbers(content.length, crc32(content)), part, rest]);
      expect(crc32(part)).toBe(crc32(content));
      const read = readRunFile(cut);
      expect([read.isTorn, read.entries.length]).toEqual([true, 1]);
    }
    const longer = Buffer.concat([whole, numbers(part.length + 1, crc32(part)), part]);
    expect(() => readRunFile(longer)).toThrow('the recorded run was changed: frame 2');
  });

  it('is refused wherever a bit was changed before its last entry, in a length too, and never played in part', async () => {
    await using chain = await Engine.open();
    const own = record(chain);
    for (let count = 0; count < 4; count++) await chain.dev.mint('0x42', 1n);
    const bytes = await own.bytes();
    const { entries } = readRunFile(bytes);
    const last = entries.at(-1)!.length + 8;
    const first = entries.reduce((at, entry) => at - entry.length - 8, bytes.length);
    for (let at = first; at < bytes.length - last; at++) {
      const changed = bytes.slice();
      changed[at]! ^= 1 << (at % 8);
      expect(() => readRunFile(changed), `byte ${at}`).toThrow('the recorded run was changed');
    }
  });

  it('is refused: no run, no whole header, another version, a byte that changed', async () => {
    const refused = (bytes: Uint8Array) => expect(replay(bytes)).rejects;
    await refused(new Uint8Array(0)).toMatchObject({ code: 'malformed-bytes' });
    await refused(new TextEncoder().encode('{"jsonrpc":"2.0"}')).toMatchObject({
      code: 'malformed-bytes',
      message: expect.stringContaining('expected a recorded run'),
    });
    await refused(file.subarray(0, 30)).toMatchObject({
      code: 'malformed-bytes',
      message: expect.stringContaining('header'),
    });
    // After the magic (8 bytes), a frame: length and CRC-32 of its content (4 each), which begins with the version.
    const other = file.slice();
    const frame = new DataView(other.buffer, 8);
    other[16] = 3;
    frame.setUint32(4, crc32(other.subarray(16, 16 + frame.getUint32(0, true))), true);
    await refused(other).toMatchObject({ code: 'format-unknown', details: { expected: 2, received: 3 } });
    const changed = file.slice();
    changed[changed.length >> 1]! ^= 1;
    await refused(changed).toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('does not have its checksum'),
      details: { frame: expect.any(Number), byte: expect.any(Number) },
    });
  });

  /** The run with a different header, or a different entry somewhere. */
  const forged = (parts: { header?: object; at?: number; entry?: (entry: RecordedCommit) => object }) => {
    const { header, entries } = readRunFile(file);
    const changed = entries.map((entry, index) => {
      const decoded = decodeRunEntry(entry);
      return index === parts.at && decoded.kind === 'commit'
        ? ({ ...decoded, ...parts.entry!(decoded) } as RunEntry)
        : decoded;
    });
    return Buffer.concat([encodeRunHeader({ ...header, ...parts.header }), ...changed.map(encodeRunEntry)]);
  };

  it('is the same when nothing was changed', () => {
    expect(forged({})).toEqual(Buffer.from(file));
  });

  it('is refused if this version begins with a different genesis', async () => {
    const bytes = forged({ header: { genesisHash: new Uint8Array(32), version: '9.9.9' } });
    await expect(replay(bytes)).rejects.toMatchObject({
      code: 'genesis-mismatch',
      message: expect.stringContaining('as movelet 9.9.9 recorded it'),
    });
  });

  it('stops at the first order that leads elsewhere, which is named with both roots', async () => {
    const stateRoot = new Uint8Array(32).fill(1);
    const elsewhere = ({ executionInfo }: RecordedCommit) => ({ executionInfo: { ...executionInfo, stateRoot } });
    await expect(replay(forged({ at: 4, entry: elsewhere }))).rejects.toMatchObject({
      code: 'replay-differs',
      message: expect.stringMatching(/^order 5 \([\w-]+\): expected the state root 0x0101.* got 0x[0-9a-f]{64}$/),
      details: { order: '5', what: 'state root', expected: `0x${'01'.repeat(32)}` },
    });
    // The first one is a call that nobody signed.
    const called = ({ transaction }: RecordedCommit, change: object, other: object = {}) => {
      const { data } = transaction;
      if (data.kind !== 'l2-transaction') throw new Error(`expected a call, got ${data.kind}`);
      return { transaction: { ...transaction, data: { ...data, ...other, data: { ...data.data, ...change } } } };
    };
    const signed = (commit: RecordedCommit) =>
      called(commit, {}, { authenticator: { validatorId: 0n, payload: new Uint8Array(3) } });
    await expect(replay(forged({ at: 0, entry: signed }))).rejects.toMatchObject({
      code: 'replay-differs',
      message: expect.stringMatching(/^order 1 \(signed\): expected the state root .* got a refusal: /),
    });
    const richer = (commit: RecordedCommit) => called(commit, { maxGasAmount: 1_000_000n });
    await expect(replay(forged({ at: 0, entry: richer }))).rejects.toMatchObject({
      code: 'replay-differs',
      message: expect.stringMatching(/^order 1 \(call\): expected the accumulator root /),
    });
  });

  it('is not played into a store that holds something', async () => {
    const store = newDirectory();
    await (await Engine.open({ store, durability: 'os' })).close();
    await expect(replay(file, { store })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('empty'),
    });
    // It is closed, so it can be opened.
    await (await Engine.open({ store })).close();
    expect(readdirSync(store).length).toBeGreaterThan(0);
    await expect(
      replay(forged({ header: { genesisHash: new Uint8Array(32) } }), { store: new MemoryStore() }),
    ).rejects.toMatchObject({ code: 'genesis-mismatch' });
  });
});
