/**
 * A scan of older blocks: what a chain would have if it had watched these owners from the first scanned block on.
 *
 * Every block is checked in full, and its transactions are processed by the rules of the chain itself (bitcoin-move),
 * on a state in memory that forgets its past and the tables of blocks and transactions. So memory use depends on what
 * the owners have, not on the number of blocks.
 *
 * What it found that the chain lacks is added in pieces. A piece has outputs together with the inscriptions in them, so
 * a chain with only some of the pieces, because its process ended in between, knows less but nothing wrong. The
 * difference is computed afresh each time: scanning again adds what is missing.
 * @module
 */

import { bytes, decode, encode } from '../../base/bcs.ts';
import { equalBytes, toHex } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import type { DecodedBlock } from '../../bitcoin/block.ts';
import { PENDING_TXIDS_KEY } from '../../bitcoin/block-store.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import { hasCharm, type Inscription } from '../../bitcoin/inscription.ts';
import type { BitcoinNetwork } from '../../bitcoin/network.ts';
import { INSCRIPTION_PROTOCOL } from '../../bitcoin/object-key.ts';
import { formatOutPoint, type OutPoint, type SealedObject, sealedObjects, type Utxo } from '../../bitcoin/outpoint.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import { storedHead } from '../../chain/ledger/head.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import { applyChangeSet } from '../../chain/state/apply.ts';
import { nodeSource } from '../../chain/state/node-row.ts';
import { dynamicFieldValue, State } from '../../chain/state/state.ts';
import { ADDRESS_MAPPING_ID, addressMappingKey } from '../../execution/bitcoin-move/address-mapping.ts';
import {
  type Findings,
  type FoundOutput,
  findings,
  type InscriptionFinding,
  isUnbound,
} from '../../execution/bitcoin-move/findings.ts';
import { HASH_BY_NUMBER, HEADER_BY_HASH, HEIGHT_BY_HASH } from '../../execution/bitcoin-move/known-block.ts';
import { executeL1Block, pendingBlockId, requireBlockStore } from '../../execution/bitcoin-move/l1-block.ts';
import { executeL1Transaction } from '../../execution/bitcoin-move/l1-transaction.ts';
import { INSCRIPTION_STORE_ID, UTXO_STORE_ID } from '../../execution/bitcoin-move/object-id.ts';
import { INSCRIPTION, PENDING_TXIDS, TRANSACTION_BY_TXID, UTXO } from '../../execution/bitcoin-move/object-type.ts';
import { type WatchedOwners, watchedTransactions } from '../../execution/bitcoin-move/watch.ts';
import { ObjectRuntime } from '../../execution/runtime/object-runtime.ts';
import { address } from '../../move/address.ts';
import { equalStructs, type StructTag } from '../../move/type-tag.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import { type NodeSource, noTouchedNodes, Tree, type TreeWrite } from '../../store/tree/tree.ts';
import { localChain } from '../local-chain.ts';

interface ScanSettings {
  readonly network: BitcoinNetwork;
  readonly chainId: bigint;
  /** Must not change while the scan runs. */
  readonly owners: WatchedOwners;
}

/** A state in memory that keeps only the nodes of the present. */
class BriefState {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #tree: Tree;
  readonly #source: NodeSource;
  #state: State;

  /** Starts from a state whose nodes are in `below`, which is not modified. */
  constructor(below: NodeSource, { root, size }: Pick<State, 'root' | 'size'>) {
    this.#source = (hash) => this.#nodes.get(toHex(hash)) ?? below(hash);
    this.#tree = new Tree(this.#source, new NodeCache());
    this.#state = new State(this.#tree, root, size);
  }

  get state(): State {
    return this.#state;
  }

  /** Number of nodes held. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Forgets the fields of an object about to be removed; removing the object would leave them behind. */
  forgetFields(root: Uint8Array): void {
    const touched = noTouchedNodes();
    this.#tree.update(
      root,
      Array.from(this.#tree.iterate(root), ({ key }): TreeWrite => [key, undefined]),
      touched,
    );
    for (const hash of touched.stale) this.#nodes.delete(toHex(hash));
  }

