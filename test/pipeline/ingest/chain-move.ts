/**
 * The reference's own Move beside our ingestion, on one state: blocks and transactions are executed by both, as the
 * node would execute them, and what each did is listed object by object, so that differences can be named.
 *
 * The state begins with the test network's genesis file (MOVELET_REFERENCE), whose modules are of release 23, or with
 * those of a later release published over it. Settings of the chain are written into the state before the first block,
 * so that blocks of the main network can be fed to it.
 */
import { bytes, bytes32, decode, encode, option, struct, u8, u64, vector } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { CHAIN_ID_LOCAL, CHAIN_ID_TEST } from '../../../src/base/config.ts';
import { EngineError } from '../../../src/base/error.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { bitcoinBlock } from '../../../src/bitcoin/block.ts';
import type { BlockHeightHash } from '../../../src/bitcoin/block-store.ts';
import {
  BITCOIN_NETWORKS,
  type BitcoinNetwork,
  type DecodedBlock,
  formatBitcoinHash,
} from '../../../src/bitcoin/index.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { ROOT_OBJECT_ID } from '../../../src/chain/object/object-id.ts';
import { isDynamicField } from '../../../src/chain/object/object-state.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { State } from '../../../src/chain/state/state.ts';
import { BITCOIN_CHAIN_ID, type LedgerTransactionData } from '../../../src/chain/transaction/ledger.ts';
import { blockStoreOf, readField } from '../../../src/execution/bitcoin-move/known-block.ts';
import { executeL1Block, executeL1Header } from '../../../src/execution/bitcoin-move/l1-block.ts';
import { type BlockContext, executeL1Transaction } from '../../../src/execution/bitcoin-move/l1-transaction.ts';
import {
  BITCOIN_NETWORK_ID,
  BLOCK_STORE_ID,
  PENDING_STORE_ID,
  utxoObjectId,
} from '../../../src/execution/bitcoin-move/object-id.ts';
import {
  BLOCK_STORE,
  PENDING_STORE,
  TRANSACTION_BY_TXID,
  UTXO,
} from '../../../src/execution/bitcoin-move/object-type.ts';
import { gasEntriesOf } from '../../../src/execution/framework/gas-schedule.ts';
import { releasedGenesis } from '../../../src/execution/genesis/released-genesis.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { MachineCache } from '../../../src/execution/runtime/machine-cache.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import { runSession, type Session } from '../../../src/execution/runtime/session.ts';
import type { TxContext } from '../../../src/execution/runtime/tx-context.ts';
import { BITCOIN_MOVE_ADDRESS, FRAMEWORK_ADDRESS, SYSTEM_ADDRESS } from '../../../src/move/address.ts';
import { displayStruct, structTag } from '../../../src/move/type-tag.ts';
import {
  formatObjectId,
  ledgerTransactionHash,
  namedObjectId,
  type ObjectId,
  type ObjectState,
  type StateChangeSet,
  stateChangeSet,
  type TransactionEvent,
  type TypeTag,
} from '../../../src/query/transaction-builder.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { selfIdOf } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import type { Returned } from '../../../src/vm/call.ts';
import type { Failure } from '../../../src/vm/failure.ts';
import type { StoredUtxo } from '../../bitcoin/tester.ts';
import { isLong } from '../../effort.ts';
import { genesisFiles, releasedPackages } from '../../vm/corpus.ts';

/** What one execution did. */
export interface Effects {
  readonly changeSet: StateChangeSet;
  readonly events: readonly TransactionEvent[];
}

export interface ChainSettings extends BlockContext {
  readonly reorganisationDepth: bigint;
  /** Whether ours keeps headers only. */
  readonly headersOnly: boolean;
  /** Where the chain starts: the first block that is fed to it. */
  readonly start: BlockHeightHash;
  /** Outputs that blocks before the first one made. */
  readonly utxos?: readonly StoredUtxo[];
}

