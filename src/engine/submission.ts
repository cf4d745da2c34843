/**
 * What a program sends to the chain: signed transactions, unsigned calls, modules, and dry runs of any of them. They
 * become inputs here, and commits become receipts.
 * @module
 */

import {
  A_BOOLEAN,
  A_U64,
  argumentError,
  assertBytes,
  assertFits,
  assertMembers,
  assertObject,
  assertOptions,
  eachOf,
  parseArgument,
} from '../base/argument.ts';
import { encodeGiven } from '../base/bcs.ts';
import { fromHex } from '../base/bytes/bytes.ts';
import { ARGUMENT_BYTES_PER_MS } from '../base/config.ts';
import { assert, unlessRefused } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { readTransaction } from '../chain/ledger/transactions.ts';
import { stringFieldKey } from '../chain/object/field-key.ts';
import { packageObjectId } from '../chain/object/object-id.ts';
import { lastWrite, locate } from '../chain/state/diff.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { State } from '../chain/state/state.ts';
import { type SignedTransaction, signedTransaction, transactionData } from '../chain/transaction/signed.ts';
import { addSources, type ModuleSource } from '../execution/module-sources.ts';
import type { FindCallStack } from '../execution/trace/explain-failure.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { Input } from '../pipeline/input.ts';
import type { Receipt, ReceiptSource } from '../pipeline/receipt.ts';
import type { SimulatedInput } from '../pipeline/rerun.ts';
import type { Present, StepSettings } from '../pipeline/step.ts';
import { type SequencerClock, single } from '../pipeline/turn.ts';
import type { Writer } from '../pipeline/writer.ts';
import type { CallOptions, SimulatedCall, SimulationInput, TraceOptions, ViewBasis } from '../query/chain-view.ts';
import type { ActionInput } from '../query/function-call.ts';
import { type Reader, type ReaderSource, stateOf } from '../query/reader.ts';
import type { NodeSource, Tree } from '../store/tree/tree.ts';
import type { Module } from '../vm/binary/module.ts';
import type { Steps } from './preparation.ts';
import { Tracing, type TracingHost } from './tracing.ts';

/** A signed transaction: its BCS as bytes or hex text, or decoded. */
export type SignedInput = Uint8Array | string | SignedTransaction;

/**
 * Modules to publish: the bytes of each, or a package as `compile` of `movelet/compile` gives it, whose sources failures
 * and traces then name, as after `addSources`.
 */
export type ModulesInput = readonly Uint8Array[] | { readonly modules: readonly ModuleSource[] };

/** What submissions need from their engine. */
export interface SubmissionHost extends TracingHost {
  readonly tree: (source: NodeSource) => Tree;
  /** Absent on a worker thread, which writes nothing. */
  readonly writer: Writer | undefined;
  readonly clock: SequencerClock | undefined;
  readonly settings: () => StepSettings;
  /** Wraps the simulation of an input. Default: none. */
  readonly executing?: (<T>(input: SimulatedInput, run: () => T) => T) | undefined;
}

/** Makes an input from the chain as it is when its turn comes. */
export type InputMaker = (present: Present) => Input;

/**
 * Submits an input. `onCommit` is called before the promise resolves. `clock` is read in place of the chain's, after
 * the input was made.
 */
export type Submit = (
  input: InputMaker,
  onCommit?: (commit: Commit) => void,
  clock?: SequencerClock,
) => Promise<Receipt>;

export class Submissions {
  /** Watches each submission while the chain is prepared for tests. */
  steps: Steps | undefined;
  readonly #host: SubmissionHost;
  readonly tracing: Tracing;

  constructor(host: SubmissionHost) {
    this.#host = host;
    this.tracing = new Tracing(host);
  }

  execute(signed: SignedInput): Promise<Receipt> {
    return this.#submit({ kind: 'signed', bytes: signedBytes(signed) });
  }

  /** What a dry run on another thread needs besides the rows. */
  basis(): Omit<ViewBasis, 'rows'> {
    const { clock, settings, viewMsMax } = this.#host;
    return { viewMsMax, now: clock?.read(), settings: settings() };
  }

  executeAs(sender: AddressInput, action: ActionInput, options: CallOptions = {}): Promise<Receipt> {
    assertOptions(options, CALL_OPTIONS);
    return this.#submit(this.#callInput({ sender, action, ...options }, this.#host.source.current()));
  }

