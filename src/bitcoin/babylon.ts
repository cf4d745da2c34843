/**
 * Babylon's first staking protocol as the chain reads it from Bitcoin: declarations of stakes, the outputs that must hold
 * them, and their records.
 *
 * A stake is declared by an OP_RETURN output that names the staker, the provider and the time. It is held by an output
 * that pays to a script tree under a key without a known secret, with three leaves: the staker after the time, the staker with the
 * covenant, and the staker with the provider and the covenant.
 * Source: bbn.move of the reference.
 * @module
 */
import { bytes, bytes32, type Codec, string, struct, u16, u32, u64, vector } from '../base/bcs.ts';
import { compareBytes, concatBytes, equalBytes, fromHex } from '../base/bytes/bytes.ts';
import { addressOfTaproot, scriptOfAddress } from './address-derivation.ts';
import { bitcoinTypeName } from './object-key.ts';
import { objectParts, type SealedObject } from './outpoint.ts';
import { tapBranchHash, tapLeafHash } from './public-key.ts';
import {
  OP_CHECKSEQUENCEVERIFY,
  OP_CHECKSIG,
  OP_CHECKSIGADD,
  OP_CHECKSIGVERIFY,
  OP_NUMEQUAL,
  OP_RETURN,
  pushBytes,
  pushNumber,
} from './script.ts';
import type { TransactionOutput } from './transaction.ts';

/** The name under which UTXOs list their stakes. */
export const STAKE_PROTOCOL: string = bitcoinTypeName('bbn', 'BBNStakeSeal');

/** The heights (inclusive) at which stakes are accepted, and the parameter version that applies there. */
const STAKING_PERIODS = [
  { version: 1n, first: 864_790n, last: 864_799n },
  { version: 2n, first: 874_088n, last: 875_087n },
] as const;

/** The parameter version at a height; undefined if no stakes are accepted there. */
export function babylonVersionAt(height: bigint): bigint | undefined {
  return STAKING_PERIODS.find(({ first, last }) => height >= first && height <= last)?.version;
}

/** The declaration of a stake in an OP_RETURN output. */
export interface StakeDeclaration {
  readonly tag: Uint8Array;
  readonly version: number;
  /** 32 bytes, x-only. */
  readonly stakerKey: Uint8Array;
  /** 32 bytes, x-only. */
  readonly providerKey: Uint8Array;
  /** In blocks. */
  readonly stakingTime: number;
}

const DECLARATION_BYTES = 71;

/** The declaration among the outputs; undefined if there is none, or more than one. */
export function stakeDeclarationOf(outputs: readonly TransactionOutput[]): StakeDeclaration | undefined {
  if (outputs.length < 2) return undefined;
  const scripts = outputs.map(({ scriptPubkey }) => scriptPubkey).filter(isDeclaration);
  const [script] = scripts;
  if (script === undefined || scripts.length > 1) return undefined;
  return {
    tag: script.subarray(2, 6),
    version: script[6]!,
    stakerKey: script.subarray(7, 39),
    providerKey: script.subarray(39, 71),
    stakingTime: (script[71]! << 8) | script[72]!,
  };
}

function isDeclaration(script: Uint8Array): boolean {
  return script.length === DECLARATION_BYTES + 2 && script[0] === OP_RETURN && script[1] === DECLARATION_BYTES;
}

/** The output that holds a declared stake, or why there is none, in the words of the chain's event. */
type FoundStake = { readonly vout: number; readonly value: bigint } | { readonly refusal: Refusal };

type Refusal = `Invalid ${'version' | 'tag' | 'staking time' | 'staking amount'}` | 'Staking output not found';

/** Finds the output that holds a declared stake. */
export function findStake(
  declaration: StakeDeclaration,
  outputs: readonly TransactionOutput[],
  parameters: BabylonParameters,
): FoundStake {
  const { stakingTimeMin, stakingTimeMax, stakingAmountMin, stakingAmountMax } = parameters;
  if (declaration.version !== 0) return { refusal: 'Invalid version' };
  if (!equalBytes(declaration.tag, parameters.tag)) return { refusal: 'Invalid tag' };
  if (declaration.stakingTime < stakingTimeMin || declaration.stakingTime > stakingTimeMax) {
    return { refusal: 'Invalid staking time' };
  }
  const script = stakingScript(declaration, parameters);
  const vouts = outputs.flatMap(({ scriptPubkey }, vout) => (equalBytes(scriptPubkey, script) ? [vout] : []));
  const [vout] = vouts;
  if (vout === undefined || vouts.length > 1) return { refusal: 'Staking output not found' };
  const { value } = outputs[vout]!;
  if (value < stakingAmountMin || value > stakingAmountMax) return { refusal: 'Invalid staking amount' };
  return { vout, value };
}

/** The key from BIP 341 without a known secret. */
const UNSPENDABLE_KEY: Uint8Array = fromHex('50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0');

