/**
 * The reference's genesis, made again: the modules of a released file are published on an empty state, their `init`
 * functions run on the machine, and what they did must be what the file says, byte for byte.
 */
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { equalObjectIds } from '../../../src/chain/object/object-id.ts';
import { State } from '../../../src/chain/state/state.ts';
import { type ReleasedGenesis, readReleasedGenesis } from '../../../src/execution/genesis/released-genesis.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { MachineCache } from '../../../src/execution/runtime/machine-cache.ts';
import { runSession, type SessionOutput } from '../../../src/execution/runtime/session.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import {
  formatObjectId,
  type ObjectState,
  type StateChangeSet,
  stateChangeSet,
} from '../../../src/query/transaction-builder.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { genesisFiles, hasReference, referenceNote } from '../../vm/corpus.ts';

/** Trees imported out of band are not in the file: sessions see those objects without fields. */
function withoutFields({ meta, value }: ObjectState): ObjectState {
  return { meta: { ...meta, stateRoot: undefined }, value };
}

/** Puts the imported roots back, which the change set carries along. */
function withImportedRoots(changes: FieldChanges, objects: readonly ObjectState[]): FieldChanges {
  return changes.map(([key, change]) => {
    const object = objects.find(({ meta }) => equalObjectIds(meta.id, change.meta.id));
    if (object === undefined) return [key, change];
    return [key, { ...change, meta: { ...change.meta, stateRoot: object.meta.stateRoot } }];
  });
}

function execute(genesis: ReleasedGenesis, engine: 'interpret' | 'translate'): SessionOutput {
  const entries = new Map(genesis.gasEntries);
  const cache = new MachineCache({ natives: nativeTable, gasEntries: () => entries, engine, translateAfter: 0 });
  const settings = {
    state: new State(new Tree(() => undefined, new NodeCache()), EMPTY_ROOT, 0n),
    machine: cache.create(entries),
    modules: cache.modules,
    gasBudget: undefined,
    preloaded: genesis.genesisObjects.map(withoutFields),
    context: genesis.context,
  };
  return runSession(settings, (session) => {
    expect(genesis.action.kind).toBe('modules');
    expect(session.verify(genesis.action)).toBeUndefined();
    expect(session.execute(genesis.action)).toEqual({ kind: 'returned', values: [] });
    return session.finish();
  });
}

/** One line for each object, to see where two change sets differ. */
function lines(changes: FieldChanges): string[] {
  return changes.flatMap(([, { meta, value, fields }]) => {
    const bytes = value === undefined || value.kind === 'delete' ? '' : toHex(value.value);
    const root = meta.stateRoot === undefined ? '-' : toHex(meta.stateRoot);
    const facts = [toHex(meta.owner), meta.flag, root, meta.size, meta.createdAt, meta.updatedAt, value?.kind, bytes];
    return [`${formatObjectId(meta.id)} ${displayStruct(meta.objectType)} ${facts.join(' ')}`, ...lines([...fields])];
  });
}

describe.skipIf(!hasReference)(`the genesis transaction of the reference${referenceNote}`, () => {
  const networks = hasReference ? genesisFiles().map((file) => readReleasedGenesis(new Uint8Array(file))) : [];

  it.each([
    ['main', 0, 'translate'],
    ['main', 0, 'interpret'],
    ['test', 1, 'translate'],
    ['test', 1, 'interpret'],
  ] as const)('of the %s network (%i) gives its change set and events by engine %s', (_network, index, engine) => {
    const genesis = networks[index]!;
    const { changeSet, events, context } = execute(genesis, engine);
    const changes = withImportedRoots(changeSet.changes, genesis.genesisObjects);
    expect(lines(changes)).toEqual(lines(genesis.changeSet.changes));
    const { stateRoot, globalSize } = changeSet;
    const whole: StateChangeSet = { stateRoot, globalSize, changes };
    expect(toHex(encode(stateChangeSet, whole))).toBe(toHex(encode(stateChangeSet, genesis.changeSet)));
    expect(events).toEqual(genesis.events);
    expect(context.entries).toEqual(genesis.context.entries);
  });
});
