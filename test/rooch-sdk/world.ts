/**
 * What the tests of the official SDK's client share.
 * @module
 */
import type { RoochClient } from '@roochnetwork/rooch-sdk';
import { DEV_ACCOUNTS, type DevAccount } from '../../src/execution/framework/accounts.ts';
import type { Engine } from '../../src/index.ts';

/** What a test of a client's method is given. */
export interface World {
  readonly engine: Engine;
  readonly client: RoochClient;
  /** Makes a transaction that emits an event of the type. */
  readonly stir: { readonly eventType: string; readonly act: () => Promise<unknown> };
}

/** Methods of the client, each with its test. */
export type MethodTests = Readonly<Record<string, (world: World) => Promise<void> | void>>;

type Ten<T> = readonly [T, T, T, T, T, T, T, T, T, T];

/** The funded accounts. */
export const PEOPLE: Ten<DevAccount> = DEV_ACCOUNTS as unknown as Ten<DevAccount>;

export const RGAS = '0x3::gas_coin::RGas';
