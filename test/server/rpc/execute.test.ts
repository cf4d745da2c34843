/** Sending transactions over JSON-RPC, in the forms of the reference. */
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { transactionData } from '../../../src/query/transaction-builder.ts';
import { createRpc } from '../../../src/server/index.ts';
import { transactionMethods } from '../../../src/server/rpc/transaction.ts';
import type { Operation } from '../../../src/store/index.ts';
import { payment } from '../../payment.ts';
import { assembleFor } from '../../pipeline/contract.ts';
import { PlainStore } from '../../store/plain-store.ts';

/** Counts the views that are held while rows are written: a store has to keep what they read. */
class WatchedStore extends PlainStore {
  readonly heldAtWrites: number[] = [];
  #held = 0;

  override batch(operations: readonly Operation[]): Promise<void> {
    this.heldAtWrites.push(this.#held);
    return super.batch(operations);
  }

  override view(): ReturnType<PlainStore['view']> {
    const view = super.view();
    this.#held++;
    return {
      get: (key) => view.get(key),
      range: (range) => view.range(range),
      scan: (range) => view.scan(range),
      release: () => {
        this.#held--;
        view.release();
      },
    };
  }
}

describe('executeRawTransaction', () => {
  it('answers infos alone, or with the output, once everything can be read', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [alice, bob] = engine.accounts;
    const send = (sequenceNumber: bigint, option: { withOutput: boolean; decode?: boolean } | null) =>
      rpc.request('rooch_executeRawTransaction', [
        toHexPrefixed(alice!.signTransaction(payment(String(bob), 7n), { sequenceNumber })),
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

  it.each([
    ['an engine', {}],
    ['an engine with a log', { log: () => {} }],
  ])('holds no view of the store of %s while it is written', async (_, options) => {
    const store = new WatchedStore();
    await using engine = await Engine.open({ store, ...options });
    const rpc = createRpc(engine, { dev: true });
    const [alice, bob] = engine.accounts;
    store.heldAtWrites.length = 0;
    for (const sequenceNumber of [0n, 1n]) {
      const signed = alice!.signTransaction(payment(String(bob), 7n), { sequenceNumber });
      await rpc.request('rooch_executeRawTransaction', [toHexPrefixed(signed)]);
    }
    await rpc.request('dev_fund', [String(bob), '0x3::gas_coin::RGas', '1']);
    expect(store.heldAtWrites).toEqual([0, 0, 0]);
  });

  it('keeps what aborts, and refuses with the reference’s words what is not valid', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [alice, bob] = engine.accounts;
    const sent = toHexPrefixed(alice!.signTransaction(payment(String(bob), 2n ** 200n)));
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

describe('the options of sending', () => {
  const forms = [
    ['none', [], false, false],
    ['null', [null], false, false],
    ['an empty object', [{}], false, false],
    ['no output', [{ withOutput: false, decode: true }], false, false],
    ['output', [{ withOutput: true }], true, false],
    ['output that is not decoded', [{ withOutput: true, decode: false }], true, false],
    ['decoded output', [{ withOutput: true, decode: true }], true, true],
  ] as const;

  it.each(['rooch', 'chain'] as const)('are taken in every form under %s', async (prefix) => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [alice, bob] = engine.accounts;
    for (const [name, option, hasOutput, isDecoded] of forms) {
      const hex = toHexPrefixed(alice!.signTransaction(payment(String(bob), 7n)));
      // The SDK sends bytes without 0x.
      const sent = name === 'none' ? hex.slice(2) : hex;
      const answer = await rpc.request(`${prefix}_executeRawTransaction`, [sent, ...option]);
      expect(answer, name).toMatchObject({ execution_info: { status: { type: 'executed' } }, error_info: null });
      const { output } = answer as { output: { events: { decoded_event_data: unknown }[] } | null };
      expect(output !== null, name).toBe(hasOutput);
      for (const event of output?.events ?? []) expect(event.decoded_event_data !== null, name).toBe(isDecoded);
    }
    const data = encode(transactionData, alice!.transaction(payment(String(bob), 7n)));
    for (const sent of [toHexPrefixed(data), toHex(data)]) {
      expect(await rpc.request(`${prefix}_dryRunRawTransaction`, [sent])).toMatchObject({
        raw_output: { status: { type: 'executed' } },
        vm_error_info: { error_message: '', execution_state: [] },
      });
    }
    const hash = await rpc.request(`${prefix}_sendRawTransaction`, [
      toHex(alice!.signTransaction(payment(String(bob), 7n))),
    ]);
    expect(hash).toBe(String(engine.transactions.get(engine.head.order)?.hash));
    for (const option of ['yes', 5, { withOutput: 'yes' }]) {
      const refused = rpc.request(`${prefix}_executeRawTransaction`, ['0x00', option] as never);
      await expect(refused).rejects.toMatchObject({ code: -32602 });
    }
  });
});

const FAILING = `module 0xa11ce::failing
  public entry fun stop() { LdU64 77; Abort }
  public entry fun divide() { LdU64 1; LdU64 0; Div; Pop; Ret }
  public entry fun spin() { again: Branch again }`;

describe('what is told of a failure', () => {
  /** By function: the status in the forms of the reference, and what `error_info` adds to it. */
  const failures = [
    [
      'stop',
      { type: 'moveabort', location: 'HERE', abort_code: '77' },
      'aborted with code 77 in HERE::stop at offset 1',
      1,
    ],
    [
      'divide',
      { type: 'executionfailure', location: 'HERE', function: 1, code_offset: 2 },
      'ARITHMETIC_ERROR in HERE::divide at offset 2',
      2,
    ],
    ['spin', { type: 'outofgas' }, 'OUT_OF_GAS', undefined],
  ] as const;

  it.each(failures)('by a signed transaction that fails: %s', async (name, status, message, offset) => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [alice] = engine.accounts;
    const here = `${alice!.address}::failing`;
    await engine.publish(String(alice), [assembleFor(DEV_ACCOUNTS[0]!, FAILING)]);
    for (const prefix of ['rooch', 'chain'] as const) {
      const signed = alice!.signTransaction({ function: `${here}::${name}` }, { maxGasAmount: 20_000_000n });
      const answer = await rpc.request(`${prefix}_executeRawTransaction`, [
        toHexPrefixed(signed),
        { withOutput: true },
      ]);
      // Some forms write the whole address, without 0x.
      const location = prefix === 'rooch' ? here : here.slice(2);
      const kept = 'location' in status ? { ...status, location } : status;
      const explained = {
        raw_output: { status: kept, is_upgrade: false },
        vm_error_info: {
          error_message: expect.stringContaining(message.replace('HERE', here)),
          execution_state: offset === undefined ? [] : [`${here}::${name} at offset ${offset}`],
          failure: { status: expect.stringMatching(/^[A-Z_]+$/), call_stack: null },
        },
      };
      expect(answer).toMatchObject({
        execution_info: { status: kept },
        output: { status: kept },
        error_info: explained,
      });
      const { execution_info: info, error_info: error } = answer as Record<string, Record<string, unknown>>;
      expect(error!['raw_output']).toMatchObject({ tx_hash: info!['tx_hash'], state_root: info!['state_root'] });
    }
  });

  it('by what is refused: the error names the function, the offset, the code and its name', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [alice, bob] = engine.accounts;
    const sent = toHexPrefixed(alice!.signTransaction(payment(String(bob), 1n)));
    await rpc.request('rooch_sendRawTransaction', [sent]);
    const failure = {
      status: 'ABORTED',
      module: '0x3::transaction_validator',
      function: 'assert_next',
      code_offset: expect.any(Number),
      abort_code: '1001',
      abort_name: null,
    };
    await expect(rpc.request('chain_sendRawTransaction', [sent])).rejects.toMatchObject({ code: 2, data: { failure } });
    await expect(
      engine.execute(alice!.signTransaction(payment(String(bob), 1n), { sequenceNumber: 0n })),
    ).rejects.toMatchObject({
      details: {
        status: 'ABORTED',
        subStatus: '1001',
        failure: { module: '0x3::transaction_validator', function: 'assert_next', codeOffset: expect.any(Number) },
      },
    });
    await expect(engine.dev.mint(bob!.address, 2n ** 256n - 1n)).rejects.toMatchObject({
      message: expect.stringMatching(/ in 0x3::coin::\w+ at offset \d+, in 0x3::coin::mint_extend/),
      details: { failure: { module: '0x3::coin', function: expect.stringMatching(/^\w+$/) } },
    });
  });
});

describe('on a chain with a bounded history', () => {
  it('what failed within a batch is answered like any other: it was committed, though its state is not kept', async () => {
    await using engine = await Engine.open({ history: 1 });
    const [alice, ...others] = engine.accounts;
    const action = { function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'] };
    const signed = others.map((account) =>
      toHexPrefixed(account.signTransaction({ ...action, arguments: [alice!.address, 2n ** 200n] })),
    );
    for (const rpc of [createRpc(engine), createRpc(engine.fork(), { dev: true })]) {
      const sent = signed.map((hex) =>
        rpc.request('chain_executeRawTransaction', [hex, { withOutput: true, decode: true }]),
      );
      for (const answer of await Promise.all(sent)) {
        expect(answer).toMatchObject({
          execution_info: { status: { type: 'moveabort', abort_code: '3' } },
          error_info: {
            vm_error_info: { failure: { function: 'withdraw_from', abort_name: 'ErrorInsufficientBalance' } },
          },
        });
      }
    }
    const call = {
      function_id: action.function,
      ty_args: action.typeArguments,
      arguments: [String(alice!.address), '1'],
    };
    const traced = Array.from({ length: 10 }, () =>
      createRpc(engine, { dev: true }).request('dev_call', [String(others[0]!.address), call, { trace: true }]),
    );
    const traces = (await Promise.all(traced)).map(({ trace }) => trace);
    expect(traces).toContain(null);
    expect(traces.find((trace) => trace !== null)).toMatchObject({ gas_used: expect.any(String) });
  });
});

describe('the examples', () => {
  it('work once on a new local chain', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const [signed] = transactionMethods.sendRawTransaction.example as [string];
    const [data] = transactionMethods.dryRunRawTransaction.example as [string];
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