export interface ReadyTransactions {
  readonly blockHash: Uint8Array;
  readonly txids: readonly Uint8Array[];
}

const readyCodec = option(struct<ReadyTransactions>({ blockHash: bytes32, txids: vector(bytes32) }));

/** A function of the chain; of `0x4` unless given. */
export interface MoveCall {
  readonly address?: Uint8Array;
  readonly module: string;
  readonly function: string;
  readonly typeArguments?: readonly TypeTag[];
  readonly arguments: readonly Uint8Array[];
}

const BITCOIN_NETWORK = { tag: structTag(BITCOIN_MOVE_ADDRESS, 'network', 'BitcoinNetwork'), codec: u8 };
const CHAIN_ID = { tag: structTag(FRAMEWORK_ADDRESS, 'chain_id', 'ChainID'), codec: u64 };

/** A failure of the chain's Move. */
export class MoveFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`the chain's Move failed with ${failure.status} ${failure.subStatus ?? ''}: ${failure.message}`);
    this.failure = failure;
  }
}

export class ChainWorld {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #tree = new Tree((hash) => this.#nodes.get(toHex(hash)), new NodeCache());
  readonly #machines: MachineCache;
  readonly #context: BlockContext;
  readonly #headersOnly: boolean;
  #calls = 0n;
  #state = new State(this.#tree, EMPTY_ROOT, 0n);

  /**
   * @param settings what the state is to say instead of what the genesis says; the test network's if left out
   * @param code the modules: those of a release published over those of the genesis file, or another genesis
   */
  constructor(settings?: ChainSettings, code?: number | StateChangeSet) {
    this.#context = settings ?? { network: 'testnet', chainId: CHAIN_ID_TEST };
    this.#headersOnly = settings?.headersOnly ?? false;
    this.#machines = new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf });
    const isGenesis = typeof code === 'object';
    this.apply(isGenesis ? code : releasedGenesis(new Uint8Array(genesisFiles()[1]!)).output.changeSet);
    if (typeof code === 'number') this.#publish(code);
    if (settings !== undefined) this.#configure(settings);
  }

  get state(): State {
    return this.#state;
  }

  /** The objects that are children of `parent`. */
  objectsOf(parent: ObjectId): ObjectState[] {
    const fields = this.#state.fields(parent, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
    return fields.map(({ object }) => object).filter(({ meta }) => !isDynamicField(meta));
  }

  /** The top-level objects of a type. */
  ownedOf(type: string): ObjectState[] {
    return this.objectsOf(ROOT_OBJECT_ID).filter(({ meta }) => displayStruct(meta.objectType) === type);
  }

