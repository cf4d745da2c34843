import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32m } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { blake2b256 } from '../../../src/base/hash/blake2.ts';
import { DEV_ACCOUNTS, DEV_SEQUENCER } from '../../../src/execution/framework/accounts.ts';
import { ABORT_CODES } from '../../../src/execution/framework/compiled/abort-codes.ts';
import { MODULE_DIGESTS } from '../../../src/execution/framework/compiled/digests.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { type Module, type ModuleLookup, moduleKey, selfIdOf } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { verifyPublish } from '../../../src/vm/verify/publish.ts';
import { readVectors } from '../../vectors.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';
import { declarationsOf, moduleName } from './declaration.ts';

const { layouts } = readVectors<{ readonly layouts: Readonly<Record<string, readonly string[]>> }>('layouts.json');

const modules: Module[] = FRAMEWORK_PACKAGES.flatMap((framework) =>
  framework.modules.map(({ bytes }) => readModule(bytes)),
);

describe('packages', () => {
  it('are at 0x1 to 0x4 in dependency order', () => {
    expect(FRAMEWORK_PACKAGES.map(({ name, address }) => `${name} ${toHexPrefixed(address)}`)).toEqual([
      `MoveStdlib 0x${'1'.padStart(64, '0')}`,
      `MoveosStdlib 0x${'2'.padStart(64, '0')}`,
      `RoochFramework 0x${'3'.padStart(64, '0')}`,
      `BitcoinMove 0x${'4'.padStart(64, '0')}`,
    ]);
  });

  it('hold modules of their own name and address, in version 6', () => {
    const declared = FRAMEWORK_PACKAGES.flatMap(({ address, modules: members }) =>
      members.map(({ name }) => `0x${address[31]}::${name}`),
    );
    expect(modules.map(moduleName)).toEqual(declared);
    expect(new Set(modules.map(({ version }) => version))).toEqual(new Set([6]));
  });

  it('have every module after those it imports', () => {
    const seen = new Set<string>();
    for (const module of modules) {
      const imported = module.moduleHandles.map((_, index) => moduleName({ ...module, selfHandle: index }));
      const self = moduleName(module);
      expect(imported.filter((name) => name !== self && !seen.has(name))).toEqual([]);
      seen.add(self);
    }
  });

  it('are accepted by the chain at publish', () => {
    const published = new Map<string, Module>();
    const stored: ModuleLookup = (id) => published.get(moduleKey(id));
    for (const framework of FRAMEWORK_PACKAGES) {
      const members = framework.modules.map(({ bytes }) => readModule(bytes));
      expect(verifyBundle(members, stored)).toMatchObject({ ok: true });
      expect(verifyPublish(members, stored)).toMatchObject({ ok: true });
      for (const member of members) published.set(moduleKey(selfIdOf(member)), member);
    }
  });

  it('have the separately recorded digests', () => {
    const digests = FRAMEWORK_PACKAGES.map(({ name, modules: members }) => [
      name,
      members.map((member) => [member.name, createHash('sha3-256').update(member.bytes).digest('hex')]),
    ]);
    expect(MODULE_DIGESTS).toEqual(Object.fromEntries(digests));
  });

  it('decode a module once', () => {
    const module = FRAMEWORK_PACKAGES[0]!.modules[0]!;
    expect(module.bytes).toBe(module.bytes);
  });
});

describe('struct layouts', () => {
  const byModule = new Map(modules.map((module) => [moduleName(module), declarationsOf(module).structs]));

  it.each(Object.entries(layouts))('%s', (name, structs) => {
    expect(byModule.get(name)).toEqual(expect.arrayContaining([...structs]));
  });
});

const SOURCES = new URL('../../../src/execution/framework/move/', import.meta.url);
const PACKAGES = { 'move-stdlib': '0x1', 'moveos-stdlib': '0x2', 'rooch-framework': '0x3', 'bitcoin-move': '0x4' };
/** `ENAME` in Move's library, mostly `ErrorName` in the chain's own packages. */
const declarations = (name: string): RegExp =>
  name === 'move-stdlib'
    ? /const (E[A-Z_]+): u64 = (\w+);/g
    : /const (E(?:rror|RROR_|_|API_|INVALID_|Test)\w+): u64 = (\w+);/g;

describe('abort codes', () => {
  it.each(Object.entries(PACKAGES))('have the names that %s declares, and the comments on them', (name, owner) => {
    const folder = new URL(`${name}/sources/`, SOURCES);
    const declared = readdirSync(folder).flatMap((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      // What only tests have is in no genesis.
      if (/^#\[test_only\]\n(?:\/\/\/.*\n)*module /m.test(text)) return [];
      const codes = [...text.matchAll(declarations(name))].map(([, error, code]) => {
        const comment = commentOf(text, error!);
        return [Number(code), comment === '' ? [error!] : [error!, comment]] as const;
      });
      return codes.length === 0 ? [] : [[`${owner}::${file.replace('.move', '')}`, Object.fromEntries(codes)] as const];
    });
    expect(declared.length).toBeGreaterThan(0);
    const table = Object.entries(ABORT_CODES).filter(([module]) => module.startsWith(`${owner}::`));
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(declared));
  });
});

