/** `0x1::debug::print`: in the log of the host, and beside the transaction. */

import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/base/log.ts';
import { PRINTS_MAX } from '../../../src/execution/runtime/session-host.ts';
import { createRpc } from '../../../src/server/index.ts';
import { ALICE, act, deep, engineWithContract } from './contract.ts';

describe('what Move code prints', () => {
  it('is in the log and in the receipt once the transaction is committed', async () => {
    const entries: LogEntry[] = [];
    await using engine = await engineWithContract({ log: (entry) => entries.push(entry) });
    const before = entries.length;
    const { order, hash, prints } = await engine.executeAs(ALICE.address, act('say', 42n));
    expect(prints.map(({ value }) => value)).toEqual([42n]);
    expect(entries.slice(before)).toEqual([
      {
        level: 'info',
        message: `the transaction at order ${order} printed 42`,
        details: { order, txHash: String(hash) },
      },
    ]);
    const { length } = entries;
    expect(engine.simulate({ sender: ALICE.address, action: act('say', 7n) }).prints[0]!.value).toBe(7n);
    expect(entries).toHaveLength(length);
  });

  it('stays when the action fails, but only its first values', async () => {
    await using engine = await engineWithContract();
    const failed = await engine.executeAs(ALICE.address, act('say_and_fail', BigInt(PRINTS_MAX) + 5n));
    expect(failed.status.kind).toBe('move-abort');
    expect(failed.prints).toHaveLength(PRINTS_MAX);
    expect(failed.prints[0]!.value).toBe(BigInt(PRINTS_MAX) + 5n);
    expect(JSON.parse(JSON.stringify(failed)).prints[1]).toEqual({ type: 'u64', value: '104' });
  });

  it('is reported by views, and over JSON-RPC', async () => {
    await using engine = await engineWithContract();
    expect(engine.tryView({ function: deep('say'), arguments: [5n] }).prints.map(({ value }) => value)).toEqual([5n]);
    const rpc = createRpc(engine, { dev: true });
    const call = { function_id: deep('say'), arguments: ['6'] };
    const prints = [{ type: 'u64', value: '6' }];
    expect(await rpc.request('dev_simulate', [ALICE.address, call])).toMatchObject({ prints });
    expect(await rpc.request('dev_call', [ALICE.address, call])).toMatchObject({ prints });
    const viewed = { function_id: deep('say'), ty_args: [], args: ['0x0600000000000000'] };
    expect(await rpc.request('chain_executeViewFunction', [viewed])).toMatchObject({ prints });
  });
});
