/** Modules of a state: found under their accounts, however many accounts there are and in whatever order they are asked for. */

import { expect, it } from 'vitest';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { MODULE_STORE_ID, packageObjectId } from '../../../src/chain/object/object-id.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { PACKAGES_KEPT_MAX, State } from '../../../src/chain/state/state.ts';
import { addressOf } from '../../../src/move/address.ts';
import {
  type Address,
  type ObjectChange,
  type ObjectId,
  parseStructTag,
  stringFieldKey,
} from '../../../src/query/transaction-builder.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { freshMeta } from '../../forge.ts';
import { hex } from '../../store/tree/world.ts';

const NAMES = ['coin', 'table'];
const ACCOUNTS = Array.from({ length: PACKAGES_KEPT_MAX + 3 }, (_, index) => addressOf(index + 1));

function object(id: ObjectId, value: number, fields: FieldChanges = []): readonly [Uint8Array, ObjectChange] {
  const meta = { ...freshMeta(id, parseStructTag('0x42::a::B')), createdAt: 1n, updatedAt: 1n };
  const sorted = [...fields].sort(([left], [right]) => Buffer.compare(left, right));
  return [id.at(-1)!, { meta, value: { kind: 'new', value: Uint8Array.of(value) }, fields: sorted }];
}

/** A state in which each account has its number in its modules, and a count of the nodes read from it. */
function stateOfModules(): { state: State; reads: () => number } {
  const nodes = new Map<string, Uint8Array>();
  let reads = 0;
  const source = (hash: Uint8Array): Uint8Array | undefined => {
    reads++;
    return nodes.get(hex(hash));
  };
  const tree = new Tree(source, new NodeCache({ nodesMax: 0 }));
  const packages = ACCOUNTS.map((account, number) => {
    const modules = NAMES.map((name) => object([...packageObjectId(account), stringFieldKey(name)], number));
    return object(packageObjectId(account), 0, modules);
  });
  const empty = new State(tree, EMPTY_ROOT, 0n);
  const changes = [object(MODULE_STORE_ID, 0, packages)];
  const applied = applyChangeSet(empty, { stateRoot: EMPTY_ROOT, globalSize: 1n, changes });
  for (const { hash, bytes } of applied.fresh) nodes.set(hex(hash), bytes);
  return { state: new State(tree, applied.changeSet.stateRoot, 1n), reads: () => reads };
}

const numberAt = (state: State, account: Address, name: string): number | undefined =>
  state.moduleField(account, name)?.value[0];

it('modules are those of their account, for more accounts than are cached', () => {
  const { state } = stateOfModules();
  for (let round = 0; round < 2; round++) {
    for (const name of NAMES) {
      expect(ACCOUNTS.map((account) => numberAt(state, account, name))).toEqual([...ACCOUNTS.keys()]);
    }
    expect(numberAt(state, ACCOUNTS[0]!, 'none')).toBeUndefined();
    expect(numberAt(state, addressOf(0x42), 'coin')).toBeUndefined();
  }
});

it('finding a module again does not walk to its account again', () => {
  const { state, reads } = stateOfModules();
  const cost = (account: Address): number => {
    const before = reads();
    expect(numberAt(state, account, 'coin')).toBeDefined();
    return reads() - before;
  };
  // Accounts with small addresses differ in their last digits: the way to one is as long as an address.
  const [first, second] = [cost(ACCOUNTS[0]!), cost(ACCOUNTS[0]!)];
  expect(first).toBeGreaterThan(60);
  expect(second).toBeLessThan(5);
});

it('modules are those of the account asked for, whatever the caller does with the bytes of its address', () => {
  const { state } = stateOfModules();
  const account = Uint8Array.from(ACCOUNTS[0]!);
  expect(numberAt(state, account, 'coin')).toBe(0);
  account.set(ACCOUNTS[1]!);
  expect(numberAt(state, ACCOUNTS[1]!, 'coin')).toBe(1);
  expect(numberAt(state, ACCOUNTS[0]!, 'coin')).toBe(0);
});

it('an object is found by parts that are bytes, and none is found below one that is missing', () => {
  const { state } = stateOfModules();
  const [account] = ACCOUNTS as [Address];
  expect(state.object(packageObjectId(account))?.value).toEqual(Uint8Array.of(0));
  const missing = Uint8Array.from(account).fill(0xee);
  expect(state.object([missing])).toBeUndefined();
  expect(state.object([missing, ...packageObjectId(account)])).toBeUndefined();
  expect(state.object([...packageObjectId(account), missing, missing])).toBeUndefined();
  expect(() => state.object(['0x1'] as never)).toThrow(/^id: expected an object id of parts of 32 bytes/);
});
