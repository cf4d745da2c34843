/**
 * Proofs of objects, fields, transactions and events: at any kept root each verifies, in both of its forms, and shows what
 * the chain holds; with any byte changed it shows nothing.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import {
  type ChainProof,
  decodeProof,
  EngineError,
  encodeProof,
  proofOfJson,
  verifyEventProof,
  verifyStateProof,
  verifyTransactionProof,
} from '../../../src/chain/proof/index.ts';
import { type LedgerTransactionData, l1Block, l1Transaction } from '../../../src/chain/transaction/ledger.ts';
import { plainJson } from '../../../src/chain/value/readable.ts';
import type { Engine } from '../../../src/index.ts';
import { type ObjectId, transactionData } from '../../../src/query/transaction-builder.ts';
import { createRpc } from '../../../src/server/index.ts';
import { scriptArbitrary } from '../../arbitraries/chain.ts';
import { property, type RandomNumber, randomNumbers, runs, seed } from '../../effort.ts';
import { ChainPlayer } from '../../journeys/chain-player.ts';
import { BOX, mixedChain } from '../../query/mixed-chain.ts';

/** What somebody who checks a proof trusts, and what the proof then shows. */
interface Proven {
  readonly proof: ChainProof;
  readonly verify: (proof: ChainProof) => unknown;
  readonly expected: unknown;
}

function ofObject(engine: Engine, order: bigint, id: ObjectId): Proven {
  const past = engine.at(order);
  const object = past.inside.state.object(id);
  const root = engine.transactions.get(order)!.executionInfo.stateRoot;
  return {
    proof: past.proofs.object(id),
    verify: (proof) => verifyStateProof(proof as never, root, id),
    expected: object === undefined ? { kind: 'absent' } : { kind: 'present', object },
  };
}

function hashed(data: LedgerTransactionData): Uint8Array {
  if (data.kind === 'l2-transaction') return encode(transactionData, data.data);
  return data.kind === 'l1-block' ? encode(l1Block, data) : encode(l1Transaction, data);
}

function ofTransaction(engine: Engine, at: bigint, order: bigint): Proven {
  const { executionInfo, transaction } = engine.inside.transactions.get(order)!;
  const { txAccumulatorRoot: root, txAccumulatorNumLeaves: numLeaves } =
    engine.inside.transactions.get(at)!.transaction.sequenceInfo;
  const proof = engine.at(at).proofs.transaction(executionInfo.txHash);
  expect(proof.content).toEqual(hashed(transaction.data));
  return {
    proof,
    verify: (given) => {
      const shown = verifyTransactionProof(given as never, { root, numLeaves });
      return shown && { order: shown.order, hash: shown.hash, kind: shown.transaction.kind };
    },
    expected: { order, hash: toHexPrefixed(executionInfo.txHash), kind: transaction.data.kind },
  };
}

async function ofEvent(engine: Engine, order: bigint, random: RandomNumber): Promise<Proven | undefined> {
  const { executionInfo } = engine.inside.transactions.get(order)!;
  const filter = { kind: 'transaction', hash: executionInfo.txHash } as const;
  const { data } = await engine.events.list(filter, { limit: 200 });
  const found = data[random(data.length)];
  if (found === undefined) return undefined;
  const trusted = { eventRoot: executionInfo.eventRoot, eventCount: data.length };
  const { eventData } = found.event;
  return {
    proof: engine.proofs.event(found.position),
    verify: (proof) => verifyEventProof(proof as never, trusted),
    expected: { eventIndex: found.position.index, eventData },
  };
}

function expectProven({ proof, verify, expected }: Proven): void {
  for (const same of [proof, decodeProof(encodeProof(proof)), proofOfJson(JSON.stringify(proof))]) {
    expect(verify(same)).toEqual(expected);
  }
  expect(plainJson(decodeProof(encodeProof(proof)))).toEqual(plainJson(proof));
}

/** What a changed form shows; undefined where it cannot even be read, or is refused as a proof of another kind. */
function shownBy(read: () => ChainProof, verify: Proven['verify']): unknown {
  try {
    return verify(read());
  } catch (error) {
    if (error instanceof EngineError && ['malformed-bytes', 'invalid-argument'].includes(error.code)) return undefined;
    throw error;
  }
}

