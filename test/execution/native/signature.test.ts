import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { keccak256 } from '../../../src/base/hash/sha3.ts';
import { readVectors } from '../../vectors.ts';
import { NativeWorld } from './native-world.ts';
import { byte, hex, shownHex, text, withoutPlace } from './values.ts';

type Case = readonly [what: string, key: string, message: string, signature: string, valid: boolean];

const { secp256k1, p256, ed25519 } =
  readVectors<Record<'secp256k1' | 'p256' | 'ed25519', readonly Case[]>>('wycheproof.json');

const vectors = readVectors<{
  readonly ed25519: readonly (readonly [key: string, message: string, signature: string])[];
  readonly speccheck: readonly (readonly [valid: boolean, message: string, key: string, signature: string])[];
  readonly schnorr: readonly (readonly [key: string, message: string, signature: string, result: string])[];
}>('signatures.json');

const K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const KECCAK256 = 0;
const SHA256 = 1;

function number(digits: string): bigint {
  return BigInt(`0x${digits}`);
}

function digitsOf(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** The compressed form of an uncompressed key. */
function compressed(key: string): string {
  return (Number.parseInt(key.slice(-1), 16) % 2 === 0 ? '02' : '03') + key.slice(2, 66);
}

/** Gas at 1000 and 30 a byte. */
function gasOf(...parts: readonly string[]): bigint {
  return 1000n + 30n * BigInt(parts.join('').length / 2);
}

const HOST = '../../../src/base/hash/node-crypto.ts';

// Every test runs with the host's implementations and libsecp256k1, and without, as in browsers.
describe.each(['with the host', 'without the host'])('natives of signatures, %s', async (mode) => {
  vi.resetModules();
  vi.doUnmock(HOST);
  const hasHost = mode === 'with the host';
  if (!hasHost) vi.doMock(HOST, async (own) => ({ ...(await own<object>()), nodeCrypto: undefined }));
  if (hasHost) await (await import('../../../src/base/hash/secp256k1.ts')).loadSecp256k1();
  const { NativeWorld, pricesWith } = await import('./native-world.ts');

  describe('0x3::ed25519', () => {
    const world = new NativeWorld('0x3::ed25519', 'native fun verify(&vector<u8>, &vector<u8>, &vector<u8>): bool');
    const verify = (signature: string, key: string, message: string) =>
      withoutPlace(world.call('verify', hex(signature), hex(key), hex(message)));

    it.each(ed25519)('Wycheproof: %s', (_what, key, message, signature, valid) => {
      const gas = gasOf(signature, key, message);
      expect(verify(signature, key, message)).toEqual({ result: String(valid), gas });
    });

    it.each(vectors.ed25519)('a right signature by %s', (key, message, signature) => {
      expect(verify(signature, key, message).result).toBe('true');
      expect(verify(signature, key, `${message}00`).result).toBe('false');
      expect(verify(signature, '', message)).toEqual({ result: 'false', gas: gasOf(signature, message) });
    });

    it.each(vectors.speccheck)('%s where implementations differ, for message %s', (valid, message, key, signature) => {
      expect(verify(signature, key, message).result).toBe(String(valid));
    });

    it('takes points of small order in all their encodings, as ZIP 215 has it', () => {
      const low = (digits: string, top: string) => digits + top;
      const y4 = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc';
      const y8 = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03';
      const canonical = [
        low(`01${'00'.repeat(30)}`, '00'),
        low(`ec${'ff'.repeat(30)}`, '7f'),
        low('00'.repeat(31), '00'),
        low('00'.repeat(31), '80'),
        low(y4, '05'),
        low(y4, '85'),
        low(y8, '7a'),
        low(y8, 'fa'),
      ];
      const other = [
        low(`01${'00'.repeat(30)}`, '80'),
        low(`ec${'ff'.repeat(30)}`, 'ff'),
        low(`ee${'ff'.repeat(30)}`, '7f'),
        low(`ee${'ff'.repeat(30)}`, 'ff'),
        low(`ed${'ff'.repeat(30)}`, '7f'),
        low(`ed${'ff'.repeat(30)}`, 'ff'),
      ];
      const message = toHex(new TextEncoder().encode('Zcash'));
      const encodings = [...canonical, ...other];
      for (const [index, key] of encodings.entries()) {
        const point = encodings[(index * 5 + 3) % encodings.length]!;
        expect(verify(point + '00'.repeat(32), key, message).result).toBe('true');
      }
    });
  });

  describe('0x3::ecdsa_k1', () => {
    const world = new NativeWorld(
      '0x3::ecdsa_k1',
      `native fun ecrecover(&vector<u8>, &vector<u8>, u8): vector<u8>
       native fun decompress_pubkey(&vector<u8>): vector<u8>
       native fun verify(&vector<u8>, &vector<u8>, &vector<u8>, u8): bool`,
    );
    const verify = (signature: string, key: string, message: string, hashType: number) =>
      withoutPlace(world.call('verify', hex(signature), hex(key), hex(message), byte(hashType)));
    const decompress = (key: string) => withoutPlace(world.call('decompress_pubkey', hex(key)));
    const recover = (signature: string, message: string, hashType: number) =>
      withoutPlace(world.call('ecrecover', hex(signature), hex(message), byte(hashType)));

    /** By the reference's rules for signatures: numbers below the order, the lower s. */
    const expected = (signature: string, valid: boolean): string => {
      if (signature.length !== 128) return 'ABORTED 2';
      const [r, s] = [number(signature.slice(0, 64)), number(signature.slice(64))];
      if (r >= K1_ORDER || s >= K1_ORDER) return 'ABORTED 2';
      return String(valid && s <= K1_ORDER / 2n);
    };

    it.each(secp256k1)('Wycheproof: %s', (_what, key, message, signature, valid) => {
      const short = compressed(key);
      const gas = gasOf(signature, short, message);
      expect(verify(signature, short, message, SHA256)).toEqual({ result: expected(signature, valid), gas });
      if (expected(signature, valid) !== 'false' || !valid) return;
      const lower = signature.slice(0, 64) + digitsOf(K1_ORDER - number(signature.slice(64)));
      expect(verify(lower, short, message, SHA256).result).toBe('true');
    });

    // The tests of the reference.
    const KEY = '033e99a541db69bd32040dfe5037fbf5210dafa8151a71e21c5204b05d95ce0a62';
    const SIGNATURE =
      '416a21d50b3c838328d4f03213f8ef0c3776389a972ba1ecd37b56243734eba208ea6aaa6fc076ad7accd71d355f693a6fe54fe69b3c168eace9803827bc9046';
    const GREETING = toHex(new TextEncoder().encode('Hello, world!'));
    const RECOVERABLE =
      '7e4237ebfbc36613e166bfc5f6229360a9c1949242da97ca04867e4de57b2df30c8340bcb320328cf46d71bda51fcb519e3ce53b348eec62de852e350edbd88600';
    const RECOVERED = '02337cca2171fdbfcfd657fa59881f46269f1e590b5ffab6023686c7ad2ecc2c1c';

    it('check their arguments in the order that the reference does', () => {
      expect(verify(SIGNATURE, KEY, '00010203', SHA256).result).toBe('true');
      expect(verify(SIGNATURE, KEY, '00010204', SHA256).result).toBe('false');
      expect(verify('', KEY, '00010203', SHA256).result).toBe('ABORTED 2');
      expect(verify(SIGNATURE, `1${KEY.slice(1)}`, '00010203', SHA256).result).toBe('ABORTED 3');
      expect(verify('00', `1${KEY.slice(1)}`, '00010203', SHA256).result).toBe('ABORTED 2');
      expect(verify('00'.repeat(64), `1${KEY.slice(1)}`, '00010203', SHA256).result).toBe('ABORTED 3');
      expect(verify('00'.repeat(64), KEY, '00010203', SHA256).result).toBe('false');
      // A length of neither ECDSA nor Schnorr; no hash.
      expect(verify(SIGNATURE, `${KEY}00`, '00010203', SHA256).result).toBe('false');
      expect(verify('', KEY, '00010203', 2)).toEqual({ result: 'false', gas: gasOf(KEY, '00010203') });
    });

    it('verify over Keccak-256, with keys in all forms', () => {
      const signature = RECOVERABLE.slice(0, 128);
      const long = toHex(bytesOf(decompress(RECOVERED).result));
      const parity = Number.parseInt(long.slice(-1), 16) % 2;
      for (const key of [RECOVERED, long, `0${6 + parity}${long.slice(2)}`]) {
        expect(verify(signature, key, GREETING, KECCAK256).result).toBe('true');
        expect(verify(signature, key, GREETING.slice(2), KECCAK256).result).toBe('false');
        expect(decompress(key)).toEqual({ result: shownHex(long), gas: 1000n });
      }
      const higher = signature.slice(0, 64) + digitsOf(K1_ORDER - number(signature.slice(64)));
      expect(verify(higher, RECOVERED, GREETING, KECCAK256).result).toBe('false');
      expect(verify(higher, `0${7 - parity}${long.slice(2)}`, GREETING, KECCAK256).result).toBe('ABORTED 3');
      expect(verify(`${signature}00`, RECOVERED, GREETING, KECCAK256).result).toBe('ABORTED 2');
    });

    it('recover the key, whichever s it is', () => {
      expect(recover(RECOVERABLE, GREETING, KECCAK256)).toEqual({ result: shownHex(RECOVERED), gas: 1000n });
      const s = number(RECOVERABLE.slice(64, 128));
      const higher = `${RECOVERABLE.slice(0, 64)}${digitsOf(K1_ORDER - s)}01`;
      expect(recover(higher, GREETING, KECCAK256).result).toBe(shownHex(RECOVERED));
      expect(recover(RECOVERABLE, GREETING, SHA256).result).not.toBe(shownHex(RECOVERED));
      // The key of 0x4259abf3f34ab0e5a399494cb1e9a7f8465ae4d6, by the reference's test.
      const other = recover(
        'e5847245b38548547f613aaea3421ad47f5b95a222366fb9f9b8c57568feb19c7077fc31e7d83e00acc1347d08c3e1ad50a4eeb6ab044f25c861ddc7be5b8f9f01',
        GREETING,
        KECCAK256,
      );
      const point = bytesOf(decompress(toHex(bytesOf(other.result))).result);
      expect(toHex(keccak256(point.subarray(1)).subarray(12))).toBe('4259abf3f34ab0e5a399494cb1e9a7f8465ae4d6');
    });

    it('recover nothing from what is not a signature', () => {
      const order = digitsOf(K1_ORDER);
      expect(recover('00'.repeat(65), '00', KECCAK256)).toEqual({ result: 'ABORTED 1', gas: 1000n });
      expect(recover(RECOVERABLE.slice(2), '00', 9).result).toBe('ABORTED 2');
      expect(recover(RECOVERABLE.slice(0, 128), '00', KECCAK256).result).toBe('ABORTED 2');
      expect(recover(`${RECOVERABLE.slice(0, 128)}04`, '00', KECCAK256).result).toBe('ABORTED 2');
      expect(recover(`${order}${RECOVERABLE.slice(64)}`, '00', KECCAK256).result).toBe('ABORTED 2');
      expect(recover(`${RECOVERABLE.slice(0, 64)}${order}00`, '00', KECCAK256).result).toBe('ABORTED 2');
      expect(recover(RECOVERABLE, '00', 2)).toEqual({ result: 'ABORTED 4', gas: 1000n });
      // x of the nonce's point would be above the field with the order added, and 5 is no x at all.
      expect(recover(`${RECOVERABLE.slice(0, 128)}02`, '00', KECCAK256).result).toBe('ABORTED 1');
      expect(recover(`${digitsOf(5n)}${RECOVERABLE.slice(64)}`, '00', KECCAK256).result).toBe('ABORTED 1');
    });

    it.each([
      ['01', KEY.slice(2)],
      ['02', '5'.padStart(64, '0')],
      ['02', 'f'.repeat(64)],
      ['04', KEY.slice(2)],
      ['04', KEY.slice(2).repeat(2)],
      ['', ''],
      ['00', ''],
    ])('refuse the key %s%s', (prefix, rest) => {
      expect(decompress(prefix + rest)).toEqual({ result: 'ABORTED 3', gas: 1000n });
    });

    it.each(vectors.schnorr)('Schnorr: key %s, message %s, signature %s: %s', (key, message, signature, result) => {
      const lower = [signature, key, message].map((digits) => digits!.toLowerCase()) as [string, string, string];
      expect(verify(...lower, SHA256)).toEqual({ result, gas: gasOf(...lower) });
    });

    it('verify Schnorr in the order of key, message, signature', () => {
      const key = 'cddcc4a1d4a94d627e7808f904d0477cf16ae9d4fafa1eb883ab7a498bdda777';
      expect(verify('00', `5e${KEY.slice(4)}`, '00', SHA256).result).toBe('ABORTED 5');
      expect(verify('00', '00'.repeat(32), '00', SHA256).result).toBe('ABORTED 5');
      expect(verify('00', key, '00', SHA256).result).toBe('ABORTED 6');
      expect(verify('00', key, '00'.repeat(32), SHA256).result).toBe('ABORTED 7');
      expect(verify('00', key, '00'.repeat(32), KECCAK256).result).toBe('ABORTED 2');
    });
  });

  describe('0x3::ecdsa_r1', () => {
    const declaration = 'native fun native_verify(&vector<u8>, &vector<u8>, &vector<u8>, u8): bool';
    const world = new NativeWorld('0x3::ecdsa_r1', declaration);
    const verify = (signature: string, key: string, message: string, hashType = SHA256) =>
      withoutPlace(world.call('native_verify', hex(signature), hex(key), hex(message), byte(hashType)));

    const expected = (signature: string, valid: boolean): string => {
      const [r, s] = [signature.slice(0, 64), signature.slice(64)].map((digits) => number(digits || '0'));
      const inRange = (value: bigint) => value > 0n && value < P256_ORDER;
      if (signature.length !== 128 || !inRange(r!) || !inRange(s!)) return 'ABORTED 1';
      return String(valid && s! <= P256_ORDER / 2n);
    };

    it.each(p256)('Wycheproof: %s', (_what, key, message, signature, valid) => {
      const short = compressed(key);
      const gas = gasOf(signature, short, message);
      expect(verify(signature, short, message)).toEqual({ result: expected(signature, valid), gas });
      expect(verify(signature, key, message).result).toBe(expected(signature, valid));
      if (expected(signature, valid) !== 'false' || !valid) return;
      const lower = signature.slice(0, 64) + digitsOf(P256_ORDER - number(signature.slice(64)));
      expect(verify(lower, short, message).result).toBe('true');
    });

    // RFC 6979 appendix A.2.5.
    const X = '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6';
    const Y = '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299';
    const TEST = toHex(new TextEncoder().encode('test'));
    const R = 'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367';
    const S = '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083';

    it('take keys in compressed, uncompressed and compact form', () => {
      expect(verify(R + S, `03${X}`, TEST).result).toBe('true');
      expect(verify(R + S, `02${X}`, TEST).result).toBe('false');
      expect(verify(R + S, `04${X}${Y}`, TEST).result).toBe('true');
      // Compact keys have the lower y: 7903... is below half of the field.
      expect(verify(R + S, `05${X}`, TEST).result).toBe('true');
      expect(verify(R + digitsOf(P256_ORDER - number(S)), `03${X}`, TEST).result).toBe('false');
    });

    it('look at the signature, the key, then the hash', () => {
      expect(verify('00', '00', '', 9)).toEqual({ result: 'ABORTED 1', gas: gasOf('0000') });
      expect(verify(R + S, '00', '', 9).result).toBe('ABORTED 2');
      expect(verify(R + S, `03${X}`, TEST, 0)).toEqual({ result: 'ABORTED 3', gas: gasOf(R, S, `03${X}`, TEST) });
      for (const key of ['', '00', `06${X}${Y}`, `07${X}${Y}`, `04${X}${X}`, `05${X}00`, `02${'f'.repeat(64)}`]) {
        expect(verify(R + S, key, TEST).result).toBe('ABORTED 2');
      }
    });

    it('cost nothing if the schedule has no price', () => {
      const free = new NativeWorld('0x3::ecdsa_r1', declaration, [], pricesWith({ 'ecdsa_r1.verify.base': undefined }));
      const outcome = free.call('native_verify', hex(R + S), hex(`03${X}`), hex(TEST), byte(SHA256));
      expect(outcome).toEqual({ result: 'true', gas: gasOf(R, S, `03${X}`, TEST) - 1000n });
    });
  });
});

describe('natives of 0x3::rs256', () => {
  const world = new NativeWorld(
    '0x3::rs256',
    `native fun native_verify(&vector<u8>, &vector<u8>, &vector<u8>, &vector<u8>): bool
     native fun native_verify_prehash(&vector<u8>, &vector<u8>, &vector<u8>, &vector<u8>, u8): bool`,
  );
  const verify = (signature: string, modulus: string, exponent: string, message: string) =>
    withoutPlace(world.call('native_verify', hex(signature), hex(modulus), hex(exponent), text(message)));
  const verifyDigest = (signature: string, modulus: string, exponent: string, digest: string, hashType = 0) =>
    withoutPlace(
      world.call('native_verify_prehash', hex(signature), hex(modulus), hex(exponent), hex(digest), byte(hashType)),
    );
  const base64url = (value: string) => Buffer.from(value, 'base64url').toString('hex');

  // RFC 7515 appendix A.2, as in the reference's tests.
  const MESSAGE =
    'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
  const N = base64url(
    'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
  );
  const E = base64url('AQAB');
  const SIGNATURE = base64url(
    'cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw',
  );
  const DIGEST = createHash('sha256').update(MESSAGE).digest('hex');

  it('verify what RFC 7515 signed', () => {
    const bytes = MESSAGE.length + (N + E + SIGNATURE).length / 2;
    const gas = 1000n + 30n * BigInt(bytes);
    expect(verify(SIGNATURE, N, E, MESSAGE)).toEqual({ result: 'true', gas });
    expect(verify(SIGNATURE, N, E, MESSAGE.slice(1)).result).toBe('false');
    expect(verify(SIGNATURE.replace(/47$/, '48'), N, E, MESSAGE)).toEqual({ result: 'false', gas });
    expect(verifyDigest(SIGNATURE, N, E, DIGEST)).toEqual({ result: 'true', gas: gasOf(N, E, SIGNATURE, DIGEST) });
  });

  it.each([1024, 2048])('verify what the host signs with %i bits', (bits) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits, publicExponent: 3 });
    const { n, e } = publicKey.export({ format: 'jwk' });
    const signature = createSign('sha256').update(MESSAGE).sign(privateKey, 'hex');
    expect(verify(signature, base64url(n!), base64url(e!), MESSAGE).result).toBe('true');
    expect(verify(signature, base64url(n!), '05', MESSAGE).result).toBe('false');
  });

  it('take a signature as a number, however it is written', () => {
    expect(verify(`0000${SIGNATURE}`, `00${N}`, `00${E}`, MESSAGE).result).toBe('true');
    expect(verify((number(SIGNATURE) + number(N)).toString(16).padStart(514, '0'), N, E, MESSAGE).result).toBe('true');
    expect(verify('', N, E, MESSAGE).result).toBe('false');
    expect(verify('ff'.repeat(2000), N, E, MESSAGE).result).toBe('false');
  });

  it('refuse keys of wrong size', () => {
    expect(verify(SIGNATURE, `01${'00'.repeat(512)}`, E, MESSAGE).result).toBe('ABORTED 2');
    expect(verify(SIGNATURE, 'ff'.repeat(512), E, MESSAGE).result).toBe('false');
    for (const exponent of ['', '00', '01', '0200000000', 'ff'.repeat(9)]) {
      expect(verify(SIGNATURE, N, exponent, MESSAGE).result).toBe('ABORTED 2');
    }
    expect(verify(SIGNATURE, N, '01ffffffff', MESSAGE).result).toBe('false');
    // No room for the padding, down to no modulus at all.
    for (const modulus of ['ff'.repeat(61), '01', '00', '']) {
      expect(verify(SIGNATURE, modulus, E, MESSAGE).result).toBe('false');
    }
  });

  it('look at the key, the hash, then the length of the digest', () => {
    expect(verifyDigest(SIGNATURE, N, '01', '', 1)).toEqual({ result: 'ABORTED 2', gas: gasOf(N, '01', SIGNATURE) });
    expect(verifyDigest(SIGNATURE, N, E, '', 1)).toEqual({ result: 'ABORTED 3', gas: gasOf(N, E, SIGNATURE) });
    expect(verifyDigest(SIGNATURE, N, E, '00', 0)).toEqual({ result: 'ABORTED 4', gas: gasOf(N, E, SIGNATURE, '00') });
  });
});

/** The bytes of a `vector<u8>` as it is shown. */
function bytesOf(shown: string): Uint8Array {
  return Uint8Array.from(JSON.parse(shown) as number[]);
}
