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