  publish(sender: AddressInput, given: ModulesInput, options: CallOptions = {}): Promise<Receipt> {
    toAddress(sender, 'sender');
    assertOptions(options, CALL_OPTIONS);
    const sources = given !== null && typeof given === 'object' && 'modules' in given ? given.modules : undefined;
    const list = (sources ?? given) as readonly (Uint8Array | ModuleSource)[];
    if (!Array.isArray(list))
      throw argumentError('modules', 'modules, each as its bytes, or a compiled package', given);
    const modules = eachOf(list, 'modules', (module, name) => {
      const bytes = module instanceof Uint8Array ? module : module?.bytes;
      assertBytes(bytes, name);
      return bytes;
    });
    if (sources !== undefined) addSources(sources.filter(({ lines }) => lines !== undefined));
    return this.executeAs(sender, this.#host.execution().publishAction(modules), options);
  }

  /** As `ChainView.simulate`. */
  simulate(source: ReaderSource, transaction: SimulationInput, options: TraceOptions = {}): Receipt {
    assertOptions(options, TRACE_OPTIONS);
    const { clock, settings, viewMsMax, deadlineClock } = this.#host;
    const execution = this.#host.execution();
    const deadline = new execution.Deadline(viewMsMax, deadlineClock);
    const reader = source.current();
    const { head, state, rows } = reader;
    const tracer = options.trace === true ? new execution.Recorder() : undefined;
    const present = { head, state, rows, machines: reader.machines(), settings: settings(), deadline, tracer };
    const input = this.#simulated(transaction, reader);
    deadline.checkBrief(bytesOf(input) / ARGUMENT_BYTES_PER_MS);
    const { executing = (_, run) => run() } = this.#host;
    const { commit, rows: written } = executing(input, () =>
      execution.simulate(input, present, clock?.read() ?? head.timestamp),
    );
    const after = (chain: Reader): State => {
      // Its nodes build on those of this root.
      stateOf(chain, head.stateRoot);
      const nodes = nodeSource({ get: (key) => written.find(key)?.value ?? chain.rows.get(key) });
      return new State(this.#host.tree(nodes), commit.head.stateRoot, commit.head.size);
    };
    const findCallStack = this.tracing.callStack(commit.record, head.stateRoot);
    const before = (chain: Reader): State => stateOf(chain, head.stateRoot);
    const receiptSource = this.#receiptSource(commit, { before, after }, findCallStack);
    const ended = { gasUsed: commit.record.executionInfo.gasUsed, failure: commit.failure };
    const trace = tracer && execution.traceOf(tracer, ended, receiptSource.findModule);
    return new execution.Receipt(commit, receiptSource, trace);
  }

  #simulated(transaction: SimulationInput, reader: Reader): SimulatedInput {
    if (transaction instanceof Uint8Array) return { kind: 'unsigned', bytes: transaction };
    const expected = 'a transaction, its data or BCS, or { sender, action }';
    assertObject(transaction, 'transaction', expected);
    if ('authenticator' in transaction) return { kind: 'signed', bytes: signedBytes(transaction, 'transaction') };
    if ('sequenceNumber' in transaction) {
      return { kind: 'unsigned', bytes: encodeGiven(transactionData, transaction, 'transaction') };
    }
    if (!('action' in transaction)) throw argumentError('transaction', expected, transaction);
    assertMembers(transaction, ['sender', 'action', 'maxGasAmount']);
    return this.#callInput(transaction, reader);
  }

  #callInput({ sender, action, maxGasAmount }: SimulatedCall, { state, machines }: Reader): Input {
    if (maxGasAmount !== undefined) assertFits(maxGasAmount, 'maxGasAmount', A_U64);
    if (typeof sender === 'object' && sender !== null && 'function' in sender) {
      throw argumentError('sender', 'an address or an account before the call: executeAs(sender, call)', sender);
    }
    const owner = toAddress(sender, 'sender');
    const encoded = this.#host.execution().encodeAction(action, state, machines());
    return { kind: 'call', sender: owner, action: encoded, maxGasAmount };
  }

  readonly submit: Submit = (input, onCommit, clock) => this.#submit(input, onCommit, clock);

