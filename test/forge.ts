/**
 * Commits by hand: a ledger transaction whose effects a test states itself, in the writer's queue with all others.
 *
 * The engine has no such door: what a program does to a chain, it does through inputs that the step runs.
 */

import type { State } from '../src/chain/state/state.ts';
import type { LedgerTransactionData } from '../src/chain/transaction/ledger.ts';
import type { Engine } from '../src/index.ts';
import { SYSTEM_ADDRESS } from '../src/move/address.ts';
import type { StructTag } from '../src/move/type-tag.ts';
import type { Commit, ExecutionOutput } from '../src/pipeline/commit.ts';
import { isRefusal } from '../src/pipeline/input.ts';
import { sequence } from '../src/pipeline/sequence.ts';
import type { Outcome, StepContext } from '../src/pipeline/step.ts';
import { single } from '../src/pipeline/turn.ts';
import {
  ledgerTransactionHash,
  type ObjectId,
  type ObjectMeta,
  type TransactionEvent,
} from '../src/query/transaction-builder.ts';

/** Passed because a turn has to have an input; the forged step does not look at it. */
const NOTHING = { kind: 'l1-block', height: 0n, bytes: new Uint8Array(0) } as const;

/** Sequences a transaction, lets `execute` say what it does to the state, and commits both. */
export async function forge(
  engine: Engine,
  data: LedgerTransactionData,
  execute: (state: State) => ExecutionOutput,
): Promise<Commit> {
  const hash = ledgerTransactionHash(data);
  const { turn, commit } = single(NOTHING);
  engine.inside.core.writer.submit(turn, (_input, { head, rows, state, now, sign }: StepContext): Outcome => {
    try {
      const sequenced = sequence(rows, head, { data, hash }, now, sign);
      return { kind: 'sequenced', sequenced, output: execute(state) };
    } catch (error) {
      if (isRefusal(error)) return { kind: 'refused', error };
      throw error;
    }
  });
  return commit;
}

/** The effects of a transaction that changes no object. */
export function emitted(state: State, events: readonly TransactionEvent[] = []): ExecutionOutput {
  const changeSet = { stateRoot: state.root, globalSize: state.size, changes: [] };
  return { status: { kind: 'executed' }, gasUsed: 0n, changeSet, events };
}

/** The metadata of an object that was created without an owner or fields. */
export function freshMeta(id: ObjectId, objectType: StructTag): ObjectMeta {
  return {
    id,
    owner: SYSTEM_ADDRESS,
    flag: 0,
    stateRoot: undefined,
    size: 0n,
    createdAt: 0n,
    updatedAt: 0n,
    objectType,
  };
}

/** A transaction of the ledger for a block of which nothing else is looked at. */
export function blockAt(height: number | bigint): LedgerTransactionData {
  return { kind: 'l1-block', chainId: 0n, blockHeight: BigInt(height), blockHash: new Uint8Array(32) };
}
