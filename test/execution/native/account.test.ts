import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { address, addressOf } from '../../../src/move/address.ts';
import { NativeWorld } from './native-world.ts';

describe('natives of 0x2::account', () => {
  it('make the signer of any address', () => {
    const world = new NativeWorld('0x2::account', 'native fun create_signer(address): signer');
    expect(world.call('create_signer', encode(address, addressOf(0xabc)))).toEqual({ result: '0xabc', gas: 10_000n });
  });
});

describe('natives of 0x2::signer', () => {
  const world = new NativeWorld(
    '0x2::signer',
    `struct S has drop { x: u64 }
     native fun module_signer<T>(): signer`,
  );

  it('make the signer of a module’s address', () => {
    expect(world.call('module_signer<0x2::signer::S>')).toEqual({ result: '0x2', gas: 1000n });
  });

  it('refuse types that no module defines, free of charge', () => {
    const refused = { result: 'TYPE_MISMATCH at signer:0:0', gas: 0n };
    expect(world.call('module_signer<u64>')).toEqual(refused);
    expect(world.call('module_signer<vector<0x2::signer::S>>')).toEqual(refused);
  });
});

const NATIVES = `
  struct Name has copy, drop, store { bytes: vector<u8> }
  struct Any has copy, drop, store { type_name: Name, data: vector<u8> }
  struct Entry has copy, drop, store { key: Name, value: Any }
  struct Entries has copy, drop, store { data: vector<Entry> }
  struct TxContext has drop {
    sender: address, sequence_number: u64, max_gas_amount: u64, tx_hash: vector<u8>, tx_size: u64, ids_created: u64,
    map: Entries
  }
  native private fun borrow_inner(): &TxContext
  native private fun borrow_mut_inner(): &mut TxContext
  public fun sender(): address { Call borrow_inner; ImmBorrowField TxContext.sender; ReadRef; Ret }
  public fun count(): u64 { Call borrow_inner; ImmBorrowField TxContext.ids_created; ReadRef; Ret }
  public fun raise(): u64 {
    Call count; LdU64 1; Add; Call borrow_mut_inner; MutBorrowField TxContext.ids_created; WriteRef; Call count; Ret
  }`;

describe('natives of 0x2::tx_context', () => {
  const world = new NativeWorld('0x2::tx_context', NATIVES);

  it('lend the one context of the session, to read and to write', () => {
    expect(world.run('sender')).toEqual({ result: '0x5e', gas: 500n });
    expect(world.run('raise')).toEqual({ result: '1', gas: 500n + 1000n + 500n });
    expect(world.host.txContext.context.idsCreated).toBe(1n);
  });
});
