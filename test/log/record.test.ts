/** Records: what they hold is the whole commit; any change in them, of a bit or of their order, is found. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import type { Head } from '../../src/chain/ledger/head.ts';
import { State } from '../../src/chain/state/state.ts';
import { orderSigner } from '../../src/chain/transaction/order-signature.ts';
import { plainSequenceInfo } from '../../src/chain/transaction/sequence-info.ts';
import { DEV_SEQUENCER, Engine, EngineError } from '../../src/index.ts';
import {
  checkRecord,
  decodeRecord,
  type EncodedRecord,
  inputOf,
  type LogPlace,
  originDigest,
  RECORD_VERSION,
  type RecordBody,
  recordBody,
  recordsOf,
  writerKeyOf,
} from '../../src/log/record.ts';
import type { Commit } from '../../src/pipeline/commit.ts';
import { ledgerTransactionHash, stateChangeSet } from '../../src/query/transaction-builder.ts';
import { replayChangeSet } from '../../src/query/verify/change-set-replay.ts';
import { append } from '../../src/store/accumulator/accumulator.ts';
import { stateChangeSetArbitrary } from '../arbitraries/object.ts';
import { bytes32Arbitrary, bytesArbitrary, u64Arbitrary } from '../arbitraries/primitive.ts';
import {
  executionInfoArbitrary,
  ledgerTransactionArbitrary,
  transactionEventArbitrary,
} from '../arbitraries/transaction.ts';
import { describeCodec } from '../base/bcs/codec-laws.ts';
import { runs, seed } from '../effort.ts';
import { expectRefusal } from '../refusal.ts';
import { MIXED_OPTIONS, playMixedRun, tickingClock } from './recording/mixed-run.ts';

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

const bodyArbitrary: fc.Arbitrary<RecordBody> = fc.record({
  order: u64Arbitrary,
  epoch: u64Arbitrary,
  previous: bytes32Arbitrary,
  now: u64Arbitrary,
  clockOffset: optional(u64Arbitrary),
  block: optional(bytesArbitrary),
  transaction: ledgerTransactionArbitrary,
  executionInfo: executionInfoArbitrary,
  changeSet: stateChangeSetArbitrary,
  events: fc.array(transactionEventArbitrary, { maxLength: 3 }),
  rows: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('put' as const), key: bytesArbitrary, value: bytesArbitrary }),
      fc.record({ kind: fc.constant('delete' as const), key: bytesArbitrary }),
    ),
    { maxLength: 2 },
  ),
});

describeCodec('RecordBody', recordBody, bodyArbitrary);

const sign = orderSigner(fromHex(DEV_SEQUENCER.privateKey));
const EPOCH = 3n;

/** A run of everything, and its records. */
let engine: Engine;
let genesis: Head;
let begin: LogPlace;
let commits: Commit[];
let records: readonly EncodedRecord[];

beforeAll(async () => {
  engine = await Engine.open({ ...MIXED_OPTIONS, clock: tickingClock() });
  // A chain with a log makes each commit at once.
  engine.inside.core.writer.pending!.commitsMax = 0;
  genesis = engine.inside.core.writer.head;
  begin = { order: 0n, epoch: EPOCH, digest: originDigest(genesis) };
  commits = [];
  engine.inside.core.feed.listen((message) => {
    if (message.kind === 'commits') commits.push(...message.commits);
  });
  await playMixedRun(engine, { seed, orders: 80 });
  // Not every run moves the clock, which leaves a row that follows from nothing else.
  await engine.dev.time.advance(1_000n);
  records = recordsOf(commits, begin, EPOCH, sign);
});

afterAll(() => engine.close());

/** Where the log stands before the record at `index`. */
const placeBefore = (index: number): LogPlace => records[index - 1] ?? begin;

const check = (bytes: Uint8Array, after: LogPlace): void => checkRecord(decodeRecord(bytes), after);

