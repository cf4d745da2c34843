/** Chains that keep the outputs of some owners, beside chains that keep everybody's. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { formatBitcoinHash, formatInscriptionId, reveal, spend } from '../../../src/bitcoin/index.ts';
import { mineBlock } from '../../../src/bitcoin/mine.ts';
import { UNBOUND_OUTPOINT } from '../../../src/bitcoin/outpoint.ts';
import { DEV_ACCOUNTS, Engine, record } from '../../../src/index.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import type { ModelInscription } from '../../bitcoin/model.ts';
import { formatSatPoint } from '../../bitcoin/shared.ts';
import { property, randomNumbers } from '../../effort.ts';
import { Branch } from './branch.ts';
import { feed, modelOf } from './chain.ts';

const people = DEV_ACCOUNTS.map(({ regtestAddress, address }) => ({ regtestAddress, address }));
const [alice, bob] = people.map(({ regtestAddress }) => regtestAddress) as [string, string];

/** A chain with reorganisations, fed to both engines; the branch that won. */
async function grow(engines: readonly Engine[], depth: number, seed: number): Promise<Branch> {
  const next = randomNumbers(seed);
  let branch = new Branch(next);
  const mine = async (): Promise<void> => {
    const block = branch.mine();
    for (const engine of engines) await feed(engine, [block]);
  };
  for (let block = 0; block < 4; block++) await mine();
  for (let round = 0; round < 2; round++) {
    const replaced = Math.min(depth, branch.chain.blocks.length - 1);
    branch = replaced === 0 ? branch : branch.without(replaced);
    for (let block = 0; block <= replaced + 1; block++) await mine();
  }
  for (let block = 0; block < depth; block++) await mine();
  return branch;
}

