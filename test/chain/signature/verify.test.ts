import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Authenticator, BitcoinSignMessage, Ed25519Keypair, Secp256k1Keypair } from '@roochnetwork/rooch-sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { formatBitcoinAddress } from '../../../src/bitcoin/address.ts';
import { addressOfPublicKeyHash, addressOfTaproot } from '../../../src/bitcoin/address-derivation.ts';
import { bitcoinSigner, multisignSigner, sessionSigner } from '../../../src/chain/signature/signer.ts';
import {
  isAccepted,
  isWellFormed,
  sessionAuthenticationKey,
  verifyAuthenticator,
} from '../../../src/chain/signature/verify.ts';
import {
  bitcoinPayload,
  decodeSessionPayload,
  multisignPayload,
  SESSION_SCHEMES,
  type SessionScheme,
} from '../../../src/chain/transaction/auth-payload.ts';
import {
  transactionHash,
  VALIDATOR_BITCOIN,
  VALIDATOR_BITCOIN_MULTISIGN,
  VALIDATOR_DID,
  VALIDATOR_SESSION,
} from '../../../src/chain/transaction/signed.ts';
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../../../src/execution/framework/accounts.ts';
import { formatAddress, parseAddress } from '../../../src/move/address.ts';
import { transactionDataArbitrary } from '../../arbitraries/transaction.ts';
import { addressOfWitnessPublicKeyHash } from '../../bitcoin/derived-address.ts';
import wycheproofVectors from '../../vectors/wycheproof.json' with { type: 'json' };

/** Signatures over a message, and whether they are valid. */
type Case = readonly [title: string, key: string, message: string, signature: string, valid: boolean];
const wycheproof = wycheproofVectors as unknown as Readonly<Record<SessionScheme, readonly Case[]>>;

const ACCOUNT = DEV_ACCOUNTS[0]!;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A wallet's signature from the tests of the reference (bitcoin_validator.move), and the hash that it signs. */
const WALLET_HASH = fromHex('5415b18de0b880bb2af5dfe1ee27fd19ae8a0c99b5328e8b4b44f4c86cc7176a');
const WALLET_PAYLOAD = fromHex(
  '407e5b0c1da7d2bed7c2497b7c7c46b1a485883029a3bb1479493688ad347bcafa2bd82c6fd9bb2515f9e0c697f621ac0a28fb9f8c0e565d5b6d4e20bf18ce86621a18426974636f696e205369676e6564204d6573736167653a0ae2a201526f6f6368205472616e73616374696f6e3a0a57656c636f6d6520746f20726f6f63685f746573740a596f752077696c6c20617574686f72697a652073657373696f6e3a0a53636f70653a0a3078663962313065366337363066316361646365393563363634623361336561643363393835626265396436336264353161396266313736303738356432366131623a3a2a3a3a2a0a54696d654f75743a313030300a21031a446b6ac064acb14687764871dad6c08186a788248d585b3cce69231b48d1382a62633171333234356e706d3430346874667a76756c783676347736356d61717a7536617474716c336677',
);

