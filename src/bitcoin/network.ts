/**
 * The Bitcoin networks a chain can follow, with the numbers and prefixes that differ between them.
 *
 * Testnet 4 is `testnet` here, as in the reference: the same id, prefixes and ordinals heights as testnet 3, so no
 * inscription on testnet 4 is ever indexed.
 * Source: frameworks/bitcoin-move/sources/network.move of the reference.
 * @module
 */
import { invalidArgument } from '../base/error.ts';

/** The Bitcoin networks by name. `bitcoin` is the main network. */
export type BitcoinNetwork = 'bitcoin' | 'testnet' | 'signet' | 'regtest';

interface BitcoinNetworkParameters {
  /** The number in `0x4::network::BitcoinNetwork`. */
  readonly id: number;
  /** Version byte of a pay-to-public-key-hash address in base58check. */
  readonly publicKeyHashPrefix: number;
  /** Version byte of a pay-to-script-hash address in base58check. */
  readonly scriptHashPrefix: number;
  /** Human-readable part of a witness address. */
  readonly humanReadablePart: string;
  /** From this height on, what would have cursed an inscription only marks it as vindicated. */
  readonly jubileeHeight: number;
  /** Below this height, blocks are not searched for inscriptions. */
  readonly firstInscriptionHeight: number;
  /** Hash of the block at height 0, in display order. */
  readonly genesisHash: string;
}

/** The parameters of the Bitcoin networks, by name. */
export const BITCOIN_NETWORKS: Readonly<Record<BitcoinNetwork, BitcoinNetworkParameters>> = {
  bitcoin: {
    id: 1,
    publicKeyHashPrefix: 0x00,
    scriptHashPrefix: 0x05,
    humanReadablePart: 'bc',
    jubileeHeight: 824_544,
    firstInscriptionHeight: 767_430,
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  },
  testnet: {
    id: 2,
    publicKeyHashPrefix: 0x6f,
    scriptHashPrefix: 0xc4,
    humanReadablePart: 'tb',
    jubileeHeight: 2_544_192,
    firstInscriptionHeight: 2_413_343,
    genesisHash: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
  },
  signet: {
    id: 3,
    publicKeyHashPrefix: 0x6f,
    scriptHashPrefix: 0xc4,
    humanReadablePart: 'tb',
    jubileeHeight: 175_392,
    firstInscriptionHeight: 112_402,
    genesisHash: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
  },
  regtest: {
    id: 4,
    publicKeyHashPrefix: 0x6f,
    scriptHashPrefix: 0xc4,
    humanReadablePart: 'bcrt',
    jubileeHeight: 110,
    firstInscriptionHeight: 0,
    genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  },
};

const NETWORK_NAMES = Object.keys(BITCOIN_NETWORKS) as readonly BitcoinNetwork[];

/**
 * The network with the number that `0x4::network::BitcoinNetwork` holds.
 * @throws {EngineError} `invalid-argument` for a number of no network.
 */
export function bitcoinNetworkOf(id: number): BitcoinNetwork {
  const name = NETWORK_NAMES.find((candidate) => BITCOIN_NETWORKS[candidate].id === id);
  if (name === undefined) throw invalidArgument(`expected a Bitcoin network of 1 to 4, got ${id}`);
  return name;
}

const SUBSIDY_FIRST_SAT = 5_000_000_000n;
const HALVING_BLOCKS = 210_000;
const HALVINGS_MAX = 33;

/** The new satoshis of the block at `height`. The interval is 210,000 on every network, regtest included. */
export function subsidyOf(height: number): bigint {
  const halvings = Math.floor(height / HALVING_BLOCKS);
  return halvings < HALVINGS_MAX ? SUBSIDY_FIRST_SAT >> BigInt(halvings) : 0n;
}
