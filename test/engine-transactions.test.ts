/** Transactions through the engine: sent signed or called, simulated, published, told of. */

import { describe, expect, it } from 'vitest';
import { decode } from '../src/base/bcs.ts';
import { fromHex } from '../src/base/bytes/bytes.ts';
import type { FunctionAction } from '../src/chain/transaction/action.ts';
import { Engine, GAS_COIN_TYPE, type Receipt } from '../src/index.ts';
import { parseAddress, signedTransaction } from '../src/query/transaction-builder.ts';
import { verifyStore } from '../src/query/verify/verify.ts';
import { MemoryStore } from '../src/store/index.ts';
import { payment } from './payment.ts';

const balance = (engine: Engine, of: string): bigint => engine.balances.get(of, GAS_COIN_TYPE).balance;
const supply = (engine: Engine): bigint => engine.balances.get('0x3', GAS_COIN_TYPE).info.supply;
const sequenceNumber = (engine: Engine, of: string): unknown =>
  engine.view({ function: '0x2::account::sequence_number', arguments: [of] })[0];

describe('the deposit for gas', () => {
  const poor = `0x${'42'.repeat(32)}`;
  const nothing = { function: '0x3::empty::empty' };
  const GIFT = 10n ** 12n;

  it('is refused to a sender who cannot pay it, by what it is, what gas costs and what the sender has', async () => {
    await using engine = await Engine.open();
    const refusal = (amount: bigint) =>
      `the sender cannot pay for the gas that it asks for (the deposit for 1000000000 gas units at 0.00000001 RGAS each is 10 RGAS, and ${poor} has ${amount === 0n ? '0' : '0.00005'} RGAS); give it coins, or ask for less gas: maxGasAmount (status ABORTED of type Execution with sub status 1004)`;
    for (const amount of [0n, 5_000n]) {
      await engine.dev.setBalance(poor, amount);
      const { order } = engine.head;
      const refused = { code: 'transaction-rejected', message: refusal(amount) };
      await expect(engine.executeAs(poor, nothing)).rejects.toMatchObject(refused);
      expect(() => engine.simulate({ sender: poor, action: nothing })).toThrow(refused.message);
      expect(engine.head.order).toBe(order);
    }
  });

  it('can be paid to the last coin', async () => {
    await using engine = await Engine.open();
    await engine.dev.setBalance(poor, 10n ** 8n);
    const { gasUsed } = engine.simulate({ sender: poor, action: nothing, maxGasAmount: 10n ** 8n });
    await engine.dev.setBalance(poor, gasUsed);
    const receipt = await engine.executeAs(poor, nothing, { maxGasAmount: gasUsed });
    expect([receipt.status.kind, engine.balance(poor)]).toEqual(['executed', 0n]);
  });

  it("is given to a sender who has nothing, on a chain that is set up like the reference's local network", async () => {
    await using engine = await Engine.open({ gasGift: true });
    const { gasUsed, order, framework } = await engine.executeAs(poor, nothing);
    expect(engine.balance(poor)).toBe(GIFT - gasUsed);
    const failed = await engine.executeAs(`0x${'43'.repeat(32)}`, payment(poor, 2n ** 200n));
    expect([failed.status.kind, sequenceNumber(engine, `0x${'43'.repeat(32)}`)]).toEqual(['move-abort', 1n]);
    expect(framework.events.map(({ type }) => type)).toContain('0x3::coin::MintEvent');
    // What was executed is traced and replayed without being asked whether it may be.
    expect(engine.trace(order).gasUsed).toBe(gasUsed);
  });
});