describe('the records of a run', () => {
  it('hold all kinds of inputs, and what the clock said', () => {
    const kinds = commits.map(({ given }) => given!.input.kind);
    expect(new Set(kinds)).toEqual(new Set(['call', 'control', 'l1-block', 'l1-transaction', 'signed']));
    for (const [index, { bytes }] of records.entries()) {
      const { input, now, clockOffset } = inputOf(decodeRecord(bytes));
      const given = commits[index]!.given!;
      // The transaction has the chain's own limit if none was given.
      const asked = given.input.kind === 'call' ? { maxGasAmount: expect.anything() } : {};
      expect({ input, now, clockOffset }).toEqual({ ...given, input: { ...given.input, ...asked } });
    }
  });

  it('hold the commit: transaction, its result, events, and the rows that follow from nothing else', () => {
    let ownRows = 0;
    for (const [index, { bytes, order, epoch }] of records.entries()) {
      const { head, record, events, changeSet, rows } = commits[index]!;
      const read = decodeRecord(bytes);
      expect([read.order, read.epoch]).toEqual([head.order, EPOCH]);
      expect([order, epoch]).toEqual([head.order, EPOCH]);
      // Some members are known only when they are asked for.
      const { data, sequenceInfo } = record.transaction;
      expect(read.transaction).toEqual({ data, sequenceInfo: plainSequenceInfo(sequenceInfo) });
      const { txHash, stateRoot, size, eventRoot, gasUsed, status } = record.executionInfo;
      expect(read.executionInfo).toEqual({ txHash, stateRoot, size, eventRoot, gasUsed, status });
      expect(encode(stateChangeSet, read.changeSet)).toEqual(encode(stateChangeSet, changeSet));
      expect(read.events).toEqual(events.map(({ event: { eventSeq, ...event } }) => event));
      expect(read.rows).toEqual(
        rows.map(({ type, replaced, ...row }: { type: string; replaced?: unknown }) => ({ kind: type, ...row })),
      );
      ownRows += rows.length;
    }
    expect(ownRows).toBeGreaterThan(0);
  });

  it('are all a chain needs to reach the same roots without running anything', () => {
    const { tree } = engine.inside.core.writer;
    let { accumulator, stateRoot, size } = genesis;
    for (const { bytes } of records) {
      const { transaction, executionInfo, changeSet } = decodeRecord(bytes);
      replayChangeSet(new State(tree, stateRoot, size), changeSet);
      accumulator = append(accumulator, [ledgerTransactionHash(transaction.data)]).info;
      expect(toHex(accumulator.root)).toBe(toHex(transaction.sequenceInfo.txAccumulatorRoot));
      ({ stateRoot, size } = executionInfo);
    }
    expect(toHex(stateRoot)).toBe(toHex(engine.inside.core.writer.head.stateRoot));
  });

  it('are linked and signed: each is valid where the one before ends', () => {
    for (const [index, { bytes, digest }] of records.entries()) {
      check(bytes, placeBefore(index));
      expect(decodeRecord(bytes).digest).toEqual(digest);
      expect(toHex(writerKeyOf(decodeRecord(bytes)))).toBe(DEV_SEQUENCER.publicKey);
    }
  });

  it('are the same whether made together or one by one', () => {
    for (const [index, commit] of commits.slice(0, 20).entries()) {
      expect(recordsOf([commit], placeBefore(index), EPOCH, sign)).toEqual([records[index]]);
    }
  });

  it('begin with the version, the order, the epoch and the digest of the one before', () => {
    const [, second] = records;
    const order = '0200000000000000';
    const epoch = '0300000000000000';
    expect(toHex(second!.bytes.subarray(0, 49))).toBe(`01${order}${epoch}${toHex(records[0]!.digest)}`);
  });
});

/** Every part of an execution info. */
const executionInfoFields = { txHash: 0, stateRoot: 0, size: 0, eventRoot: 0, gasUsed: 0, status: 0 };

