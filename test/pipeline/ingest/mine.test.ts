import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptOfAddress } from '../../../src/bitcoin/address-derivation.ts';
import {
  type BitcoinTransaction,
  formatOutPoint,
  nodeAddressOf,
  parseBitcoinAddress,
  parseBitcoinHash,
  RegtestChain,
  reveal,
  spend,
} from '../../../src/bitcoin/index.ts';
import { subsidyOf } from '../../../src/bitcoin/network.ts';
import { toOutPoint } from '../../../src/bitcoin/outpoint.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { formatAddress } from '../../../src/move/address.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];
const owner = (address: string): string => formatAddress(nodeAddressOf(parseBitcoinAddress(address)));
const FEE = 1_000n;

describe('mining blocks on an engine', () => {
  it('says in one line each who owns an output and an inscription', async () => {
    await using engine = await Engine.open();
    const first = await engine.dev.mine({ to: alice });
    const coins = { txid: first.transactions[0]!.txid, vout: 0 };
    const content = { contentType: 'text/plain', body: 'hello' };
    const revealed = reveal(coins, content, [{ to: bob, value: subsidyOf(0) - FEE }]);
    const second = await engine.dev.mine({ to: alice, transactions: [revealed] });

    expect(engine.bitcoin.utxo(coins)).toBeUndefined();
    const output = { txid: revealed.txid, vout: 0 };
    expect(engine.bitcoin.utxo(formatOutPoint(output))).toMatchObject({ owner: owner(bob), value: subsidyOf(0) - FEE });
    const inscription = engine.bitcoin.inscription({ txid: revealed.txid, index: 0 });
    expect(inscription).toMatchObject({
      owner: owner(bob),
      contentType: 'text/plain',
      location: { outpoint: formatOutPoint(output) },
    });
    // The miner takes the fee.
    const coinbase = { txid: second.transactions[0]!.txid, vout: 0 };
    expect(engine.bitcoin.utxo(coinbase)).toMatchObject({ owner: owner(alice), value: subsidyOf(1) + FEE });
  });

  it('finds blocks and headers by height, hash and text', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 1 });
    const confirmed = await engine.dev.mine({ to: alice });
    const pending = await engine.dev.mine({ to: alice });
    for (const block of [confirmed, pending]) {
      const known = { blockHash: block.hash, blockHeight: BigInt(block.height), isConfirmed: block === confirmed };
      for (const reference of [block.height, BigInt(block.height), block.hash, block.hash]) {
        expect(engine.bitcoin.block(reference)).toMatchObject(known);
        expect(engine.bitcoin.header(reference)).toEqual(block.header);
      }
    }
    expect(pending.header.previousHash).toEqual(confirmed.hash);
    expect(engine.bitcoin.block(2)).toBeUndefined();
    expect(engine.bitcoin.header('00'.repeat(32))).toBeUndefined();
    expect(() => engine.bitcoin.block(-1)).toThrow(/height/);
    expect(engine.bitcoin.block(2n ** 64n - 1n)).toBeUndefined();
    expect(() => engine.bitcoin.block(2n ** 64n)).toThrow(/^reference: expected a height below 2\^64/);
  });

  it('asks for the time of a block after the last one that a header holds', async () => {
    const last = 0xffff_ffff;
    const chain = new RegtestChain({ time: last - 599 });
    expect(() => chain.mine({ to: alice })).toThrow(/^time: expected a time, since/);
    expect(chain.mine({ to: alice, time: last - 600 }).height).toBe(0);
    expect(chain.mine({ to: alice }).header.time).toBe(last);
    await using engine = await Engine.open();
    await engine.dev.mine({ to: alice, time: last });
    const refused = { code: 'invalid-argument', message: expect.stringMatching(/^time: expected a time, since/) };
    await expect(engine.dev.mine({ to: alice })).rejects.toMatchObject(refused);
    expect((await engine.dev.mine({ to: alice, time: 5 })).header.time).toBe(5);
  });

  it('replaces the last blocks by a competing branch', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 2 });
    const base = await engine.dev.mine({ to: alice, height: 7 });
    const lost = [await engine.dev.mine({ to: alice }), await engine.dev.mine({ to: alice })];
    const won = [await engine.dev.mine({ to: bob, on: base.height })];
    expect(engine.bitcoin.block(lost[0]!.hash)).toBeUndefined();
    expect(engine.bitcoin.block(lost[1]!.hash)).toBeUndefined();
    for (let more = 0; more < 3; more++) won.push(await engine.dev.mine({ to: bob }));
    expect(won.map(({ height }) => height)).toEqual([8, 9, 10, 11]);
    expect(engine.bitcoin.block(8)).toMatchObject({ blockHash: won[0]!.hash, isConfirmed: true });
    expect(engine.bitcoin.utxo({ txid: won[1]!.transactions[0]!.txid, vout: 0 })?.owner).toEqual(owner(bob));
  });

  it('builds one block after another when asked for several at once', async () => {
    await using engine = await Engine.open();
    const blocks = await Promise.all([1, 2, 3].map(() => engine.dev.mine({ to: alice })));
    expect(blocks.map(({ height }) => height)).toEqual([0, 1, 2]);
    expect(new Set(blocks.map(({ hash }) => hash)).size).toBe(3);
  });

  it('has what was asked for, whatever the arrays hold when its turn comes', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 5 });
    const first = await engine.dev.mine({ to: alice });
    const [payee, script, parent] = [
      Uint8Array.from(parseBitcoinAddress(bob)),
      Uint8Array.of(0x51),
      parseBitcoinHash(first.hash),
    ];
    const coins = { txid: first.transactions[0]!.txid, vout: 0 };
    const transactions = [spend([{ outpoint: coins }], [{ to: bob, value: 5n }])];
    const coinbaseOutputs = [{ scriptPubkey: script, value: 1n }];
    const mined = [
      engine.dev.mine({ to: payee, transactions, on: parent }),
      engine.dev.mine({ to: alice, coinbaseOutputs }),
    ];
    transactions.length = 0;
    coinbaseOutputs.length = 0;
    for (const bytes of [payee, script, parent]) bytes.fill(0x42);
    const [second, third] = await Promise.all(mined);
    expect(second!.header.previousHash).toEqual(first.hash);
    expect(second!.transactions[0]!.outputs[0]!.scriptPubkey).toEqual(scriptOfAddress(parseBitcoinAddress(bob)));
    expect(second!.transactions).toHaveLength(2);
    expect(third!.transactions[0]!.outputs[0]).toMatchObject({ scriptPubkey: Uint8Array.of(0x51), value: 1n });
  });

  it('gives the same blocks for the same history, and others on another branch', async () => {
    await using one = await Engine.open({ reorganisationDepth: 3 });
    await using two = await Engine.open({ reorganisationDepth: 3 });
    const hashes = [];
    for (const engine of [one, two]) {
      await engine.dev.mine({ to: alice });
      hashes.push((await engine.dev.mine({ to: bob })).hash);
    }
    expect(hashes[0]).toEqual(hashes[1]);
    const competing = await one.dev.mine({ to: bob, on: 0 });
    expect(competing.hash).not.toEqual(hashes[0]);
  });

  it('takes coinbase outputs and pays for transactions of pending blocks', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 5 });
    const outputs = [
      { to: alice, value: 1_000n },
      { to: bob, value: 2_000n },
    ];
    const { transactions } = await engine.dev.mine({ to: alice, coinbaseOutputs: outputs });
    expect(transactions[0]!.outputs.map(({ value }) => value)).toEqual([1_000n, 2_000n]);
    const spending = spend([{ outpoint: { txid: transactions[0]!.txid, vout: 1 } }], [{ to: alice, value: 1_500n }]);
    const next = await engine.dev.mine({ to: alice, transactions: [spending] });
    expect(next.transactions[0]!.outputs[0]!.value).toBe(subsidyOf(1) + 500n);
  });

  it('looks for what a transaction spends once, however many the block has', async () => {
    await using engine = await Engine.open();
    const { transactions } = await engine.dev.mine({ to: alice });
    const chain: BitcoinTransaction[] = [];
    let reads = 0;
    let last: { readonly txid: string | Uint8Array } = transactions[0]!;
    for (; chain.length < 300; last = chain.at(-1)!) {
      const made = spend([{ outpoint: { txid: last.txid, vout: 0 } }], [{ to: bob, value: 1_000n }]);
      const counted = { ...made };
      Object.defineProperty(counted, 'txid', {
        get: () => {
          reads++;
          return made.txid;
        },
      });
      chain.push(counted);
    }
    reads = 0;
    const mined = await engine.dev.mine({ to: alice, transactions: chain });
    expect(mined.transactions[0]?.outputs[0]?.value).toBe(subsidyOf(0) + subsidyOf(1) - 1_000n);
    // Searching them one by one reads 45,000 for the fees alone.
    expect(reads).toBeLessThan(10 * chain.length);
  });

  it('refuses an input that spends an output of no transaction, as a miner does, where it keeps all of them', async () => {
    const engine = await Engine.open();
    const watching = await Engine.open({ ingest: { owners: [alice] } });
    onTestFinished(async () => {
      await Promise.all([engine.close(), watching.close()]);
    });
    const { transactions } = await engine.dev.mine({ to: alice });
    const { txid } = transactions[0]!;
    const { order } = engine.head;
    for (const outpoint of [
      { txid: new Uint8Array(32).fill(7), vout: 0 },
      { txid, vout: 1 },
    ]) {
      const unknown = spend([{ outpoint }], [{ to: bob, value: subsidyOf(0) }]);
      const named = formatOutPoint(toOutPoint(outpoint, 'outpoint'));
      await expect(engine.dev.mine({ to: alice, transactions: [unknown] })).rejects.toMatchObject({
        code: 'not-found',
        message: expect.stringContaining(named),
      });
      expect(engine.head.order).toBe(order);
      // Such a chain does not know what others have, and the fees of that are lost.
      const { transactions: block } = await watching.dev.mine({ to: bob, transactions: [unknown] });
      expect(block[0]?.outputs[0]?.value).toBe(subsidyOf(0));
    }
  });

  it('takes the fee of a transaction though another one spends something unknown', () => {
    const chain = new RegtestChain();
    const own = { txid: chain.mine({ to: alice }).transactions[0]!.txid, vout: 0 };
    const unknown = spend([{ outpoint: { txid: new Uint8Array(32).fill(7), vout: 0 } }], [{ to: bob, value: 1n }]);
    const paying = spend([{ outpoint: own }], [{ to: bob, value: 0n }]);
    const [coinbase] = chain.mine({ to: alice, transactions: [unknown, paying] }).transactions;
    expect(coinbase?.outputs[0]?.value).toBe(subsidyOf(0) + subsidyOf(1));
  });

  it('refuses what cannot be mined, and the head stays', async () => {
    await using engine = await Engine.open();
    await engine.dev.mine({ to: alice });
    const { order } = engine.head;
    await expect(engine.dev.mine({ to: alice, on: 5 })).rejects.toMatchObject({ code: 'not-found' });
    await expect(engine.dev.mine({ to: alice, height: 9 })).rejects.toThrow(/leave it out/);
    const stranger = new RegtestChain().mine({ to: bob });
    await expect(engine.dev.mine({ to: alice, on: stranger.hash })).rejects.toMatchObject({ code: 'not-found' });
    expect(engine.head.order).toBe(order);
    expect((await engine.dev.mine({ to: alice })).height).toBe(1);
  });
});
