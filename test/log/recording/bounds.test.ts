/** What a recording takes in memory has a bound, which is smaller here. */

import { describe, expect, it, vi } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';
import { record } from '../../../src/engine/recordings.ts';
import { replay } from '../../../src/engine/replay.ts';
import { type ChainPoint, RunHistory } from '../../../src/log/recording/recording.ts';

vi.mock('../../../src/base/config.ts', async (original) => ({
  ...(await original<typeof import('../../../src/base/config.ts')>()),
  RECORDING_BYTES_MAX: 2_000,
}));

const fund = (engine: Engine) => engine.dev.mint('0x42', 1n);

describe('a recording', () => {
  it('ends with a reason when it becomes too long to keep, while one written to a file goes on', async () => {
    await using engine = await Engine.open();
    const pieces: Uint8Array[] = [];
    const written = record(engine, { write: (piece) => pieces.push(piece) });
    const kept = record(engine);
    for (let count = 0; count < 20; count++) await fund(engine);
    await expect(kept.bytes()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('longer than 2000 bytes (RECORDING_BYTES_MAX)'),
    });
    expect([kept.isOver, written.isOver]).toEqual([true, false]);
    await using again = await replay(Buffer.concat(pieces));
    expect(again.head).toEqual(engine.head);
  });

  it('does not start on a chain that is too large', async () => {
    await using engine = await Engine.open();
    await fund(engine);
    const recording = record(engine);
    await expect(recording.bytes()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('the chain at order 1, with a dump of which it would begin'),
    });
    expect(recording.failure?.code).toBe('limit-exceeded');
    await fund(engine);
  });
});

describe('a history that continues others', () => {
  it('has the frames and the moments of all of them, however many', () => {
    const place = (order: bigint): ChainPoint => ({
      order,
      stateRoot: new Uint8Array(32),
      accumulator: { root: new Uint8Array(32), numLeaves: 0n, numNodes: 0n, frozenSubtreeRoots: [] },
      timestamp: 0n,
    });
    const count = 20_000;
    let history = new RunHistory();
    history.mark(place(0n));
    for (let serial = 0; serial < count; serial++) {
      const before = history;
      history = new RunHistory(before);
      if (serial % 1_000 > 0) continue;
      history.advance();
      history.add(Uint8Array.of(serial / 1_000));
      history.mark(place(BigInt(history.inputs)));
      // What the earlier one goes on with is its own.
      before.add(Uint8Array.of(0xff));
    }
    expect(history.frames()).toEqual(Array.from({ length: 20 }, (_, serial) => Uint8Array.of(serial)));
    expect([0n, 1n, 20n, 21n].map((order) => history.find(place(order)))).toEqual([0, 1, 20, undefined]);
  });
});
