/** Signed transactions: signing, checking who signed, encoding and decoding. The baseline is @noble/curves. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { decode, encode } from '../src/base/bcs.ts';
import { loadSecp256k1 } from '../src/base/hash/secp256k1.ts';
import { bitcoinSigner, sessionSigner } from '../src/chain/signature/signer.ts';
import { readClaim, verifyAuthenticator } from '../src/chain/signature/verify.ts';
import { signedTransaction, transactionHash } from '../src/chain/transaction/signed.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { parseAddress } from '../src/move/address.ts';
import { type Baseline, type BenchLine, line } from './line.ts';
import { timer } from './measure.ts';

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  await loadSecp256k1();
  const time = timer(short);
  const [account] = DEV_ACCOUNTS;
  const address = parseAddress(account!.address);
  const kinds = [
    ["secp256k1, a Bitcoin wallet's", bitcoinSigner(account!.privateKey), secp256k1],
    ["Ed25519, a session key's", sessionSigner(address, '11'.repeat(32)), ed25519],
  ] as const;
  const lines: BenchLine[] = [];
  const secret = new Uint8Array(32).fill(0x11);
  for (const [name, signer, noble] of kinds) {
    const data = {
      sender: parseAddress(signer.address),
      sequenceNumber: 1n,
      chainId: 4n,
      maxGasAmount: 1n,
      action: { kind: 'modules', modules: [] },
    } as const;
    const signed = signer.sign(data);
    const hash = transactionHash(data);
    const [check] = readClaim(hash, signed.authenticator)!.checks;
    const { signature, message, publicKey } = check!;
    const bytes = encode(signedTransaction, signed);
    const add = async (what: string, call: () => unknown, baseline?: Baseline): Promise<void> => {
      lines.push(line(`${name} signature: ${what}`, await time(call), 'us', baseline));
    };
    const nobleSigns = { name: '@noble/curves', value: await time(() => noble.sign(message, secret)) };
    const nobleChecks = { name: '@noble/curves', value: await time(() => noble.verify(signature, message, publicKey)) };
    await add('made', () => signer.sign(data), nobleSigns);
    await add('checked', () => verifyAuthenticator(hash, signed.authenticator), nobleChecks);
    await add('its transaction encoded', () => encode(signedTransaction, signed));
    await add('its transaction decoded', () => decode(signedTransaction, bytes));
  }
  return lines;
}
