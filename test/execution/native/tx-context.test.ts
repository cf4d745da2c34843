import { describe, expect, it } from 'vitest';
import { NativeWorld } from './native-world.ts';

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
