/**
 * An address of any Bitcoin network names the same account, since only the script in it counts, as on the reference
 * network; where the node shows an address, it is one of the network that the chain follows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { reveal, spend } from '../../src/bitcoin/index.ts';
import { Engine } from '../../src/index.ts';
import { createRpc, type Rpc } from '../../src/server/index.ts';
import { payment } from '../payment.ts';

// BIP 173 has the first two, for one program; Bitcoin Core's key_io_valid.json form of it for regtest is the third.
const TEXTS = [
  'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
  'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
] as const;
const [MAIN, TEST, REGTEST] = TEXTS;
const SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';

let engine: Engine;
let rpc: Rpc;

beforeAll(async () => {
  engine = await Engine.open();
  rpc = createRpc(engine, { dev: true });
});
afterAll(() => engine.close());

describe('an address of another Bitcoin network', () => {
  it('can be paid like one of the chain’s network: by blocks, transfers and inscriptions', async () => {
    const { transactions } = await engine.dev.mine({ to: MAIN });
    const coins = { txid: transactions[0]!.txid, vout: 0 };
    const moved = spend(
      [{ outpoint: coins }],
      TEXTS.map((to) => ({ to, value: 10_000n })),
    );
    const first = { txid: moved.txid, vout: 0 };
    const inscribed = reveal(first, { contentType: 'text/plain', body: 'x' }, [{ to: TEST, value: 9_000n }]);
    const paid = [transactions[0]!.outputs[0]!, ...moved.outputs, ...inscribed.outputs];
    expect(paid.map(({ scriptPubkey }) => toHex(scriptPubkey))).toEqual(paid.map(() => SCRIPT));
    await engine.dev.mine({ to: REGTEST, transactions: [moved, inscribed] });
    await rpc.request('dev_mine', [{ to: TEST }]);
  });

  it('finds what was paid to its other forms, in process and over JSON-RPC, and is shown in the chain’s form', async () => {
    for (const owner of TEXTS) {
      const [utxos, inscriptions] = await Promise.all([
        engine.bitcoin.utxos({ kind: 'owner', owner }),
        engine.bitcoin.inscriptions({ kind: 'owner', owner }),
      ]);
      // Two coinbases that are not spent, two transfers, and the output of the inscription.
      expect([utxos.data.length, inscriptions.data.length]).toEqual([5, 1]);
      expect(engine.bitcoin.addressOf(owner)).toBe(REGTEST);
      for (const method of ['btc_queryUTXOs', 'btc_queryInscriptions'] as const) {
        const { data } = (await rpc.request(method, [{ owner }, null, '10', true])) as { data: readonly unknown[] };
        const shown = data.map((item) => (item as { owner_bitcoin_address: string }).owner_bitcoin_address);
        expect(shown).toEqual(new Array(method === 'btc_queryUTXOs' ? 5 : 1).fill(REGTEST));
      }
    }
  });

  it('has the coins of the account, and receives them', async () => {
    const alice = engine.accounts[0]!;
    await engine.execute(alice.signTransaction(payment(MAIN, 1_000n)));
    for (const owner of TEXTS) expect(engine.balances.amount(owner, '0x3::gas_coin::RGas')).toBe(1_000n);
  });

  it('is shown as one of the network that the chain follows', async () => {
    for (const [bitcoinNetwork, prefix] of [
      ['bitcoin', 'bc1p'],
      ['signet', 'tb1p'],
    ] as const) {
      await using followed = await Engine.open({ bitcoinNetwork });
      expect(followed.accounts[0]!.bitcoin.slice(0, 4)).toBe(prefix);
    }
  });
});
