import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { bitcoinSigner } from '../../src/chain/signature/signer.ts';
import { Engine } from '../../src/index.ts';
import { payment } from '../payment.ts';

const TRANSFER = payment('0x42');

let engine: Engine;

beforeAll(async () => {
  engine = await Engine.open();
});
afterAll(() => engine.close());

it('each account signs, with what is known of its key, like a signer that computes everything', () => {
  expect(engine.accounts).toHaveLength(10);
  for (const account of engine.accounts) {
    const data = account.transaction(TRANSFER);
    const { bitcoinAddress } = account;
    for (const signer of [bitcoinSigner(account.privateKey), bitcoinSigner(account.privateKey, { bitcoinAddress })]) {
      expect(account.sign(data)).toEqual(signer.sign(data));
      expect(String(account.address)).toBe(String(signer.address));
      expect(toHex(account.publicKey)).toBe(toHex(signer.publicKey));
      expect(bitcoinAddress).toEqual(signer.bitcoinAddress);
    }
  }
});

it('shows its number and address when it is printed, and never its secret key', () => {
  const account = engine.accounts[1]!;
  expect(inspect({ by: account }, { breakLength: Infinity })).toBe(`{ by: account 1 (${account.address}) }`);
  expect(JSON.stringify(account)).toContain(account.address);
  const { privateKey } = account;
  for (const text of [inspect(account), JSON.stringify(account), JSON.stringify({ ...account })]) {
    expect(text).not.toContain(privateKey.slice(2));
  }
  expect(inspect(account, { customInspect: false, showHidden: true })).not.toContain(privateKey.slice(2));
});
