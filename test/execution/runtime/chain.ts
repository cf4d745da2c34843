/**
 * A chain of states in memory: sessions run on its state, and their change sets make the next one.
 * @module
 */
import { u64 } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { State } from '../../../src/chain/state/state.ts';
import type { ObjectType } from '../../../src/execution/runtime/field-type.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import { MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { structTag } from '../../../src/move/type-tag.ts';
import { namedObjectId, type ObjectId, type StateChangeSet } from '../../../src/query/transaction-builder.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';

export const TIMESTAMP: ObjectType<bigint> = {
  tag: structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp'),
  codec: u64,
};
export const TIMESTAMP_ID: ObjectId = namedObjectId(TIMESTAMP.tag);

export class Chain {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #tree = new Tree((hash) => this.#nodes.get(toHex(hash)), new NodeCache());
  #state: State;

  /** A state that holds the timestamp object alone. */
  constructor(now = 1000n) {
    this.#state = new State(this.#tree, EMPTY_ROOT, 0n);
    const runtime = this.session();
    runtime.add(TIMESTAMP_ID, TIMESTAMP, now);
    runtime.share(TIMESTAMP_ID);
    this.apply(runtime.changeSet());
  }

  get state(): State {
    return this.#state;
  }

  session(): ObjectRuntime {
    return new ObjectRuntime(this.#state);
  }

  /** Makes the state after `changeSet` the present one; gives the change set with its new roots. */
  apply(changeSet: StateChangeSet): StateChangeSet {
    const applied = applyChangeSet(this.#state, changeSet);
    for (const { hash, bytes } of applied.fresh) this.#nodes.set(toHex(hash), bytes);
    this.#state = new State(this.#tree, applied.changeSet.stateRoot, changeSet.globalSize);
    return applied.changeSet;
  }

  /** Runs a session and makes its state the present one. */
  run(action: (runtime: ObjectRuntime) => void): StateChangeSet {
    const runtime = this.session();
    action(runtime);
    const changeSet = runtime.changeSet();
    this.apply(changeSet);
    return changeSet;
  }
}
