/**
 * A chain of validated and executed transactions in memory: the functions of a step without the writer, the store and
 * the ledger around them.
 * @module
 */
import { expect } from 'vitest';
import { decode, encode, u64, u256 } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { DATA_FORMAT_VERSION } from '../../src/base/config.ts';
import type { Head } from '../../src/chain/ledger/head.ts';
import { applyChangeSet } from '../../src/chain/state/apply.ts';
import { State } from '../../src/chain/state/state.ts';
import { SEQUENCE_INFO_TYPE } from '../../src/chain/transaction/sequence-info.ts';
import { account } from '../../src/execution/framework/account.ts';
import { DEV_ACCOUNTS, type DevAccount } from '../../src/execution/framework/accounts.ts';
import { GAS_COIN_TYPE } from '../../src/execution/framework/coin.ts';
import { gasEntriesOf } from '../../src/execution/framework/gas-schedule.ts';
import { TX_RESULT_TYPE, txResult } from '../../src/execution/framework/transaction.ts';
import type { Genesis } from '../../src/execution/genesis/genesis.ts';
import { nativeTable } from '../../src/execution/native/table.ts';
import { MachineCache } from '../../src/execution/runtime/machine-cache.ts';
import { ObjectRuntime } from '../../src/execution/runtime/object-runtime.ts';
import { runSession, type SessionSettings } from '../../src/execution/runtime/session.ts';
import { contextEntryOf, type TxContext } from '../../src/execution/runtime/tx-context.ts';
import { address, FRAMEWORK_ADDRESS, SYSTEM_ADDRESS } from '../../src/move/address.ts';
import { structType } from '../../src/move/type-tag.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import { executeTransaction } from '../../src/pipeline/execute.ts';
import { type ExecutionContext, sessionSettings } from '../../src/pipeline/execution-context.ts';
import { localGenesis } from '../../src/pipeline/local-chain.ts';
import {
  type UnsignedCall,
  type ValidatedTransaction,
  type Validation,
  validateCall,
  validateSigned,
} from '../../src/pipeline/validate.ts';
import {
  type Action,
  type Address,
  accountObjectId,
  type FunctionCall,
  parseAddress,
  parseFunctionId,
  type SequenceInfo,
  type StateChangeSet,
  sequenceInfo,
  stateChangeSet,
  type TransactionData,
  type TypeTag,
  transactionEvent,
} from '../../src/query/transaction-builder.ts';
import { EMPTY_ACCUMULATOR } from '../../src/store/accumulator/accumulator.ts';
import { NodeCache } from '../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../src/store/tree/tree.ts';
import { selfIdOf } from '../../src/vm/binary/module.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import type { ExecutionMode, Returned } from '../../src/vm/call.ts';
import { type Edit, executionOf } from '../journeys/edits.ts';
import { signBitcoin } from './signer.ts';

export const ALICE: DevAccount = DEV_ACCOUNTS[0]!;
export const BOB: DevAccount = DEV_ACCOUNTS[1]!;

/** All chains of a file share what is translated. */
const MACHINES: Readonly<Record<ExecutionMode, MachineCache>> = {
  interpret: new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, engine: 'interpret' }),
  translate: new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, engine: 'translate' }),
};

/** The module whose functions run around every action. */
const VALIDATOR = { address: FRAMEWORK_ADDRESS, name: 'transaction_validator' };

const NOBODY: TxContext = {
  sender: SYSTEM_ADDRESS,
  sequenceNumber: 0n,
  maxGasAmount: 0n,
  txHash: new Uint8Array(32),
  txSize: 0n,
  idsCreated: 0n,
  entries: [],
};

export interface StepChainOptions {
  readonly genesis?: Genesis;
  readonly engine?: ExecutionMode;
  readonly verifySignatures?: boolean;
}

export class StepChain {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #tree = new Tree((hash) => this.#nodes.get(toHex(hash)), new NodeCache());
  readonly #machines: MachineCache;
  readonly #verifySignatures: boolean;
  #head: Head;
  #state = new State(this.#tree, EMPTY_ROOT, 0n);
  /** Milliseconds of the next transaction's timestamp. */
  now: bigint;

  static async open(options: StepChainOptions = {}): Promise<StepChain> {
    return new StepChain(options.genesis ?? (await localGenesis({})), options);
  }

