/** Sending transactions over JSON-RPC, in the forms of the reference. */
import { describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../src/bytes/hex.ts';
import { Engine } from '../../src/engine.ts';
import { executeMethods } from '../../src/rpc/execute.ts';
import { createRpc } from '../../src/rpc/server.ts';

const transfer = (to: string, amount: bigint) => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [to, amount],
});

describe('executeRawTransaction', () => {
  it('answers infos alone, or with the output, once everything can be read', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [alice, bob] = engine.accounts;
    const send = (sequenceNumber: bigint, option: { withOutput: boolean; decode?: boolean } | null) =>
      rpc.request('rooch_executeRawTransaction', [
        toHexPrefixed(alice!.signed(transfer(String(bob), 7n), { sequenceNumber })),
        option,
      ]);
    const plain = await send(0n, null);
    expect(Object.keys(plain)).toEqual(['sequence_info', 'execution_info', 'output', 'error_info']);
    expect(plain).toMatchObject({
      sequence_info: { tx_order: '1', tx_order_signature: expect.stringMatching(/^0x/) },
      execution_info: { status: { type: 'executed' }, gas_used: expect.stringMatching(/^\d+$/) },
      output: null,
      error_info: null,
    });
    const { output } = await send(1n, { withOutput: true, decode: true });
    expect(Object.keys(output as object)).toEqual(['status', 'changeset', 'events', 'gas_used', 'is_upgrade']);
    const { events, changeset } = output as {
      events: { event_type: string; decoded_event_data: unknown }[];
      changeset: { changes: unknown[] };
    };
    expect(changeset.changes.length).toBeGreaterThan(3);
    expect(events.every(({ decoded_event_data: data }) => data !== null)).toBe(true);
    expect(JSON.stringify(events)).toContain('"amount":"7"');
  });

  it('keeps what aborts, and refuses with the reference’s words what is not valid', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [alice, bob] = engine.accounts;
    const sent = toHexPrefixed(alice!.signed(transfer(String(bob), 2n ** 200n)));
    expect(await rpc.request('chain_executeRawTransaction', [sent])).toMatchObject({
      execution_info: { status: { type: 'moveabort', location: expect.stringMatching(/^[0-9a-f]{64}::/) } },
    });
    await expect(rpc.request('rooch_executeRawTransaction', [sent])).rejects.toMatchObject({
      code: 2,
      message: expect.stringMatching(/status ABORTED of type Execution with sub status \d+/),
      data: { code: 'transaction-rejected' },
    });
    await expect(rpc.request('rooch_executeRawTransaction', ['0x00'])).rejects.toMatchObject({ code: 3 });
    await expect(rpc.request('rooch_executeRawTransaction', ['zz'])).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the examples', () => {
  it('work once on a new local chain', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [signed] = executeMethods.sendRawTransaction.example as [string];
    const [data] = executeMethods.dryRunRawTransaction.example as [string];
    const dry = await rpc.request('chain_dryRunRawTransaction', [data]);
    expect(dry).toMatchObject({
      raw_output: { status: { type: 'executed' }, is_upgrade: false },
      vm_error_info: { error_message: '', execution_state: [] },
    });
    expect(engine.head.order).toBe(0n);
    const hash = await rpc.request('chain_sendRawTransaction', [signed]);
    expect(hash).toBe((dry['raw_output'] as { tx_hash: string }).tx_hash);
    expect(engine.transactions.get(hash)?.order).toBe(1n);
  });
});

describe('dryRunRawTransaction', () => {
  it('tells why a transaction would fail', async () => {
    await using engine = await Engine.open();
    const [alice, bob] = engine.accounts;
    const failing = engine.simulate(alice!.transaction(transfer(String(bob), 2n ** 200n)));
    expect(failing.failure?.message).toContain('aborted with code');
  });
});