describe('a Bitcoin wallet', () => {
  it('is known by its signature (reference vector)', () => {
    const authenticator = { validatorId: VALIDATOR_BITCOIN, payload: WALLET_PAYLOAD };
    const proof = verifyAuthenticator(WALLET_HASH, authenticator);
    expect(proof?.kind === 'bitcoin' && formatBitcoinAddress(proof.bitcoinAddress, 'bitcoin')).toBe(
      'bc1q3245npm404htfzvulx6v4w65maqzu6attql3fw',
    );
    expect(verifyAuthenticator(WALLET_HASH.with(0, 0x55), authenticator)).toBeUndefined();
  });

  it('signs as the official SDK does', async () => {
    const keypair = Secp256k1Keypair.deriveKeypair(DEV_MNEMONIC);
    for (const info of ['sdk', 'Welcome\nto Move', 'x'.repeat(300)]) {
      const { payload } = await Authenticator.bitcoin(new BitcoinSignMessage(WALLET_HASH, info), keypair);
      const proof = verifyAuthenticator(WALLET_HASH, { validatorId: VALIDATOR_BITCOIN, payload });
      expect(proof?.kind === 'bitcoin' && formatAddress(proof.account)).toBe(ACCOUNT.address);
    }
  });

  it('signs in either form of the message, for any address of its key, and nothing else holds', () => {
    const publicKey = fromHex(ACCOUNT.publicKey);
    const addresses = [
      addressOfTaproot(publicKey),
      addressOfPublicKeyHash(publicKey),
      addressOfWitnessPublicKeyHash(publicKey),
    ];
    fc.assert(
      fc.property(
        transactionDataArbitrary,
        fc.constantFrom(...addresses),
        fc.constantFrom('consensus' as const, 'legacy' as const),
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (plan, bitcoinAddress, messageForm, info, place, change) => {
          const signer = bitcoinSigner(ACCOUNT.privateKey, { bitcoinAddress, messageForm, info });
          const { data, authenticator } = signer.sign({ ...plan, sender: parseAddress(signer.address) });
          const hash = transactionHash(data);
          expect(verifyAuthenticator(hash, authenticator)).toEqual({
            kind: 'bitcoin',
            publicKey,
            bitcoinAddress,
            account: parseAddress(signer.address),
          });
          const { payload } = authenticator;
          const at = place % payload.length;
          const damaged = { ...authenticator, payload: payload.with(at, payload[at]! ^ change) };
          const proof = verifyAuthenticator(hash, damaged);
          // Addresses of one key may be written in upper case: another text, the same signer.
          if (proof !== undefined) expect(proof).toMatchObject({ kind: 'bitcoin', publicKey });
          expect(verifyAuthenticator(hash.with(0, hash[0]! ^ change), authenticator)).toBeUndefined();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('cannot have its signature made malleable: the higher s is refused', () => {
    const payload = signedPayload();
    const { signature, ...parts } = decode(bitcoinPayload, payload);
    const s = ORDER - BigInt(`0x${toHex(signature.subarray(32))}`);
    const high = new Uint8Array([...signature.subarray(0, 32), ...fromHex(s.toString(16).padStart(64, '0'))]);
    expect(holds(payload)).toBe(true);
    expect(holds(encode(bitcoinPayload, { signature: high, ...parts }))).toBe(false);
    expect(holds(encode(bitcoinPayload, { signature: signature.subarray(1), ...parts }))).toBe(false);
  });

  it('signs for an address that is its own', () => {
    const payload = signedPayload();
    const fields = decode(bitcoinPayload, payload);
    const fromAddress = DEV_ACCOUNTS[1]!.regtestAddress;
    expect(holds(encode(bitcoinPayload, { ...fields, fromAddress }))).toBe(false);
    expect(holds(encode(bitcoinPayload, { ...fields, fromAddress: 'nowhere' }))).toBe(false);
    expect(holds(encode(bitcoinPayload, { ...fields, publicKey: fields.publicKey.subarray(1) }))).toBe(false);
  });
});

it('the result belongs to the caller: writing to it changes no later answer', () => {
  const session = sessionSigner(parseAddress('0x42'), '11'.repeat(32), 'ed25519');
  const { data, authenticator } = session.sign({
    sender: parseAddress('0x42'),
    sequenceNumber: 0n,
    chainId: 4n,
    maxGasAmount: 1n,
    action: { kind: 'modules', modules: [] },
  });
  const hash = transactionHash(data);
  const asked: [Uint8Array, typeof authenticator][] = [
    [HASH, { validatorId: VALIDATOR_BITCOIN, payload: signedPayload() }],
    [hash, authenticator],
    [HASH, multisignSigner(SENDER, [ACCOUNT.privateKey]).sign({ ...DATA, sender: SENDER }).authenticator],
  ];
  for (const [of, by] of asked) {
    const before = structuredClone(verifyAuthenticator(of, by));
    for (const part of Object.values(verifyAuthenticator(of, by)!).flat()) {
      if (part instanceof Uint8Array) part.fill(0);
    }
    expect(verifyAuthenticator(of, by)).toEqual(before);
  }
});

describe('session keys', () => {
  it.each(SESSION_SCHEMES)('of scheme %s are known by their signatures', (scheme) => {
    const signer = sessionSigner(parseAddress('0x42'), '11'.repeat(32), scheme);
    fc.assert(
      fc.property(transactionDataArbitrary, fc.nat(), fc.integer({ min: 1, max: 255 }), (plan, place, change) => {
        const { data, authenticator } = signer.sign({ ...plan, sender: parseAddress(signer.address) });
        const hash = transactionHash(data);
        const { publicKey, authenticationKey } = signer;
        expect(verifyAuthenticator(hash, authenticator)).toEqual({
          kind: 'session',
          scheme,
          publicKey,
          authenticationKey,
        });
        const { payload } = authenticator;
        const at = place % payload.length;
        const damaged = { ...authenticator, payload: payload.with(at, payload[at]! ^ change) };
        expect(verifyAuthenticator(hash, damaged)).toBeUndefined();
        expect(verifyAuthenticator(hash, { ...authenticator, payload: payload.subarray(1) })).toBeUndefined();
      }),
      { numRuns: 15 },
    );
  });

  it('sign as the official SDK does, and have the authentication key that it names', async () => {
    const keypair = Ed25519Keypair.deriveKeypair(DEV_MNEMONIC);
    const { payload } = await Authenticator.session(WALLET_HASH, keypair);
    const proof = verifyAuthenticator(WALLET_HASH, { validatorId: VALIDATOR_SESSION, payload });
    expect(proof?.kind === 'session' && formatAddress(proof.authenticationKey)).toBe(
      keypair.getRoochAddress().toHexAddress(),
    );
  });

  it('of scheme p256 have an authentication key of 33 bytes (0x3::session_key)', () => {
    expect(sessionAuthenticationKey('p256', new Uint8Array(33))).toHaveLength(33);
    expect(sessionAuthenticationKey('secp256k1', new Uint8Array(33))).toHaveLength(32);
  });
});

describe('several signers', () => {
  const payloadOf = (accounts: readonly number[]): Uint8Array => {
    const keys = accounts.map((index) => DEV_ACCOUNTS[index]!.privateKey);
    return multisignSigner(SENDER, keys).sign({ ...DATA, sender: SENDER }).authenticator.payload;
  };

  it('are named when all of them signed', () => {
    const payload = payloadOf([0, 1, 2]);
    const proof = verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN_MULTISIGN, payload });
    expect(proof?.kind === 'multisign' && proof.publicKeys.map(toHex)).toEqual(
      DEV_ACCOUNTS.slice(0, 3).map(({ publicKey }) => publicKey),
    );
    const fields = decode(multisignPayload, payload);
    const swapped = encode(multisignPayload, { ...fields, signatures: fields.signatures.toReversed() });
    expect(verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN_MULTISIGN, payload: swapped })).toBeUndefined();
    // The signatures that are there belong to their keys: only the number of them is wrong.
    const fewer = encode(multisignPayload, { ...fields, signatures: fields.signatures.slice(0, -1) });
    expect(verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN_MULTISIGN, payload: fewer })).toBeUndefined();
    const none = encode(multisignPayload, { ...fields, signatures: [], publicKeys: [] });
    expect(verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN_MULTISIGN, payload: none })).toBeUndefined();
  });

  it('are refused with a signature or a key that is too long or too short', () => {
    const fields = decode(multisignPayload, payloadOf([0, 1]));
    for (const length of [0, 63, 65, 1_000_000]) {
      const wrong = new Uint8Array(length);
      for (const changed of [
        { signatures: [fields.signatures[0]!, wrong] },
        { publicKeys: [fields.publicKeys[0]!, wrong] },
      ]) {
        const payload = encode(multisignPayload, { ...fields, ...changed });
        expect(verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN_MULTISIGN, payload })).toBeUndefined();
      }
    }
  });
});

