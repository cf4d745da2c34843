/** What is paid for the bytes of a transaction, on a chain whose gas schedule asks for odd amounts. */
import { expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import {
  GAS_SCHEDULE_TYPE,
  GENESIS_GAS_ENTRIES,
  GENESIS_TRANSACTION_GAS_MAX,
  gasSchedule,
} from '../../src/execution/framework/gas-schedule.ts';
import { namedObjectId, parseAddress } from '../../src/query/transaction-builder.ts';
import { ALICE, BOB, StepChain, transfer } from './step-chain.ts';

const bob = parseAddress(BOB.address);

// spec/execution.md 6.4: a charge that is zero or exceeds a u64 counts as out of gas.
it.each([0n, 2n ** 63n])('an action is out of gas if a byte of a transaction costs %i', async (price) => {
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