  apply(changeSet: StateChangeSet): void {
    const applied = applyChangeSet(this.#state, changeSet);
    for (const { hash, bytes: node } of applied.fresh) this.#nodes.set(toHex(hash), node);
    this.#state = new State(this.#tree, applied.changeSet.stateRoot, changeSet.globalSize);
  }

  /** Changes the state outside of any transaction. */
  edit(change: (runtime: ObjectRuntime) => void): void {
    const runtime = new ObjectRuntime(this.#state);
    change(runtime);
    this.apply(runtime.changeSet());
  }

  /** A block by the chain's `execute_l1_block`. */
  moveBlock(block: DecodedBlock, blockHeight: bigint): Effects {
    const data = { kind: 'l1-block', chainId: BITCOIN_CHAIN_ID, blockHeight, blockHash: block.hash } as const;
    const given = [encode(u64, blockHeight), block.hash, encode(bytes, encode(bitcoinBlock, block))];
    return this.system(data, { module: 'bitcoin', function: 'execute_l1_block', arguments: given });
  }

  /**
   * What the chain says is to be processed next: the transactions of a pending block that has enough others on it, the
   * coinbase put last, as the relayer does.
   */
  readyTransactions(): ReadyTransactions | undefined {
    const call = { module: 'pending_block', function: 'get_ready_pending_txs', arguments: [] };
    const ready = this.#session(SYSTEM_CONTEXT, call, (_session, [returned]) =>
      decode(readyCodec, returned!.type.encode(returned!.value)),
    );
    if (ready === undefined || ready.txids.length < 2) return ready;
    const [coinbase, ...others] = ready.txids;
    return { ...ready, txids: [...others, coinbase!] };
  }

  /** Whether the state has processed a transaction of that txid. */
  hasProcessed(txid: Uint8Array): boolean {
    return readField(this.state, blockStoreOf(this.state)!.transactions, TRANSACTION_BY_TXID, txid) !== undefined;
  }

  /** A transaction of a pending block by the chain's `execute_l1_tx`. */
  moveTransaction(blockHash: Uint8Array, txid: Uint8Array): Effects {
    const data = { kind: 'l1-transaction', chainId: BITCOIN_CHAIN_ID, blockHash, txid } as const;
    return this.system(data, { module: 'bitcoin', function: 'execute_l1_tx', arguments: [blockHash, txid] });
  }

  ourBlock(block: DecodedBlock, blockHeight: bigint): Effects {
    const runtime = new ObjectRuntime(this.#state);
    const execute = this.#headersOnly ? executeL1Header : executeL1Block;
    const { events } = execute(runtime, block, blockHeight, this.#context.chainId);
    return { changeSet: runtime.changeSet(), events };
  }

  ourTransaction(blockHash: Uint8Array, txid: Uint8Array): Effects {
    const runtime = new ObjectRuntime(this.#state);
    const { events } = executeL1Transaction(runtime, blockHash, txid, this.#context);
    return { changeSet: runtime.changeSet(), events };
  }

  /**
   * A system call, as the executor makes it: sender 0x0, no gas, no functions before and after it.
   * @throws {MoveFailure} where the node would go into maintenance
   */
  system(data: LedgerTransactionData, call: MoveCall): Effects {
    return this.#session(contextOf(data), call, (session) => session.finish());
  }

  /** A function of the chain, called by an account in a transaction of its own; the state goes on from it. */
  call(sender: Uint8Array, call: MoveCall): readonly Returned[] {
    const txHash = sha3(encode(u64, this.#calls++));
    return this.#session({ ...SYSTEM_CONTEXT, sender, txHash }, call, (session, values) => {
      this.apply(session.finish().changeSet);
      return values;
    });
  }

  #session<T>(
    context: TxContext,
    { address = BITCOIN_MOVE_ADDRESS, module, ...rest }: MoveCall,
    then: (session: Session, values: readonly Returned[]) => T,
  ): T {
    const settings = {
      state: this.#state,
      machine: this.#machines.at(this.#state),
      modules: this.#machines.modules,
      context,
      gasBudget: undefined,
    };
    return runSession(settings, (session) => {
      const outcome = session.call({ typeArguments: [], ...rest, module: { address, name: module } });
      if (outcome.kind === 'failed') throw new MoveFailure(outcome.failure);
      return then(session, outcome.values);
    });
  }

  #publish(release: number): void {
    this.edit((runtime) => {
      for (const code of releasedPackages(release).flatMap(({ modules }) => modules)) {
        const { address, name } = selfIdOf(readModule(code));
        runtime.modules.publish(address, name, code);
      }
    });
  }

  #configure({ network, chainId, reorganisationDepth, start, utxos = [] }: ChainSettings): void {
    this.edit((runtime) => {
      runtime.set(BITCOIN_NETWORK_ID, BITCOIN_NETWORK, BITCOIN_NETWORKS[network].id);
      runtime.set(namedObjectId(CHAIN_ID.tag), CHAIN_ID, chainId);
      const pending = runtime.get(PENDING_STORE_ID, PENDING_STORE)!;
      runtime.set(PENDING_STORE_ID, PENDING_STORE, { ...pending, reorgBlockCount: reorganisationDepth });
      const blocks = runtime.get(BLOCK_STORE_ID, BLOCK_STORE)!;
      runtime.set(BLOCK_STORE_ID, BLOCK_STORE, { ...blocks, genesisBlock: start });
      for (const { owner, utxo } of utxos) {
        const id = utxoObjectId(utxo);
        runtime.add(id, UTXO, utxo);
        runtime.transfer(id, owner);
      }
    });
  }
}

const SYSTEM_CONTEXT: TxContext = {
  sender: SYSTEM_ADDRESS,
  sequenceNumber: 0n,
  maxGasAmount: 0xffff_ffff_ffff_ffffn,
  txHash: new Uint8Array(32),
  txSize: 0n,
  idsCreated: 0n,
  entries: [],
};

/** The size is only charged for, and nothing is charged here. */
function contextOf(data: LedgerTransactionData): TxContext {
  return { ...SYSTEM_CONTEXT, txHash: ledgerTransactionHash(data) };
}

/** Effects as lines, one for each changed object and each event: what differs is then seen at once. */
function linesOf({ changeSet, events }: Effects): string[] {
  const told = events.map(
    ({ eventType, eventData, eventIndex, handle }) =>
      `event ${eventIndex} ${displayStruct(eventType)} ${formatObjectId(handle)} ${toHex(eventData)}`,
  );
  return [`state ${toHex(changeSet.stateRoot)} ${changeSet.globalSize}`, ...changeLines(changeSet.changes), ...told];
}

function changeLines(changes: FieldChanges): string[] {
  return changes.flatMap(([key, { meta, value, fields }]) => {
    const bytesOf = value === undefined || value.kind === 'delete' ? '' : toHex(value.value);
    const root = meta.stateRoot === undefined ? '-' : toHex(meta.stateRoot);
    const facts = [toHex(meta.owner), meta.flag, root, meta.size, meta.createdAt, meta.updatedAt, value?.kind, bytesOf];
    const place = `${formatObjectId(meta.id)} at ${toHex(key)}`;
    return [`${place} ${displayStruct(meta.objectType)} ${facts.join(' ')}`, ...changeLines([...fields])];
  });
}

/** A block and where it stands. */
export interface Placed {
  readonly block: DecodedBlock;
  readonly height: number;
}

export interface Setting {
  /** 'regtest' unless given. */
  readonly network?: BitcoinNetwork;
  /** That of a local chain unless given. */
  readonly chainId?: bigint;
  /** How deep reorganisations go; 0 unless given. */
  readonly depth?: number;
  readonly utxos?: readonly StoredUtxo[];
  /** The modules: a release, or another genesis; those of the genesis file unless given. */
  readonly code?: number | StateChangeSet | undefined;
  /** Whether ours keeps headers only; false unless given. */
  readonly headersOnly?: boolean;
}

/** A world that starts with `first`. */
export function worldOf(first: Placed, setting: Setting = {}): ChainWorld {
  const { network = 'regtest', chainId = CHAIN_ID_LOCAL, depth = 0, utxos = [], code, headersOnly = false } = setting;
  const start = { blockHeight: BigInt(first.height), blockHash: first.block.hash };
  return new ChainWorld({ network, chainId, reorganisationDepth: BigInt(depth), headersOnly, start, utxos }, code);
}

/** Of the transactions of a large block, a short run takes this many. */
const SAMPLE_TRANSACTIONS = 60;

/**
 * A block with some of its transactions, evenly chosen, and the coinbase: none that spends from one left out, so that
 * every known output stays known. All of them in a long run.
 */
export function sampled(block: DecodedBlock): DecodedBlock {
  const [coinbase, ...others] = block.transactions;
  const step = isLong ? 1 : Math.ceil(others.length / SAMPLE_TRANSACTIONS);
  const dropped = new Set<string>();
  const kept = others.filter(({ txid, inputs }, index) => {
    const isKept = index % step === 0 && !inputs.some(({ previousOutput }) => dropped.has(toHex(previousOutput.txid)));
    if (!isKept) dropped.add(toHex(txid));
    return isKept;
  });
  return { ...block, transactions: [coinbase!, ...kept] };
}

const LINES_SHOWN_MAX = 20;

/** Runs until the chain cannot go on: random blocks may repeat a coinbase whose outputs are spent. */
export function untilStuck(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof MoveFailure)) throw error;
  }
}