  #submit(input: Input | InputMaker, onCommit?: (commit: Commit) => void, clock?: SequencerClock): Promise<Receipt> {
    const receipt = this.#submitted(input, onCommit, clock);
    this.steps?.watch(receipt);
    return receipt;
  }

  async #submitted(
    input: Input | InputMaker,
    onCommit?: (commit: Commit) => void,
    clock?: SequencerClock,
  ): Promise<Receipt> {
    const { writer } = this.#host;
    assert(writer !== undefined, 'expected a writer where something is submitted');
    const { turn, commit } = single(input);
    const committed = (made: Commit): void => {
      onCommit?.(made);
      turn.committed(made);
    };
    writer.submit(onCommit === undefined ? turn : { ...turn, committed, ...(clock && { clock }) });
    return this.#receiptOf(await commit);
  }

  // Apart, so that a receipt which is kept does not keep what its submission needed.
  #receiptOf(commit: Commit): Receipt {
    const { record } = commit;
    const { order, executionInfo } = record;
    const after = (chain: Reader): State => stateOf(chain, executionInfo.stateRoot);
    const before = (chain: Reader): State =>
      stateOf(chain, readTransaction(chain.rows, order - 1n).executionInfo.stateRoot);
    const source = this.#receiptSource(commit, { before, after }, this.tracing.callStack(record), order);
    return new (this.#host.execution().Receipt)(commit, source);
  }

  /**
   * What decodes a receipt: the state that its transaction left. A chain with a bounded history may not keep that
   * state, even just after the commit. Then the present layouts serve, which are the same for every type, and the
   * present module if it was not written since.
   * @param order of the transaction, unless it was simulated
   */
  #receiptSource(
    commit: Commit,
    { before, after }: Surroundings,
    findCallStack: FindCallStack,
    order?: bigint,
  ): ReceiptSource {
    const { source, execution } = this.#host;
    const { record } = commit;
    // Every receipt has this, and few need a module.
    let lookup: ReceiptSource['findModule'] | undefined;
    const state = (chain: Reader): State => unlessRefused(() => after(chain), 'pruned') ?? chain.state;
    return {
      layouts: () => {
        const chain = source.present();
        // No pending commit publishes modules.
        return chain.layouts(commit.isPending === true ? chain.state : state(chain));
      },
      findObject: (id) => state(source.present()).object(id),
      findModule: (id) => {
        lookup ??= execution().publishedFirst(
          record.transaction.data,
          (code) => source.present().machines().modules.read(code),
          (other) => this.#moduleAfter(after, other, order),
        );
        return lookup(id);
      },
      findBefore: (id) => {
        const chain = source.present();
        const state = unlessRefused(() => before(chain), 'pruned');
        return state && findModule(chain, state, id);
      },
      findCallStack,
    };
  }

  #moduleAfter(after: (chain: Reader) => State, id: ModuleName, order: bigint | undefined): Module | undefined {
    const chain = this.#host.source.present();
    const state = unlessRefused(() => after(chain), 'pruned');
    if (state !== undefined) return findModule(chain, state, id);
    return order !== undefined && isModuleSince(chain, id, order) ? findModule(chain, chain.state, id) : undefined;
  }
}

/** The states before and after a transaction. */
interface Surroundings {
  readonly before: (chain: Reader) => State;
  readonly after: (chain: Reader) => State;
}

/** Whether a module has not been written after the transaction at `order`. */
function isModuleSince({ rows, state, head }: Reader, { address, name }: ModuleName, order: bigint): boolean {
  const id = [...packageObjectId(address), stringFieldKey(name)];
  return lastWrite(locate(rows, state, id), head.order) <= order;
}

interface ModuleName {
  readonly address: Uint8Array;
  readonly name: string;
}

function findModule(reader: Reader, state: State, { address, name }: ModuleName) {
  const bytes = state.module(address, name);
  return bytes === undefined ? undefined : reader.machines().modules.read(bytes);
}

/** Bytes that will be decoded before anything runs. */
function bytesOf(input: SimulatedInput): number {
  if ('bytes' in input) return input.bytes.length;
  if (input.kind !== 'call') return 0;
  const parts = input.action.kind === 'modules' ? input.action.modules : input.action.arguments;
  return parts.reduce((length, { length: more }) => length + more, 0);
}

const SIGNED_FORM = 'a signed transaction or its BCS';

/** The bytes of a signed transaction; a copy, since its turn comes later. */
function signedBytes(signed: SignedInput, name = 'signed'): Uint8Array {
  if (signed instanceof Uint8Array) return new Uint8Array(signed);
  if (typeof signed === 'string')
    return parseArgument(name, 'a signed transaction in BCS, as hex text', signed, fromHex);
  assertObject(signed, name, SIGNED_FORM);
  if (!('authenticator' in signed)) {
    const unsigned =
      'then' in signed
        ? ''
        : ': account.signTransaction(call) signs a call, executeAs(sender, call) needs no signature';
    throw argumentError(name, `${SIGNED_FORM}${unsigned}`, signed);
  }
  return encodeGiven(signedTransaction, signed, name, SIGNED_FORM);
}

const CALL_OPTIONS = { maxGasAmount: A_U64 };
const TRACE_OPTIONS = { trace: A_BOOLEAN };
