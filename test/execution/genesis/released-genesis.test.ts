import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readReleasedGenesis } from '../../../src/execution/genesis/released-genesis.ts';
import { Engine } from '../../../src/index.ts';
import { parseAccessPath, parseAddress } from '../../../src/query/transaction-builder.ts';

const released = (network: string): string =>
  `${process.env['MOVELET_REFERENCE'] ?? ''}/crates/rooch-genesis/released/${network}`;
const isPresent = process.env['MOVELET_REFERENCE'] !== undefined && existsSync(released('test'));
const note = isPresent ? '' : ' (skipped: MOVELET_REFERENCE is not set)';

describe.skipIf(!isPresent)(`released genesis files${note}`, () => {
  it('the test network loads whole and hashes to the reference roots', async () => {
    await using engine = await Engine.open({ genesis: readFileSync(released('test')) });
    const { head } = engine;
    expect(head.stateRoot).toBe('0x7a0ca8f34203e9ce3ac38af429ff8b6200993fa0879aa974f539adbdae1a0051');
    expect(head.size).toBe(58n);
    expect(head.chainId).toBe(2n);
    expect(head.genesisHash).toBe('0x67bff1ad7945ecbeb42eca8b334a3d3e6a884511b1f9b0829fc5311e5cf81940');
    expect(head.accumulator.root).toBe('0xec38c3c170a1d831e9b8966a2a8da39bd2f1e02ba96eea166cf056d27ca2b486');
    const genesis = engine.transactions.get(0n);
    expect(genesis!.executionInfo.eventRoot).toBe('0xed64d20f1adeb74f8962ed15b8a62f824b95f3a73f059b296b7f047d73ffbe8e');
  });

  it('the main network loads as a partial, read-only chain', async () => {
    await using engine = await Engine.open({ genesis: readFileSync(released('main')) });
    expect(engine.status().service).toBe('read-only-mode');
    expect(engine.head.size).toBe(46n);
    const [account] = engine.states.get(parseAccessPath('/object/0x3'));
    expect(account!.meta.stateRoot!).toBe('0xaf6d179aa4db54194950b415d404356ae90301772f3ae047f1a02fcb429d8881');
    const all = engine.bitcoin.utxos({ kind: 'all' }, { limit: 10, descending: true });
    await expect(all).rejects.toMatchObject({ code: 'state-not-loaded' });
    expect(engine.bitcoin.addressOf(parseAddress('0x42'))).toBeUndefined();
  });

  it('is refused when a byte is missing or surplus', () => {
    const file = readFileSync(released('test'));
    expect(() => readReleasedGenesis(file.subarray(0, -1))).toThrow(/expected a released genesis file/);
    expect(() => readReleasedGenesis(Buffer.concat([file, Buffer.of(0)]))).toThrow(/expected a released genesis file/);
  });
});
