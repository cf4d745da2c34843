/**
 * The versions of an object, and the transaction that made the last one.
 *
 * No row of the store lists them. They are found by going back from a state: the nodes on the path to the object record
 * when they were last written (state/diff.ts), so a step goes from one version to the previous one, past all
 * transactions that did not touch it. A step costs two walks to the object. It skips less for an object that later
 * returned to the same bytes, and for an absent one, where writes next to it count too.
 *
 * A chain with a bounded history does not keep the states within a batch, so that it cannot attribute changes to
 * transactions; there these queries are refused.
 *
 * A page takes a limited number of steps; if they are not enough, it ends early with `hasNextPage`.
 * @module
 */

import { A_BOOLEAN, argumentError, assertFits, assertObject, wholeNumber } from '../base/argument.ts';
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { readHistory } from '../chain/ledger/history.ts';
import { readExecutionInfo, readTransaction } from '../chain/ledger/transactions.ts';
import type { FieldKeyInput } from '../chain/object/field-key.ts';
import { type ObjectId, type ObjectIdInput, objectOrFieldId, toObjectId } from '../chain/object/object-id.ts';
import { fieldDifferences, type LocatedObject, lastWrite, locate, type ObjectDifference } from '../chain/state/diff.ts';
import { State } from '../chain/state/state.ts';
import { Readable } from '../chain/value/readable.ts';
import { nextPiece, ScanPieces } from '../store/piece.ts';
import { EMPTY_ROOT } from '../store/tree/tree.ts';
import { changeKind, StateChange } from './change.ts';
import { DIFF_CHANGES_MAX, DIFF_TEXT_CHANGES_MAX } from './diff.ts';
import { followed, type Page, type PageOptions, type PageRequest, pageUpTo, toPage } from './page.ts';
import { Decoder, type Reader, type ReaderSource, readHeld, stateOf } from './reader.ts';

/**
 * Steps back that one page of an object's history takes: a step finds a version, or passes over transactions that did not
 * change the object.
 */
const HISTORY_STEPS_MAX = 10_000;

/** Orders that an ascending page of a history searches at a time: initially, and at most. */
const HISTORY_WINDOW_ORDERS = 256n;

const HISTORY_WINDOW_ORDERS_MAX = 4_096n;

/** Which versions to list. The cursor is the order of a version. */
export interface HistoryOptions extends PageOptions<bigint> {
  /** Whether to list versions in which only the object's fields changed. Default: true. */
  readonly fields?: boolean | undefined;
}

/** A change of an object, by the transaction that made it. */
export class ObjectVersion extends Readable {
  readonly order: bigint;
  readonly transactionHash: string;
  /** The transaction's time on the sequencer's clock, in milliseconds. */
  readonly timestamp: bigint;
  /** What the object was before, what it is after, and which members differ. */
  readonly change: StateChange;
  readonly #fields: (limit: number) => readonly StateChange[];

  constructor(
    version: Pick<ObjectVersion, 'order' | 'transactionHash' | 'timestamp' | 'change'>,
    fields: (limit: number) => readonly StateChange[],
  ) {
    super();
    this.order = version.order;
    this.transactionHash = version.transactionHash;
    this.timestamp = version.timestamp;
    this.change = version.change;
    this.#fields = fields;
  }

  /**
   * The transaction's changes to the object's fields, at all depths; the first DIFF_CHANGES_MAX of them.
   * @throws {EngineError} `not-found` if the chain has been reverted since, `state-not-loaded`
   */
  get fields(): readonly StateChange[] {
    return this.fieldsUpTo(DIFF_CHANGES_MAX);
  }

  /** The first `limit` of `fields`, from 0 to DIFF_CHANGES_MAX, at the cost of only these. */
  fieldsUpTo(limit: number): readonly StateChange[] {
    assertFits(limit, 'limit', wholeNumber(0, DIFF_CHANGES_MAX));
    return this.#fields(limit);
  }

  /** The order, the transaction, and what changed, for people. */
  override toString(): string {
    const { fields } = this;
    const shown = fields.slice(0, DIFF_TEXT_CHANGES_MAX).map(String);
    const rest =
      fields.length > shown.length ? [`... and ${fields.length - shown.length} fields that are not shown`] : [];
    return [`order ${this.order} by ${this.transactionHash}`, this.change, ...shown, ...rest].join('\n');
  }
}

