/** Following a real node: what it validates is what the engine reads, and both say the same of who owns what. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { concatBytes, toHex } from '../../../src/base/bytes/bytes.ts';
import { witnessAddress } from '../../../src/bitcoin/address.ts';
import { formatBitcoinAddress, parseBitcoinHash, spend } from '../../../src/bitcoin/index.ts';
import { envelopeScript } from '../../../src/bitcoin/mine.ts';
import { tapLeafHash, tapOutputKey } from '../../../src/bitcoin/public-key.ts';
import { encodeBitcoinTransaction } from '../../../src/bitcoin/transaction.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { BitcoinNode } from '../../../src/server/follower/bitcoin-node.ts';
import { Follower } from '../../../src/server/follower/follower.ts';
import { createRpc } from '../../../src/server/index.ts';
import { nodeVersion, RealNode } from './real-node.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];
const DEPTH = 3;
const OP_TRUE = 0x51;
const INTERNAL_KEY = Uint8Array.from({ length: 32 }, () => 1);

describe.skipIf(nodeVersion === undefined)(
  `a real node: ${nodeVersion ?? 'skipped, there is no bitcoind on the path nor in MOVELET_BITCOIND'}`,
  () => {
    let node: RealNode;
    let engine: Engine;
    let client: BitcoinNode;
    let follower: Follower;
    let wallet: string;
    beforeAll(async () => {
      node = await RealNode.start();
      wallet = await node.call('getnewaddress');
      engine = await Engine.open({ reorganisationDepth: DEPTH });
      client = new BitcoinNode({ url: `http://127.0.0.1:${node.port}`, credentials: () => node.credentials });
      follower = new Follower(engine, client, { from: 0, pollMilliseconds: 20, backoffMilliseconds: 20 });
      follower.start();
    });
    afterAll(async () => {
      await follower?.stop();
      await engine?.close();
      await node?.stop();
    });

    /** Mines blocks, and waits until the engine has the last. */
    async function mine(count: number, to: string = wallet): Promise<void> {
      await node.call('generatetoaddress', count, to);
      await caughtUp();
    }

    /** A block is confirmed by the last of its transactions, when `DEPTH` others stand on it. */
    async function caughtUp(): Promise<void> {
      const best = await node.call<string>('getbestblockhash');
      const height = await node.call<number>('getblockcount');
      const wanted = { pending: best, confirmed: BigInt(height - DEPTH) };
      const newest = (): unknown => {
        const { pending, confirmed } = engine.bitcoin.status();
        return { pending: pending?.blockHash, confirmed: confirmed?.blockHeight };
      };
      await vi.waitFor(() => expect(newest()).toEqual(wanted), { timeout: 200_000, interval: 20 });
    }

    /** What an address owns: by the engine, and by the node without the blocks that are not confirmed. */
    async function expectSameOutputs(address: string): Promise<number> {
      const rpc = createRpc(engine);
      const { data } = await rpc.request('btc_queryUTXOs', [{ owner: address }, null, '200', false]);
      const values = data.map(({ value }) => value as { bitcoin_txid: string; vout: number; value: string });
      const own = values.map(({ bitcoin_txid, vout, value }) => `${bitcoin_txid}:${vout} ${value}`).sort();
      const { unspents } = await node.call<{
        unspents: { txid: string; vout: number; amount: number; height: number }[];
      }>('scantxoutset', 'start', [`addr(${address})`]);
      const confirmed = Number(engine.bitcoin.status().confirmed!.blockHeight);
      const theirs = unspents
        .filter(({ height }) => height <= confirmed)
        .map(({ txid, vout, amount }) => `${txid}:${vout} ${Math.round(amount * 1e8)}`);
      expect(own).toEqual(theirs.sort());
      return own.length;
    }

    it('is followed from its first block on, and the outputs are the same', async () => {
      await mine(110);
      await node.call('sendtoaddress', bob, 1.5);
      await node.call('sendtoaddress', alice, 0.25);
      await mine(4);
      expect(await expectSameOutputs(bob)).toBe(1);
      expect(await expectSameOutputs(alice)).toBe(1);
      expect(await expectSameOutputs(wallet)).toBeGreaterThan(100);
    });

    it('validates an inscription, which the engine finds at its owner', async () => {
      const script = concatBytes(envelopeScript({ contentType: 'text/plain', body: 'hello' }), Uint8Array.of(OP_TRUE));
      const outputKey = tapOutputKey(INTERNAL_KEY, tapLeafHash(script));
      const txid = await node.call<string>(
        'sendtoaddress',
        formatBitcoinAddress(witnessAddress(1, outputKey), 'regtest'),
        0.1,
      );
      await mine(1);
      const { details } = await node.call<{ details: { vout: number }[] }>('gettransaction', txid);
      const outpoint = { txid: parseBitcoinHash(txid), vout: details[0]!.vout };
      // The first byte also tells the parity of the output key, which only the right one of the two does.
      const blocks = [0xc0, 0xc1].map((first) => {
        const witness = [script, concatBytes(Uint8Array.of(first), INTERNAL_KEY)];
        return spend([{ outpoint, witness }], [{ to: bob, value: 9_990_000n }]);
      });
      const mined = await Promise.allSettled(
        blocks.map((reveal) => node.call('generateblock', wallet, [toHex(encodeBitcoinTransaction(reveal))])),
      );
      expect(mined.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await mine(3);
      const revealed = blocks[0]!.txid;
      const found = engine.bitcoin.inscription({ txid: revealed, index: 0 });
      expect(new TextDecoder().decode(found?.body)).toBe('hello');
      expect(engine.bitcoin.utxo({ txid: revealed, vout: 0 })?.owner).toEqual(found?.owner);
      expect(await expectSameOutputs(bob)).toBe(2);
    });

    it('changes its mind, and the engine goes along', async () => {
      const height = await node.call<number>('getblockcount');
      const lost = await node.call<string>('getblockhash', height - 1);
      await node.call('invalidateblock', lost);
      // To another address, or the block would be the same one that was called invalid.
      await mine(6, await node.call('getnewaddress'));
      expect(await node.call('getblockcount')).toBe(height + 4);
      expect(await expectSameOutputs(wallet)).toBeGreaterThan(100);
      for (let back = 0; back < 4; back++) {
        const at = height + 4 - DEPTH - back;
        expect(engine.bitcoin.block(at)!.blockHash).toBe(await node.call('getblockhash', at));
      }
    });

    it('takes a transaction that is sent through the engine', async () => {
      const rpc = createRpc(engine, { broadcast: (transaction) => client.broadcast(transaction) });
      const [coin] = await node.call<{ txid: string; vout: number; amount: number }[]>('listunspent');
      const raw = await node.call<string>('createrawtransaction', [coin!], [{ [alice]: coin!.amount - 0.001 }]);
      const { hex } = await node.call<{ hex: string }>('signrawtransactionwithwallet', raw);
      const txid = await rpc.request('btc_broadcastTX', [hex]);
      expect(await node.call('getrawmempool')).toContain(txid);
      await mine(4);
      expect(await expectSameOutputs(alice)).toBe(2);
    });
  },
);
