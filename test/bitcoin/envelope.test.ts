import { describe, expect, it, vi } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { readRecord, scanEnvelopes, tapscriptOf } from '../../src/bitcoin/envelope.ts';
import { formatInscriptionId } from '../../src/bitcoin/index.ts';
import { sharedFile, sharedPresent, skipNote } from './shared.ts';

interface EnvelopeVector {
  readonly name: string;
  readonly script: string;
  readonly envelopes: readonly object[];
}

const vectors: readonly EnvelopeVector[] = sharedPresent
  ? JSON.parse(Buffer.from(sharedFile('spec/bitcoin-vectors.json')).toString()).envelopes
  : [];

function describeEnvelopes(script: Uint8Array): object[] {
  return scanEnvelopes(script).map(({ pushnum, stutter, payload }, offset) => {
    const record = readRecord(payload);
    return {
      offset,
      pushnum,
      stutter,
      content_type: record.contentType ?? null,
      content_encoding: record.contentEncoding ?? null,
      metaprotocol: record.metaprotocol ?? null,
      body: toHex(record.body),
      metadata: toHex(record.metadata),
      pointer: record.pointer?.toString() ?? null,
      parents: record.parents.map(formatInscriptionId),
      duplicate_field: record.duplicateField,
      incomplete_field: record.incompleteField,
      unrecognized_even_field: record.unrecognizedEvenField,
    };
  });
}

describe.skipIf(!sharedPresent)(`the micro-vectors of bitcoin.md 12.2${skipNote}`, () => {
  it('are 50', () => expect(vectors).toHaveLength(50));

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, { script, envelopes }) => {
    expect(describeEnvelopes(fromHex(script))).toEqual(envelopes);
  });
});

describe('where the script is in a witness', () => {
  const script = Uint8Array.of(1);
  const other = Uint8Array.of(2);
  const annex = Uint8Array.of(0x50, 9);

  it.each([
    ['no item', [], undefined],
    ['one item', [script], undefined],
    ['two items', [script, other], script],
    ['three items', [other, script, other], script],
    ['an annex after two items', [script, other, annex], script],
    ['an annex after one item', [script, annex], undefined],
    ['an annex alone', [annex], undefined],
    ['an empty last item', [script, new Uint8Array(0)], script],
  ])('%s', (_name, witness, expected) => {
    expect(tapscriptOf(witness)).toBe(expected);
  });
});

describe('bounds', () => {
  it('a body of a million empty pushes, numbers or single bytes', () => {
    const start = fromHex('0063036f726400');
    for (const filling of [Uint8Array.of(0), Uint8Array.of(0x51), Uint8Array.of(1, 7)]) {
      const body = Buffer.concat(Array.from({ length: 1_000_000 }, () => filling));
      const [envelope] = scanEnvelopes(Buffer.concat([start, body, Uint8Array.of(0x68)]));
      expect(readRecord(envelope!.payload).body).toHaveLength(filling[0] === 0 ? 0 : 1_000_000);
    }
  });

  it.each([
    ['a body', '00', '0141'],
    ['metadata', '', '01050141'],
    ['parents that are none', '', '01030141'],
    ['repeated tags', '', '01420141'],
  ])('%s of many single bytes takes no object for each', (_name, start, filling) => {
    const pushes = Buffer.concat(Array.from({ length: 10_000 }, () => fromHex(filling)));
    const script = concatBytes(fromHex(`0063036f7264${start}`), pushes, Uint8Array.of(0x68));
    const views = vi.spyOn(Uint8Array.prototype, 'subarray');
    try {
      for (const { payload } of scanEnvelopes(script)) readRecord(payload);
      expect(views.mock.calls.length).toBeLessThan(10);
      expect(views.mock.calls.length).toBeGreaterThan(0);
    } finally {
      views.mockRestore();
    }
  });
});