/** The comment that stands before a declaration, attributes aside, in one line. */
function commentOf(text: string, error: string): string {
  const lines = text
    .slice(0, text.indexOf(`const ${error}:`))
    .trimEnd()
    .split('\n');
  const words: string[] = [];
  for (const line of lines.reverse().map((each) => each.trim())) {
    if (line.startsWith('///')) words.unshift(line.slice(3).trim());
    else if (!line.startsWith('#[')) break;
  }
  return words.join(' ');
}

describe.skipIf(!hasReference)(`names of abort codes of the reference${referenceNote}`, () => {
  it.each(Object.entries(PACKAGES))('are declared in %s, with their numbers', (name, owner) => {
    const folder = `${process.env['MOVELET_REFERENCE']}/frameworks/${name}/sources/`;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.move'));
    for (const file of files) {
      const module = `${owner}::${basename(file, '.move')}`;
      const text = readFileSync(folder + file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      // A module of tests alone, which no chain has.
      if (module === '0x3::rs256_test') continue;
      for (const [, error, code] of text.matchAll(declarations(name))) {
        expect([module, code, ABORT_CODES[module]?.[Number(code)]?.[0]]).toEqual([module, code, error]);
      }
    }
  });
});

/** BIP-341's output key for an x-only internal key without script tree, from the formulas of the BIP. */
function taprootOutputKey(internalKey: Uint8Array): Uint8Array {
  const tweak = BigInt(`0x${toHex(schnorr.utils.taggedHash('TapTweak', internalKey))}`);
  const internalPoint = schnorr.utils.lift_x(BigInt(`0x${toHex(internalKey)}`));
  return schnorr.utils.pointToBytes(internalPoint.add(secp256k1.Point.BASE.multiply(tweak)));
}

function taprootAddress(prefix: string, outputKey: Uint8Array): string {
  return bech32m.encode(prefix, [1, ...bech32m.toWords(outputKey)], false);
}

function nodeAddress(outputKey: Uint8Array): string {
  return `0x${toHex(blake2b256(Uint8Array.of(2, 1, ...outputKey)))}`;
}

describe('the derivation that this test uses', () => {
  it('gives the addresses of BIP-86 for its first receiving keys', () => {
    const internalKeys = [
      'cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115',
      '83dfe85a3151d2517290da461fe2815591ef69f2b18a2ce63f01697a8b313145',
    ];
    expect(internalKeys.map((key) => taprootAddress('bc', taprootOutputKey(fromHex(key))))).toEqual([
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
      'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh',
    ]);
  });

  it("gives the addresses of the official SDK's test key", () => {
    // 'roochsecretkey1q969zv4...' of the SDK's key pair test, decoded
    const secretKey = fromHex('745132a3b803c93e764ab3aad4810c931a874270e2803f518831e997fc1234ed');
    const outputKey = taprootOutputKey(schnorr.getPublicKey(secretKey));
    expect(taprootAddress('bcrt', outputKey)).toBe('bcrt1pw9l5h7vepq8cnpugwm848x3at34gg5eq0mamdrjw0krunfjm0zfq65gjzz');
    expect(nodeAddress(outputKey)).toBe('0xf892b3fd5fd0e93436ba3dc8d504413769d66901266143d00e49441079243ed0');
  });
});

describe('known keys', () => {
  const all = [DEV_SEQUENCER, ...DEV_ACCOUNTS];

  it('are ten accounts and a sequencer, all different', () => {
    expect(DEV_ACCOUNTS).toHaveLength(10);
    expect(new Set(all.map((account) => account.address)).size).toBe(11);
    expect(all.map((account) => account.path)).toEqual(all.map((_, index) => `m/86'/0'/0'/0/${index}`));
  });

  it.each(all)('$path: the public key and the addresses follow from the secret key', (account) => {
    const secretKey = fromHex(account.privateKey);
    const outputKey = taprootOutputKey(schnorr.getPublicKey(secretKey));
    expect(account).toEqual({
      path: account.path,
      privateKey: toHex(secretKey),
      publicKey: toHex(secp256k1.getPublicKey(secretKey, true)),
      mainnetAddress: taprootAddress('bc', outputKey),
      regtestAddress: taprootAddress('bcrt', outputKey),
      address: nodeAddress(outputKey),
    });
  });
});
