import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { signSecp256k1 } from '../../../src/base/hash/secp256k1.ts';
import { addressOfTaproot } from '../../../src/bitcoin/address-derivation.ts';
import {
  type BitcoinSignerOptions,
  bitcoinSigner,
  multisignSigner,
  sessionSigner,
} from '../../../src/chain/signature/signer.ts';
import { verifyAuthenticator } from '../../../src/chain/signature/verify.ts';
import { type BitcoinPayload, bitcoinPayload, multisignPayload } from '../../../src/chain/transaction/auth-payload.ts';
import { type TransactionData, transactionHash, VALIDATOR_BITCOIN } from '../../../src/chain/transaction/signed.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { parseAddress } from '../../../src/move/address.ts';
import { addressOfWitnessPublicKeyHash } from '../../bitcoin/derived-address.ts';

const ACCOUNT = DEV_ACCOUNTS[0]!;
const OTHER = DEV_ACCOUNTS[1]!;
const SENDER = parseAddress(ACCOUNT.address);
const DATA: TransactionData = {
  sender: SENDER,
  sequenceNumber: 7n,
  chainId: 4n,
  maxGasAmount: 1_000n,
  action: { kind: 'modules', modules: [] },
};
const HASH = transactionHash(DATA);
const invalid = expect.objectContaining({ code: 'invalid-argument' });
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

function payloadOf(options: BitcoinSignerOptions, data: TransactionData = DATA): BitcoinPayload {
  return decode(bitcoinPayload, bitcoinSigner(ACCOUNT.privateKey, options).sign(data).authenticator.payload);
}

describe('the message of a Bitcoin signature', () => {
  it.each([
    ['', ''],
    ['sdk', 'sdk\n'],
    ['two\nlines\n', 'two\nlines\n'],
    ['\nfirst', '\nfirst\n'],
  ])('shows %j, ended by a line feed', (info, shown) => {
    expect(textOf(payloadOf({ info }).messageInfo)).toBe(`Rooch Transaction:\n${shown}`);
  });

  it('is what wallets sign by the convention of signmessage, in both forms', () => {
    // 24 bytes; then 19 of the start, 4 of the text and 64 digits.
    const prefix = `\x18Bitcoin Signed Message:\n`;
    const whole = `${prefix}\x57Rooch Transaction:\nsdk\n${toHex(HASH)}`;
    const digest = sha256(sha256(Buffer.from(whole, 'latin1')));
    const consensus = payloadOf({ info: 'sdk' });
    expect(textOf(consensus.messagePrefix)).toBe('Bitcoin Signed Message:\n');
    const legacy = payloadOf({ info: 'sdk', messageForm: 'legacy' });
    expect(textOf(legacy.messagePrefix)).toBe(`${prefix}\x57`);
    for (const { signature } of [consensus, legacy]) {
      expect(secp256k1.verify(signature, digest, fromHex(ACCOUNT.publicKey), { prehash: false })).toBe(true);
    }
  });

  it('is refused without the required prefix', () => {
    const proofOf = (start: string): unknown => {
      const messagePrefix = Buffer.from('Bitcoin Signed Message:\n');
      const messageInfo = Buffer.from(start);
      const message = Buffer.concat([Buffer.of(24), messagePrefix, Buffer.of(start.length + 64), messageInfo]);
      const signed = sha256(Buffer.concat([message, Buffer.from(toHex(HASH))]));
      const signature = signSecp256k1(signed, fromHex(ACCOUNT.privateKey));
      const payload = encode(bitcoinPayload, { ...payloadOf({}), signature, messagePrefix, messageInfo });
      return verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN, payload });
    };
    expect(proofOf('Rooch Transaction:\n')).toBeDefined();
    expect(proofOf('Rooch Transaction: ')).toBeUndefined();
    expect(proofOf('Rooch')).toBeUndefined();
  });
});

describe('a signer', () => {
  // The networks that crates/rooch-types/src/rooch_network.rs of the reference pairs.
  it.each([
    [1n, 'bc1p'],
    [2n, 'tb1p'],
    [3n, 'bcrt1p'],
    [4n, 'bcrt1p'],
  ])('writes its address as the network of chain %s does', (chainId, start) => {
    const { fromAddress } = payloadOf({}, { ...DATA, chainId });
    expect(fromAddress.slice(0, start.length)).toBe(start);
    expect(payloadOf({ network: 'signet' }, { ...DATA, chainId }).fromAddress).toMatch(/^tb1p/);
  });

  it('takes an address of its key, and none of another key', () => {
    const own = addressOfWitnessPublicKeyHash(fromHex(ACCOUNT.publicKey));
    expect(bitcoinSigner(ACCOUNT.privateKey, { bitcoinAddress: own }).bitcoinAddress).toEqual(own);
    const bitcoinAddress = addressOfTaproot(fromHex(OTHER.publicKey));
    expect(() => bitcoinSigner(ACCOUNT.privateKey, { bitcoinAddress })).toThrow(invalid);
  });

  it.each([
    ['of a Bitcoin key', bitcoinSigner(ACCOUNT.privateKey)],
    ['of several keys', multisignSigner(SENDER, [ACCOUNT.privateKey])],
    ['of a session key', sessionSigner(SENDER, ACCOUNT.privateKey)],
  ])('%s signs nothing of another sender', (_, signer) => {
    expect(signer.sign(DATA).data).toBe(DATA);
    expect(() => signer.sign({ ...DATA, sender: parseAddress(OTHER.address) })).toThrow(invalid);
  });

  const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  it.each([
    ['too short', '11'.repeat(31)],
    ['too long', '11'.repeat(33)],
    ['with something before', `z${'11'.repeat(32)}`],
    ['with something after', `${'11'.repeat(32)}zz`],
    ['zero', '00'.repeat(32)],
    ['the order of the curve', ORDER],
    ['bytes that are zero', new Uint8Array(32)],
    ['bytes that are too few', new Uint8Array(31).fill(1)],
    ['a number', 7 as never],
  ])('has no key that is %s', (_, key) => {
    for (const make of [
      () => bitcoinSigner(key),
      () => multisignSigner(SENDER, [ACCOUNT.privateKey, key]),
      () => sessionSigner(SENDER, key, 'secp256k1'),
    ])
      expect(make).toThrow(invalid);
  });

  it('takes its key as bytes, which stay its own, or as digits of either case', () => {
    const secret = fromHex(ACCOUNT.privateKey);
    const signer = bitcoinSigner(secret);
    secret.fill(1);
    const { payload } = signer.sign(DATA).authenticator;
    for (const digits of [ACCOUNT.privateKey, `0x${ACCOUNT.privateKey.toUpperCase()}`]) {
      expect(bitcoinSigner(digits).sign(DATA).authenticator.payload).toEqual(payload);
    }
  });

  it('of several keys has at least one', () => {
    expect(() => multisignSigner(SENDER, [])).toThrow(invalid);
    const { payload } = multisignSigner(SENDER, [ACCOUNT.privateKey, OTHER.privateKey]).sign(DATA).authenticator;
    expect(decode(multisignPayload, payload).publicKeys.map(toHex)).toEqual([ACCOUNT.publicKey, OTHER.publicKey]);
  });
});
