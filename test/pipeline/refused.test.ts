/**
 * Nothing unsigned gets in: what is refused is told why, in the reference's status, and leaves not one row; what the chain
 * keeps though it failed pays for its gas, counts, and leaves nothing else. Over `engine.execute` and over JSON-RPC, where
 * signatures are checked in their turn and where a thread looks at them ahead, by our validators and by the reference's.
 *
 * One thing gets in, there as here: `0x4::bitcoin_multisign_validator` counts a key that signs twice as two.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { Engine } from '../../src/index.ts';
import { parseAddress, type TransactionData } from '../../src/query/transaction-builder.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { hasReference, referenceNote, releasedPackages, releaseNumbers } from '../vm/corpus.ts';
import { SPOILT, signTogether, twinOf } from './authenticators.ts';
import { MEMBERS, PreparedChain, type PreparedChainOptions, WatchedChain } from './prepared-chain.ts';
import { KEPT, MALFORMED, REJECTED, SIGNATURES } from './refusals.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, BOB, transfer } from './step-chain.ts';

/** What a failed transaction may change: its sender's sequence number, coins for gas, the time. */
const PAID = /^0x2::(?:account::Account|timestamp::Timestamp)$|::(?:multi_)?coin_store::|::TransactionFeePool$/;

interface Setting {
  readonly title: string;
  readonly isSkipped?: boolean;
  readonly options: () => PreparedChainOptions;
}

const SETTINGS: readonly Setting[] = [
  { title: 'on our framework', options: () => ({}) },
  {
    title: `on the reference’s newest framework${referenceNote}`,
    isSkipped: !hasReference,
    options: () => {
      const packages = releasedPackages(releaseNumbers().at(-1)!);
      return { modules: packages.flatMap(({ modules }) => modules) };
    },
  },
];

for (const { title, isSkipped = false, options } of SETTINGS) {
  describe.skipIf(isSkipped)(`a transaction ${title}`, () => {
    let chain: PreparedChain;

    beforeAll(async () => {
      chain = await PreparedChain.open(options());
    });

    afterAll(() => chain.engine.close());

    it.each(Object.entries(REJECTED))('is refused for %s', async (_name, [make, words]) => {
      await chain.refuses(make(chain), 'transaction-rejected', words);
    });

    it.each(Object.entries(MALFORMED))('is refused for %s', async (_name, make) => {
      await chain.refuses(make(chain), 'malformed-bytes', /^expected the BCS of a signed transaction: /);
    });

    describe.each(Object.entries(SIGNATURES))('signed by %s', (_name, [curve, sign]) => {
      it.each(Object.entries(SPOILT))('is refused with a signature %s', async (_what, change) => {
        await chain.refuses(sign(chain, change), 'transaction-rejected', /status \w+ of type Execution/);
      });

      it('is refused with the twin of the signature, and taken with the signature itself', async () => {
        const twin = sign(chain, (signature) => twinOf(curve, signature));
        await chain.refuses(twin, 'transaction-rejected', /status ABORTED of type Execution with sub status \d*10/);
        const { status } = await chain.engine.execute(sign(chain, (signature) => signature));
        expect(status).toEqual({ kind: 'executed' });
      });
    });

    it('is not refused for a key that signs twice', async () => {
      const twice = signTogether(chain.data({ sender: chain.shared }), [MEMBERS[0]!, MEMBERS[0]!]);
      expect((await chain.engine.execute(twice)).status).toEqual({ kind: 'executed' });
    });

    it.each(Object.entries(KEPT))('fails with %s, is paid for and does nothing else', async (_name, kept) => {
      const { action, status, maxGasAmount = 100_000_000n } = kept;
      const { order } = chain.engine.head;
      const receipt = await chain.engine.execute(chain.signed({ action, maxGasAmount }));
      expect(receipt.status).toMatchObject(status);
      expect(receipt.gasUsed).toBeGreaterThan(0n);
      expect(receipt.changes).toEqual([]);
      expect(receipt.framework.changes.filter(({ type }) => !PAID.test(type))).toEqual([]);
      const signed = toHexPrefixed(chain.signed({ action, maxGasAmount }));
      expect(await chain.rpc.request('rooch_executeRawTransaction', [signed])).toMatchObject({
        sequence_info: { tx_order: String(order + 2n) },
        execution_info: { status: { type: status.kind.replaceAll('-', '') }, gas_used: String(receipt.gasUsed) },
      });
    });
  });
}

describe('a transaction of somebody who has too little', () => {
  it('is refused on a chain that gives nobody coins', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, chainId: 77n, accountBalance: 99_999_999n });
    const data: TransactionData = {
      sender: parseAddress(ALICE.address),
      sequenceNumber: 0n,
      chainId: 77n,
      maxGasAmount: 100_000_000n,
      action: transfer(parseAddress(BOB.address), 1n),
    };
    const watched = new WatchedChain(engine, store);
    await watched.refuses(signBitcoin(ALICE, data), 'transaction-rejected', /status ABORTED .* sub status 1004\)$/);
    const modest = signBitcoin(ALICE, { ...data, maxGasAmount: 99_999_990n });
    expect((await engine.execute(modest)).status).toEqual({ kind: 'executed' });
  });
});