describe('a chain that watches', () => {
  it('has of its owners the outputs that a whole chain has, and says nothing else of inscriptions', async () => {
    let [outputs, inscriptions] = [0, 0];
    const plan = fc.record({
      depth: fc.integer({ min: 0, max: 3 }),
      watched: fc.subarray(people, { minLength: 1 }),
      /** Owners are named by their Bitcoin addresses or, from the first on, by their accounts. */
      accounts: fc.nat({ max: 2 }),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ depth, watched, accounts, seed }) => {
        const store = new MemoryStore();
        const owners = watched.map(({ regtestAddress, address }, index) =>
          index < accounts ? address : regtestAddress,
        );
        await using whole = await Engine.open({ reorganisationDepth: depth });
        await using watching = await Engine.open({ store, reorganisationDepth: depth, ingest: { owners } });
        await grow([whole, watching], depth, seed);
        const isOwned = ({ owner }: { readonly owner: Uint8Array }): boolean =>
          watched.some(({ address }) => equalBytes(owner, Buffer.from(address.slice(2), 'hex')));
        const [all, kept] = [modelOf(whole), modelOf(watching)];
        const plain = ([key, { value, owner }]: [string, { value: bigint; owner: Uint8Array }]) => [key, value, owner];
        expect([...kept.utxos].map(plain).sort()).toEqual(
          [...all.utxos]
            .filter(([, utxo]) => isOwned(utxo))
            .map(plain)
            .sort(),
        );
        for (const [id, inscription] of kept.inscriptions) {
          if (isUnbound(inscription)) continue;
          expect([id, shown(inscription)]).toEqual([id, shown(all.inscriptions.get(id)!)]);
          inscriptions++;
        }
        expect((await verifyStore(store)).problems).toEqual([]);
        outputs += kept.utxos.size;
      }),
      // A few random chains may have no inscription of the owners; this one does.
      { ...property(3, 300), examples: [[{ depth: 1, watched: people, accounts: 1, seed: 1 }]] },
    );
    expect([outputs > 0, inscriptions > 0]).toEqual([true, true]);
  });

  it('of everybody has all inscriptions but those that were burned or paid as fees', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const owners = people.map(({ regtestAddress }) => regtestAddress);
        await using whole = await Engine.open();
        await using watching = await Engine.open({ ingest: { owners } });
        const placed: [id: string, txid: string][] = [];
        for (const name of ['InscriptionCreatedEvent', 'InscriptionTransferredEvent']) {
          const type = `0x4::inscription_updater::${name}`;
          whole.on('event', ({ decoded }) => placed.push(placeOf(decoded as unknown as Placing)), {
            kind: 'type',
            type,
          });
        }
        const branch = await grow([whole, watching], 0, seed);
        const coinbases = new Set(branch.chain.blocks.map(({ transactions }) => toHex(transactions[0]!.txid)));
        const paid = new Set(placed.filter(([, txid]) => coinbases.has(txid)).map(([id]) => id));
        const [all, kept] = [modelOf(whole), modelOf(watching)];
        for (const [id, inscription] of all.inscriptions) {
          if (paid.has(id) || isSystem(inscription.owner)) continue;
          expect(kept.inscriptions.has(id), id).toBe(true);
          expect(shown(kept.inscriptions.get(id)!)).toEqual(shown(inscription));
          count++;
        }
      }),
      property(3, 60),
    );
    expect(count).toBeGreaterThan(0);
  });

  it('follows an inscription of its owner until it goes elsewhere', async () => {
    await using engine = await Engine.open({ ingest: { owners: [alice] } });
    const { bitcoin } = engine;
    const [first, second] = [await engine.dev.mine({ to: alice }), await engine.dev.mine({ to: bob })];
    const inscribed = reveal(coinbaseOf(first), { body: 'mine' }, [{ to: alice, value: 10_000n }]);
    const foreign = reveal(coinbaseOf(second), { body: 'for her' }, [{ to: alice, value: 20_000n }]);
    await engine.dev.mine({ to: bob, transactions: [inscribed, foreign] });
    const held = async (): Promise<readonly string[]> => {
      const { data } = await bitcoin.inscriptions({ kind: 'owner', owner: alice });
      return data
        .map(({ body, location }) => {
          const isUnknown = location.outpoint.startsWith(formatBitcoinHash(UNBOUND_OUTPOINT.txid));
          return `${new TextDecoder().decode(body)}${isUnknown ? ', unbound' : ''}`;
        })
        .sort();
    };
    // Nobody knows what Bob's output was worth.
    expect(await held()).toEqual(['for her, unbound', 'mine']);
    const toHerself = spend([{ outpoint: { txid: inscribed.txid, vout: 0 } }], [{ to: alice, value: 10_000n }]);
    await engine.dev.mine({ to: bob, transactions: [toHerself] });
    expect(await held()).toEqual(['for her, unbound', 'mine']);
    const toBob = spend([{ outpoint: { txid: toHerself.txid, vout: 0 } }], [{ to: bob, value: 10_000n }]);
    await engine.dev.mine({ to: bob, transactions: [toBob] });
    expect(await held()).toEqual(['for her, unbound']);
    expect(bitcoin.utxo({ txid: toBob.txid, vout: 0 })).toBeUndefined();
  });

  it('loses sight of inscriptions behind an input of somebody else, and of those that are paid as fees', async () => {
    await using engine = await Engine.open({ ingest: { owners: [alice] } });
    const { bitcoin } = engine;
    const coins = [await engine.dev.mine({ to: alice }), await engine.dev.mine({ to: alice })].map(coinbaseOf);
    const foreign = coinbaseOf(await engine.dev.mine({ to: bob }));
    const [behind, paid] = coins.map((coin) => reveal(coin, { body: 'text' }, [{ to: alice, value: 10_000n }]));
    await engine.dev.mine({ to: bob, transactions: [behind!, paid!] });
    expect((await bitcoin.inscriptions()).data.length).toBe(2);
    // Bob's coin comes first: where hers begins depends on what it is worth.
    const inputs = [{ outpoint: foreign }, { outpoint: { txid: behind!.txid, vout: 0 } }];
    const mixed = spend(inputs, [{ to: alice, value: 5_000_010_000n }]);
    const given = spend([{ outpoint: { txid: paid!.txid, vout: 0 } }], [{ scriptPubkey: OP_RETURN, value: 0n }]);
    await engine.dev.mine({ to: alice, transactions: [mixed, given] });
    expect((await bitcoin.inscriptions()).data).toEqual([]);
    expect(bitcoin.utxo({ txid: mixed.txid, vout: 0 })?.seals).toEqual([]);
  });

  it('keeps only the coinbase of a block that is not for its owners, as a transaction without outputs', async () => {
    await using engine = await Engine.open({ ingest: { owners: [alice] } });
    const { bitcoin } = engine;
    const first = await engine.dev.mine({ to: bob });
    const before = engine.head.order;
    const outputs = [
      { to: bob, value: 10_000n },
      { scriptPubkey: OP_RETURN, value: 0n },
    ];
    const payments = spend([{ outpoint: coinbaseOf(first) }], outputs);
    await engine.dev.mine({ to: bob, transactions: [payments] });
    expect(engine.head.order - before).toBe(2n);
    expect((await bitcoin.utxos()).data).toEqual([]);
    expect(bitcoin.status().confirmed?.blockHeight).toBe(1n);
  });

  it('goes on after a coinbase that repeats an earlier one, as blocks 91842 and 91880 do, whoever it pays', async () => {
    const first = mineBlock({ previousHash: new Uint8Array(32), height: 0, time: 1_300_000_000, to: bob });
    // A coinbase has nothing of its block but the height, so this one is the same transaction.
    const second = mineBlock({ previousHash: first.hash, height: 0, time: 1_300_000_600, to: bob });
    const third = mineBlock({ previousHash: second.hash, height: 2, time: 1_300_001_200, to: alice });
    for (const owners of [undefined, [alice], [bob]]) {
      const store = new MemoryStore();
      await using engine = await Engine.open({ store, ingest: { owners } });
      for (const [height, { bytes }] of [first, second, third].entries()) await engine.bitcoin.ingest(bytes, height);
      expect(engine.bitcoin.status().confirmed?.blockHeight).toBe(2n);
      const { data } = await engine.bitcoin.utxos();
      expect(data.length).toBe(owners === undefined ? 2 : 1);
      expect((await verifyStore(store)).problems).toEqual([]);
    }
  });

  it('goes on after a coinbase that repeats an earlier one whose outputs are spent, or that has none', async () => {
    const first = mineBlock({ previousHash: new Uint8Array(32), height: 0, time: 1_300_000_000, to: bob });
    const payment = spend([{ outpoint: coinbaseOf(first) }], [{ to: alice, value: 10_000n }]);
    const plan = { height: 1, coinbaseOutputs: [{ scriptPubkey: Uint8Array.of(0x6a), value: 0n }], to: bob };
    const blocks = [
      first,
      mineBlock({ ...plan, previousHash: first.hash, time: 1_300_000_600, transactions: [payment] }),
    ];
    for (const height of [0, 1, 0]) {
      const { hash, header } = blocks.at(-1)!;
      const next = { previousHash: hash, time: header.time + 600, to: bob };
      blocks.push(mineBlock(height === 0 ? { ...next, height } : { ...plan, ...next, height }));
    }
    for (const depth of [0, 2]) {
      for (const owners of [undefined, [alice], [bob]]) {
        const store = new MemoryStore();
        await using engine = await Engine.open({ store, reorganisationDepth: depth, ingest: { owners } });
        for (const [height, { bytes }] of blocks.entries()) await engine.bitcoin.ingest(bytes, height);
        const { data } = await engine.bitcoin.utxos();
        const total = owners?.[0] === alice ? 10_000n : owners?.[0] === bob ? 5_000_000_000n : 5_000_010_000n;
        expect(engine.bitcoin.status().confirmed?.blockHeight).toBe(BigInt(blocks.length - 1 - depth));
        expect(data.reduce((sum, { value }) => sum + value, 0n)).toBe(total);
        expect((await verifyStore(store)).problems).toEqual([]);
      }
    }
  });

  it('watches others when it is told, and goes on following what it has', async () => {
    await using engine = await Engine.open({ ingest: { owners: [alice] } });
    const { bitcoin } = engine;
    const first = await engine.dev.mine({ to: alice });
    bitcoin.watch([bob]);
    expect(bitcoin.watched()?.map(String)).toEqual([people[1]!.address]);
    const payment = spend(
      [{ outpoint: coinbaseOf(first) }],
      [
        { to: alice, value: 10_000n },
        { to: bob, value: 20_000n },
      ],
    );
    await engine.dev.mine({ to: alice, transactions: [payment] });
    const { data } = await bitcoin.utxos();
    expect(data.map(({ value, owner }) => [value, String(owner)])).toEqual([[20_000n, people[1]!.address]]);
  });

  it('takes of pending blocks what was kept for the owners before, for those it is told since', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 1, ingest: { owners: [alice] } });
    const { bitcoin } = engine;
    const blocks = [await engine.dev.mine({ to: alice })];
    const outputs = [alice, bob].map((to, index) => ({ to, value: BigInt(index + 1) }));
    const payment = spend([{ outpoint: coinbaseOf(blocks[0]!) }], outputs);
    const other = spend([{ outpoint: { txid: new Uint8Array(32).fill(1), vout: 0 } }], [{ to: bob, value: 3n }]);
    blocks.push(await engine.dev.mine({ to: alice, transactions: [payment, other] }));
    bitcoin.watch([bob]);
    blocks.push(await engine.dev.mine({ to: alice }));
    const values = async () => (await bitcoin.utxos()).data.map(({ value }) => value).sort();
    // Not Alice's, and of Bob's what came with a payment to her.
    expect(await values()).toEqual([2n]);
    expect(await bitcoin.rescan({ blocks: (height) => blocks[height]!.bytes })).toMatchObject({ outputs: 1 });
    expect(await values()).toEqual([2n, 3n]);
  });

  it('watches from its opening on or not at all, and its owners are accounts', async () => {
    const { bitcoin } = await Engine.open();
    expect(bitcoin.watched()).toBeUndefined();
    expect(() => bitcoin.watch([alice])).toThrow('this engine keeps the outputs of all accounts');
    const watching = await Engine.open({ ingest: { owners: [alice] } });
    expect(() => record(watching)).toThrow('is not recorded');
    await watching.close();
    await expect(Engine.open({ ingest: { owners: ['nobody'] } })).rejects.toThrow(
      'ingest.owners[0]: expected an address',
    );
    await expect(Engine.open({ ingest: { owners: [alice], headersOnly: true } })).rejects.toThrow('headersOnly');
  });
});