function expectEveryChangeRefused({ proof, verify }: Proven, random: RandomNumber, tries: number): void {
  const bytes = encodeProof(proof);
  const text = JSON.stringify(proof);
  for (let nth = 0; nth < tries; nth++) {
    const at = random(bytes.length);
    const changed = bytes.slice();
    changed[at]! ^= 1 + random(255);
    expect(
      shownBy(() => decodeProof(changed), verify),
      `byte ${at} of ${bytes.length}`,
    ).toBeUndefined();
    const place = random(text.length);
    const character = String.fromCharCode(32 + random(95));
    if (text[place] === character) continue;
    const other = text.slice(0, place) + character + text.slice(place + 1);
    expect(
      shownBy(() => proofOfJson(other), verify),
      `${character} at ${place} of ${text}`,
    ).toBeUndefined();
  }
  expect(shownBy(() => decodeProof(bytes.subarray(0, -1)), verify)).toBeUndefined();
  expect(shownBy(() => decodeProof(Uint8Array.of(...bytes, 0)), verify)).toBeUndefined();
}

/** All arrays of bytes in a proof. */
function* bytesWithin(value: unknown): Generator<Uint8Array> {
  if (value instanceof Uint8Array) yield value;
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) yield* bytesWithin(part);
}

describe('a proof on a random chain', () => {
  it('verifies at every kept root, and at none with a byte changed', async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(12), fc.nat(), async (script, from) => {
        const random = randomNumbers(from);
        await using player = await ChainPlayer.open();
        const { engine, model } = player;
        await player.play(script);
        const ids = [...model.objects.values()].map(({ id }) => id);
        const { order: last } = engine.head;
        const pick = (): bigint => BigInt(random(Number(last) + 1));
        for (let nth = 0; nth < 6; nth++) {
          const id = ids[random(ids.length)]!;
          // Objects that are gone or come later, and fields that no object has.
          const named = random(3) === 0 ? [...id.slice(0, -1), id[0]!.map((byte) => byte ^ (1 << random(8)))] : id;
          const at = pick();
          const order = BigInt(random(Number(at) + 1));
          const made = [
            ofObject(engine, at, named),
            ofTransaction(engine, at, order),
            await ofEvent(engine, at, random),
          ];
          for (const proven of made) {
            if (proven === undefined) continue;
            expectProven(proven);
            expectEveryChangeRefused(proven, random, 8);
          }
        }
      }),
      property(3, 200),
    );
  });
});