interface FoundVersion extends ObjectDifference {
  readonly order: bigint;
}

export class HistoryQueries {
  static {
    reportAtCaller(HistoryQueries);
  }

  readonly #source: ReaderSource;
  readonly #stepsMax: number;

  /** `stepsMax`: only tests set it. */
  constructor(source: ReaderSource, stepsMax: number = HISTORY_STEPS_MAX) {
    this.#source = source;
    this.#stepsMax = stepsMax;
  }

  /** See `ObjectQueries.history`. */
  async versions(id: ObjectIdInput, options: HistoryOptions = {}): Promise<Page<ObjectVersion, bigint>> {
    const named = toVersioned(id);
    assertObject(options, 'options', '{ limit, cursor, descending, fields }, each of which may be left out');
    const { fields = true, ...page } = options;
    assertFits(fields, 'fields', A_BOOLEAN);
    const request = toPage(page);
    if (request.cursor !== undefined && typeof request.cursor !== 'bigint') {
      throw argumentError('cursor', 'the order of a version, as a bigint', request.cursor);
    }
    const found = await readHeld(this.#source, (reader) => {
      const walk = new VersionWalk(reader, named, fields);
      return request.descending ? this.#newestFirst(walk, request) : this.#oldestFirst(walk, request);
    });
    return followed(found, (cursor) => this.versions(id, { ...options, cursor }));
  }

  /** See `ObjectQueries.blame`. */
  async blame(id: ObjectIdInput, fieldKey?: FieldKeyInput): Promise<ObjectVersion | undefined> {
    const whole = objectOrFieldId(toVersioned(id), fieldKey);
    return (await this.last(whole, undefined, Number.POSITIVE_INFINITY)).version;
  }

  /**
   * The newest version, not counting those in which only fields changed, within the steps of one page: `nextCursor`
   * says where to continue the search, undefined once it is over.
   */
  async last(
    id: ObjectIdInput,
    cursor?: bigint,
    stepsMax: number = this.#stepsMax,
  ): Promise<{ readonly version: ObjectVersion | undefined; readonly nextCursor: bigint | undefined }> {
    const named = toVersioned(id);
    return readHeld(this.#source, async (reader) => {
      const walk = new VersionWalk(reader, named, false);
      for await (const found of walk.back(startOf(reader, cursor), 0n, stepsMax)) {
        return { version: this.#versionOf(reader, found), nextCursor: undefined };
      }
      return { version: undefined, nextCursor: walk.next < 0n ? undefined : walk.next + 1n };
    });
  }

  async #newestFirst(walk: VersionWalk, { cursor, limit }: PageRequest<bigint>): Promise<Page<ObjectVersion, bigint>> {
    const { reader } = walk;
    const data: ObjectVersion[] = [];
    for await (const found of walk.back(startOf(reader, cursor), 0n, this.#stepsMax)) {
      if (data.length === limit) return pageUpTo(data, data.at(-1)?.order ?? cursor, true);
      data.push(this.#versionOf(reader, found));
    }
    // Orders from `next` down have not been searched.
    if (walk.next >= 0n) return pageUpTo(data, walk.next + 1n, true);
    return pageUpTo(data, data.at(-1)?.order ?? cursor, false);
  }

  /** Searches backwards from the end of one window of orders after another. */
  async #oldestFirst(walk: VersionWalk, { cursor, limit }: PageRequest<bigint>): Promise<Page<ObjectVersion, bigint>> {
    const { reader } = walk;
    const { order: last } = reader.head;
    const data: ObjectVersion[] = [];
    let low = cursor === undefined ? 0n : cursor + 1n;
    for (
      let width = HISTORY_WINDOW_ORDERS;
      low <= last;
      width = width < HISTORY_WINDOW_ORDERS_MAX ? width * 2n : width
    ) {
      if (walk.steps >= this.#stepsMax) return pageUpTo(data, low - 1n, true);
      const high = low + width - 1n < last ? low + width - 1n : last;
      // The search goes backwards, so the last ones found are the oldest.
      const oldest: FoundVersion[] = [];
      for await (const found of walk.back(high, low)) {
        oldest.unshift(found);
        if (oldest.length > limit + 1) oldest.pop();
      }
      for (const found of oldest) {
        if (data.length === limit) return pageUpTo(data, data.at(-1)?.order ?? cursor, true);
        data.push(this.#versionOf(reader, found));
      }
      low = high + 1n;
    }
    return pageUpTo(data, data.at(-1)?.order ?? cursor, false);
  }

  #versionOf(reader: Reader, { order, before, after }: FoundVersion): ObjectVersion {
    const { transaction, executionInfo } = readTransaction(reader.rows, order);
    const roots = { before: rootBefore(reader, order), after: executionInfo.stateRoot };
    const decoders = {
      before: new Decoder(this.#source, { root: roots.before }),
      after: new Decoder(this.#source, { root: roots.after }),
    };
    const version = {
      order,
      transactionHash: toHexPrefixed(executionInfo.txHash),
      timestamp: transaction.sequenceInfo.txTimestamp,
      change: new StateChange({ before, after }, decoders),
    };
    return new ObjectVersion(version, (limit) => {
      const now = this.#source.present();
      // Before genesis there was no state.
      const later = stateOf(now, roots.after);
      const earlier = order === 0n ? later : stateOf(now, roots.before);
      const changes: StateChange[] = [];
      for (const difference of fieldDifferences(earlier, before?.meta, later, after?.meta)) {
        if (changes.length === limit) break;
        const change = new StateChange(difference, decoders);
        if (change.kind !== 'fields') changes.push(change);
      }
      return changes;
    });
  }
}

/** Where a backwards search that continues below `cursor` begins. */
function startOf({ head }: Reader, cursor: bigint | undefined): bigint {
  return cursor === undefined || cursor > head.order ? head.order : cursor - 1n;
}

function rootBefore({ rows }: Reader, order: bigint): Uint8Array {
  return order === 0n ? EMPTY_ROOT : readExecutionInfo(rows, order - 1n).stateRoot;
}

/** @throws {EngineError} `invalid-argument`, also for the root object, which every transaction changes */
function toVersioned(given: ObjectIdInput): ObjectId {
  const id = toObjectId(given, 'id');
  if (id.length === 0)
    throw argumentError('id', 'an object below the root object, whose versions are the transactions', given);
  return id;
}

/** Goes back from a state, from one change of an object to the one before it. */
class VersionWalk {
  readonly reader: Reader;
  /** Steps taken, over all of its walks. */
  steps = 0;
  /** The order at which the last walk would continue; -1 if it is done. */
  next = -1n;
  readonly #id: ObjectId;
  readonly #withFields: boolean;
  readonly #pieces = new ScanPieces();

  constructor(reader: Reader, id: ObjectId, withFields: boolean) {
    assertWhole(reader);
    this.reader = reader;
    this.#id = id;
    this.#withFields = withFields;
  }

  /** The versions made by the transactions from `from` down to `low`, newest first, in at most `stepsMax` steps. */
  async *back(
    from: bigint,
    low: bigint,
    stepsMax = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<FoundVersion, void, undefined> {
    const end = this.steps + stepsMax;
    this.next = from;
    let here = this.#at(from);
    while (this.next >= low) {
      if (this.steps >= end) return;
      this.steps++;
      const order = lastWrite(here, this.next);
      if (order < low) break;
      const before = this.#at(order - 1n);
      this.next = order - 1n;
      if (!isSame(before, here)) {
        const found = { order, before: before.object, after: here.object };
        if (this.#withFields || changeKind(found) !== 'fields') yield found;
      }
      here = before;
      if (this.#pieces.add(STEP_BYTES)) await nextPiece();
    }
    this.next = -1n;
  }

  #at(order: bigint): LocatedObject {
    if (order < 0n) return { object: undefined, hash: undefined, orders: [] };
    const { rows, state, head } = this.reader;
    const { stateRoot, size } = readExecutionInfo(rows, order);
    return locate(rows, new State(state.tree, stateRoot, size, head.unloadedRoots), this.#id);
  }
}

/** @throws {EngineError} `pruned` for a chain that keeps, or once kept, only part of its states */
function assertWhole({ rows }: Reader): void {
  if (readHistory(rows) === undefined) return;
  throw new EngineError(
    'pruned',
    'expected a chain that keeps all of its states: with a bounded history, those within a batch are never written, so no transaction can be named; diff compares the states that are kept',
  );
}

/** Roughly what a step reads: it counts as a row of this length among the process's scans. */
const STEP_BYTES = 8_192;

function isSame({ hash }: LocatedObject, { hash: other }: LocatedObject): boolean {
  return hash === undefined || other === undefined ? hash === other : equalBytes(hash, other);
}