/** A body with each of its values changed in turn, and the path of the value. Long lists are changed in their first items. */
function* otherBodies<T>(value: T, path = ''): Generator<[path: string, other: T]> {
  if (typeof value === 'bigint') yield [path, (value ^ 1n) as T];
  else if (typeof value === 'number') yield [path, (value ^ 1) as T];
  else if (typeof value === 'string') yield [path, (value === 'executed' ? 'out-of-gas' : `${value}x`) as T];
  else if (typeof value === 'boolean') yield [path, !value as T];
  else if (value === undefined) yield [path, 7n as T];
  else if (value instanceof Uint8Array) {
    const other = value.length === 0 ? Uint8Array.of(1) : value.slice();
    if (value.length > 0) other[value.length >> 1]! ^= 1;
    yield [path, other as T];
  } else if (Array.isArray(value)) {
    if (value.length > 0) yield [path, value.slice(0, -1) as T];
    if (path === 'rows') yield [path, [...value, { kind: 'delete', key: Uint8Array.of(0) }] as T];
    for (const [index, item] of value.slice(0, 3).entries()) {
      for (const [at, other] of otherBodies(item, `${path}.${index}`)) yield [at, value.with(index, other) as T];
    }
  } else {
    for (const [name, item] of Object.entries(value as object)) {
      for (const [at, other] of otherBodies(item, path === '' ? name : `${path}.${name}`)) {
        yield [at, { ...value, [name]: other }];
      }
    }
  }
}

