import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import {
  type BabylonParameters,
  babylonVersionAt,
  findStake,
  stakeDeclarationOf,
  stakingScript,
} from '../../src/bitcoin/babylon.ts';
import type { TransactionOutput } from '../../src/bitcoin/transaction.ts';
import { BABYLON_VERSIONS } from '../../src/execution/bitcoin-move/stake.ts';

// Transaction 7d90210b21aad480cd88fd8399aa6d47e6b3f2ecea2f9f9cfdd79598430e3003 of block 864790.
const DECLARATION =
  '6a4762626e31000b93d2d388a2b89c2ba2ef28e99c0cfc20735b693cb8b2350fe8aceca2d0f393db9160428e401753dc1a9952ffd4fa3386c7609cf8411d2b6d79c42323ca9923fa00';
const HELD = '512082f93ece9366a9e680d152dbc0c487e181accbba145b5b72d00c820545064d44';
const first: BabylonParameters = BABYLON_VERSIONS[1]!;

function output(scriptPubkey: string, value: bigint): TransactionOutput {
  return { scriptPubkey: fromHex(scriptPubkey), value, recipient: new Uint8Array(0) };
}

describe('stakes in Babylon', () => {
  const outputs = [output(HELD, 30_000_000_000n), output(DECLARATION, 0n)];
  const declaration = stakeDeclarationOf(outputs)!;

  it('are declared by an output', () => {
    expect({ ...declaration, tag: toHex(declaration.tag), stakerKey: toHex(declaration.stakerKey) }).toMatchObject({
      tag: '62626e31',
      version: 0,
      stakerKey: '0b93d2d388a2b89c2ba2ef28e99c0cfc20735b693cb8b2350fe8aceca2d0f393',
      stakingTime: 64_000,
    });
    expect(stakeDeclarationOf([output(DECLARATION, 0n)])).toBeUndefined();
    expect(stakeDeclarationOf([...outputs, output(DECLARATION, 0n)])).toBeUndefined();
    expect(stakeDeclarationOf([outputs[0]!, output(`${DECLARATION}00`, 0n)])).toBeUndefined();
  });

  it('are held by the script that a main-network transaction has', () => {
    expect(toHex(stakingScript(declaration, first))).toBe(HELD);
    expect(findStake(declaration, outputs, first)).toEqual({ vout: 0, value: 30_000_000_000n });
  });

  it('are refused for the first reason that holds', () => {
    const found = (changes: Partial<typeof declaration>, held = outputs) =>
      findStake({ ...declaration, ...changes }, held, first);
    expect(found({ version: 1, stakingTime: 1 })).toEqual({ refusal: 'Invalid version' });
    expect(found({ tag: new Uint8Array(4), stakingTime: 1 })).toEqual({ refusal: 'Invalid tag' });
    expect(found({ stakingTime: 63_999 })).toEqual({ refusal: 'Invalid staking time' });
    expect(found({}, [outputs[1]!])).toEqual({ refusal: 'Staking output not found' });
    expect(found({}, [outputs[0]!, outputs[0]!])).toEqual({ refusal: 'Staking output not found' });
    expect(found({}, [output(HELD, 499_999n)])).toEqual({ refusal: 'Invalid staking amount' });
    expect(found({}, [output(HELD, 50_000_000_001n)])).toEqual({ refusal: 'Invalid staking amount' });
  });

  it('are taken at the heights of two periods', () => {
    const heights = [864_789n, 864_790n, 864_799n, 864_800n, 874_087n, 874_088n, 875_087n, 875_088n];
    expect(heights.map(babylonVersionAt)).toEqual([undefined, 1n, 1n, undefined, undefined, 2n, 2n, undefined]);
  });
});