const OP_RETURN = Uint8Array.of(0x6a);

const coinbaseOf = ({
  transactions,
}: {
  readonly transactions: readonly { readonly txid: string | Uint8Array }[];
}) => ({
  txid: transactions[0]!.txid,
  vout: 0,
});

/** Events of inscriptions, as far as they say where one is. */
interface Placing {
  readonly inscription_id: { readonly txid: string; readonly index: number };
  readonly location?: { readonly outpoint: { readonly txid: string } };
  readonly new_location?: { readonly outpoint: { readonly txid: string } };
}

function placeOf({ inscription_id: id, location, new_location }: Placing): [id: string, txid: string] {
  const txid = fromHex(id.txid);
  return [formatInscriptionId({ ...id, txid }), (new_location ?? location)!.outpoint.txid.slice(2)];
}

const isUnbound = ({ inscription }: ModelInscription): boolean =>
  equalBytes(inscription.location.outpoint.txid, UNBOUND_OUTPOINT.txid);

const isSystem = (owner: Uint8Array): boolean => owner.subarray(0, 31).every((byte) => byte === 0);

/** What a chain that watches knows of an inscription: all but its numbers, which count what was seen. */
const shown = ({ inscription, owner }: ModelInscription) => ({
  id: formatInscriptionId(inscription.id),
  owner,
  location: formatSatPoint(inscription.location),
  body: inscription.body,
  contentType: inscription.contentType,
});