describe('a record that was altered', () => {
  it('is detected by any flipped bit', () => {
    const places = fc.record({ record: fc.nat(), at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) });
    fc.assert(
      fc.property(places, ({ record, at, bit }) => {
        const index = record % records.length;
        const bytes = records[index]!.bytes.slice();
        bytes[at % bytes.length]! ^= 1 << bit;
        try {
          check(bytes, placeBefore(index));
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError);
          expect(['corrupt', 'malformed-bytes', 'format-unknown']).toContain((error as EngineError).code);
          return;
        }
        expect.fail(`bit ${bit} of byte ${at % bytes.length} of record ${index} is not noticed`);
      }),
      { numRuns: runs(300, 5_000) },
    );
  });

  it('is found whichever field was changed, and its order is named', () => {
    const changed = new Set<string>();
    // One record of each kind of input.
    for (const kind of ['call', 'control', 'l1-block', 'l1-transaction', 'signed']) {
      const index = commits.findIndex(
        ({ given, events }) => given!.input.kind === kind && (kind !== 'call' || events.length > 0),
      );
      const { digest: _digest, signature, ...body } = decodeRecord(records[index]!.bytes);
      for (const [path, other] of otherBodies(body)) {
        let bytes: Uint8Array;
        try {
          bytes = concatBytes(Uint8Array.of(RECORD_VERSION), encode(recordBody, other), Uint8Array.of(98), signature);
        } catch {
          // No record can hold such a value.
          continue;
        }
        changed.add(path.replace(/\d+/g, 'n'));
        let refusal: unknown;
        try {
          check(bytes, placeBefore(index));
        } catch (error) {
          refusal = error;
        }
        expect(refusal, `${kind} ${path}`).toMatchObject({ code: expect.stringMatching(/corrupt|malformed-bytes/) });
        if ((refusal as EngineError).code === 'corrupt') expect(String(refusal), path).toContain('order ');
      }
    }
    for (const field of ['order', 'epoch', 'previous', 'now', 'clockOffset', 'block'])
      expect([...changed]).toContain(field);
    for (const field of Object.keys(executionInfoFields))
      expect([...changed].join(' ')).toContain(`executionInfo.${field}`);
    for (const part of ['transaction.sequenceInfo', 'transaction.data', 'changeSet.changes', 'events', 'rows']) {
      expect([...changed].join(' '), part).toContain(part);
    }
  });

  it('is detected in the wrong place, in another chain, and after a later writer', () => {
    const [first, second] = records as [EncodedRecord, EncodedRecord];
    expectRefusal(() => check(second.bytes, begin), 'corrupt', 'order: expected 1, got 2');
    expectRefusal(() => check(first.bytes, first), 'corrupt', 'order: expected 2, got 1');
    const elsewhere = { ...begin, digest: originDigest({ ...genesis, chainId: 5n }) };
    expectRefusal(() => check(first.bytes, elsewhere), 'corrupt', 'digest of the record before');
    const later = { ...begin, epoch: EPOCH + 1n };
    expectRefusal(() => check(first.bytes, later), 'corrupt', 'epoch: expected 4 or a later one, got 3');
  });

  it('is detected when its parts come from several records, whoever signed it', () => {
    const [first, second] = commits as [Commit, Commit];
    const mixed = (parts: Partial<Commit>): void => {
      const [forged] = recordsOf([{ ...first, ...parts }], begin, EPOCH, sign);
      check(forged!.bytes, begin);
    };
    mixed({});
    const info = (parts: object) => ({ ...first.record, executionInfo: { ...first.record.executionInfo, ...parts } });
    const other = second.record.executionInfo;
    expectRefusal(() => mixed({ changeSet: second.changeSet }), 'corrupt', 'state root of the change set');
    expectRefusal(() => mixed({ record: info({ size: 1n }) }), 'corrupt', 'size: expected 1');
    expectRefusal(() => mixed({ events: [] }), 'corrupt', 'event root');
    expectRefusal(() => mixed({ record: info({ txHash: other.txHash }) }), 'corrupt', 'transaction hash');
    const { transaction } = first.record;
    const moved = { ...transaction, sequenceInfo: { ...plainSequenceInfo(transaction.sequenceInfo), txOrder: 9n } };
    expectRefusal(
      () => mixed({ record: { ...first.record, transaction: moved } }),
      'corrupt',
      'order in the sequence info: expected 1, got 9',
    );
  });

  it('is detected when its Bitcoin block is missing or is not the one that the ledger names', () => {
    const index = commits.findIndex(({ given }) => given?.input.kind === 'l1-block');
    const commit = commits[index]!;
    const { input } = commit.given!;
    if (input.kind !== 'l1-block') return expect.fail();
    const withBlock = (changed: typeof input | Extract<typeof commit.given, object>['input']): void => {
      const [forged] = recordsOf(
        [{ ...commit, given: { ...commit.given!, input: changed } }],
        placeBefore(index),
        EPOCH,
        sign,
      );
      check(forged!.bytes, placeBefore(index));
    };
    const bytes = input.bytes.slice();
    bytes[3]! ^= 1;
    expectRefusal(() => withBlock({ ...input, bytes }), 'corrupt', 'block hash');
    expectRefusal(() => withBlock({ kind: 'signed', bytes }), 'corrupt', 'Bitcoin block: expected one, got none');
  });

  it('is refused in another version, and when it is longer than it says', () => {
    const [{ bytes }] = records as [EncodedRecord];
    const other = bytes.slice();
    other[0] = RECORD_VERSION + 1;
    expectRefusal(() => decodeRecord(other), 'format-unknown', 'got version 2');
    expectRefusal(() => decodeRecord(concatBytes(bytes, Uint8Array.of(0))), 'malformed-bytes');
    expectRefusal(() => decodeRecord(new Uint8Array(0)), 'malformed-bytes');
  });

  it('is not made of a commit that does not follow the last one, or that no input caused', () => {
    const [first, second] = commits as [Commit, Commit];
    expectRefusal(() => recordsOf([second], begin, EPOCH, sign), 'invariant-violation', 'order 1 for the log, got 2');
    expectRefusal(
      () => recordsOf([{ ...first, given: undefined }], begin, EPOCH, sign),
      'invariant-violation',
      'no input',
    );
  });
});
