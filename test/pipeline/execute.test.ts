/** Execution of transactions: what an action leaves behind, what a failed one does, and what both cost. */
import { describe, expect, it } from 'vitest';
import { encode, u256 } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { namedObjectId, parseAddress, type TransactionData, transactionData } from '../../src/chain/codecs.ts';
import {
  GAS_SCHEDULE_TYPE,
  GENESIS_GAS_ENTRIES,
  GENESIS_TRANSACTION_GAS_MAX,
  gasSchedule,
} from '../../src/execution/framework/gas-schedule.ts';
import { addressOf, FRAMEWORK_ADDRESS } from '../../src/move/address.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import { type Execution, executeTransaction } from '../../src/pipeline/execute.ts';
import { localGenesis } from '../../src/pipeline/local-chain.ts';
import { presumeValid, validateCall } from '../../src/pipeline/validate.ts';
import { ALICE, BOB, callOf, effectsOf, refusalOf, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
/** Nobody has a key for it. */
const stranger = addressOf(0x57a6);
const TOO_MUCH = 10n ** 30n;

describe('an action that succeeds', () => {
  it('does what it says, counts, and pays for its gas', async () => {
    const chain = await StepChain.open();
    const [ofAlice, ofBob, supply] = [chain.balance(alice), chain.balance(bob), chain.supply()];
    const { status, gasUsed, failure, isUpgrade } = chain.send(ALICE, transfer(bob, 5n));
    expect([status, failure, isUpgrade]).toEqual([{ kind: 'executed' }, undefined, false]);
    expect(gasUsed).toBeGreaterThan(0n);
    expect(chain.balance(bob) - ofBob).toBe(5n);
    expect(ofAlice - chain.balance(alice)).toBe(5n + gasUsed);
    expect(chain.sequenceNumber(alice)).toBe(1n);
    expect(chain.supply()).toBe(supply);
  });

  it('is told the time and the order of its transaction', async () => {
    const chain = await StepChain.open();
    chain.now += 1_234n;
    chain.send(ALICE, transfer(bob, 1n));
    expect(chain.timestamp()).toBe(chain.now);
    chain.now -= 1_000n;
    chain.send(ALICE, transfer(bob, 1n));
    expect(chain.timestamp()).toBe(chain.now + 1_000n);
  });
});

describe('an action that fails', () => {
  it('changes nothing but the sequence number and the balance that pays for its gas', async () => {
    const chain = await StepChain.open();
    const [ofAlice, ofBob] = [chain.balance(alice), chain.balance(bob)];
    const { status, gasUsed, failure, events } = chain.send(ALICE, transfer(bob, TOO_MUCH));
    expect(status).toMatchObject({
      kind: 'move-abort',
      location: { kind: 'module', address: FRAMEWORK_ADDRESS, name: 'account_coin_store' },
    });
    expect(failure?.location?.module?.name).toBe('account_coin_store');
    expect(chain.balance(bob)).toBe(ofBob);
    expect(ofAlice - chain.balance(alice)).toBe(gasUsed);
    expect(chain.sequenceNumber(alice)).toBe(1n);
    // The fee's events alone: no other amount of coins moved.
    expect(events.every(({ eventData }) => !toHex(eventData).includes(toHex(encode(u256, TOO_MUCH))))).toBe(true);
  });

  it('uses all of its gas when it runs out', async () => {
    const chain = await StepChain.open();
    const ofAlice = chain.balance(alice);
    const { status, gasUsed } = chain.call({ sender: alice, action: transfer(bob, 1n), maxGasAmount: 100_000n });
    expect([status, gasUsed]).toEqual([{ kind: 'out-of-gas' }, 100_000n]);
    expect(ofAlice - chain.balance(alice)).toBe(100_000n);
  });

  // spec/execution.md 6.4: a charge that is zero or exceeds a u64 counts as out of gas.
  it.each([0n, 2n ** 63n])('is out of gas if a byte of a transaction costs %i', async (price) => {
    const chain = await StepChain.open({ engine: 'interpret' });
    const entries = GENESIS_GAS_ENTRIES.map(
      ([name, amount]) => [name, name === 'storage.storage_fee_per_transaction_byte' ? price : amount] as const,
    );
    const schedule = { version: 7n, maxGasAmount: GENESIS_TRANSACTION_GAS_MAX, entries };
    chain.edit({ id: namedObjectId(GAS_SCHEDULE_TYPE), value: encode(gasSchedule, schedule) });
    const ofBob = chain.balance(bob);
    const { status, gasUsed } = chain.send(ALICE, transfer(bob, 1n));
    expect([status, gasUsed]).toEqual([{ kind: 'out-of-gas' }, 100_000_000n]);
    expect(chain.balance(bob)).toBe(ofBob);
  });

  it('creates the account of its sender all the same', async () => {
    const chain = await StepChain.open();
    const { status } = chain.call({ sender: stranger, action: transfer(bob, TOO_MUCH) });
    expect(status.kind).toBe('move-abort');
    expect(chain.sequenceNumber(stranger)).toBe(1n);
  });
});

describe('a call that nobody signed', () => {
  it('does what the signed transaction of an account would do', async () => {
    const [signed, called] = [await StepChain.open(), await StepChain.open()];
    const maxGasAmount = 100_000_000n;
    const first = signed.send(ALICE, transfer(bob, 5n), { maxGasAmount });
    const second = called.call({ sender: alice, action: transfer(bob, 5n), maxGasAmount });
    expect(second.status).toEqual(first.status);
    expect(second.events.map(({ eventType }) => eventType)).toEqual(first.events.map(({ eventType }) => eventType));
    expect(called.sequenceNumber(alice)).toBe(1n);
    expect(called.balance(bob)).toBe(signed.balance(bob));
  });

  it('costs what a signed one costs, except for the bytes that the signer chooses', async () => {
    const [signed, called] = [await StepChain.open(), await StepChain.open()];
    const difference =
      signed.send(ALICE, transfer(bob, 5n)).gasUsed - called.call({ sender: alice, action: transfer(bob, 5n) }).gasUsed;
    expect(Math.abs(Number(difference))).toBeLessThan(20 * 176);
  });

  it('runs for accounts that no key opens, and takes the next sequence number', async () => {
    const chain = await StepChain.open();
    for (const count of [1n, 2n, 3n]) {
      expect(chain.call({ sender: stranger, action: transfer(bob, 1n) }).status.kind).toBe('executed');
      expect(chain.sequenceNumber(stranger)).toBe(count);
    }
  });

  it('is refused for more gas than the chain allows, and for functions that do not exist', async () => {
    const chain = await StepChain.open();
    const refusal = (action: Parameters<typeof chain.call>[0]['action'], maxGasAmount?: bigint) =>
      refusalOf(validateCall({ sender: alice, action, maxGasAmount }, chain.context));
    // GENESIS_TRANSACTION_GAS_MAX is the most.
    expect(refusal(transfer(bob, 1n), 1_000_000_001n).message).toMatch(
      /status MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND/,
    );
    expect(chain.call({ sender: alice, action: transfer(bob, 1n), maxGasAmount: 1_000_000_000n }).status.kind).toBe(
      'executed',
    );
    expect(refusal(callOf('0x3::transfer::no_such')).message).toMatch(/status FUNCTION_RESOLUTION_FAILURE/);
    expect(refusal(callOf('0x3::no_such::f')).message).toMatch(/status LINKER_ERROR/);
  });

  it('is refused when made in the name of the system itself', async () => {
    const chain = await StepChain.open();
    expect(() => chain.call({ sender: addressOf(0), action: transfer(bob, 1n) })).toThrow(/0x1 to 0xa/);
  });
});

describe('a dry run', () => {
  const dryRun = (chain: StepChain, data: TransactionData): Execution => {
    const validation = presumeValid(encode(transactionData, data), chain.context);
    if (validation.kind === 'refused') throw validation.error;
    return executeTransaction(validation.transaction, undefined, chain.context);
  };

  it('does what the transaction would do, except for the time, and leaves nothing', async () => {
    const chain = await StepChain.open();
    const { root } = chain.state;
    const data = chain.data(alice, transfer(bob, 5n));
    const dry = dryRun(chain, data);
    const { gasUsed, status, events } = chain.send(ALICE, transfer(bob, 5n));
    expect(dry).toMatchObject({ kind: 'executed', status, events: events.map(({ eventType }) => ({ eventType })) });
    if (dry.kind === 'executed') expect(Math.abs(Number(dry.gasUsed - gasUsed))).toBeLessThan(20 * 176);
    expect(chain.state.root).not.toEqual(root);
  });

  it('asks for no balance, sequence number or address of its sender', async () => {
    const chain = await StepChain.open();
    const unknown = chain.data(stranger, transfer(bob, TOO_MUCH), { sequenceNumber: 77n, chainId: 9n });
    expect(dryRun(chain, unknown)).toMatchObject({ kind: 'executed', status: { kind: 'move-abort' } });
  });

  it('is refused for bytes that are not a transaction', async () => {
    const chain = await StepChain.open();
    expect(refusalOf(presumeValid(new Uint8Array(7), chain.context)).code).toBe('malformed-bytes');
  });
});

describe('both engines', () => {
  it('give the same results, byte for byte', async () => {
    const run = async (engine: 'interpret' | 'translate'): Promise<unknown[]> => {
      const chain = await StepChain.open({ engine });
      const all: ExecutionOutput[] = [];
      for (let round = 0; round < 12; round++) {
        all.push(chain.send(ALICE, transfer(bob, 5n)), chain.send(BOB, transfer(alice, TOO_MUCH)));
        all.push(chain.call({ sender: alice, action: transfer(bob, 1n), maxGasAmount: 100_000n }));
      }
      return [...all.map(effectsOf), chain.state.root];
    };
    expect(await run('translate')).toEqual(await run('interpret'));
  });
});

describe('a chain without gas coins for everybody', () => {
  it('refuses a call that its sender cannot pay for, before anything is done', async () => {
    const chain = await StepChain.open({ genesis: await localGenesis({ chainId: 77n }) });
    expect(() => chain.call({ sender: stranger, action: transfer(bob, 1n) })).toThrow(/pre_execute/);
    expect(chain.sequenceNumber(stranger)).toBe(0n);
  });
});
