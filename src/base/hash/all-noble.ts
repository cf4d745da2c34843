/**
 * Importing this loads all modules of `@noble` (noble.ts).
 * @module
 */
import * as bls12_381 from '@noble/curves/bls12-381.js';
import * as bn254 from '@noble/curves/bn254.js';
import * as ed25519 from '@noble/curves/ed25519.js';
import * as nist from '@noble/curves/nist.js';
import * as secp256k1 from '@noble/curves/secp256k1.js';
import * as blake2 from '@noble/hashes/blake2.js';
import * as legacy from '@noble/hashes/legacy.js';
import { addNoble } from './noble.ts';

addNoble({
  '@noble/curves/bls12-381.js': bls12_381,
  '@noble/curves/bn254.js': bn254,
  '@noble/curves/ed25519.js': ed25519,
  '@noble/curves/nist.js': nist,
  '@noble/curves/secp256k1.js': secp256k1,
  '@noble/hashes/blake2.js': blake2,
  '@noble/hashes/legacy.js': legacy,
});
