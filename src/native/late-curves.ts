/**
 * Curves that few transactions need. Making all four of @noble/curves takes a new process some three milliseconds, so
 * the build makes them when one is first used (scripts/chunk-scripts.mjs): callers ask here each time, and this module
 * exports only functions.
 * @module
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';

export function bls12381Curve(): typeof bls12_381 {
  return bls12_381;
}

export function bn254Curve(): typeof bn254 {
  return bn254;
}

export function ed25519Curve(): typeof ed25519 {
  return ed25519;
}

export function p256Curve(): typeof p256 {
  return p256;
}
