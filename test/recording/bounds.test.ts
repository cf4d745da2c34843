/** What a recording takes in memory has a bound, which is smaller here. */
import { describe, expect, it, vi } from 'vitest';
import { Engine } from '../../src/engine.ts';
import { replay } from '../../src/replay.ts';

vi.mock('../../src/config.ts', async (original) => ({
  ...(await original<typeof import('../../src/config.ts')>()),
  RECORDING_BYTES_MAX: 2_000,
}));

const fund = (engine: Engine) => engine.dev.fund('0x42', '0x3::gas_coin::RGas', 1n);

describe('a recording', () => {
  it('ends with a reason when it becomes too long to keep, while one written to a file goes on', async () => {
    await using engine = await Engine.open();
    const pieces: Uint8Array[] = [];
    const written = engine.record({ write: (piece) => pieces.push(piece) });
    const kept = engine.record();
    for (let count = 0; count < 20; count++) await fund(engine);
    await expect(kept.bytes()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('longer than 2000 bytes (RECORDING_BYTES_MAX)'),
    });
    expect([kept.isOver, written.isOver]).toEqual([true, false]);
    await using again = await replay(Buffer.concat(pieces));
    expect(again.head).toEqual(engine.head);
  });

  it('does not begin on a chain that is too large', async () => {
    await using engine = await Engine.open();
    await fund(engine);
    const recording = engine.record();
    await expect(recording.bytes()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('the chain at order 1, with a dump of which it would begin'),
    });
    expect(recording.failure?.code).toBe('limit-exceeded');
    await fund(engine);
  });
});
