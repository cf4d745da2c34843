/** A reader that executes what it reads: it comes to the same, and exposes a writer of sound but wrong records. */
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/base/bcs.ts';
import { COUNTED_INSCRIPTION_BYTES_MIN } from '../../src/base/config.ts';
import { reveal } from '../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import * as pipeline from '../../src/pipeline/step.ts';
import { single } from '../../src/pipeline/turn.ts';
import { signedTransaction } from '../../src/query/transaction-builder.ts';
import { seed } from '../effort.ts';
import { payment } from '../payment.ts';
import { Cluster, logStatus, reached, rowsOf } from './cluster.ts';
import { MIXED_OPTIONS, playMixedRun, tickingClock } from './recording/mixed-run.ts';

const bob = DEV_ACCOUNTS[1]!.address;

function signed(engine: Engine): Uint8Array {
  const [alice] = engine.accounts;
  return alice!.signTransaction(payment(bob, 5n)) as Uint8Array;
}

/** Executes a payment and writes something else than it did. */
async function lie(engine: Engine, change: (output: ExecutionOutput) => Partial<ExecutionOutput>): Promise<void> {
  const { turn, commit } = single({ kind: 'signed', bytes: signed(engine) });
  engine.inside.core.writer.submit(turn, (input, context) => {
    const outcome = pipeline.step(input, context);
    if (outcome.kind === 'refused') return outcome;
    return { ...outcome, output: { ...outcome.output, ...change(outcome.output) } };
  });
  await commit;
}

describe('a reader that executes what it reads', () => {
  it('reaches the same state as the writer, whatever was done', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer({ ...MIXED_OPTIONS, clock: tickingClock() });
    const reader = await cluster.reader({ ...MIXED_OPTIONS, reexecute: 'all' });
    await playMixedRun(writer, { seed, orders: 80 });
    await reached(reader, writer.head.order);
    expect(await rowsOf(reader)).toEqual(await rowsOf(writer));
    expect((await logStatus(reader, () => true)).state).toBe('following');
  });

  it('has no row that the writer took away, such as what a block took for its inscriptions', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    const readers = [await cluster.reader(), await cluster.reader({ reexecute: 'all' })];
    const to = DEV_ACCOUNTS[0]!.regtestAddress;
    const coin = (await writer.dev.mine({ to })).transactions[0]!;
    const large = { body: 'x'.repeat(2 * COUNTED_INSCRIPTION_BYTES_MIN) };
    const inscribing = reveal({ txid: coin.txid, vout: 0 }, large, [{ to, value: 10_000n }]);
    await writer.dev.mine({ to, transactions: [inscribing] });
    for (const reader of readers) {
      await reached(reader, writer.head.order);
      expect(await rowsOf(reader)).toEqual(await rowsOf(writer));
    }
  });

  it('needs to be told that the writer does not check signatures', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer({ verifySignatures: false });
    const told = await cluster.reader({ reexecute: 'all', verifySignatures: false });
    const untold = await cluster.reader({ reexecute: 'all' });
    const bytes = signed(writer);
    const { payload } = decode(signedTransaction, bytes).authenticator;
    // The signature comes after one byte of length and one of scheme.
    bytes[bytes.length - payload.length + 10]! ^= 1;
    await writer.execute(bytes);
    await reached(told, 1n);
    expect(told.head).toEqual(writer.head);
    const { problem } = await logStatus(untold, ({ state }) => state === 'stopped');
    expect(problem).toContain('signature');
  });

  it.each<[string, (output: ExecutionOutput) => Partial<ExecutionOutput>, string]>([
    ['more gas', ({ gasUsed }) => ({ gasUsed: gasUsed + 1n }), 'another gas'],
    ['another status', () => ({ status: { kind: 'out-of-gas' } }), 'another status: expected executed, got out-of-gas'],
    ['an event less', ({ events }) => ({ events: events.slice(0, -1) }), 'another event root'],
    [
      'no change',
      ({ changeSet: { stateRoot, globalSize } }) => ({ changeSet: { stateRoot, globalSize, changes: [] } }),
      'another state root',
    ],
  ])('stops at a commit with %s, which an ordinary reader believes', async (_name, change, problem) => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    const reader = await cluster.reader({ reexecute: 'all' });
    const believer = await cluster.reader();
    await writer.execute(signed(writer));
    const { stateRoot } = writer.head;
    await lie(writer, change);
    await reached(believer, 2n);
    expect((await logStatus(believer, () => true)).state).toBe('following');
    const status = await logStatus(reader, ({ state }) => state === 'stopped');
    expect(status.applied).toBe(1n);
    expect(status.problem).toContain('order 2');
    expect(status.problem).toContain(problem);
    // Both roots are named, whatever differs.
    const told = status.problem!.match(/0x[0-9a-f]{64}/g);
    expect(told!.at(-1)).toBe(String(writer.head.stateRoot));
    const honest = await Engine.open();
    await honest.execute(signed(honest));
    await honest.execute(signed(honest));
    expect(told!.at(-2)).toBe(String(honest.head.stateRoot));
    await honest.close();
    expect(String(reader.head.stateRoot)).toBe(String(stateRoot));
  });

  it('stops at a transaction that should have been refused', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer({ verifySignatures: false });
    const reader = await cluster.reader({ reexecute: 'all' });
    const bytes = signed(writer).slice();
    const at = bytes.length - 120;
    bytes[at]! ^= 1;
    await writer.execute(bytes);
    const { problem, applied } = await logStatus(reader, ({ state }) => state === 'stopped');
    expect([applied, problem]).toEqual([0n, expect.stringContaining('expected a refusal')]);
  });

  it('does so for one in so many, if told to', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    const reader = await cluster.reader({ reexecute: 3 });
    for (let count = 1; count <= 5; count++) {
      if (count === 3) await writer.execute(signed(writer));
      else await lie(writer, ({ gasUsed }) => ({ gasUsed: gasUsed + 1n }));
    }
    await reached(reader, 5n);
    await lie(writer, ({ gasUsed }) => ({ gasUsed: gasUsed + 1n }));
    const { applied } = await logStatus(reader, ({ state }) => state === 'stopped');
    expect(applied).toBe(5n);
  });

  it('is an option for readers only: all, or a whole number', async () => {
    await using cluster = new Cluster();
    await expect(cluster.writer({ reexecute: 'all' })).rejects.toThrow(/reexecute: expected role reader, got writer/);
    await expect(Engine.open({ reexecute: 2 })).rejects.toThrow(/reexecute needs a commitLog/);
    for (const reexecute of [0, 0.5, 'some'] as never[]) {
      await expect(cluster.reader({ reexecute })).rejects.toMatchObject({ code: 'invalid-argument' });
    }
  });
});
