/**
 * Whether a chain runs the framework of this package: only then is the behaviour of its functions known.
 * @module
 */
import { textOfBytes, toHex } from '../../base/bytes/bytes.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { MODULE_STORE_ID, packageObjectId } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import { FRAMEWORK_ADDRESS, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { MODULE_DIGESTS } from '../framework/compiled/digests.ts';
import type { SessionMachine } from '../runtime/machine-cache.ts';
import type { ModuleCache } from '../runtime/module-cache.ts';

/** Number of framework versions, by the roots of their packages, whose comparison is cached. */
const FRAMEWORKS_KNOWN_MAX = 64;

/** The package of `0x3::transaction_validator`, and those that it depends on. */
const PACKAGES = [
  { address: MOVE_STD_ADDRESS, digests: MODULE_DIGESTS.MoveStdlib },
  { address: MOVEOS_STD_ADDRESS, digests: MODULE_DIGESTS.MoveosStdlib },
  { address: FRAMEWORK_ADDRESS, digests: MODULE_DIGESTS.RoochFramework },
];

/** By the roots of their packages. */
const known = new Map<string, boolean>();
/** By the machine: there is one for each version of the code. */
const knownOfMachines = new WeakMap<SessionMachine, boolean>();

/**
 * Whether the modules of the packages 0x1 to 0x3 are those of this package.
 * @param machine the machine of the state's code
 * @param modules the modules read so far
 * @throws {EngineError} for state that is not loaded or corrupt
 */
export function hasOwnFramework(state: State, machine: SessionMachine, modules: ModuleCache): boolean {
  return getOrInsert(knownOfMachines, machine, () => isOwnUnder(state, modules));
}

function isOwnUnder(state: State, modules: ModuleCache): boolean {
  const root = state.object(MODULE_STORE_ID)?.meta.stateRoot;
  const roots = PACKAGES.map(({ address }) => state.object(packageObjectId(address))?.meta.stateRoot);
  if (root === undefined || !roots.every((one) => one !== undefined)) return false;
  const text = roots.map(textOfBytes).join('');
  let isOwn = known.get(text);
  if (isOwn === undefined) {
    if (known.size === FRAMEWORKS_KNOWN_MAX) known.clear();
    // Nothing is read if nothing was published since the genesis that the build made from these modules.
    isOwn = modules.shippedUnder(root) !== undefined || holdsAll(state);
    known.set(text, isOwn);
  }
  return isOwn;
}

function holdsAll(state: State): boolean {
  return PACKAGES.every(({ address, digests }) =>
    digests.every(([name, digest]) => {
      const held = state.module(address, name);
      return held !== undefined && toHex(sha3(held)) === digest;
    }),
  );
}
