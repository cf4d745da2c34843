/**
 * Mutated blocks and scripts: whatever the bytes, the parser gives a block or an `EngineError`, and what it gives is
 * canonical and can be walked by every rule.
 */
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import { addressOfScript, scriptOfAddress } from '../../src/bitcoin/address-derivation.ts';
import { assertBlock } from '../../src/bitcoin/block.ts';
import { readRecord, scanEnvelopes } from '../../src/bitcoin/envelope.ts';
import { decodeBlock, encodeBlock, parseBitcoinAddress, RegtestChain, reveal, spend } from '../../src/bitcoin/index.ts';
import { startBlock } from '../../src/bitcoin/inscription-updater.ts';
import { envelopeScript } from '../../src/bitcoin/mine.ts';
import { moveInscriptions } from '../../src/bitcoin/ordinals.ts';
import { isNullOutPoint } from '../../src/bitcoin/outpoint.ts';
import { randomNumbers, runs, seed } from '../effort.ts';
import { mutate } from './mutate.ts';
import { sharedFile, sharedPresent, skipNote } from './shared.ts';

const RUNS = runs(400, 100_000);
/** A block of 1.6 MB takes as long as 1,000 small ones. */
const LARGE_RUNS = Math.ceil(RUNS / 200);
const TIMEOUT_MS = 240_000 + 10 * RUNS;

/** Runs everything that reads a block; gives what became of it. */
function feed(bytes: Uint8Array): 'malformed' | 'inconsistent' | 'whole' {
  let block: ReturnType<typeof decodeBlock>;
  try {
    block = decodeBlock(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    expect((error as EngineError).code).toBe('malformed-bytes');
    return 'malformed';
  }
  expect(Buffer.from(encodeBlock(block)).equals(bytes)).toBe(true);
  let updater = startBlock(1, {
    cursedInscriptionCount: 0,
    blessedInscriptionCount: 0,
    unboundInscriptionCount: 0,
    lostSats: 0n,
    nextSequenceNumber: 0,
  });
  for (const transaction of block.transactions) {
    const inputs = transaction.inputs.filter(({ previousOutput }) => !isNullOutPoint(previousOutput));
    const spent = inputs.map((_, index) => ({ value: BigInt(index * 1000), inscriptions: [] }));
    ({ updater } = moveInscriptions(updater, 'regtest', transaction, spent));
  }
  try {
    assertBlock(block);
    return 'whole';
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    return 'inconsistent';
  }
}

function smallBlocks(): Uint8Array[] {
  const to = parseBitcoinAddress('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
  const chain = new RegtestChain();
  const outpoint = { txid: chain.mine({ to }).transactions[0]!.txid, vout: 0 };
  const contents = [
    { contentType: 'text/plain', body: 'a' },
    { pointer: 9n, metaprotocol: 'm' },
    { parents: [{ txid: outpoint.txid, index: 1 }] },
  ];
  const revealing = reveal(outpoint, contents, [
    { to, value: 1000n },
    { scriptPubkey: Uint8Array.of(0x6a), value: 1n },
  ]);
  const moving = spend([{ outpoint: { txid: revealing.txid, vout: 0 } }], [{ to, value: 1n }]);
  chain.mine({ to, transactions: [revealing, moving] });
  const recorded = sharedPresent ? ['91812', '91842'].map((height) => sharedFile(`data/blocks/${height}.blob`)) : [];
  return [...chain.blocks.map((block) => block.bytes), ...recorded];
}

describe(`mutations, seed ${seed}`, { timeout: TIMEOUT_MS }, () => {
  it(`${RUNS} small blocks`, () => {
    const next = randomNumbers(seed);
    const blocks = smallBlocks();
    for (const block of blocks) expect(feed(block)).toBe('whole');
    const outcomes = { malformed: 0, inconsistent: 0, whole: 0 };
    for (let run = 0; run < RUNS; run++) outcomes[feed(mutate(blocks[run % blocks.length]!, next))]++;
    // A mutation may undo another one; nothing else leaves a block whole.
    expect(outcomes.whole).toBeLessThan(RUNS / 20 + 5);
    expect(outcomes.malformed).toBeGreaterThan(RUNS / 10);
    expect(outcomes.inconsistent).toBeGreaterThan(RUNS / 10);
  });

  it.skipIf(!sharedPresent)(`${LARGE_RUNS} large blocks${skipNote}`, () => {
    const next = randomNumbers(seed + 1);
    const block = sharedFile('data/blocks/818677.blob');
    for (let run = 0; run < LARGE_RUNS; run++) {
      const changed = block.slice(0, next(4) === 0 ? next(block.length) : block.length);
      for (let left = next(3); left >= 0; left--) changed[next(changed.length)] = next(256);
      feed(changed);
    }
  });

  it(`${RUNS} scripts`, () => {
    const next = randomNumbers(seed + 2);
    const whole = envelopeScript({
      contentType: 'text/plain',
      body: 'x'.repeat(600),
      pointer: 1n,
      metadata: new Uint8Array(3),
    });
    const scripts = [
      whole,
      Uint8Array.from([...whole, ...whole]),
      fromHex(`76a914${'11'.repeat(20)}88ac`),
      fromHex(`41${'04'.repeat(65)}ac`),
    ];
    let withEnvelopes = 0;
    let withAddress = 0;
    for (let run = 0; run < RUNS; run++) {
      const script = mutate(scripts[run % scripts.length]!, next);
      const records = scanEnvelopes(script).map(({ payload }) => readRecord(payload));
      if (records.length > 0) withEnvelopes++;
      // What envelopes say stands in the script.
      const said = records.reduce((sum, { body, metadata }) => sum + body.length + metadata.length, 0);
      expect(said).toBeLessThanOrEqual(script.length);
      const address = addressOfScript(script);
      const isBareKey = script.at(-1) === 0xac && (script[0] === 33 || script[0] === 65);
      if (address.length === 0 || isBareKey) continue;
      withAddress++;
      expect(toHex(scriptOfAddress(address))).toBe(toHex(script));
    }
    expect(withEnvelopes).toBeGreaterThan(RUNS / 20);
    expect(withAddress).toBeGreaterThan(RUNS / 100);
  });
});
