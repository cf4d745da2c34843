/**
 * The curves of `@noble/curves`, loaded when the first of a package's modules is used: loading all takes as long as
 * opening a chain, and many programs never need one.
 *
 * They are needed in the middle of synchronous work, so they are loaded by the host's `require`, which Node, Bun and
 * Deno have for ES modules too. On other hosts, and in a bundle that runs without its packages, they are loaded before:
 * `Engine.open` imports `all-curves.ts`, and so do the doors whose functions sign without an engine.
 * @module
 */

import type { createRequire } from 'node:module';
import type * as Bls from '@noble/curves/bls12-381.js';
import type * as Bn from '@noble/curves/bn254.js';
import type * as Edwards from '@noble/curves/ed25519.js';
import type * as Nist from '@noble/curves/nist.js';
import type * as Secp from '@noble/curves/secp256k1.js';
import { HOST } from '../host.ts';

/** The modules of `@noble/curves` that this package uses, by name. */
export interface CurveModules {
  'bls12-381': typeof Bls;
  bn254: typeof Bn;
  ed25519: typeof Edwards;
  nist: typeof Nist;
  secp256k1: typeof Secp;
}

const loaded: Partial<CurveModules> = {};

/** Adds modules that have been loaded. */
export function addCurves(modules: Partial<CurveModules>): void {
  Object.assign(loaded, modules);
  // The table for multiples of the base point: a larger one takes longer to make than it saves in most programs.
  modules.secp256k1?.secp256k1.Point.BASE.precompute(4);
}

export const bls12_381 = (): typeof Bls.bls12_381 => moduleOf('bls12-381').bls12_381;
export const bn254 = (): typeof Bn.bn254 => moduleOf('bn254').bn254;
export const ed25519 = (): typeof Edwards.ed25519 => moduleOf('ed25519').ed25519;
export const p256 = (): typeof Nist.p256 => moduleOf('nist').p256;
export const schnorr = (): typeof Secp.schnorr => moduleOf('secp256k1').schnorr;
export const secp256k1 = (): typeof Secp.secp256k1 => moduleOf('secp256k1').secp256k1;

function moduleOf<Name extends keyof CurveModules>(name: Name): CurveModules[Name] {
  const known = loaded[name];
  if (known !== undefined) return known;
  if (hostRequire === undefined) {
    throw new Error(`@noble/curves/${name}.js is not loaded: a host without require needs an open engine first`);
  }
  addCurves({ [name]: hostRequire(`@noble/curves/${name}.js`) });
  return loaded[name]!;
}

const hostRequire = requireOfHost();

/** The host's `require`, if it reaches the packages and loads ES modules. */
function requireOfHost(): ReturnType<typeof createRequire> | undefined {
  try {
    const require = HOST.builtin('node:module')?.createRequire(import.meta.url);
    require?.('@noble/hashes/utils.js');
    return require;
  } catch {
    // A bundle elsewhere than its packages.
    return undefined;
  }
}

/** Whether curves are loaded when they are first used; otherwise importing `all-curves.ts` loads them. */
export const canLoadCurves: boolean = hostRequire !== undefined;
