import { describe, expect, it } from 'vitest';
import { decode, encode, u64 } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import {
  type BabylonParameters,
  babylonParameters,
  babylonVersionAt,
  findStake,
  stakeDeclarationOf,
  stakingScript,
} from '../../../src/bitcoin/babylon.ts';
import { spend } from '../../../src/bitcoin/index.ts';
import type { TransactionOutput } from '../../../src/bitcoin/transaction.ts';
import { BABYLON_VERSIONS } from '../../../src/execution/bitcoin-move/stake.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { objectState } from '../../../src/query/transaction-builder.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { readVectors } from '../../vectors.ts';

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

  it('are locked by the script that a main-network transaction has', () => {
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

  it('are not taken for a key that is no point of the curve, and goes on', async () => {
    const parameters = first;
    const height = Number(parameters.activationHeight);
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const to = DEV_ACCOUNTS[0]!.regtestAddress;
    let last = await engine.dev.mine({ to, height });
    const keys = [DEV_ACCOUNTS[0]!.publicKey, `02${'ff'.repeat(32)}`].map((key) => fromHex(key.slice(-64)));
    const staked: boolean[] = [];
    for (const stakerKey of keys) {
      const { tag } = parameters;
      const declared = { tag, version: 0, stakerKey, providerKey: keys[0]!, stakingTime: parameters.stakingTimeMin };
      const time = Uint8Array.of(declared.stakingTime >> 8, declared.stakingTime & 0xff);
      const declaration = [Uint8Array.of(0x6a, 71), tag, Uint8Array.of(0), stakerKey, keys[0]!, time];
      const stake = spend(
        [{ outpoint: { txid: last.transactions[0]!.txid, vout: 0 } }],
        [
          { scriptPubkey: stakingScript(declared, parameters), value: parameters.stakingAmountMin },
          { scriptPubkey: concatBytes(...declaration), value: 0n },
        ],
      );
      last = await engine.dev.mine({ to, transactions: [stake] });
      staked.push(engine.bitcoin.utxo({ txid: stake.txid, vout: 0 })!.seals.length > 0);
    }
    expect(staked).toEqual([true, false]);
    expect(engine.bitcoin.status().confirmed?.blockHeight).toBe(BigInt(height + 2));
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('are taken at the heights of two periods', () => {
    const heights = [864_789n, 864_790n, 864_799n, 864_800n, 874_087n, 874_088n, 875_087n, 875_088n];
    expect(heights.map(babylonVersionAt)).toEqual([undefined, 1n, 1n, undefined, undefined, 2n, 2n, undefined]);
  });
});

describe('the parameters of Babylon', () => {
  it('are those of the test network', () => {
    const objects = readVectors<{ readonly leaves: readonly { readonly state: string }[] }>('genesis-objects.json')
      .leaves.map(({ state }) => decode(objectState, fromHex(state)))
      .filter(({ meta }) => displayStruct(meta.objectType).includes('::bbn::BBNGlobalParamV'));
    const ours = BABYLON_VERSIONS.map((value) =>
      concatBytes(encode(u64, value.version), encode(babylonParameters, value)),
    );
    expect(ours.map(toHex).sort()).toEqual(objects.map(({ value }) => toHex(value)).sort());
  });
});
