import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import { equalBytes, toHex } from '../../src/base/bytes/bytes.ts';
import { addressOfPublicKeyHash, addressOfTaproot } from '../../src/bitcoin/address-derivation.ts';
import { assertBlock, bitcoinBlock } from '../../src/bitcoin/block.ts';
import {
  decodeBlock,
  encodeBlock,
  envelopesOf,
  formatBitcoinHash,
  formatInscriptionId,
  formatOutPoint,
  nodeAddressOf,
} from '../../src/bitcoin/index.ts';
import { CHARM, signedInscriptionNumber } from '../../src/bitcoin/inscription.ts';
import { utxoKey } from '../../src/bitcoin/object-key.ts';
import { tapBranchHash, tapLeafHash } from '../../src/bitcoin/public-key.ts';
import { isOpReturn, ScriptCursor } from '../../src/bitcoin/script.ts';
import { addressOfScriptHash, addressOfWitnessPublicKeyHash, addressOfWitnessScriptHash } from './derived-address.ts';
import { Model } from './model.ts';
import { RECORDED } from './recorded-blocks.ts';
import { formatSatPoint } from './shared.ts';
import { readTesterFile, type TesterFile, testerBytes, testerNote } from './tester.ts';

function run(file: TesterFile): Model {
  const model = new Model('bitcoin');
  for (const { owner, utxo } of file.utxos) {
    model.addUtxo({ outpoint: { txid: utxo.txid, vout: utxo.vout }, value: utxo.value, owner, seals: [] });
  }
  model.block(file.height, file.transactions);
  return model;
}

for (const recorded of RECORDED) {
  const bytes = testerBytes(recorded.height);
  const note = testerNote(bytes);

  describe.skipIf(bytes === undefined)(`tester file ${recorded.height}${note}`, () => {
    const file = bytes === undefined ? undefined : readTesterFile(bytes, recorded.hasStakingRecords === true);
    const model = file === undefined ? undefined : run(file);

    it('has the block, whose witnesses match its commitment', () => {
      expect(formatBitcoinHash(file!.hash)).toBe(recorded.hash);
      const raw = encodeBlock(file!);
      expect(createHash('sha256').update(raw).digest('hex').slice(0, 16)).toBe(recorded.rawSha256);
      const block = decodeBlock(raw);
      assertBlock(block);
      expect(Buffer.from(encode(bitcoinBlock, block)).equals(encode(bitcoinBlock, file!))).toBe(true);
    });

    it('leaves the recorded outputs, owners, inscriptions and counters', () => {
      expect([model!.missing, model!.utxos.size]).toEqual([0, recorded.utxos]);
      if (recorded.digests === undefined) return;
      expect([model!.value, model!.mapped.size]).toEqual([recorded.value, recorded.mapped]);
      expect([model!.received, model!.spent]).toEqual(recorded.queued);
      const outputs = file!.transactions.flatMap((transaction) => transaction.outputs);
      expect(outputs.filter((output) => isOpReturn(output.scriptPubkey))).toHaveLength(recorded.opReturns ?? 0);
      const { blessedInscriptionCount, cursedInscriptionCount, unboundInscriptionCount, lostSats } = model!.store;
      expect([blessedInscriptionCount, cursedInscriptionCount, unboundInscriptionCount]).toEqual(recorded.counts);
      expect(lostSats).toBe(recorded.lostSats);
      expect([model!.utxoDigest(), model!.inscriptionDigest(), model!.inscriptionBcsDigest()]).toEqual(
        recorded.digests,
      );
    });

    it('agrees with the ordinals indexer: creations in order, and every transfer', () => {
      const created = model!.moves.filter((move) => move.kind === 'create');
      const transferred = model!.moves.filter((move) => move.kind === 'transfer');
      const logged = file!.events.filter((event) => event.kind === 'create');
      const moved = file!.events.filter((event) => event.kind === 'transfer');
      expect([created.length, transferred.length]).toEqual([recorded.created, recorded.transferred[0]]);
      // The file of 864790 has no log.
      if (recorded.reinscriptions === undefined) return;
      expect(created.map((move) => [formatInscriptionId(move.inscription.id), formatSatPoint(move.placed)])).toEqual(
        logged.map((event) => [formatInscriptionId(event.id), formatSatPoint(event.placed!)]),
      );
      const withoutMark = (charms: number) => charms & ~CHARM.reinscription;
      expect(created.map((move) => withoutMark(move.inscription.charms))).toEqual(
        logged.map((event) => withoutMark(event.charms)),
      );
      const differing = created.filter((move, index) => move.inscription.charms !== logged[index]!.charms);
      expect(differing).toHaveLength(recorded.reinscriptions);
      expect(created.map((move) => move.inscription.parents)).toEqual(logged.map((event) => event.parents));
      expect(moved).toHaveLength(recorded.transferred[1]!);
      const known = new Set(
        moved.map(
          (event) => `${formatInscriptionId(event.id)} ${formatSatPoint(event.old!)} ${formatSatPoint(event.placed!)}`,
        ),
      );
      for (const move of transferred) {
        expect(known).toContain(
          `${formatInscriptionId(move.id)} ${formatSatPoint(move.old)} ${formatSatPoint(move.placed)}`,
        );
      }
    });

    it('has stored outputs under our object keys, with the owners that their spenders reveal', () => {
      const byOutpoint = new Map(file!.utxos.map((stored) => [formatOutPoint(stored.utxo), stored]));
      for (const { key, utxo } of file!.utxos) expect(equalBytes(key, utxoKey(utxo))).toBe(true);
      let derived = 0;
      for (const { previousOutput, scriptSig, witness } of file!.transactions.flatMap(({ inputs }) => inputs)) {
        const stored = byOutpoint.get(formatOutPoint(previousOutput));
        if (stored === undefined) continue;
        const owners = revealedOwners(scriptSig, witness);
        if (owners.some((owner) => equalBytes(owner, stored.owner))) derived++;
      }
      expect(derived).toBe(recorded.derived);
    });
  });
}

