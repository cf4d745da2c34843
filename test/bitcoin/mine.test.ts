import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { assertBlock, witnessCommitmentOf } from '../../src/bitcoin/block.ts';
import { assertProofOfWork } from '../../src/bitcoin/header.ts';
import {
  decodeBlock,
  envelopesOf,
  formatBitcoinHash,
  formatInscriptionId,
  formatOutPoint,
  nodeAddressOf,
  parseBitcoinAddress,
  RegtestChain,
  reveal,
  spend,
} from '../../src/bitcoin/index.ts';
import { CHARM } from '../../src/bitcoin/inscription.ts';
import { startBlock } from '../../src/bitcoin/inscription-updater.ts';
import { revealWitness } from '../../src/bitcoin/mine.ts';
import { indexesInscriptions, moveInscriptions } from '../../src/bitcoin/ordinals.ts';
import { OP_RETURN } from '../../src/bitcoin/script.ts';
import { VALUE_SAT_MAX } from '../../src/bitcoin/transaction.ts';
import { Model } from './model.ts';
import { formatSatPoint } from './shared.ts';

const alice = parseBitcoinAddress('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
const bob = parseBitcoinAddress('mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r');
const SUBSIDY = 5_000_000_000n;
/** One output, of no satoshis. */
const nothing = [{ to: bob, value: 0n }];

function outputOf(transaction: { readonly txid: Uint8Array }, vout = 0) {
  return { txid: transaction.txid, vout };
}

describe('mined blocks', () => {
  it('pay accounts by their Bitcoin address', () => {
    const text = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
    const script = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
    const [paid] = new RegtestChain().mine({ to: { bitcoin: text } }).transactions;
    const spent = spend([{ outpoint: outputOf(paid!) }], [{ to: { bitcoin: text }, value: 1n }]);
    expect([paid!, spent].map(({ outputs }) => toHex(outputs[0]!.scriptPubkey))).toEqual([script, script]);
  });

  it('decode, are consistent and carry their work', () => {
    const chain = new RegtestChain();
    const first = chain.mine({ to: alice });
    const inscribing = reveal(outputOf(first.transactions[0]!), { contentType: 'text/plain', body: 'hello' }, [
      { to: bob, value: SUBSIDY - 1000n },
    ]);
    const second = chain.mine({ to: alice, transactions: [inscribing] });
    for (const block of [first, second]) {
      const decoded = decodeBlock(block.bytes);
      assertBlock(decoded);
      assertProofOfWork(decoded.header, 'regtest');
      expect(decoded.hash).toEqual(block.hash);
    }
    expect([first.height, second.height, chain.height]).toEqual([0, 1, 1]);
    expect(second.header.previousHash).toEqual(first.hash);
    expect(second.transactions[0]!.outputs[0]!.value).toBe(SUBSIDY + 1000n);
    expect(witnessCommitmentOf(second.transactions[0]!)).toHaveLength(32);
    expect(witnessCommitmentOf(first.transactions[0]!)).toBeUndefined();
  });

  it('are the same when made again, and differ between branches', () => {
    const make = () => {
      const chain = new RegtestChain();
      for (let height = 0; height < 3; height++) chain.mine({ to: alice });
      const branch = chain.branch(0);
      for (let height = 1; height < 3; height++) branch.mine({ to: alice });
      return [...chain.blocks, ...branch.blocks, chain.branch(0).mine({ to: alice })].map((block) =>
        formatBitcoinHash(block.hash),
      );
    };
    const hashes = make();
    expect(make()).toEqual(hashes);
    // The branches share the first block and nothing else.
    expect(new Set(hashes).size).toBe(6);
    expect(() => new RegtestChain().branch(1)).toThrow(/height: expected a whole number from -1 to -1/);
  });

  it('reveal a change to their witnesses', () => {
    const chain = new RegtestChain({ hash: new Uint8Array(32).fill(7), height: 99 });
    const paid = chain.mine({ to: alice }).transactions[0]!;
    const block = chain.mine({ to: alice, transactions: [reveal(outputOf(paid), { body: 'x'.repeat(99) }, nothing)] });
    expect(block.height).toBe(101);
    const at = Buffer.from(block.bytes).indexOf('xxxx');
    const changed = block.bytes.slice();
    changed[at] = 'y'.charCodeAt(0);
    expect(() => assertBlock(decodeBlock(changed))).toThrow(/witnesses with the coinbase's commitment/);
  });
});

describe('what the builder writes, the parser reads', () => {
  const parent = { txid: new Uint8Array(32).fill(3), index: 258 };
  const full = {
    contentType: 'text/html;charset=utf-8',
    body: 'b'.repeat(1041),
    contentEncoding: 'br',
    metaprotocol: 'bitseed',
    parents: [parent],
    pointer: 0x1234n,
    metadata: new Uint8Array(520).fill(0xa0),
  };

  it('every field', () => {
    const [envelope] = envelopesOf(reveal(outputOf(parent), full, nothing));
    expect(envelope).toMatchObject({ input: 0, offset: 0, pushnum: false, stutter: false });
    expect(envelope!.payload).toEqual({
      ...full,
      body: new TextEncoder().encode(full.body),
      duplicateField: false,
      incompleteField: false,
      unrecognizedEvenField: false,
    });
  });

  it('unknown fields, and fields that occur twice', () => {
    const value = Uint8Array.of(1);
    const flags = (fields: [number, Uint8Array][]) =>
      envelopesOf(reveal(outputOf(parent), { fields }, nothing))[0]!.payload;
    expect(flags([[22, value]])).toMatchObject({ unrecognizedEvenField: true, duplicateField: false });
    expect(flags([[11, value]])).toMatchObject({ unrecognizedEvenField: false, duplicateField: false });
    expect(
      flags([
        [11, value],
        [11, value],
      ]),
    ).toMatchObject({ unrecognizedEvenField: false, duplicateField: true });
  });

  it('several inscriptions in one input', () => {
    const envelopes = envelopesOf(reveal(outputOf(parent), [{ body: 'a' }, { body: 'b' }], nothing));
    expect(envelopes.map(({ offset, payload }) => [offset, toHex(payload.body)])).toEqual([
      [0, '61'],
      [1, '62'],
    ]);
  });
});

describe('ordinals rules that no recorded block shows', () => {
  const start = () => {
    const chain = new RegtestChain({ height: 199 });
    const model = new Model('regtest');
    const mine = (...transactions: ReturnType<typeof spend>[]) => {
      const block = chain.mine({ to: bob, transactions });
      model.block(block.height, block.transactions);
      return block;
    };
    const purse = mine().transactions[0]!;
    return { model, mine, purse };
  };
  const located = (model: Model) => model.bySequence().map(({ inscription }) => formatSatPoint(inscription.location));

  it('a pointer beyond its own transaction names a place in the coinbase', () => {
    const { model, mine, purse } = start();
    const split = spend(
      [{ outpoint: outputOf(purse) }],
      [
        { to: alice, value: 1000n },
        { to: alice, value: SUBSIDY - 1000n },
      ],
    );
    mine(split);
    // The inscription sits past the only output, at offset 0 of an input whose transaction pays nothing on.
    const inscribing = reveal(outputOf(split), { pointer: 777n, body: 'p' }, [{ to: alice, value: 0n }]);
    const block = mine(inscribing);
    const coinbase = formatBitcoinHash(block.transactions[0]!.txid);
    expect(located(model)).toEqual([`${coinbase}:0:777`]);
    expect(model.utxos.get(formatOutPoint(outputOf(block.transactions[0]!)))!.seals).toHaveLength(1);
  });

  it('a pointer to the end of the coinbase names no place in it: the inscription stays where it floated to', () => {
    const { model, mine, purse } = start();
    const split = spend([{ outpoint: outputOf(purse) }], [{ to: alice, value: 1000n }]);
    mine(split);
    const pointer = SUBSIDY + 1000n;
    const block = mine(reveal(outputOf(split), { pointer, body: 'p' }, nothing));
    const [coinbase] = block.transactions;
    expect(coinbase!.outputs.map(({ value }) => value)).toEqual([pointer, 0n]);
    expect(located(model)).toEqual([`${formatBitcoinHash(coinbase!.txid)}:0:${SUBSIDY}`]);
  });

  it('behind an output of unknown value, only a pointer tells where an inscription is', () => {
    const txid = new Uint8Array(32).fill(5);
    const witness = revealWitness({ body: 'unplaced' }, { body: 'placed', pointer: 7n });
    const inputs = [{ outpoint: { txid, vout: 0 } }, { outpoint: { txid, vout: 1 }, witness }];
    const transaction = spend(inputs, [{ to: bob, value: 1000n }]);
    const spent = [
      { value: 0n, hidesOthers: true, inscriptions: [] },
      { value: 1000n, inscriptions: [] },
    ];
    const none = {
      cursedInscriptionCount: 0,
      blessedInscriptionCount: 0,
      unboundInscriptionCount: 0,
      nextSequenceNumber: 0,
      lostSats: 0n,
    };
    const { moves, updater } = moveInscriptions(startBlock(200, none), 'regtest', transaction, spent);
    const placed = moves.map((move) => [move.kind === 'create' && move.inscription.id.index, move.placed]);
    expect(placed).toEqual([[1, { outpoint: { txid: transaction.txid, vout: 0 }, offset: 7n }]]);
    expect(updater.flotsams).toEqual([]);
  });

  // bitcoin.move: ORDINAL_GENESIS_HEIGHT and ORDINALS_PAUSE_HEIGHT.
  it('the main chain follows inscriptions from one height to another, other chains of its network go on', () => {
    const isIndexed = (height: number, isMainChain: boolean) => indexesInscriptions(height, 'bitcoin', isMainChain);
    expect([767_429, 767_430, 859_000, 859_001].map((height) => isIndexed(height, true))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([767_429, 767_430, 859_001].map((height) => isIndexed(height, false))).toEqual([false, true, true]);
    expect(indexesInscriptions(859_001, 'signet', true)).toBe(true);
  });

  it('an inscription goes where its satoshi goes, over several outputs', () => {
    const { model, mine, purse } = start();
    const inscribing = reveal(
      outputOf(purse),
      [{ body: 'a' }, { body: 'b', pointer: 2500n }],
      [{ to: alice, value: SUBSIDY }],
    );
    mine(inscribing);
    const moving = spend(
      [{ outpoint: outputOf(inscribing) }],
      [
        { to: bob, value: 1n },
        { to: alice, value: 2499n },
        { to: bob, value: 2n },
        { to: alice, value: SUBSIDY - 2502n },
      ],
    );
    mine(moving);
    const txid = formatBitcoinHash(moving.txid);
    expect(located(model)).toEqual([`${txid}:0:0`, `${txid}:2:0`]);
    expect(model.bySequence().map(({ owner }) => toHex(owner))).toEqual(
      [bob, bob].map((address) => toHex(nodeAddressOf(address))),
    );
  });

  it('parents are kept as given, and a burn leaves the charm and nobody as owner', () => {
    const { model, mine, purse } = start();
    const parents = [{ txid: new Uint8Array(32).fill(9), index: 0 }];
    const inscribing = reveal(outputOf(purse), { body: 'child', parents }, [{ to: alice, value: SUBSIDY }]);
    mine(inscribing);
    const burning = spend(
      [{ outpoint: outputOf(inscribing) }],
      [
        { scriptPubkey: Uint8Array.of(OP_RETURN), value: 1n },
        { to: alice, value: SUBSIDY - 1n },
      ],
    );
    mine(burning);
    const [{ inscription, owner }] = model.bySequence() as [ReturnType<Model['bySequence']>[number]];
    expect(inscription.parents).toEqual(parents);
    expect(inscription.charms).toBe(CHARM.burned);
    expect(formatInscriptionId(inscription.id)).toBe(`${formatBitcoinHash(inscribing.txid)}i0`);
    expect(toHex(owner)).toBe(`${'0'.repeat(63)}4`);
    // It never moves again: no output lists it.
    expect([...model.utxos.values()].flatMap((utxo) => utxo.seals)).toEqual([]);
  });

  it('a second inscription on a cursed or vindicated one is no curse, but on two it is', () => {
    const { model, mine, purse } = start();
    // Vindicated: the second envelope of one input.
    const both = reveal(
      outputOf(purse),
      [{ body: '0' }, { body: '1', pointer: 5n }],
      [
        { to: alice, value: 5n },
        { to: alice, value: SUBSIDY - 5n },
      ],
    );
    mine(both);
    const onVindicated = reveal(outputOf(both, 1), { body: '2' }, [{ to: alice, value: SUBSIDY - 5n }]);
    const onBlessed = reveal(outputOf(both, 0), { body: '3' }, [{ to: alice, value: 5n }]);
    mine(onVindicated, onBlessed);
    const onTwo = reveal(outputOf(onVindicated), { body: '4' }, [{ to: alice, value: SUBSIDY - 5n }]);
    mine(onTwo);
    const { vindicated, reinscription } = CHARM;
    expect(model.bySequence().map(({ inscription }) => inscription.charms)).toEqual([
      0,
      vindicated,
      reinscription,
      reinscription | vindicated,
      reinscription | vindicated,
    ]);
  });

  it('the count of lost satoshis stops at zero when a coinbase claims more than the count', () => {
    const chain = new RegtestChain({ height: 199 });
    const model = new Model('regtest');
    // The input is not known, so it is worth nothing and the inscription floats to the coinbase.
    const unknown = reveal({ txid: new Uint8Array(32).fill(5), vout: 0 }, { body: 'u' }, nothing);
    const block = chain.mine({
      to: bob,
      transactions: [unknown],
      coinbaseOutputs: [{ to: bob, value: SUBSIDY + 1_000_000n }],
    });
    model.block(block.height, block.transactions);
    expect(model.store.lostSats).toBe(0n);
    expect(model.bySequence()[0]!.inscription.charms).toBe(CHARM.unbound);
    expect(located(model)).toEqual([`${'0'.repeat(64)}:0:0`]);
  });

  it('sums of satoshis stop at what the chain can hold, though nobody checks that outputs are worth less', () => {
    const u64 = 2n ** 64n - 1n;
    const spent = Array.from({ length: 9_000 }, () => ({ value: VALUE_SAT_MAX, inscriptions: [] }));
    const txid = new Uint8Array(32).fill(5);
    // An inscription in the last input, beyond what an offset can say.
    const witness = revealWitness({ body: 'far' });
    const inputs = spent.map((_, vout) => ({ outpoint: { txid, vout }, witness: vout === 8_999 ? witness : [] }));
    const none = {
      cursedInscriptionCount: 0,
      blessedInscriptionCount: 0,
      unboundInscriptionCount: 0,
      nextSequenceNumber: 0,
    };
    const start = startBlock(200, { ...none, lostSats: u64 - 1n });
    const { updater } = moveInscriptions(start, 'regtest', spend(inputs, [{ to: bob, value: 0n }]), spent);
    expect([updater.reward, updater.flotsams.map(({ offset }) => offset)]).toEqual([u64, [u64]]);
    const coinbase = new RegtestChain({ height: 199 }).mine({ to: bob }).transactions[0]!;
    const last = moveInscriptions(updater, 'regtest', coinbase, []);
    expect(last.updater.lostSats).toBe(u64);
    expect(last.moves.map((move) => move.placed.offset)).toEqual([u64]);
  });
});
