/**
 * `@noble/curves` and the rarely used modules of `@noble/hashes`, each loaded when it is first used: loading all takes as
 * long as opening a chain, and many programs never need one.
 *
 * They are needed in synchronous code, so they are loaded by the host's `require`, which Node, Bun and Deno have for ES
 * modules too. On other hosts, and in a bundle without its packages, they are loaded in advance: `Engine.open` imports
 * `all-noble.ts`, and so do the entry points whose functions sign without an engine.
 * @module
 */

import type { createRequire } from 'node:module';
import type * as Bls from '@noble/curves/bls12-381.js';
import type * as Bn from '@noble/curves/bn254.js';
import type * as Edwards from '@noble/curves/ed25519.js';
import type * as Nist from '@noble/curves/nist.js';
import type * as Secp from '@noble/curves/secp256k1.js';
import type * as Blake2 from '@noble/hashes/blake2.js';
import type * as Legacy from '@noble/hashes/legacy.js';
import { HOST } from '../host.ts';

/** The modules that this package uses, by name. */
interface NobleModules {
  '@noble/curves/bls12-381.js': typeof Bls;
  '@noble/curves/bn254.js': typeof Bn;
  '@noble/curves/ed25519.js': typeof Edwards;
  '@noble/curves/nist.js': typeof Nist;
  '@noble/curves/secp256k1.js': typeof Secp;
  '@noble/hashes/blake2.js': typeof Blake2;
  '@noble/hashes/legacy.js': typeof Legacy;
}

const loaded: Partial<NobleModules> = {};

/** The host's `require`, if it has one. */
const hostRequire = requireOfHost();

function requireOfHost(): ReturnType<typeof createRequire> | undefined {
  const module = HOST.builtin('node:module');
  // Yarn's Plug'n'Play does not resolve the imports of a required module.
  if (module === undefined || 'findPnpApi' in module) return undefined;
  try {
    return module.createRequire(import.meta.url);
  } catch {
    // A CommonJS bundle has no URL.
    return undefined;
  }
}

/** Adds modules that have been loaded. */
export function addNoble(modules: Partial<NobleModules>): void {
  Object.assign(loaded, modules);
  // The table for multiples of the base point: most programs save less by a larger one than it takes to make.
  modules['@noble/curves/secp256k1.js']?.secp256k1.Point.BASE.precompute(4);
}

export const bls12_381 = (): typeof Bls.bls12_381 => moduleOf('@noble/curves/bls12-381.js').bls12_381;
export const bn254 = (): typeof Bn.bn254 => moduleOf('@noble/curves/bn254.js').bn254;
export const ed25519 = (): typeof Edwards.ed25519 => moduleOf('@noble/curves/ed25519.js').ed25519;
export const p256 = (): typeof Nist.p256 => moduleOf('@noble/curves/nist.js').p256;
export const schnorr = (): typeof Secp.schnorr => moduleOf('@noble/curves/secp256k1.js').schnorr;
export const secp256k1 = (): typeof Secp.secp256k1 => moduleOf('@noble/curves/secp256k1.js').secp256k1;
export const blake2b = (): typeof Blake2.blake2b => moduleOf('@noble/hashes/blake2.js').blake2b;
export const nobleRipemd160 = (): typeof Legacy.ripemd160 => moduleOf('@noble/hashes/legacy.js').ripemd160;

function moduleOf<Name extends keyof NobleModules>(name: Name): NobleModules[Name] {
  const known = loaded[name];
  if (known !== undefined) return known;
  if (hostRequire === undefined) {
    throw new Error(`${name} is not loaded: a host without require needs an open engine first`);
  }
  addNoble({ [name]: hostRequire(name) });
  return loaded[name]!;
}

/**
 * Whether the modules can be loaded on first use. A bundle without its packages cannot, nor can a host whose `require`
 * refuses ES modules; importing `all-noble.ts` then loads them.
 */
export function canLoadNoble(): boolean {
  try {
    return hostRequire?.('@noble/hashes/utils.js') !== undefined;
  } catch {
    return false;
  }
}