describe('other authenticators', () => {
  it('are refused here', () => {
    const payload = signedPayload();
    for (const validatorId of [VALIDATOR_DID, 99n]) {
      expect(verifyAuthenticator(HASH, { validatorId, payload })).toBeUndefined();
    }
    expect(verifyAuthenticator(HASH, { validatorId: VALIDATOR_SESSION, payload: new Uint8Array(0) })).toBeUndefined();
  });

  it('are not mistaken for those of several signers', () => {
    const { payload } = multisignSigner(SENDER, [ACCOUNT.privateKey]).sign({ ...DATA, sender: SENDER }).authenticator;
    expect(verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN_MULTISIGN, payload })).toBeDefined();
    expect(verifyAuthenticator(HASH, { validatorId: 99n, payload })).toBeUndefined();
  });

  it('of any bytes never throw', () => {
    fc.assert(
      fc.property(fc.constantFrom(0n, 1n, 2n), fc.uint8Array({ maxLength: 200 }), (validatorId, payload) => {
        expect(verifyAuthenticator(HASH, { validatorId, payload })).toBeUndefined();
      }),
    );
  });
});

describe('a check of a signature', () => {
  const isLow = (curve: SessionScheme, signature: Uint8Array): boolean =>
    curve === 'ed25519' || BigInt(`0x${toHex(signature.subarray(32))}`) <= ORDERS[curve] / 2n;

  it.each(SESSION_SCHEMES)('of %s holds for the valid signatures of Wycheproof whose s is low', (scheme) => {
    const seen = new Set<boolean>();
    for (const [title, key, message, signed, valid] of wycheproof[scheme]) {
      const publicKey = fromHex(scheme === 'ed25519' ? key : compressed(key));
      const signature = fromHex(signed);
      const isSound = valid && signature.length === 64 && isLow(scheme, signature);
      seen.add(isSound);
      const check = { curve: scheme, publicKey, message: fromHex(message), signature };
      expect(isAccepted(check), title).toBe(isSound);
    }
    expect(seen.size).toBe(2);
  });

  it.each(['secp256k1', 'p256'] as const)('of %s holds up to half of the order, and no further', (scheme) => {
    const order = ORDERS[scheme];
    const z = BigInt(`0x${createHash('sha256').update(HASH).digest('hex')}`);
    const r = CURVES[scheme].Point.BASE.toAffine().x;
    for (const [s, isHeld] of [
      [order / 2n, true],
      [order / 2n + 1n, false],
    ] as const) {
      // With the nonce 1, s = z + r * secret: the secret follows from s.
      const secret = CURVES[scheme].Point.Fn.div(CURVES[scheme].Point.Fn.create(s - z), r);
      const publicKey = CURVES[scheme].getPublicKey(fromHex(digits(secret)), true);
      const signature = fromHex(digits(r) + digits(s));
      expect(isAccepted({ curve: scheme, publicKey, message: HASH, signature })).toBe(isHeld);
    }
  });

  it.each(SESSION_SCHEMES)('of %s asks for 64 bytes and a compressed key', (scheme) => {
    const signer = sessionSigner(SENDER, '11'.repeat(32), scheme);
    const { authenticator } = signer.sign({ ...DATA, sender: SENDER });
    const { signature } = decodeSessionPayload(authenticator.payload)!;
    const check = { curve: scheme, publicKey: Uint8Array.from(signer.publicKey), message: HASH, signature };
    expect(isAccepted(check)).toBe(true);
    const longer = (bytes: Uint8Array): Uint8Array => Uint8Array.of(...bytes, 0);
    const wrong = [
      { signature: longer(signature) },
      { signature: signature.subarray(1) },
      { publicKey: longer(check.publicKey) },
    ];
    for (const part of wrong) {
      expect(isAccepted({ ...check, ...part })).toBe(false);
      expect(isWellFormed({ ...check, ...part })).toBe(false);
    }
    if (scheme === 'ed25519') return;
    const publicKey = CURVES[scheme].getPublicKey(fromHex('11'.repeat(32)), false);
    expect(isAccepted({ ...check, publicKey })).toBe(false);
  });

  it('by its form alone asks for numbers of the curve', () => {
    const form = (curve: SessionScheme, r: bigint, s: bigint): boolean => {
      const publicKey = new Uint8Array(curve === 'ed25519' ? 32 : 33);
      return isWellFormed({ curve, publicKey, message: HASH, signature: fromHex(digits(r) + digits(s)) });
    };
    for (const curve of ['secp256k1', 'p256'] as const) {
      const order = ORDERS[curve];
      expect(form(curve, 1n, 1n)).toBe(true);
      expect(form(curve, order - 1n, order - 1n)).toBe(true);
      for (const wrong of [0n, order, 2n ** 256n - 1n]) {
        expect([form(curve, wrong, 1n), form(curve, 1n, wrong)]).toEqual([false, false]);
      }
    }
    expect(form('ed25519', 0n, 2n ** 256n - 1n)).toBe(true);
  });
});

const ORDERS = {
  secp256k1: ORDER,
  p256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};
const CURVES = { secp256k1, p256 };
const digits = (value: bigint): string => value.toString(16).padStart(64, '0');

/** The compressed form of an uncompressed key. */
function compressed(key: string): string {
  return (Number.parseInt(key.slice(-1), 16) % 2 === 0 ? '02' : '03') + key.slice(2, 66);
}

const DATA = {
  sequenceNumber: 7n,
  chainId: 4n,
  maxGasAmount: 1_000n,
  action: { kind: 'modules' as const, modules: [] },
};
const SENDER = parseAddress(ACCOUNT.address);
const HASH = transactionHash({ ...DATA, sender: SENDER });

/** The payload of the first account's transaction. */
function signedPayload(): Uint8Array {
  return bitcoinSigner(ACCOUNT.privateKey).sign({ ...DATA, sender: SENDER }).authenticator.payload;
}

function holds(payload: Uint8Array): boolean {
  return verifyAuthenticator(HASH, { validatorId: VALIDATOR_BITCOIN, payload }) !== undefined;
}