/** What one of two executions did and the other did not; nothing if they are equal to the byte. */
export function difference(chain: Effects, ours: Effects): string | undefined {
  const [left, right] = [linesOf(chain), linesOf(ours)];
  const [leftBytes, rightBytes] = [chain, ours].map(({ changeSet }) => toHex(encode(stateChangeSet, changeSet)));
  if (leftBytes === rightBytes && left.join() === right.join()) return undefined;
  const only = (lines: readonly string[], others: readonly string[], who: string): string[] =>
    lines.filter((line) => !others.includes(line)).map((line) => `${who} ${line}`);
  const lines = [...only(left, right, 'chain:'), ...only(right, left, 'ours: ')];
  return lines.length === 0 ? 'the order' : lines.slice(0, LINES_SHOWN_MAX).join('\n');
}

/** Feeds blocks to both and notes where they differ; the state goes on from what the chain did. */
export class Comparison {
  readonly world: ChainWorld;
  readonly differences: string[] = [];
  /** By the type of the event, without the queue's envelope. */
  readonly eventCounts: Record<string, number> = {};
  executions = 0;
  readonly #compare: typeof difference;

  constructor(world: ChainWorld, compare: typeof difference = difference) {
    this.world = world;
    this.#compare = compare;
  }

  /** Submits a block and processes whatever it confirms, as the chain says. */
  feed(block: DecodedBlock, height: number): void {
    this.submit(block, height);
    for (;;) {
      const ready = this.world.readyTransactions();
      if (ready === undefined || ready.txids.length === 0) return;
      for (const txid of ready.txids) this.process(ready.blockHash, txid);
    }
  }

