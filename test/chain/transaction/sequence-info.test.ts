import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { orderWitness, type SequenceInfo, sequenceInfo } from '../../../src/chain/transaction/sequence-info.ts';
import { sequenceInfoArbitrary } from '../../arbitraries/transaction.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { readValueVectors, readVectors } from '../../vectors.ts';

describeCodec('TransactionSequenceInfo', sequenceInfo, sequenceInfoArbitrary);

interface StateModel {
  readonly genesis_test: { readonly tx_hash: string; readonly sequence_info_bcs: string };
  readonly l1: {
    readonly order_witness: { readonly tx_hash: string; readonly tx_order: number; readonly sha3: string };
  };
}

const { genesis_test, l1 } = readVectors<StateModel>('state-model.json');

describe('sequence infos', () => {
  it('of the test network genesis (spec/state.md 11.6)', () => {
    const hash = fromHex(genesis_test.tx_hash);
    const info: SequenceInfo = {
      txOrder: 0n,
      txOrderSignature: new Uint8Array(0),
      txAccumulatorRoot: hash,
      txTimestamp: 1_714_777_860_000n,
      txAccumulatorFrozenSubtreeRoots: [hash],
      txAccumulatorNumLeaves: 1n,
      txAccumulatorNumNodes: 1n,
    };
    const bytes = fromHex(genesis_test.sequence_info_bcs);
    expect(bytes).toHaveLength(168);
    expect(decode(sequenceInfo, bytes)).toEqual(info);
    expect(toHexPrefixed(encode(sequenceInfo, info))).toBe(genesis_test.sequence_info_bcs);
  });

  it('agree with the independent model', () => {
    interface SequenceVector {
      readonly bcs: Uint8Array;
      readonly value: SequenceInfo;
    }
    const { sequenceInfos } = readValueVectors<{ sequenceInfos: readonly SequenceVector[] }>('random-encodings.json');
    for (const { bcs, value } of sequenceInfos) {
      expect(toHex(encode(sequenceInfo, value))).toBe(toHex(bcs));
      expect(decode(sequenceInfo, bcs)).toEqual(value);
    }
  });

  it('are signed over the hash and the order (spec/state.md 11.7)', () => {
    const { tx_hash, tx_order, sha3 } = l1.order_witness;
    expect(toHexPrefixed(orderWitness(fromHex(tx_hash), BigInt(tx_order)))).toBe(sha3);
  });
});
