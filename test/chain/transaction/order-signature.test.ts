/** The sequencer's signature over an order: what it is made of, and that any other byte is refused. */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { fromHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { HEAD_KEY } from '../../../src/chain/ledger/head.ts';
import { readStoredTransaction, readTransaction, writeTransaction } from '../../../src/chain/ledger/transactions.ts';
import { isOrderSignature, orderSigner } from '../../../src/chain/transaction/order-signature.ts';
import { orderWitness } from '../../../src/chain/transaction/sequence-info.ts';
import { Engine } from '../../../src/index.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { loadDump, MemoryStore, openDirectory } from '../../../src/store/index.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { payment } from '../../payment.ts';
import { publish } from '../../query/published.ts';
import { expectRefusal } from '../../refusal.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

/** Emits the signature of its transaction's order. */
const READER = `module 0x42::reader
  struct Seen has copy, drop, store { signature: vector<u8> }
  public entry fun read() {
    let info: 0x3::transaction::TransactionSequenceInfo
    Call 0x2::tx_context::get_attribute<0x3::transaction::TransactionSequenceInfo>
    Call 0x1::option::destroy_some<0x3::transaction::TransactionSequenceInfo>
    StLoc info
    ImmBorrowLoc info
    Call 0x3::transaction::tx_order_signature
    Pack Seen
    Call 0x2::event::emit<Seen>
    Ret
  }`;

const secret = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const hash = fromHex('ec38c3c170a1d831e9b8966a2a8da39bd2f1e02ba96eea166cf056d27ca2b486');

describe('an order signature', () => {
  const witness = orderWitness(hash, 7n);
  const signature = orderSigner(secret)(witness);

  it('signs the witness of spec/state.md 11.7', () => {
    expect(toHexPrefixed(witness)).toBe('0x3e9af6ff5bc0dfaa13b01d7d688c9ed86332c464ab6069ceae1af7fd06b4a9d5');
  });

  it('is flag, signature and compressed public key', () => {
    expect(signature).toHaveLength(98);
    expect(signature[0]).toBe(1);
    expect(signature.subarray(1, 65)).toEqual(secp256k1.sign(witness, secret));
    expect(signature.subarray(65)).toEqual(secp256k1.getPublicKey(secret, true));
  });

  it('is the same however many were made before it', () => {
    const sign = orderSigner(secret);
    for (let order = 0n; order < 100n; order++) {
      const own = orderWitness(hash, order);
      expect(sign(own).subarray(1, 65)).toEqual(secp256k1.sign(own, secret));
    }
  });

  it('holds for its witness and no other, and only with every byte unchanged', () => {
    expect(isOrderSignature(signature, witness)).toBe(true);
    expect(isOrderSignature(signature, orderWitness(hash, 8n))).toBe(false);
    for (let at = 0; at < signature.length; at++) {
      const changed = signature.slice();
      changed[at]! ^= 0x10;
      expect(isOrderSignature(changed, witness), `byte ${at}`).toBe(false);
    }
    expect(isOrderSignature(signature.subarray(0, 97), witness)).toBe(false);
    expect(isOrderSignature(new Uint8Array(0), witness)).toBe(false);
  });

  it('needs a secret key', () => {
    expectRefusal(() => orderSigner(new Uint8Array(32)), 'invalid-argument', /secp256k1 secret key/);
    expectRefusal(() => orderSigner(new Uint8Array(31)), 'invalid-argument', /secp256k1 secret key/);
  });
});

describe('the order signatures of a dev chain', () => {
  const directory = temporaryDirectories();

  async function grow(engine: Engine, count: number): Promise<void> {
    const [alice, bob] = engine.accounts;
    const call = payment(bob!.address);
    for (let sent = 0; sent < count; sent++) await engine.executeAs(alice!.address, call);
  }

  /** Those in a dump. */
  async function dumped(engine: Engine, last: bigint): Promise<Uint8Array[]> {
    const store = new MemoryStore();
    await loadDump(store, engine.dump(), { headKey: HEAD_KEY });
    const orders = Array.from({ length: Number(last) }, (_, index) => BigInt(index + 1));
    return orders.map((order) => readStoredTransaction(store, order).transaction.sequenceInfo.txOrderSignature);
  }

  it('are those of one in a directory: read, announced, in forks and in dumps', async () => {
    const clock = (): bigint => 1_000n;
    await using memory = await Engine.open({ clock });
    await using kept = await Engine.open({ clock, store: directory() });
    const announced: Uint8Array[] = [];
    memory.on('transaction', ({ transaction }) => announced.push(transaction.sequenceInfo.txOrderSignature));
    for (const engine of [memory, kept]) await grow(engine, 3);
    await using fork = memory.fork();
    for (const engine of [fork, kept]) await grow(engine, 1);
    const signatures = (engine: Engine, last: bigint): Uint8Array[] => {
      const orders = Array.from({ length: Number(last) }, (_, index) => BigInt(index + 1));
      return orders.map((order) => {
        const { transaction, executionInfo } = engine.inside.transactions.get(order)!;
        const { txOrderSignature } = transaction.sequenceInfo;
        expect(isOrderSignature(txOrderSignature, orderWitness(executionInfo.txHash, order))).toBe(true);
        return txOrderSignature;
      });
    };
    const expected = signatures(kept, 4n);
    expect(signatures(fork, 4n)).toEqual(expected);
    expect(announced).toEqual(expected.slice(0, 3));
    expect(await dumped(fork, 4n)).toEqual(expected);
    expect(await dumped(kept, 4n)).toEqual(expected);
  });

  it('may be missing from rows, but not on a chain with a key of its own', async () => {
    for (const [sequencerKey, problems] of [
      [undefined, []],
      [secret, [expect.stringContaining('has no signature of its order')]],
    ] as const) {
      const store = new MemoryStore();
      await using engine = await Engine.open({ store, sequencerKey });
      await grow(engine, 2);
      const batch = new RowBatch();
      writeTransaction(batch, readTransaction(store, 2n), undefined, true);
      await store.batch(batch.operations());
      expect(readStoredTransaction(store, 2n).transaction.sequenceInfo.txOrderSignature).toHaveLength(0);
      expect((await verifyStore(store)).problems).toEqual(problems);
    }
  });

  it('are stored right after one of another key, so that none can be missing there unnoticed', async () => {
    const path = directory();
    const signatures: number[] = [];
    // Opened with the key, without it, and once more without it.
    for (const sequencerKey of [secret, undefined, undefined]) {
      await using engine = await Engine.open({ store: path, sequencerKey });
      await grow(engine, 1);
    }
    const store = await openDirectory(path);
    for (let order = 1n; order <= 3n; order++)
      signatures.push(readStoredTransaction(store, order).transaction.sequenceInfo.txOrderSignature.length);
    expect(signatures).toEqual([98, 98, 0]);
    expect((await verifyStore(store)).problems).toEqual([]);
    await store.close();
  });

  it('can be read by Move code', async () => {
    await using engine = await Engine.open();
    await publish(engine, READER);
    const { order, events } = await engine.executeAs(engine.accounts[0]!.address, { function: '0x42::reader::read' });
    const { txOrderSignature } = engine.transactions.get(order!)!.transaction.sequenceInfo;
    const [seen] = events.filter(({ type }) => String(type).endsWith('::Seen'));
    expect(seen!.bytes.slice(1)).toEqual(txOrderSignature);
  });
});
