/**
 * The chain that tests in Move run on, as the reference's test command makes it: modules, a clock at zero and the module
 * store, and nothing else. Nothing has run there, genesis and `init` functions neither; each test sets up what it needs,
 * with the functions that the framework has for tests alone.
 *
 * Source: crates/rooch/src/commands/move_cli/commands/unit_test.rs of the reference.
 * @module
 */
import { encode, u64 } from '../../base/bcs.ts';
import { fromBase64 } from '../../base/bytes/base64.ts';
import { toHex } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { MODULE_STORE_TYPE, namedObjectId } from '../../chain/object/object-id.ts';
import { FLAG_SHARED, type ObjectState } from '../../chain/object/object-state.ts';
import { applyChangeSet } from '../../chain/state/apply.ts';
import { State } from '../../chain/state/state.ts';
import { TEST_MODULES } from '../../execution/framework/compiled/test-modules.ts';
import { FRAMEWORK_PACKAGES } from '../../execution/framework/framework.ts';
import { GENESIS_GAS_ENTRIES, GENESIS_TRANSACTION_GAS_MAX } from '../../execution/framework/gas-schedule.ts';
import { nativeTable } from '../../execution/native/table.ts';
import { MachineCache } from '../../execution/runtime/machine-cache.ts';
import { ObjectRuntime } from '../../execution/runtime/object-runtime.ts';
import type { SessionHost } from '../../execution/runtime/session-host.ts';
import type { TxContext } from '../../execution/runtime/tx-context.ts';
import {
  type Address,
  formatAddressShort,
  isReservedAddress,
  MOVE_STD_ADDRESS,
  MOVEOS_STD_ADDRESS,
  parseAddress,
  SYSTEM_ADDRESS,
} from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../store/tree/tree.ts';
import { type Module, type ModuleId, selfIdOf } from '../../vm/binary/module.ts';
import type { NativeFunction, NativeTable } from '../../vm/native.ts';
import { vectorOf } from '../../vm/value/generic-operations.ts';
import { verdictOf } from '../../vm/verdict.ts';
import { verifyBundle } from '../../vm/verify/bundle.ts';
import { hasInitFunction } from '../../vm/verify/entry-functions.ts';
import { verifyPublish } from '../../vm/verify/publish.ts';
import type { TestedPackage } from './tested-package.ts';

/** A shared object that exists before anything runs. */
function preloaded(objectType: StructTag, value: Uint8Array): ObjectState {
  const facts = { owner: SYSTEM_ADDRESS, flag: FLAG_SHARED, stateRoot: undefined, size: 0n };
  return { meta: { ...facts, createdAt: 0n, updatedAt: 0n, id: namedObjectId(objectType), objectType }, value };
}

const PRELOADED: readonly ObjectState[] = [
  preloaded(structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp'), encode(u64, 0n)),
  preloaded(MODULE_STORE_TYPE, Uint8Array.of(0)),
];

/** The transaction that a test seems to be. Sender and hash are random in the reference, and the same for each test here. */
export const TEST_CONTEXT: TxContext = {
  sender: new Uint8Array(32).fill(0x5e) as Address,
  sequenceNumber: 0n,
  maxGasAmount: GENESIS_TRANSACTION_GAS_MAX,
  txHash: new Uint8Array(32).fill(1),
  txSize: 1n,
  idsCreated: 0n,
  entries: [],
};

/** `0x1::unit_test::create_signers_for_testing`: signers of the addresses that begin with 0, 1, ... as a u64. */
const createSigners: NativeFunction<SessionHost> = (_context, { returns }, count: bigint) => {
  const { item } = returns[0]!;
  const signers = Array.from({ length: Number(count) }, (_, index) => {
    const address = new Uint8Array(32);
    new DataView(address.buffer).setBigUint64(0, BigInt(index), true);
    return new item.structClass(address);
  });
  return vectorOf(item, signers);
};

function testNatives(entries: ReadonlyMap<string, bigint>): NativeTable<SessionHost> {
  const module = { address: MOVE_STD_ADDRESS, name: 'unit_test' };
  return nativeTable(entries).add(module, { create_signers_for_testing: createSigners });
}

const entries: ReadonlyMap<string, bigint> = new Map(GENESIS_GAS_ENTRIES);

export class UnitTestChain {
  readonly state: State;
  readonly machines: MachineCache;

  /**
   * A chain with a package and the framework, of which the package may replace modules.
   * @throws {EngineError} `transaction-rejected` for modules that could not be published
   */
  constructor({ name, modules }: TestedPackage) {
    this.machines = new MachineCache({ natives: testNatives, gasEntries: () => entries });
    const codes = frameworkCodes();
    for (const { address, name: module, bytes } of modules) codes.set(`${address}::${module}`, bytes);
    this.#assertSound(name, modules, codes);
    this.state = stateWith(codes);
  }

  #assertSound(name: string, modules: TestedPackage['modules'], codes: ReadonlyMap<string, Uint8Array>): void {
    const load = ({ address, name: module }: ModuleId): Module | undefined => {
      const bytes = codes.get(`${formatAddressShort(address)}::${module}`);
      return bytes && this.machines.modules.read(bytes);
    };
    const bundle = modules.map(({ bytes }) => this.machines.modules.read(bytes));
    // The system publishes its own packages without the chain's rules for contracts.
    const contracts = bundle.filter((module) => !isReservedAddress(selfIdOf(module).address));
    const checks = [verifyBundle(bundle, load), verdictOf(() => contracts.forEach(hasInitFunction))];
    for (const verdict of [...checks, verifyPublish(contracts, load)]) {
      if (verdict.ok) continue;
      throw new EngineError('transaction-rejected', `${name} cannot be published: ${verdict.message}`);
    }
  }
}

/** A state with modules, by `0x2::m`, and what else exists before anything runs. */
export function stateWith(codes: ReadonlyMap<string, Uint8Array>): State {
  const nodes = new Map<string, Uint8Array>();
  const tree = new Tree((hash) => nodes.get(toHex(hash)), new NodeCache());
  const empty = new State(tree, EMPTY_ROOT, 0n);
  const runtime = new ObjectRuntime(empty, PRELOADED);
  for (const [id, bytes] of codes) {
    const [address, module] = id.split('::') as [string, string];
    runtime.modules.publish(parseAddress(address), module, bytes);
  }
  const changeSet = runtime.changeSet();
  const applied = applyChangeSet(empty, changeSet);
  for (const { hash, bytes } of applied.fresh) nodes.set(toHex(hash), bytes);
  return new State(tree, applied.changeSet.stateRoot, changeSet.globalSize);
}

/** By `0x2::m`: the modules of the framework, with what only tests have. */
function frameworkCodes(): Map<string, Uint8Array> {
  const shipped = FRAMEWORK_PACKAGES.flatMap(({ address, modules }) =>
    modules.map(({ name, bytes }) => [`${formatAddressShort(address as Address)}::${name}`, bytes] as const),
  );
  return new Map([...shipped, ...TEST_MODULES.map(([id, base64]) => [id, fromBase64(base64)] as const)]);
}
