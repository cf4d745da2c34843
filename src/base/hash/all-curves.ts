/**
 * Importing this loads all curves (curves.ts).
 * @module
 */
import * as bls12_381 from '@noble/curves/bls12-381.js';
import * as bn254 from '@noble/curves/bn254.js';
import * as ed25519 from '@noble/curves/ed25519.js';
import * as nist from '@noble/curves/nist.js';
import * as secp256k1 from '@noble/curves/secp256k1.js';
import { addCurves } from './curves.ts';

addCurves({ 'bls12-381': bls12_381, bn254, ed25519, nist, secp256k1 });