  /** Another one that starts from this state. */
  branch(): BriefState {
    return new BriefState(this.#source, this.#state);
  }

  change<T>(run: (runtime: ObjectRuntime) => T): T {
    const runtime = new ObjectRuntime(this.#state);
    const result = run(runtime);
    const { changeSet, fresh, stale } = applyChangeSet(this.#state, runtime.changeSet());
    for (const hash of stale) this.#nodes.delete(toHex(hash));
    for (const { hash, bytes } of fresh) this.#nodes.set(toHex(hash), bytes.slice());
    this.#state = new State(this.#tree, changeSet.stateRoot, changeSet.globalSize);
    return result;
  }
}

export class Scan {
  readonly #settings: ScanSettings;
  readonly #present: BriefState;
  /** Of all processed transactions that concerned the owners. */
  readonly #txids = new Set<string>();
  #last: Uint8Array | undefined;

  private constructor(settings: ScanSettings, present: BriefState) {
    this.#settings = settings;
    this.#present = present;
  }

  static async begin(settings: ScanSettings): Promise<Scan> {
    const { store } = await localChain({ bitcoinNetwork: settings.network });
    const { stateRoot: root, size } = storedHead(store);
    return new Scan(settings, new BriefState(nodeSource(store), { root, size }));
  }

  /** What the owners have after the last block. */
  get state(): State {
    return this.#present.state;
  }

  /** Number of tree nodes in memory. */
  get nodes(): number {
    return this.#present.size;
  }

  /** The hash of the last block; undefined before the first one. */
  get last(): Uint8Array | undefined {
    return this.#last;
  }

  /** Whether a transaction was processed, i.e. concerned the owners. */
  has(txid: Uint8Array): boolean {
    return this.#txids.has(toHex(txid));
  }

  /**
   * Processes the next block.
   * @throws {EngineError} `invalid-argument` if it does not follow the previous one
   */
  add(block: DecodedBlock, height: number): void {
    if (this.#last !== undefined && !equalBytes(this.#last, block.header.previousHash)) {
      throw new EngineError(
        'invalid-argument',
        `block ${formatBitcoinHash(block.hash)} at height ${height}: expected it to stand on ${formatBitcoinHash(this.#last)}, got one on ${formatBitcoinHash(block.header.previousHash)}`,
      );
    }
    const { network, chainId, owners } = this.#settings;
    const [coinbase, ...others] = this.#submit(this.#present, block, height);
    const txids = [...others, coinbase!].map(({ txid }) => txid);
    let inscriptionBytes = 0;
    let fields: Uint8Array | undefined;
    for (const txid of txids) {
      fields = this.#present.state.object(pendingBlockId(block.hash))?.meta.stateRoot;
      const context = { network, chainId, owners, inscriptionBytes };
      const effects = this.#present.change((runtime) => executeL1Transaction(runtime, block.hash, txid, context));
      inscriptionBytes = effects.inscriptionBytes;
      this.#txids.add(toHex(txid));
    }
    if (fields !== undefined) this.#present.forgetFields(fields);
    this.#present.change((runtime) => forget(runtime, block.hash, BigInt(height), txids));
    // Otherwise there would be one for each block.
    if (!coinbase!.outputs.some((output) => owners.arePaid(output))) this.#txids.delete(toHex(coinbase!.txid));
    this.#last = block.hash;
  }

  /** The transactions to keep of the pending blocks on top of the last one, by block. */
  pending(blocks: readonly DecodedBlock[], height: number): readonly (readonly BitcoinTransaction[])[] {
    const branch = this.#present.branch();
    return blocks.map((block, index) => this.#submit(branch, block, height + index));
  }

  #submit(present: BriefState, block: DecodedBlock, height: number): readonly BitcoinTransaction[] {
    const kept = watchedTransactions(present.state, block, this.#settings.owners);
    const { chainId } = this.#settings;
    present.change((runtime) => executeL1Block(runtime, block, BigInt(height), chainId, kept));
    return kept;
  }
}

/** Removes the rows that accumulate with each block. */
function forget(runtime: ObjectRuntime, hash: Uint8Array, height: bigint, txids: readonly Uint8Array[]): void {
  const store = requireBlockStore(runtime);
  runtime.removeField(store.blocks, HEADER_BY_HASH, hash);
  runtime.removeField(store.hashToHeight, HEIGHT_BY_HASH, hash);
  runtime.removeField(store.heightToHash, HASH_BY_NUMBER, height);
  for (const [place, txid] of txids.entries()) {
    runtime.removeField(store.transactions, TRANSACTION_BY_TXID, txid);
    runtime.removeField(store.transactionToHeight, HEIGHT_BY_HASH, txid);
    runtime.removeField(store.transactionIds, HASH_BY_NUMBER, BigInt(place));
  }
}

/** Bytes, give or take, that a scan of older blocks adds to the chain with one ledger transaction. */
const RESCAN_PIECE_BYTES = 1_048_576;

/** A pending block, and the transactions the scan would keep of it. */
export interface ScannedPending {
  readonly block: DecodedBlock;
  readonly kept: readonly { readonly txid: Uint8Array }[];
}

/** What is compared: the chain, and a scan that has reached its last confirmed block. */
interface Compared {
  readonly chain: State;
  readonly scan: Scan;
  readonly owners: WatchedOwners;
  readonly pending: readonly ScannedPending[];
}

/** What the chain lacks and has too much, counted, and in pieces. */
export interface Difference {
  readonly outputs: number;
  readonly inscriptions: number;
  readonly removedOutputs: number;
  readonly removedInscriptions: number;
  readonly pieces: readonly Findings[];
}

/** By text. */
type SpentOutputs = ReadonlyMap<string, OutPoint>;

export function scanDifference(compared: Compared): Difference {
  const { chain, scan } = compared;
  const spent = spentOutputs(compared);
  const inscriptions = lackedInscriptions(compared, spent);
  const pieces = new Pieces(scan.last!);
  let outputs = 0;
  for (const { meta, value } of objectsOf(scan.state, UTXO_STORE_ID, UTXO.tag)) {
    const found = decode(UTXO.codec, value);
    const known = chain.object(meta.id);
    const seals = sealedObjects(found, INSCRIPTION_PROTOCOL);
    const carried = seals.flatMap((id) => {
      const one = inscriptions.get(keyOf(id));
      inscriptions.delete(keyOf(id));
      return one === undefined ? [] : [one];
    });
    const utxo = known === undefined ? found : sealedUtxo(decode(UTXO.codec, known.value), seals);
    if (utxo === undefined && carried.length === 0) continue;
    if (known === undefined) outputs++;
    const recipient = recipientOf(scan.state, meta.owner);
    pieces.add(carried, utxo === undefined ? [] : [{ utxo, owner: known?.meta.owner ?? meta.owner, recipient }]);
  }
  for (const inscription of inscriptions.values()) pieces.add([inscription], []);
  const gone = goneInscriptions(compared, spent);
  const list = pieces.ended({ gone, pending: pendingFindings(compared), spent: [...spent.values()] });
  return {
    outputs,
    inscriptions: list.reduce((count, piece) => count + piece.inscriptions.length, 0),
    removedOutputs: spent.size,
    removedInscriptions: gone.length,
    pieces: list,
  };
}

/**
 * Whether a scan knows more about an inscription than the chain: its place, or that another one was on its satoshi
 * first.
 */
function knowsMore(found: Inscription, known: Inscription): boolean {
  if (isUnbound(found)) return false;
  return isUnbound(known) || (hasCharm(found.charms, 'reinscription') && !hasCharm(known.charms, 'reinscription'));
}

/**
 * The owners' outputs that the chain has and the scan saw appear and be spent: of a block that was pending when an
 * owner was added, the chain keeps that owner's outputs only by chance, and their spending only if another owner was
 * concerned.
 */
function spentOutputs({ chain, scan, owners }: Compared): Map<string, OutPoint> {
  const spent = new Map<string, OutPoint>();
  for (const { meta, value } of objectsOf(chain, UTXO_STORE_ID, UTXO.tag)) {
    if (!owners.has(meta.owner) || scan.state.object(meta.id) !== undefined) continue;
    const { txid, vout } = decode(UTXO.codec, value);
    if (scan.has(txid)) spent.set(formatOutPoint({ txid, vout }), { txid, vout });
  }
  return spent;
}

/** Inscriptions that the chain does not have, knows less about, or has in an output that is `spent`, by object. */
function lackedInscriptions({ chain, scan }: Compared, spent: SpentOutputs): Map<string, InscriptionFinding> {
  const lacked = new Map<string, InscriptionFinding>();
  for (const { meta, value } of objectsOf(scan.state, INSCRIPTION_STORE_ID, INSCRIPTION.tag)) {
    const inscription = decode(INSCRIPTION.codec, value);
    const known = chain.object(meta.id);
    const before = known && decode(INSCRIPTION.codec, known.value);
    if (before !== undefined && !isIn(spent, before) && !knowsMore(inscription, before)) continue;
    lacked.set(keyOf(meta.id), { inscription, owner: meta.owner });
  }
  return lacked;
}

/** The owners' inscriptions on the chain, unbound or in an output that is `spent`, that the scan saw appear and leave. */
function goneInscriptions({ chain, scan, owners }: Compared, spent: SpentOutputs): Findings['gone'] {
  const gone: Findings['gone'][number][] = [];
  for (const { meta, value } of objectsOf(chain, INSCRIPTION_STORE_ID, INSCRIPTION.tag)) {
    const inscription = decode(INSCRIPTION.codec, value);
    const hasAppeared = isUnbound(inscription) && owners.has(meta.owner) && scan.has(inscription.id.txid);
    if (!hasAppeared && !isIn(spent, inscription)) continue;
    if (scan.state.object(meta.id) === undefined) gone.push(inscription.id);
  }
  return gone;
}

const isIn = (spent: SpentOutputs, { location }: Inscription): boolean => spent.has(formatOutPoint(location.outpoint));

/** A known output with the seals found by the scan; undefined if it already has them all. */
function sealedUtxo(known: Utxo, found: readonly SealedObject[]): Utxo | undefined {
  const own = sealedObjects(known, INSCRIPTION_PROTOCOL);
  const foundKeys = new Set(found.map(keyOf));
  const others = own.filter((id) => !foundKeys.has(keyOf(id)));
  if (own.length - others.length === found.length) return undefined;
  const seals = known.seals.filter(({ protocol }) => protocol !== INSCRIPTION_PROTOCOL);
  return { ...known, seals: [...seals, { protocol: INSCRIPTION_PROTOCOL, objects: [...found, ...others] }] };
}

function pendingFindings({ chain, pending }: Compared): Findings['pending'] {
  const runtime = new ObjectRuntime(chain);
  return pending.flatMap(({ block, kept }) => {
    const before = runtime.getField(pendingBlockId(block.hash), PENDING_TXIDS, PENDING_TXIDS_KEY) ?? [];
    const known = new Set(before.map(toHex));
    const found = new Set(kept.map(({ txid }) => toHex(txid)));
    const added = block.transactions.filter(({ txid }) => found.has(toHex(txid)) && !known.has(toHex(txid)));
    if (added.length === 0) return [];
    const all = block.transactions.filter(({ txid }) => found.has(toHex(txid)) || known.has(toHex(txid)));
    return [{ blockHash: block.hash, txids: all.map(({ txid }) => txid), added }];
  });
}

/** Pieces of about RESCAN_PIECE_BYTES. */
class Pieces {
  readonly #confirmed: Uint8Array;
  readonly #pieces: Findings[] = [];
  #inscriptions: InscriptionFinding[] = [];
  #outputs: FoundOutput[] = [];
  #bytes = 0;

  constructor(confirmed: Uint8Array) {
    this.#confirmed = confirmed;
  }

  /** Adds items that belong together. */
  add(inscriptions: readonly InscriptionFinding[], outputs: readonly FoundOutput[]): void {
    this.#bytes += encode(findings, { ...this.#empty, inscriptions, outputs }).length;
    this.#inscriptions.push(...inscriptions);
    this.#outputs.push(...outputs);
    if (this.#bytes >= RESCAN_PIECE_BYTES) this.#cut({ gone: [], pending: [], spent: [] });
  }

  /** Returns all pieces. Pending transactions come last: they may spend what was found before. */
  ended(last: Pick<Findings, 'gone' | 'pending' | 'spent'>): readonly Findings[] {
    const { gone, pending, spent } = last;
    if (this.#bytes > 0 || [gone, pending, spent].some(({ length }) => length > 0)) this.#cut(last);
    return this.#pieces;
  }

  get #empty(): Findings {
    return { confirmed: this.#confirmed, inscriptions: [], outputs: [], gone: [], pending: [], spent: [] };
  }

  #cut(last: Pick<Findings, 'gone' | 'pending' | 'spent'>): void {
    this.#pieces.push({ ...this.#empty, inscriptions: this.#inscriptions, outputs: this.#outputs, ...last });
    [this.#inscriptions, this.#outputs, this.#bytes] = [[], [], 0];
  }
}

function* objectsOf(state: State, parent: ObjectId, type: StructTag): Generator<ObjectState, void, undefined> {
  const holder = state.object(parent);
  if (holder === undefined) return;
  for (const { object } of state.fieldsOf(holder.meta)) if (equalStructs(object.meta.objectType, type)) yield object;
}

function recipientOf(state: State, owner: Uint8Array): Uint8Array {
  const field = state.field(ADDRESS_MAPPING_ID, addressMappingKey(owner));
  return field === undefined ? new Uint8Array(0) : dynamicFieldValue(field, address, bytes);
}

const keyOf = (id: SealedObject): string => id.map(toHex).join();
