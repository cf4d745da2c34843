/** movelet_getForkPoint, movelet_getRows, movelet_getRange: off unless they are asked for, and what strangers may send. */
import { describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { HELD_POINTS_MAX } from '../../../src/server/rpc/fork-origin.ts';
import { createRpc } from '../../../src/server/rpc/server.ts';
import { COLUMN } from '../../../src/store/column.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { asked } from '../asked.ts';

function asking(engine: Engine, options: object = { serveNodes: true }) {
  const rpc = createRpc(engine, options);
  return (method: string, ...params: unknown[]) =>
    asked<{ readonly rows: unknown[]; readonly methods: { name: string }[] }>(rpc, method, params);
}

const pointOf = ({ head }: Engine) => ({ order: String(head.order), state_root: String(head.stateRoot) });

const OBJECTS = {
  gte: `0x${COLUMN.objectByOwner.toString(16)}`,
  lt: `0x${(COLUMN.objectByOwner + 1).toString(16)}`,
  limit: 3,
};

describe('rows for forks', () => {
  it('are not served unless they are asked for, and then rpc.discover tells of them', async () => {
    await using engine = await Engine.open();
    const { error } = await asking(engine, {})('movelet_getRows', pointOf(engine), []);
    expect(error).toMatchObject({ data: { code: 'method-not-found', hint: expect.stringContaining('--serve-nodes') } });
    const names = async (options: object): Promise<string[]> => {
      return (await asking(engine, options)('rpc.discover')).result.methods.map(({ name }) => name);
    };
    const all = ['movelet_getForkPoint', 'movelet_getRange', 'movelet_getRows'];
    expect((await names({ serveNodes: true })).filter((name) => name.startsWith('movelet_')).sort()).toEqual(all);
    expect((await names({})).filter((name) => name.startsWith('movelet_'))).toEqual([]);
  });

  it('are of a point of this chain', async () => {
    await using engine = await Engine.open();
    const ask = asking(engine);
    const other = { ...pointOf(engine), state_root: toHexPrefixed(new Uint8Array(32).fill(7)) };
    expect((await ask('movelet_getRows', other, [])).error).toMatchObject({ data: { code: 'not-found' } });
    expect((await ask('movelet_getRows', { ...other, order: '99' }, [])).error).toMatchObject({
      data: { code: 'not-found' },
    });
    const snapshot = engine.snapshot();
    await engine.dev.time.advance(1n);
    const point = pointOf(engine);
    await engine.revert(snapshot);
    await engine.dev.time.advance(2n);
    expect((await ask('movelet_getRows', point, [])).error?.message).toMatch(
      /the chain was reverted, or is another one/,
    );
  });

  it(`are held for the last ${HELD_POINTS_MAX} heads at which forks began, with their lists`, async () => {
    await using engine = await Engine.open();
    const ask = asking(engine);
    const points = [];
    for (let made = 0; made <= HELD_POINTS_MAX; made++) {
      await engine.dev.time.advance(1n);
      points.push(pointOf(engine));
      expect((await ask('movelet_getForkPoint')).result).toMatchObject({ has_lists: true });
      // The same point once more is the same.
      await ask('movelet_getForkPoint', { order: points.at(-1)!.order });
    }
    expect((await ask('movelet_getRange', points[0], OBJECTS)).error).toMatchObject({ data: { code: 'pruned' } });
    for (const point of points.slice(1))
      expect((await ask('movelet_getRange', point, OBJECTS)).result.rows).toHaveLength(3);
    expect((await ask('movelet_getForkPoint', { order: points[0]!.order })).result).toMatchObject({ has_lists: false });
  });

  it('are refused by what is wrong, whatever a stranger asks for', async () => {
    await using engine = await Engine.open();
    const ask = asking(engine);
    const point = pointOf(engine);
    const below = randomNumbers(seed);
    const bytes = (length: number): string => toHexPrefixed(Uint8Array.from({ length }, () => below(256)));
    const column = (): number => Object.values(COLUMN)[below(Object.values(COLUMN).length)]!;
    const key = (): string => toHexPrefixed(Uint8Array.of(column())) + bytes([0, 1, 8, 12, 32, 44][below(6)]!).slice(2);
    for (let made = 0; made < runs(300, 5_000); made++) {
      const ahead = {
        sought: bytes(32),
        depth: below(80),
        transaction: bytes(below(200)),
        has_genesis: below(2) === 0,
      };
      const answers = [
        await ask('movelet_getRows', point, [key()], ahead),
        await ask('movelet_getRange', point, {
          gte: key(),
          [below(2) === 0 ? 'lt' : 'lte']: key(),
          limit: below(3),
          reverse: below(2) === 0,
        }),
      ];
      for (const { error } of answers)
        if (error !== undefined)
          expect(['invalid-argument', 'malformed-bytes', 'not-supported', 'pruned'], error.message).toContain(
            error.data.code,
          );
    }
    const { error } = await ask('movelet_getRows', point, ['0x10', '0x']);
    expect(error).toMatchObject({ data: { code: 'invalid-argument', path: expect.stringContaining('[0]') } });
  });
});