describe('a proof on a chain of transactions, blocks, controls and reverts', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await mixedChain(randomNumbers(seed), runs(40, 600));
  });

  afterAll(() => engine.close());

  it('verifies for every transaction at the head and at its own order, and for its events', async () => {
    const random = randomNumbers(seed);
    for (let order = 0n; order <= engine.head.order; order++) {
      const own = ofTransaction(engine, order, order);
      expectProven(own);
      expectEveryChangeRefused(own, random, 2);
      expectProven(ofTransaction(engine, engine.head.order, order));
      const event = await ofEvent(engine, order, random);
      if (event !== undefined) expectProven(event);
    }
  });

  it('verifies for an object and its fields at every order', () => {
    const random = randomNumbers(seed);
    const [field] = engine.inside.states.list(
      { kind: 'fields', object: '0x2::module_store::ModuleStore' },
      { limit: 1 },
    ).data;
    for (let order = 0n; order <= engine.head.order; order++) {
      const { id } = engine.inside.objects.get('0x2::timestamp::Timestamp')!.meta;
      for (const named of [id, field!.object.meta.id, [Uint8Array.from(Buffer.from(BOX.slice(2), 'hex'))]]) {
        const proven = ofObject(engine, order, named);
        expectProven(proven);
        expectEveryChangeRefused(proven, random, 1);
      }
    }
  });

  it('of a field is the same by its id and by its parent and key', () => {
    const store = engine.objects.get('0x2::module_store::ModuleStore')!.meta.id;
    const [field] = engine.inside.states.list({ kind: 'fields', object: store }, { limit: 1 }).data;
    const proof = engine.proofs.object(store, field!.key);
    expect(proof).toEqual(engine.proofs.object(field!.object.meta.id));
    expect(proof.steps).toHaveLength(2);
    const { stateRoot } = engine.head;
    const shown = { object: { meta: { id: field!.object.meta.id } } };
    expect(verifyStateProof(proof, stateRoot)).toMatchObject(shown);
    expect(verifyStateProof(proof, stateRoot, store, field!.key)).toMatchObject(shown);
    // Asked for in one's own words, another field or the object itself is not what it shows.
    expect(verifyStateProof(proof, stateRoot, store, new Uint8Array(32))).toBeUndefined();
    expect(verifyStateProof(proof, stateRoot, store)).toBeUndefined();
    expect(() => verifyStateProof(proof, stateRoot, undefined, field!.key)).toThrow(
      /id: expected the object of fieldKey/,
    );
  });

  it('changes with each of its bytes', () => {
    const made = [
      ofObject(engine, engine.head.order, engine.inside.objects.get('0x2::timestamp::Timestamp')!.meta.id),
      ofObject(engine, engine.head.order, [new Uint8Array(32).fill(7)]),
      ofTransaction(engine, engine.head.order, 1n),
    ];
    for (const { proof, verify } of made) {
      const bytes = encodeProof(proof);
      for (let at = 0; at < bytes.length; at++) {
        const changed = bytes.slice();
        changed[at]! ^= 1 << (at % 8);
        expect(
          shownBy(() => decodeProof(changed), verify),
          `byte ${at}`,
        ).toBeUndefined();
      }
    }
  });

  it('is a copy: what a program writes into it changes nothing on the chain', () => {
    // The ids that end in another's leaf are among these.
    const ids = [BOX, ...Array.from({ length: 40 }, (_, at) => [new Uint8Array(32).fill(7 * at + 1)])];
    let neighbours = 0;
    for (const id of ids) {
      const before = engine.proofs.object(id);
      const expected = plainJson(before);
      const bytes = [...bytesWithin(before)];
      const kept = bytes.map((part) => part.slice());
      for (const part of bytes) part.fill(0xdd);
      try {
        expect(plainJson(engine.proofs.object(id))).toEqual(expected);
      } finally {
        for (const [index, part] of bytes.entries()) part.set(kept[index]!);
      }
      if (before.steps.some(({ proof }) => proof.neighbour !== undefined)) neighbours++;
    }
    expect(neighbours).toBeGreaterThan(0);
  });

  it('comes over JSON-RPC in both forms, at a root or an order', async () => {
    const rpc = createRpc(engine);
    const { id } = engine.objects.get('0x2::timestamp::Timestamp')!.meta;
    const order = engine.head.order - 2n;
    const { stateRoot, txHash } = engine.transactions.get(order)!.executionInfo;
    for (const place of [{ order: String(order) }, { stateRoot }]) {
      const { proof, bytes } = await rpc.request('chain_getProof', [{ object_id: id }, place]);
      const read = proofOfJson(proof);
      expect(Buffer.from(encodeProof(read)).toString('hex')).toBe(bytes.slice(2));
      expect(verifyStateProof(read as never, stateRoot)).toMatchObject({ kind: 'present' });
    }
    const { root, numLeaves } = engine.head.accumulator;
    for (const target of [{ tx_hash: txHash }, { tx_order: Number(order) }]) {
      const { proof } = await rpc.request('rooch_getProof', [target]);
      expect(verifyTransactionProof(proofOfJson(proof) as never, { root, numLeaves })?.order).toBe(order);
    }
    const { data } = await engine.events.list({ kind: 'order', from: 0n, to: 1n }, { limit: 1 });
    const { index } = data[0]!.position;
    const { proof } = await rpc.request('chain_getProof', [{ tx_order: 0, event_index: index }]);
    expect(proofOfJson(proof)).toMatchObject({ eventIndex: index, eventData: data[0]!.event.eventData });
    for (const wrong of [{}, { object_id: id, tx_order: 0 }, { field_key: '0x1' }, 'x']) {
      await expect(rpc.request('chain_getProof', [wrong as never])).rejects.toMatchObject({ code: -32_602 });
    }
    await expect(rpc.request('chain_getProof', [{ tx_order: 0, event_index: 9_999 }])).rejects.toMatchObject({
      data: { code: 'not-found' },
    });
    await expect(
      rpc.request('chain_getProof', [{ tx_order: String(order + 1n) }, { order: String(order) }]),
    ).rejects.toMatchObject({ data: { code: 'not-found' } });
  });
});