/** The output script of a declared stake. */
export function stakingScript(
  { stakerKey, providerKey, stakingTime }: StakeDeclaration,
  { covenantKeys, covenantQuorum }: BabylonParameters,
): Uint8Array {
  const staker = signedBy(stakerKey, OP_CHECKSIGVERIFY);
  const covenant = covenantScript(covenantKeys, covenantQuorum);
  const timeLock = concatBytes(staker, pushNumber(stakingTime), Uint8Array.of(OP_CHECKSEQUENCEVERIFY));
  const unbonding = concatBytes(staker, covenant);
  const slashing = concatBytes(staker, signedBy(providerKey, OP_CHECKSIGVERIFY), covenant);
  const root = tapBranchHash(tapBranchHash(tapLeafHash(timeLock), tapLeafHash(unbonding)), tapLeafHash(slashing));
  return scriptOfAddress(addressOfTaproot(UNSPENDABLE_KEY, root));
}

function signedBy(key: Uint8Array, opcode: number): Uint8Array {
  return concatBytes(pushBytes(key), Uint8Array.of(opcode));
}

/** The script that requires signatures of `quorum` of the keys; for a single key it has no count. */
function covenantScript(keys: readonly Uint8Array[], quorum: number): Uint8Array {
  if (keys.length === 1) return signedBy(keys[0]!, OP_CHECKSIG);
  const signed = [...keys]
    .sort(compareBytes)
    .map((key, index) => signedBy(key, index === 0 ? OP_CHECKSIG : OP_CHECKSIGADD));
  return concatBytes(...signed, pushNumber(quorum), Uint8Array.of(OP_NUMEQUAL));
}

/** A stake: `0x4::bbn::BBNStakeSeal`. */
export interface BabylonStake {
  readonly blockHeight: bigint;
  readonly txid: Uint8Array;
  readonly stakingOutputIndex: number;
  readonly tag: Uint8Array;
  readonly stakerKey: Uint8Array;
  readonly providerKey: Uint8Array;
  /** In blocks. */
  readonly stakingTime: number;
  /** In satoshis. */
  readonly stakingValue: bigint;
}

export const babylonStake: Codec<BabylonStake> = struct({
  blockHeight: u64,
  txid: bytes32,
  stakingOutputIndex: u32,
  tag: bytes,
  stakerKey: bytes,
  providerKey: bytes,
  stakingTime: u16,
  stakingValue: u64,
});

/** `0x4::bbn::BBNStakingEvent` */
export const stakingEvent: Codec<{
  readonly blockHeight: bigint;
  readonly txid: Uint8Array;
  readonly stakeObjectId: SealedObject;
}> = struct({
  blockHeight: u64,
  txid: bytes32,
  stakeObjectId: objectParts,
});

/** `0x4::bbn::BBNStakingFailedEvent` */
export const stakingFailedEvent: Codec<{
  readonly blockHeight: bigint;
  readonly txid: Uint8Array;
  readonly error: string;
}> = struct({
  blockHeight: u64,
  txid: bytes32,
  error: string,
});

/** `0x4::bbn::BBNStakingUnbondingEvent`; height and txid are those of the stake. */
export const stakingUnbondingEvent: Codec<{
  readonly blockHeight: bigint;
  readonly txid: Uint8Array;
  readonly stakingOutputIndex: number;
  readonly stakingTime: number;
  readonly stakingValue: bigint;
  readonly stakeObjectId: SealedObject;
}> = struct({
  blockHeight: u64,
  txid: bytes32,
  stakingOutputIndex: u32,
  stakingTime: u16,
  stakingValue: u64,
  stakeObjectId: objectParts,
});

/** `0x4::bbn::TempStateDropEvent`; the queue is the type name of the dropped state. */
export const stakeTempStateDropEvent: Codec<{
  readonly stakeObjectId: SealedObject;
  readonly stakingTime: number;
  readonly stakingValue: bigint;
}> = struct({
  stakeObjectId: objectParts,
  stakingTime: u16,
  stakingValue: u64,
});

/** One version of the protocol's parameters: `0x4::bbn::BBNGlobalParamV1`. Amounts in satoshis, times in blocks. */
export interface BabylonParameters {
  readonly version: bigint;
  readonly activationHeight: bigint;
  readonly capHeight: bigint;
  readonly tag: Uint8Array;
  /** 32 bytes each, x-only. */
  readonly covenantKeys: readonly Uint8Array[];
  readonly covenantQuorum: number;
  readonly unbondingTime: number;
  readonly unbondingFee: bigint;
  readonly stakingAmountMax: bigint;
  readonly stakingAmountMin: bigint;
  readonly stakingTimeMin: number;
  readonly stakingTimeMax: number;
  readonly confirmationDepth: number;
}

export const babylonParameters: Codec<BabylonParameters> = struct({
  version: u64,
  activationHeight: u64,
  capHeight: u64,
  tag: bytes,
  covenantKeys: vector(bytes),
  covenantQuorum: u32,
  unbondingTime: u16,
  unbondingFee: u64,
  stakingAmountMax: u64,
  stakingAmountMin: u64,
  stakingTimeMin: u16,
  stakingTimeMax: u16,
  confirmationDepth: u16,
});