describe('a signed transaction', () => {
  it('moves coins, pays for its gas, and is read by whoever waited for it', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const [alice, bob] = engine.accounts.map(String) as [string, string];
    const [before, supplied] = [balance(engine, alice), supply(engine)];
    const receipt = await engine.execute(engine.accounts[0]!.signTransaction(payment(bob, 1_000n)));
    expect(receipt).toMatchObject({ order: 1n, status: { kind: 'executed' }, failure: undefined, isUpgrade: false });
    expect(receipt.gasUsed).toBeGreaterThan(0n);
    expect(receipt.stateRoot).toEqual(engine.head.stateRoot);
    expect(balance(engine, bob)).toBe(before + 1_000n);
    expect(balance(engine, alice)).toBe(before - 1_000n - receipt.gasUsed);
    expect([sequenceNumber(engine, alice), supply(engine)]).toEqual([1n, supplied]);
    expect(engine.transactions.get(receipt.hash)?.order).toBe(1n);
    expect(receipt.events.map(({ type }) => String(type))).toContain(
      '0x3::coin_store::WithdrawEvent<0x3::gas_coin::RGas>'.replace(/<.*/, ''),
    );
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('releases nodes that only earlier states have once enough transactions have followed', async () => {
    await using engine = await Engine.open({ treeCacheNodesMax: 100_000 });
    const [alice, bob] = engine.accounts.map(String) as [string, string];
    const held = async (count: number): Promise<number> => {
      for (let sent = 0; sent < count; sent++) await engine.executeAs(alice, payment(bob, 1n));
      return engine.inside.core.usage().treeNodes.entries;
    };
    const before = await held(50);
    expect((await held(50)) - before).toBeLessThan(25);
  });

  it('with a wrong signature is refused, unless signatures are not checked', async () => {
    const forge = (engine: Engine): Uint8Array => {
      const [alice, bob] = engine.accounts;
      const signed = alice!.signTransaction(payment(String(bob), 1n));
      const { payload } = decode(signedTransaction, signed).authenticator;
      // The signature comes after one byte of length and one of scheme.
      signed[signed.length - payload.length + 10]! ^= 1;
      return signed;
    };
    await using engine = await Engine.open();
    await expect(engine.execute(forge(engine))).rejects.toMatchObject({ code: 'transaction-rejected' });
    await using trusting = await Engine.open({ verifySignatures: false });
    await expect(trusting.execute(forge(trusting))).resolves.toMatchObject({ status: { kind: 'executed' } });
  });
});

describe('a call', () => {
  it('is sent by the account that was given, whatever its array holds when its turn comes', async () => {
    await using engine = await Engine.open();
    const [alice, bob] = engine.accounts.map(({ address }) => address);
    const before = balance(engine, bob!);
    const account = fromHex(alice!);
    const called = engine.executeAs(account, payment('0x77', 3n));
    account.set(fromHex(bob!));
    const funded = engine.dev.mint(account, 5n);
    account.fill(0x42);
    await Promise.all([called, funded]);
    expect(balance(engine, '0x77')).toBe(3n);
    expect(balance(engine, bob!)).toBe(before + 5n);
  });

  it('has the encoded arguments that were given, whatever their arrays hold when its turn comes', async () => {
    await using engine = await Engine.open();
    const [alice] = engine.accounts;
    const amount = Uint8Array.of(4, ...new Uint8Array(31));
    const { action } = alice!.transaction(payment('0x77', 5n));
    const calls = [
      engine.executeAs(alice!.address, { ...payment('0x77', 0n), arguments: ['0x77', { bcs: amount }] }),
      engine.executeAs(alice!.address, action),
    ];
    for (const bytes of [amount, ...(action as FunctionAction).arguments]) bytes.fill(0xff);
    await Promise.all(calls);
    expect(balance(engine, '0x77')).toBe(9n);
  });

  it('is of the function and types that were given, whatever their arrays hold when its turn comes', async () => {
    await using engine = await Engine.open();
    const [alice] = engine.accounts;
    const address = Uint8Array.from(parseAddress('0x3'));
    const struct = { ...GAS_COIN_TYPE, address: Uint8Array.from(GAS_COIN_TYPE.address) };
    const called = engine.executeAs(alice!.address, {
      function: { address, module: 'transfer', name: 'transfer_coin' },
      typeArguments: [{ kind: 'struct', struct }],
      arguments: ['0x77', 3n],
    });
    for (const bytes of [address, struct.address]) bytes.fill(0x42);
    expect((await called).status).toEqual({ kind: 'executed' });
    expect(balance(engine, '0x77')).toBe(3n);
  });

  it('does and costs what the same transaction does when it is signed, but for the bytes of the signature', async () => {
    await using engine = await Engine.open();
    await using fork = engine.fork();
    const [alice, bob] = engine.accounts;
    const called = await engine.executeAs(alice!.address, payment(String(bob), 5n));
    const signed = await fork.execute(fork.accounts[0]!.signTransaction(payment(String(bob), 5n)));
    const typesOf = ({ events, framework }: Receipt): string[] =>
      [...events, ...framework.events].map(({ type }) => type);
    expect([called.status, typesOf(called)]).toEqual([signed.status, typesOf(signed)]);
    expect(balance(engine, String(bob))).toBe(balance(fork, String(bob)));
    // 20 gas units a byte.
    expect(Math.abs(Number(called.gasUsed - signed.gasUsed))).toBeLessThan(20 * 176);
  });

  it('uses all of its gas when that runs out', async () => {
    await using engine = await Engine.open();
    const [alice, bob] = engine.accounts.map(String) as [string, string];
    const before = balance(engine, alice);
    const { status, gasUsed } = await engine.executeAs(alice, payment(bob, 1n), { maxGasAmount: 100_000n });
    expect([status, gasUsed]).toEqual([{ kind: 'out-of-gas' }, 100_000n]);
    expect(balance(engine, alice)).toBe(before - 100_000n);
  });

  it('that aborts is kept with its status and a readable reason, and changes nothing but the payment of its gas', async () => {
    await using engine = await Engine.open();
    const [alice, bob] = engine.accounts;
    const before = [alice, bob].map((account) => balance(engine, String(account)));
    const receipt = await engine.executeAs(alice!.address, payment(String(bob), 2n ** 200n));
    expect([alice, bob].map((account) => balance(engine, String(account)))).toEqual([
      before[0]! - receipt.gasUsed,
      before[1]!,
    ]);
    expect(sequenceNumber(engine, String(alice))).toBe(1n);
    expect([...receipt.events, ...receipt.framework.events].map(({ type }) => type)).not.toContain(
      '0x3::coin_store::WithdrawEvent<0x3::gas_coin::RGas>',
    );
    expect(receipt.status).toMatchObject({ kind: 'move-abort' });
    expect(JSON.parse(JSON.stringify(receipt.status))).toMatchObject({
      location: expect.stringMatching(/^0x3::\w+$/),
      code: expect.stringMatching(/^\d+$/),
    });
    expect(receipt.failure?.message).toMatch(/^aborted with code \d+ \(\w+\) in 0x3::/);
    expect(engine.head.order).toBe(1n);
  });
});

describe('a simulation', () => {
  it('can be decoded after the chain went on, but not after it went back', async () => {
    // Without a cache, everything comes from the store.
    await using engine = await Engine.open({ treeCacheNodesMax: 1 });
    const [alice, bob] = engine.accounts;
    const before = engine.snapshot();
    await engine.executeAs(String(alice), payment(String(bob), 1n));
    const call = { sender: String(alice), action: payment(String(bob), 2n) };
    const [simulated, other] = [engine.simulate(call), engine.simulate(call)];
    await engine.executeAs(String(bob), payment(String(alice), 3n));
    expect(simulated.events.map(({ value }) => value)).toContainEqual(expect.objectContaining({ amount: 2n }));
    await engine.revert(before);
    expect(() => other.events.map(({ value }) => value)).toThrow('expected a state root of this chain');
  });

  it('says what the transaction will do, and changes nothing', async () => {
    await using engine = await Engine.open();
    const [alice, bob] = engine.accounts;
    const action = payment(String(bob), 1_000n);
    const { head } = engine;
    const signed = alice!.signTransaction(action);
    const simulated = engine.simulate(decode(signedTransaction, signed));
    expect(engine.head).toEqual(head);
    const receipt = await engine.execute(signed);
    expect(JSON.stringify(simulated)).toBe(JSON.stringify(receipt));
  });

  it('takes unsigned data, its bytes, and calls', async () => {
    await using engine = await Engine.open();
    const [alice, bob] = engine.accounts;
    const action = payment(String(bob), 1_000n);
    const data = alice!.transaction(action);
    // No sequence number is asked for, nor the right chain.
    for (const given of [data, { ...data, sequenceNumber: 77n, chainId: 9n }, { sender: alice!.address, action }]) {
      expect(engine.simulate(given)).toMatchObject({ status: { kind: 'executed' }, order: 1n });
    }
    expect(() => engine.simulate(alice!.signTransaction(action))).toThrow(
      'expected the BCS of an unsigned transaction, got that of a signed one: give its data alone',
    );
  });
});
