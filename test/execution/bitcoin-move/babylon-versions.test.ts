import { describe, expect, it } from 'vitest';
import { decode, encode, u64 } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { babylonParameters } from '../../../src/bitcoin/babylon.ts';
import { objectState } from '../../../src/chain/codecs.ts';
import { BABYLON_VERSIONS } from '../../../src/execution/bitcoin-move/stake.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { readVectors } from '../../vectors.ts';

interface Leaves {
  readonly leaves: readonly { readonly state: string }[];
}

describe('the parameters of Babylon', () => {
  it('are those of the test network', () => {
    const objects = readVectors<Leaves>('genesis-objects.json')
      .leaves.map(({ state }) => decode(objectState, fromHex(state)))
      .filter(({ meta }) => displayStruct(meta.objectType).includes('::bbn::BBNGlobalParamV'));
    const ours = BABYLON_VERSIONS.map((value) =>
      concatBytes(encode(u64, value.version), encode(babylonParameters, value)),
    );
    expect(ours.map(toHex).sort()).toEqual(objects.map(({ value }) => toHex(value)).sort());
  });
});