/**
 * The node addresses that an input can prove by what it reveals: a key's hash, a wrapped program, a redeem or witness
 * script, a script path of taproot. A taproot key path or a bare key reveals nothing.
 */
function revealedOwners(scriptSig: Uint8Array, witness: readonly Uint8Array[]): Uint8Array[] {
  const last = witness.at(-1);
  const pushes = pushesOf(scriptSig);
  if (last === undefined)
    return pushes
      .slice(-1)
      .flatMap((push) => [addressOfPublicKeyHash(push), addressOfScriptHash(push)])
      .map(nodeAddressOf);
  if (pushes.length > 0) return [nodeAddressOf(addressOfScriptHash(pushes[0]!))];
  const owners = [addressOfWitnessPublicKeyHash(last), addressOfWitnessScriptHash(last)];
  const isScriptPath = witness.length >= 2 && last.length >= 33 && last.length % 32 === 1 && (last[0]! & 0xfe) === 0xc0;
  return (isScriptPath ? [...owners, scriptPathAddress(witness)] : owners).map(nodeAddressOf);
}

function pushesOf(script: Uint8Array): Uint8Array[] {
  const pushes: Uint8Array[] = [];
  for (const cursor = new ScriptCursor(script); !cursor.atEnd; cursor.next()) pushes.push(cursor.data);
  return pushes;
}

/** BIP 341: the control block names the internal key and the path from the script's leaf to the root. */
function scriptPathAddress(witness: readonly Uint8Array[]): Uint8Array {
  const control = witness.at(-1)!;
  let root = tapLeafHash(witness.at(-2)!);
  for (let at = 33; at < control.length; at += 32) root = tapBranchHash(root, control.subarray(at, at + 32));
  return addressOfTaproot(control.subarray(1, 33), root);
}

describe.skipIf(testerBytes(781735) === undefined)(`named cases of 781735${testerNote(testerBytes(781735))}`, () => {
  it('an inscription that was cursed and moved within its block', () => {
    const model = run(readTesterFile(testerBytes(781735)!, false));
    const { inscription } = model.inscriptions.get(
      '092111e882a8025f3f05ab791982e8cc7fd7395afe849a5949fd56255b5c41cci24',
    )!;
    expect([inscription.sequenceNumber, signedInscriptionNumber(inscription), inscription.charms]).toEqual([
      30, -24, 2,
    ]);
    expect(formatSatPoint(inscription.location)).toBe(
      'b3d9c7a005e6dcaef0734eeccfa2f59bc42004ca210679bf665267d95b997574:13:403759',
    );
  });

  it('116 images in as many inputs', () => {
    const file = readTesterFile(testerBytes(781735)!, false);
    const transaction = file.transactions.find(
      ({ txid }) => formatBitcoinHash(txid) === '092111e882a8025f3f05ab791982e8cc7fd7395afe849a5949fd56255b5c41cc',
    )!;
    const envelopes = envelopesOf(transaction);
    expect(envelopes.map(({ input, offset }) => [input, offset])).toEqual(
      transaction.inputs.map((_, index) => [index, 0]),
    );
    expect(new Set(envelopes.map(({ payload }) => payload.contentType))).toEqual(new Set(['image/png']));
    const digests = [0, 115].map((index) =>
      toHex(createHash('sha256').update(envelopes[index]!.payload.body).digest()),
    );
    expect(digests.map((digest) => digest.slice(0, 16))).toEqual(['0bb58d39ec85b5c0', '5e3bca9d2bdc08f1']);
    expect([envelopes[0]!.payload.body.length, envelopes[115]!.payload.body.length]).toEqual([1808, 1725]);
  });
});