  /** Submits a block to ours alone, and processes its transactions on both. */
  processAll(block: DecodedBlock, height: number): void {
    this.world.apply(this.world.ourBlock(block, BigInt(height)).changeSet);
    const [coinbase, ...others] = block.transactions;
    for (const { txid } of [...others, coinbase!]) this.process(block.hash, txid);
  }

  submit(block: DecodedBlock, height: number): void {
    const { world } = this;
    const blockHeight = BigInt(height);
    this.#note(`block ${height}`, world.moveBlock(block, blockHeight), world.ourBlock(block, blockHeight));
  }

  /**
   * @throws {MoveFailure} if the chain cannot process the transaction, and ours refuses it too, or it is a coinbase that
   * came before
   */
  process(blockHash: Uint8Array, txid: Uint8Array): void {
    const { world } = this;
    const name = `transaction ${formatBitcoinHash(txid)}`;
    let ours: Effects | undefined;
    try {
      ours = world.ourTransaction(blockHash, txid);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
    const chain = this.#move(name, blockHash, txid, ours !== undefined && !world.hasProcessed(txid));
    if (ours === undefined) throw new Error(`${name}: the chain processes what ours refuses`);
    this.#note(name, chain, ours);
  }

  #move(name: string, blockHash: Uint8Array, txid: Uint8Array, mustProcess: boolean): Effects {
    try {
      return this.world.moveTransaction(blockHash, txid);
    } catch (error) {
      if (mustProcess) throw new Error(`${name}: ours processes what the chain does not`, { cause: error });
      throw error;
    }
  }

  #note(name: string, chain: Effects, ours: Effects): void {
    this.executions++;
    const found = this.#compare(chain, ours);
    if (found !== undefined) this.differences.push(`${name}\n${found}`);
    for (const { eventType } of chain.events) {
      const type = displayStruct(eventType).replace(/^0x2::event_queue::OffChainEvent<(.*)>$/, '$1');
      this.eventCounts[type] = (this.eventCounts[type] ?? 0) + 1;
    }
    this.world.apply(chain.changeSet);
  }
}
