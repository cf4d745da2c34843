/** The call that most tests send. */

import type { AddressInput } from '../src/index.ts';
import type { CallInput } from '../src/query/function-call.ts';

/** A payment of gas coins. */
export function payment(to: AddressInput, amount = 1n): CallInput {
  return {
    function: '0x3::transfer::transfer_coin',
    typeArguments: ['0x3::gas_coin::RGas'],
    arguments: [to, amount],
  };
}
