/**
 * The result of executing a transaction: roots, gas and status.
 * Source: moveos/moveos-types/src/transaction.rs and move-core-types vm_status.rs of the reference.
 * @module
 */
import { type Codec, hashText, payload, struct, u16, u64, unit, variant } from '../../base/bcs.ts';
import { type Address, address } from '../../move/address.ts';
import { identifier } from '../../move/identifier.ts';

/** Where an execution stopped. */
export type Location =
  | { readonly kind: 'module'; readonly address: Address; readonly name: string }
  | { readonly kind: 'script' };

/** The outcome of a transaction in the ledger. */
export type KeptStatus =
  | { readonly kind: 'executed' }
  | { readonly kind: 'out-of-gas' }
  | { readonly kind: 'move-abort'; readonly location: Location; readonly code: bigint }
  | {
      readonly kind: 'execution-failure';
      readonly location: Location;
      readonly function: number;
      readonly codeOffset: number;
    }
  | { readonly kind: 'miscellaneous-error' };

export const location: Codec<Location> = variant<Location>('AbortLocation', [
  payload<Location, 'module'>('module', struct({ address, name: identifier })),
  unit<Location, 'script'>('script'),
]);

/** How an execution ended, in BCS. */
export const keptStatus: Codec<KeptStatus> = variant<KeptStatus>('KeptVMStatus', [
  unit<KeptStatus, 'executed'>('executed'),
  unit<KeptStatus, 'out-of-gas'>('out-of-gas'),
  payload<KeptStatus, 'move-abort'>('move-abort', struct({ location, code: u64 })),
  payload<KeptStatus, 'execution-failure'>('execution-failure', struct({ location, function: u16, codeOffset: u16 })),
  unit<KeptStatus, 'miscellaneous-error'>('miscellaneous-error'),
]);

/** The outcome of an executed transaction, as the ledger keeps it. */
export interface ExecutionInfo {
  readonly txHash: Uint8Array;
  readonly stateRoot: Uint8Array;
  /** Number of fields of the root object. */
  readonly size: bigint;
  readonly eventRoot: Uint8Array;
  readonly gasUsed: bigint;
  readonly status: KeptStatus;
}

/** The outcome of an executed transaction, in BCS. */
export const executionInfo: Codec<ExecutionInfo> = struct<ExecutionInfo>({
  txHash: hashText,
  stateRoot: hashText,
  size: u64,
  eventRoot: hashText,
  gasUsed: u64,
  status: keptStatus,
});
