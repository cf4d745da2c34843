/**
 * Inputs and outputs planned by a test, and their conversion to those of a transaction.
 * @module
 */
import {
  argumentError,
  assertBytes,
  assertFits,
  assertObject,
  type Expectation,
  each,
  parseArgument,
} from '../base/argument.ts';
import { type BitcoinAddress, parseBitcoinAddress } from './address.ts';
import { scriptOfAddress } from './address-derivation.ts';
import { type NamedOutPoint, readOutPoint } from './outpoint.ts';
import { type TransactionInput, type TransactionOutput, VALUE_SAT_MAX } from './transaction.ts';

/** Who gets an output: a Bitcoin address as text, of any network, or in its internal form. */
export type Payee = BitcoinAddress | string;

/** An output to make: to an address, or with any script. Values are in satoshis. */
export type PlannedOutput =
  | { readonly to: Payee; readonly value: bigint }
  | { readonly scriptPubkey: Uint8Array; readonly value: bigint };

/** An input to make: what it spends, and what unlocks it. */
export interface PlannedInput {
  readonly outpoint: NamedOutPoint;
  readonly witness?: readonly Uint8Array[];
  readonly scriptSig?: Uint8Array;
}

const SEQUENCE_REPLACEABLE = 0xffff_fffd;

const SATOSHIS: Expectation = [
  `satoshis, a bigint from 0 to ${VALUE_SAT_MAX}`,
  (value) => typeof value === 'bigint' && value >= 0n && value <= VALUE_SAT_MAX,
];

/** @throws {EngineError} `invalid-argument` */
export function toInput(planned: PlannedInput, name: string): TransactionInput {
  assertObject(planned, name, 'an input { outpoint, witness, scriptSig }');
  const { outpoint, witness, scriptSig = new Uint8Array(0) } = planned;
  assertBytes(scriptSig, `${name}.scriptSig`);
  const items = each(witness, `${name}.witness`, (item, itemName) => {
    assertBytes(item, itemName);
    return item;
  });
  return {
    previousOutput: readOutPoint(outpoint, `${name}.outpoint`),
    scriptSig,
    sequence: SEQUENCE_REPLACEABLE,
    witness: items ?? [],
  };
}

/** @throws {EngineError} `invalid-argument` */
export function toOutput(planned: PlannedOutput, name: string): Pick<TransactionOutput, 'value' | 'scriptPubkey'> {
  assertObject(planned, name, 'an output { to, value } or { scriptPubkey, value }');
  if ('to' in planned) {
    const scriptPubkey = scriptOfAddress(toPayee(planned.to, `${name}.to`));
    return { value: toValue(planned, name), scriptPubkey };
  }
  if (!('scriptPubkey' in planned))
    throw argumentError(name, 'an output { to, value } or { scriptPubkey, value }', planned);
  assertBytes(planned.scriptPubkey, `${name}.scriptPubkey`);
  return { value: toValue(planned, name), scriptPubkey: planned.scriptPubkey };
}

function toValue({ value }: PlannedOutput, name: string): bigint {
  assertFits(value, `${name}.value`, SATOSHIS);
  return value;
}

/** @throws {EngineError} `invalid-argument` */
export function toPayee(payee: Payee, name: string): BitcoinAddress {
  const expected = 'a Bitcoin address as text, or its internal bytes';
  if (typeof payee === 'string') return parseArgument(name, expected, payee, parseBitcoinAddress);
  if (!(payee instanceof Uint8Array)) throw argumentError(name, expected, payee);
  try {
    scriptOfAddress(payee);
  } catch (cause) {
    throw argumentError(name, expected, payee, cause);
  }
  return payee;
}