  private constructor(genesis: Genesis, { engine = 'translate', verifySignatures = true }: StepChainOptions) {
    this.#verifySignatures = verifySignatures;
    this.#machines = MACHINES[engine];
    this.now = genesis.timestamp;
    this.#head = {
      formatVersion: DATA_FORMAT_VERSION,
      genesisHash: genesis.hash,
      chainId: genesis.chainId,
      order: 0n,
      stateRoot: EMPTY_ROOT,
      size: 0n,
      accumulator: EMPTY_ACCUMULATOR,
      timestamp: genesis.timestamp,
      unloadedRoots: genesis.unloadedRoots,
    };
    this.#apply(genesis.output);
  }

  get head(): Head {
    return this.#head;
  }

  get state(): State {
    return this.#state;
  }

  get context(): ExecutionContext {
    return {
      head: this.#head,
      state: this.#state,
      machines: this.#machines,
      settings: { gasGift: true, verifySignatures: this.#verifySignatures },
    };
  }

  /** The next transaction of an account; any part may be overridden. */
  data(sender: Address, action: Action, parts: Partial<TransactionData> = {}): TransactionData {
    return {
      sender,
      sequenceNumber: this.sequenceNumber(sender),
      chainId: this.#head.chainId,
      maxGasAmount: 100_000_000n,
      action,
      ...parts,
    };
  }

  sequenceNumber(owner: Address): bigint {
    const object = this.#state.object(accountObjectId(owner));
    return object === undefined ? 0n : decode(account, object.value).sequenceNumber;
  }

  /** Gas coins of an account, in the smallest unit. */
  balance(owner: Address): bigint {
    return decode(u256, this.view(callOf('0x3::gas_coin::balance', [], encode(address, owner))));
  }

  /** Milliseconds of the chain's own clock. */
  timestamp(): bigint {
    return decode(u64, this.view(callOf('0x2::timestamp::now_milliseconds')));
  }

  /** The total of gas coins. */
  supply(): bigint {
    return decode(u256, this.view(callOf('0x3::coin::supply_by_type', [structType(GAS_COIN_TYPE)])));
  }

  /** BCS of the one value that a function returns. */
  view({ function: id, typeArguments, arguments: given }: FunctionCall): Uint8Array {
    return runSession({ ...this.#unmetered(), isReadOnly: true }, (session) => {
      const module = { address: id.address, name: id.module };
      const outcome = session.call({ module, function: id.name, typeArguments, arguments: given });
      if (outcome.kind === 'failed') throw new Error(outcome.failure.message);
      const [{ type, value }] = outcome.values as [Returned];
      return type.encode(value);
    });
  }

  /** Mints gas coins for an account, as the framework itself does on chains for development. */
  fund(owner: Address, amount: bigint): void {
    const parts = [encode(address, owner), encode(u256, amount)];
    const { function: id } = callOf('0x3::gas_coin::faucet');
    const output = runSession(this.#unmetered(), (session) => {
      const module = { address: id.address, name: id.module };
      const outcome = session.call({ module, function: id.name, typeArguments: [], arguments: parts });
      if (outcome.kind === 'failed') throw new Error(outcome.failure.message);
      return session.finish();
    });
    this.#apply(output);
  }

  /** Replaces the framework's modules by others; its remaining modules stay. */
  replaceModules(codes: readonly Uint8Array[]): void {
    const runtime = new ObjectRuntime(this.#state);
    for (const code of codes) {
      const { address: owner, name } = selfIdOf(readModule(code));
      runtime.modules.publish(owner, name, code);
    }
    this.#apply({ changeSet: runtime.changeSet() });
  }

  /** Writes objects, whatever the chain's own code says. */
  edit(...edits: readonly Edit[]): void {
    this.#apply(executionOf(this.#state, { edits }));
  }

  #unmetered(): SessionSettings {
    return {
      state: this.#state,
      machine: this.#machines.at(this.#state),
      modules: this.#machines.modules,
      context: NOBODY,
      gasBudget: undefined,
    };
  }

  /** Signs with an account's Bitcoin key and runs it. */
  send(sender: DevAccount, action: Action, parts: Partial<TransactionData> = {}): ExecutionOutput {
    return this.execute(signBitcoin(sender, this.data(parseAddress(sender.address), action, parts)));
  }

  /** Runs a signed transaction, which must be accepted. */
  execute(signed: Uint8Array): ExecutionOutput {
    return this.#run(validateSigned(signed, this.context));
  }

  /** Gas that the chain's own code before and after a transaction's action would cost if it were metered. */
  gasAround(signed: Uint8Array): readonly [before: bigint, after: bigint] {
    const validation = validateSigned(signed, this.context);
    if (validation.kind === 'refused') throw validation.error;
    const { context: known } = validation.transaction;
    const place = contextEntryOf(SEQUENCE_INFO_TYPE, sequenceInfo, this.#sequence());
    const context = { ...known, entries: [...known.entries, place] };
    return runSession({ ...sessionSettings(this.context, context), gasBudget: 2n ** 63n }, (session) => {
      const metered = (name: string): bigint => {
        const before = session.gasUsed;
        const { kind } = session.call({ module: VALIDATOR, function: name, typeArguments: [], arguments: [] });
        expect(kind).toBe('returned');
        return session.gasUsed - before;
      };
      const before = metered('pre_execute');
      session.txContext.add(TX_RESULT_TYPE, txResult, { executed: true, gasUsed: 1_000n });
      return [before, metered('post_execute')];
    });
  }

  call(call: UnsignedCall): ExecutionOutput {
    return this.#run(validateCall(call, this.context));
  }

  /** Why a signed transaction is refused. */
  refusal(signed: Uint8Array): { readonly code: string; readonly message: string } {
    return refusalOf(validateSigned(signed, this.context));
  }

  #run(validation: Validation): ExecutionOutput {
    if (validation.kind === 'refused') throw validation.error;
    const info = this.#sequence();
    const execution = this.perform(validation.transaction, info);
    this.#head = { ...this.#head, order: info.txOrder, timestamp: info.txTimestamp };
    return execution;
  }

  /** Executes a validated transaction, with or without its place, and keeps what it did. */
  perform(transaction: ValidatedTransaction, info?: SequenceInfo): ExecutionOutput {
    const execution = executeTransaction(transaction, info, this.context);
    if (execution.kind === 'refused') throw execution.error;
    this.#apply(execution);
    return execution;
  }

  #sequence(): SequenceInfo {
    return {
      txOrder: this.#head.order + 1n,
      txOrderSignature: new Uint8Array(0),
      txAccumulatorRoot: EMPTY_ROOT,
      txTimestamp: this.now,
      txAccumulatorFrozenSubtreeRoots: [],
      txAccumulatorNumLeaves: 0n,
      txAccumulatorNumNodes: 0n,
    };
  }

  #apply({ changeSet }: { readonly changeSet: StateChangeSet }): void {
    const applied = applyChangeSet(this.#state, changeSet);
    for (const { hash, bytes } of applied.fresh) this.#nodes.set(toHex(hash), bytes);
    this.#state = new State(
      this.#tree,
      applied.changeSet.stateRoot,
      applied.changeSet.globalSize,
      this.#head.unloadedRoots,
    );
    this.#head = { ...this.#head, stateRoot: this.#state.root, size: this.#state.size };
  }
}

/** The refusal of a validation, which must be one. */
export function refusalOf(validation: Validation): { readonly code: string; readonly message: string } {
  expect(validation.kind).toBe('refused');
  if (validation.kind !== 'refused') throw new Error('the transaction was accepted');
  const { code, message } = validation.error;
  return { code, message };
}

/** Calls `0x3::module::function`. */
export function callOf(
  name: string,
  typeArguments: readonly TypeTag[] = [],
  ...given: readonly Uint8Array[]
): Action & { kind: 'function' } {
  return { kind: 'function', function: parseFunctionId(name), typeArguments, arguments: given };
}

/** Sends gas coins. */
export function transfer(to: Address, amount: bigint): Action & { kind: 'function' } {
  const name = '0x3::transfer::transfer_coin';
  return callOf(name, [structType(GAS_COIN_TYPE)], encode(address, to), encode(u256, amount));
}

/** Everything about an execution, to compare two. */
export function effectsOf({ status, gasUsed, changeSet, events }: ExecutionOutput): unknown {
  return {
    status,
    gasUsed,
    changes: toHex(encode(stateChangeSet, changeSet)),
    events: events.map((event) => toHex(encode(transactionEvent, event))),
  };
}
