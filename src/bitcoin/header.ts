/**
 * Block headers: 80 bytes whose double SHA-256 identifies the block, and their proof of work.
 *
 * The BCS of `0x4::types::Header` is the consensus form byte for byte, so one codec serves both.
 * Source: Bitcoin Core's arith_uint256 (compact targets), chainparams (limits).
 * @module
 */
import { bytes32, type Codec, encodeGiven, struct, u32 } from '../base/bcs.ts';
import { bytesToNumberLE } from '../base/bytes/bigint.ts';
import { invalidArgument } from '../base/error.ts';
import { sha256d } from '../base/hash/sha256.ts';
import { formatBitcoinHash } from './hash.ts';
import type { BitcoinNetwork } from './network.ts';

export const HEADER_BYTES = 80;

/** `0x4::types::Header`. */
export interface BlockHeader {
  /** The signed number of consensus, read as a u32. */
  readonly version: number;
  /** 32 bytes in internal order. */
  readonly previousHash: Uint8Array;
  /** 32 bytes in internal order. */
  readonly merkleRoot: Uint8Array;
  /** Seconds since 1970, as the miner claims. */
  readonly time: number;
  /** The target in compact form. */
  readonly bits: number;
  readonly nonce: number;
}

/** A block header's 80 bytes, in Bitcoin's own encoding. */
export const blockHeader: Codec<BlockHeader> = struct({
  version: u32,
  previousHash: bytes32,
  merkleRoot: bytes32,
  time: u32,
  bits: u32,
  nonce: u32,
});

/** The block hash: 32 bytes in internal order. */
export function headerHash(header: BlockHeader): Uint8Array {
  return sha256d(encodeGiven(blockHeader, header, 'header'));
}

/** The easiest target of each network, in compact form. */
export const BITS_MAX: Readonly<Record<BitcoinNetwork, number>> = {
  bitcoin: 0x1d00ffff,
  testnet: 0x1d00ffff,
  signet: 0x1e0377ae,
  regtest: 0x207fffff,
};

/**
 * The number that a block hash, read as little endian, may not exceed, from a 23-bit mantissa and an exponent in bytes.
 * @throws {EngineError} `invalid-argument` for a target that is negative, zero or above 256 bits.
 */
export function targetOfBits(bits: number): bigint {
  const exponent = bits >>> 24;
  const mantissa = bits & 0x7f_ffff;
  const target =
    exponent <= 3 ? BigInt(mantissa >>> (8 * (3 - exponent))) : BigInt(mantissa) << BigInt(8 * (exponent - 3));
  if ((bits & 0x80_0000) !== 0 || target === 0n || target >> 256n !== 0n) {
    throw invalidArgument(`expected bits of a target from 1 to 2^256 - 1, got 0x${bits.toString(16)}`);
  }
  return target;
}

/** The expected number of hashes for a block of this target; the best chain has the largest sum. */
export function workOfBits(bits: number): bigint {
  return (1n << 256n) / (targetOfBits(bits) + 1n);
}

/**
 * Asserts that a header's hash meets the target it claims, and that the target is not easier than the network's limit.
 * Whether it is the right target for its height is not checked: that takes the earlier headers.
 * @throws {EngineError} `invalid-argument`
 */
export function assertProofOfWork(header: BlockHeader, network: BitcoinNetwork): void {
  const target = targetOfBits(header.bits);
  if (target > targetOfBits(BITS_MAX[network])) {
    throw invalidArgument(
      `expected a target of at most that of ${network} (bits 0x${BITS_MAX[network].toString(16)}), got bits 0x${header.bits.toString(16)}`,
    );
  }
  const hash = headerHash(header);
  if (bytesToNumberLE(hash) > target) {
    throw invalidArgument(
      `expected a block hash of at most the target of bits 0x${header.bits.toString(16)}, got ${formatBitcoinHash(hash)}`,
    );
  }
}

/** Whether a header's hash meets the target it claims. */
export function meetsTarget(header: BlockHeader): boolean {
  return bytesToNumberLE(headerHash(header)) <= targetOfBits(header.bits);
}
