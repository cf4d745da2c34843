import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { keccak256 } from '../../../src/base/hash/sha3.ts';
import { NativeWorld } from './native-world.ts';
import { byte, hex, shownHex, text, withoutPlace } from './values.ts';

type Case = readonly [what: string, key: string, message: string, signature: string, valid: boolean];

const { secp256k1, p256, ed25519 } = JSON.parse(
  readFileSync(new URL('../../vectors/wycheproof.json', import.meta.url), 'utf8'),
) as Record<'secp256k1' | 'p256' | 'ed25519', readonly Case[]>;

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

    // RFC 8032 section 7.1; the test of the reference.
    it.each([
      [
        'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
        '',
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
      ],
      [
        '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
        '72',
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      ],
      [
        'cc62332e34bb2d5cd69f60efbb2a36cb916c7eb458301ea36636c4dbb012bd88',
        '315f5bdb76d078c43b8ac0064e4a0164612b1fce77c869345bfc94c75894edd3',
        'cce72947906dbae4c166fc01fd096432784032be43db540909bc901dbc057992b4d655ca4f4355cf0868e1266baacf6919902969f063e74162f8f04bc4056105',
      ],
    ])('a right signature by %s', (key, message, signature) => {
      expect(verify(signature, key, message).result).toBe('true');
      expect(verify(signature, key, `${message}00`).result).toBe('false');
      expect(verify(signature, '', message)).toEqual({ result: 'false', gas: gasOf(signature, message) });
    });

    // github.com/novifinancial/ed25519-speccheck; verdicts by a Python model of ZIP 215's equation.
    it.each([
      [
        true,
        '8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a0000000000000000000000000000000000000000000000000000000000000000',
      ],
      [
        true,
        '9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
        'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04',
      ],
      [
        true,
        'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
        'cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d',
        '160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed5125ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09',
      ],
      [
        true,
        'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
        'cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d',
        '21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405',
      ],
      [
        false,
        '85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40',
        '442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623',
        'e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514',
      ],
      [
        false,
        'fdaebc429f4a735932a160da1301080c13280eea8bc280d1b392c6b9e6ba3a5a',
        'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43',
        'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f454d370c8d9fc323a41450f8d513eafeb5b0697390c1e505a0d4ddc71f566607',
      ],
      [
        true,
        '84b698d39be126ff55fe45079e6c8bf64a0d7db6994560b4e96b7021eb39c1a1',
        'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43',
        'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f084d5b99c2a9463d9c8bd5026916996984eeec87ddf1d3be329006ace1b37b09',
      ],
    ])('%s where implementations differ, for message %s', (valid, message, key, signature) => {
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

    // BIP 340's test vectors 0 to 14, and the reference's.
    it.each([
      [
        'F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9',
        '00'.repeat(32),
        'E907831F80848D1069A5371B402410364BDF1C5F8307B0084C55F1CE2DCA821525F66A4A85EA8B71E482A74F382D2CE5EBEEE8FDB2172F477DF4900D310536C0',
        'true',
      ],
      [
        'DFF1D77F2A671C5F36183726DB2341BE58FEAE1DA2DECED843240F7B502BA659',
        '243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89',
        '6896BD60EEAE296DB48A229FF71DFE071BDE413E6D43F917DC8DCF8C78DE33418906D11AC976ABCCB20B091292BFF4EA897EFCB639EA871CFA95F6DE339E4B0A',
        'true',
      ],
      [
        'DD308AFEC5777E13121FA72B9CC1B7CC0139715309B086C960E18FD969774EB8',
        '7E2D58D8B3BCDF1ABADEC7829054F90DDA9805AAB56C77333024B9D0A508B75C',
        '5831AAEED7B44BB74E5EAB94BA9D4294C49BCF2A60728D8B4C200F50DD313C1BAB745879A5AD954A72C45A91C3A51D3C7ADEA98D82F8481E0E1E03674A6F3FB7',
        'true',
      ],
      [
        '25D1DFF95105F5253C4022F628A996AD3A0D95FBF21D468A1B33F8C160D8F517',
        'FF'.repeat(32),
        '7EB0509757E246F19449885651611CB965ECC1A187DD51B64FDA1EDC9637D5EC97582B9CB13DB3933705B32BA982AF5AF25FD78881EBB32771FC5922EFC66EA3',
        'true',
      ],
      [
        'D69C3509BB99E412E68B0FE8544E72837DFA30746D8BE2AA65975F29D22DC7B9',
        '4DF3C3F68FCC83B27E9D42C90431A72499F17875C81A599B566C9889B9696703',
        '00000000000000000000003B78CE563F89A0ED9414F5AA28AD0D96D6795F9C6376AFB1548AF603B3EB45C9F8207DEE1060CB71C04E80F593060B07D28308D7F4',
        'true',
      ],
      [
        'EEFDEA4CDB677750A420FEE807EACF21EB9898AE79B9768766E4FAA04A2D4A34',
        '243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89',
        '6CFF5C3BA86C69EA4B7376F31A9BCB4F74C1976089B2D9963DA2E5543E17776969E89B4C5564D00349106B8497785DD7D1D713A8AE82B32FA79D5F7FC407D39B',
        'ABORTED 5',
      ],
      ...[
        'FFF97BD5755EEEA420453A14355235D382F6472F8568A18B2F057A14602975563CC27944640AC607CD107AE10923D9EF7A73C643E166BE5EBEAFA34B1AC553E2',
        '1FA62E331EDBC21C394792D2AB1100A7B432B013DF3F6FF4F99FCB33E0E1515F28890B3EDB6E7189B630448B515CE4F8622A954CFE545735AAEA5134FCCDB2BD',
        '6CFF5C3BA86C69EA4B7376F31A9BCB4F74C1976089B2D9963DA2E5543E177769961764B3AA9B2FFCB6EF947B6887A226E8D7C93E00C5ED0C1834FF0D0C2E6DA6',
        '0000000000000000000000000000000000000000000000000000000000000000123DDA8328AF9C23A94C1FEECFD123BA4FB73476F0D594DCB65C6425BD186051',
        '00000000000000000000000000000000000000000000000000000000000000017615FBAF5AE28864013C099742DEADB4DBA87F11AC6754F93780D5A1837CF197',
        '4A298DACAE57395A15D0795DDBFD1DCB564DA82B0F269BC70A74F8220429BA1D69E89B4C5564D00349106B8497785DD7D1D713A8AE82B32FA79D5F7FC407D39B',
        'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F69E89B4C5564D00349106B8497785DD7D1D713A8AE82B32FA79D5F7FC407D39B',
        '6CFF5C3BA86C69EA4B7376F31A9BCB4F74C1976089B2D9963DA2E5543E177769FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141',
      ].map((signature) => [
        'DFF1D77F2A671C5F36183726DB2341BE58FEAE1DA2DECED843240F7B502BA659',
        '243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89',
        signature,
        'false',
      ]),
      [
        'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC30',
        '243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89',
        '6CFF5C3BA86C69EA4B7376F31A9BCB4F74C1976089B2D9963DA2E5543E17776969E89B4C5564D00349106B8497785DD7D1D713A8AE82B32FA79D5F7FC407D39B',
        'ABORTED 5',
      ],
      [
        'cddcc4a1d4a94d627e7808f904d0477cf16ae9d4fafa1eb883ab7a498bdda777',
        'f08285dc969c9cdfa65a5a29dc592371acb80534ae301965f38b0583817ea33f',
        '6c2565ceabff153609aa9ccdeb13421a1181a54d0ca4fe10cd074b0c2da44c641c98992701c9a4d3e24391db3e358eff190510be46e73d0e517d5e5b13bb06fd',
        'true',
      ],
    ])('Schnorr: key %s, message %s, signature %s: %s', (key, message, signature, result) => {
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
