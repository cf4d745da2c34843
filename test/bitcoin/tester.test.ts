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
  formatOutPoint,
  nodeAddressOf,
} from '../../src/bitcoin/index.ts';
import { utxoKey } from '../../src/bitcoin/object-key.ts';
import { tapBranchHash, tapLeafHash } from '../../src/bitcoin/public-key.ts';
import { isOpReturn, ScriptCursor } from '../../src/bitcoin/script.ts';
import { addressOfScriptHash, addressOfWitnessPublicKeyHash, addressOfWitnessScriptHash } from './derived-address.ts';
import { RECORDED } from './recorded-blocks.ts';
import { readTesterFile, testerBytes, testerNote } from './tester.ts';

for (const recorded of RECORDED) {
  const bytes = testerBytes(recorded.height);
  const note = testerNote(bytes);

  describe.skipIf(bytes === undefined)(`tester file ${recorded.height}${note}`, () => {
    const file = bytes === undefined ? undefined : readTesterFile(bytes, recorded.hasStakingRecords === true);

    it('has the block, whose witnesses match its commitment', () => {
      expect(formatBitcoinHash(file!.hash)).toBe(recorded.hash);
      const raw = encodeBlock(file!);
      expect(createHash('sha256').update(raw).digest('hex').slice(0, 16)).toBe(recorded.rawSha256);
      const block = decodeBlock(raw);
      assertBlock(block);
      const outputs = block.transactions.flatMap((transaction) => transaction.outputs);
      expect(outputs.filter((output) => isOpReturn(output.scriptPubkey))).toHaveLength(recorded.opReturns ?? 0);
      expect(file!.events.filter((event) => event.kind === 'transfer')).toHaveLength(recorded.transferred[1]);
      expect(Buffer.from(encode(bitcoinBlock, block)).equals(encode(bitcoinBlock, file!))).toBe(true);
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
