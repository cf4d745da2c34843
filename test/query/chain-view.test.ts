/** Reads at an earlier root or order: what the chain answered when that was its head, whatever came since. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainJson } from '../../src/chain/value/readable.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import type { ChainView, Engine } from '../../src/index.ts';
import { createRpc } from '../../src/server/index.ts';
import { randomNumbers, runs, seed } from '../effort.ts';
import { BOX, mixedChain } from './mixed-chain.ts';

const GAS = '0x3::gas_coin::RGas';
const ACCOUNTS = DEV_ACCOUNTS.slice(0, 3).map(({ address }) => address);
const CLOCK = '0x2::timestamp::Timestamp';

/** Every kind of question that a state alone answers. */
function answers(chain: ChainView): unknown {
  const box = chain.objects.get(BOX);
  return plainJson({
    balances: ACCOUNTS.map((account) => chain.balances.get(account, GAS)),
    box: box ?? null,
    decoded: box?.decoded ?? null,
    boxes: chain.states.list({ kind: 'fields', object: BOX }),
    modules: chain.states.list('/module/0x3', { limit: 2 }),
    blocks: chain.bitcoin.status(),
    block: chain.bitcoin.block(0) ?? null,
    view: chain.tryView({ function: '0x2::timestamp::now_milliseconds' }).values,
    proof: chain.proofs.object(CLOCK),
  });
}

describe('the chain at an earlier state', () => {
  const recorded = new Map<bigint, unknown>();
  let engine: Engine;

  beforeAll(async () => {
    engine = await mixedChain(randomNumbers(seed), runs(40, 400), (chain) => {
      recorded.set(chain.head.order, answers(chain));
      for (const order of recorded.keys()) if (order > chain.head.order) recorded.delete(order);
    });
  });

  afterAll(() => engine.close());

  it('answers what it answered then, by order and by root', () => {
    expect(recorded.size).toBeGreaterThan(4);
    for (const [order, then] of recorded) {
      expect(answers(engine.at(order)), `order ${order}`).toEqual(then);
      const root = engine.transactions.get(order)!.executionInfo.stateRoot;
      expect(answers(engine.at(String(root))), `root of order ${order}`).toEqual(then);
      expect(engine.at(root).head.stateRoot).toEqual(root);
    }
  });

  it('is the same of a pinned view, and on a fork', async () => {
    const [[order, then]] = recorded as unknown as [[bigint, unknown]];
    await using fork = engine.fork();
    await fork.dev.mint(ACCOUNTS[0]!, 5n);
    expect(answers(fork.at(order))).toEqual(then);
    using chain = engine.at();
    expect(answers(chain.at(order))).toEqual(then);
  });

  it('is kept while the chain goes on, and is gone once the chain has been reverted to before it', async () => {
    await using fork = engine.fork();
    const snapshot = fork.snapshot();
    const { order } = await fork.dev.mint(ACCOUNTS[0]!, 5n);
    const past = fork.at(order);
    const balance = past.balances.get(ACCOUNTS[0]!, GAS).balance;
    await fork.dev.mint(ACCOUNTS[0]!, 7n);
    expect(past.balances.get(ACCOUNTS[0]!, GAS).balance).toBe(balance);
    await fork.revert(snapshot);
    expect(() => past.balances.get(ACCOUNTS[0]!, GAS)).toThrow(/gone: the chain was reverted/);
    await fork.dev.mint(ACCOUNTS[1]!, 9n);
    expect(() => past.balances.get(ACCOUNTS[0]!, GAS)).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  it('refuses lists that come from an index, and says so', async () => {
    const past = engine.at(0n);
    const refused = { code: 'not-supported', message: expect.stringContaining('comes from an index') };
    await expect(past.objects.list({ kind: 'owner', owner: ACCOUNTS[0]! })).rejects.toMatchObject(refused);
    for (const family of ['events', 'transactions', 'fields'] as const) {
      expect(() => past[family], family).toThrow(expect.objectContaining(refused));
    }
    await expect(past.balances.list(ACCOUNTS[0]!)).rejects.toMatchObject(refused);
    await expect(past.bitcoin.utxos()).rejects.toMatchObject(refused);
  });

  it('is an option of every JSON-RPC method whose answer follows from a state', async () => {
    const rpc = createRpc(engine);
    const [order] = [...recorded.keys()].filter((at) => at > 0n);
    const { stateRoot } = engine.transactions.get(order!)!.executionInfo;
    const call = { function_id: '0x2::timestamp::now_milliseconds', ty_args: [], args: [] };
    const methods = (option: object) =>
      Promise.all([
        rpc.request('chain_getStates', [`/object/${CLOCK}`, { ...option, decode: true }]),
        rpc.request('chain_listStates', ['/module/0x3', null, 3, option]),
        rpc.request('rooch_getObjectStates', [CLOCK, option]),
        rpc.request('chain_getFieldStates', [CLOCK, ['0x1'], option]),
        rpc.request('chain_listFieldStates', ['0x2::module_store::ModuleStore', null, 2, option]),
        rpc.request('chain_getBalance', [ACCOUNTS[0]!, GAS, option]),
        rpc.request('chain_getModuleABI', ['0x3', 'coin', option]),
        rpc.request('chain_executeViewFunction', [call, option]),
        rpc.request('chain_getProof', [{ object_id: CLOCK }, option]),
      ]);
    const byOrder = await methods({ order: String(order) });
    expect(byOrder).toEqual(await methods({ stateRoot: stateRoot }));
    const past = engine.at(order!);
    expect(byOrder[5]).toMatchObject({ balance: String(past.balances.get(ACCOUNTS[0]!, GAS).balance) });
    expect(byOrder[8].proof).toEqual(plainJson(past.proofs.object(CLOCK)));
    expect(await methods({ order: engine.head.order })).toEqual(await methods({}));
    await expect(methods({ order: 9_999_999 })).rejects.toMatchObject({ data: { code: 'not-found' } });
    await expect(methods({ order: 0, stateRoot: stateRoot })).rejects.toMatchObject({
      message: expect.stringContaining('expected stateRoot or order, got both'),
    });
    await expect(methods({ order: -1 })).rejects.toMatchObject({ code: -32_602 });
  });

  it.each([
    ['chain_queryObjectStates', [{ owner: ACCOUNTS[0]! }, null, 5]],
    ['chain_queryEvents', [{ sender: ACCOUNTS[0]! }, null, 5]],
    ['chain_queryTransactions', [{ sender: ACCOUNTS[0]! }, null, 5]],
    ['chain_getBalances', [ACCOUNTS[0]!, null, 5]],
  ] as const)('is refused by %s, which an index answers', async (method, params) => {
    const rpc = createRpc(engine);
    for (const option of [{ order: 0 }, { stateRoot: `0x${'11'.repeat(32)}` }]) {
      await expect(rpc.request(method, [...params, option] as never)).rejects.toMatchObject({
        data: { code: 'not-supported' },
        message: expect.stringContaining('comes from an index'),
      });
    }
    await expect(rpc.request(method, [...params, {}] as never)).resolves.toBeDefined();
  });
});
