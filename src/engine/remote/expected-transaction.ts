/**
 * The transaction about to be executed, in the form in which a fork names it to its origin, which then sends the rows
 * that it reads.
 * @module
 */
import { decode, encode } from '../../base/bcs.ts';
import { signedTransaction, transactionData } from '../../chain/transaction/signed.ts';
import type { SimulatedInput } from '../../pipeline/rerun.ts';
import type { Expected } from './remote-store.ts';

/** Gas units for calls that name no limit: the origin's chain allows as much or ends the run early. */
const GAS_ASSUMED = 1_000_000_000n;

/** What is known of the transaction of an input. */
export function expectedTransaction(input: SimulatedInput, chainId: bigint): Expected {
  return {
    transaction: () => dataOf(input, chainId),
    isValidated: input.kind === 'signed' || input.kind === 'call',
  };
}

/** BCS of its data; undefined for inputs that are no transaction, or cannot be read. */
function dataOf(input: SimulatedInput, chainId: bigint): Uint8Array | undefined {
  switch (input.kind) {
    case 'unsigned':
      return input.bytes;
    case 'signed':
      return unsigned(input.bytes);
    case 'call': {
      const { sender, action, maxGasAmount = GAS_ASSUMED } = input;
      return encode(transactionData, { sender, sequenceNumber: 0n, chainId, maxGasAmount, action });
    }
    default:
      return undefined;
  }
}

function unsigned(signed: Uint8Array): Uint8Array | undefined {
  try {
    return encode(transactionData, decode(signedTransaction, signed).data);
  } catch {
    // Its execution says what is wrong.
    return undefined;
  }
}
