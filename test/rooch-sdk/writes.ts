/** The client's methods that send transactions. Every test sends from accounts of its own, so that none waits for another. */
import {
  Args,
  Ed25519Keypair,
  RoochAddress,
  type RoochClient,
  Secp256k1Keypair,
  Session,
  Transaction,
} from '@roochnetwork/rooch-sdk';
import { expect } from 'vitest';
import { encode, u256 } from '../../src/base/bcs.ts';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { bitcoinSigner } from '../../src/chain/signature/signer.ts';
import type { DevAccount } from '../../src/execution/framework/accounts.ts';
import { parseAddress, signedTransaction } from '../../src/query/transaction-builder.ts';
import { withExterns } from '../execution/runtime/externs.ts';
import { assembleScriptBytes } from '../vm/assemble.ts';
import { type MethodTests, PEOPLE, RGAS } from './world.ts';

const [, , carol, dave, erin, frank, grace, heidi, ivan, judy] = PEOPLE;

/** The account's key as the SDK holds it. */
function keyOf(account: DevAccount): Secp256k1Keypair {
  return Secp256k1Keypair.fromSecretKey(fromHex(account.privateKey));
}

/** Sends coins to 0x1234. */
const SCRIPT = assembleScriptBytes(
  withExterns(`script(from: &signer, amount: u256) {
    MoveLoc from; LdConst address 0x${'1234'.padStart(64, '0')}; MoveLoc amount
    Call 0x3::account_coin_store::transfer<0x3::gas_coin::RGas>; Ret
  }`),
);

const ORACLE_CAP = '0x3::oracle::OracleAdminCap';

/** A transaction that makes an object which its sender owns. */
function oracle(name: string): Transaction {
  const transaction = new Transaction();
  const args = [Args.string(name), Args.string('https://example.org'), Args.string('for a test')];
  transaction.callFunction({ target: '0x3::oracle::create_entry', args });
  return transaction;
}

const sessionArgs = (scopes: string[]): Parameters<RoochClient['createSession']>[0]['sessionArgs'] => ({
  appName: 'a test',
  appUrl: 'https://example.org',
  scopes,
  maxInactiveInterval: 1_200,
});

export const WRITES: MethodTests = {
  signAndExecuteTransaction: async ({ client, engine }) => {
    const signer = keyOf(carol);
    const { execution_info, sequence_info, output } = await client.signAndExecuteTransaction({
      transaction: oracle('first'),
      signer,
    });
    expect(execution_info.status).toEqual({ type: 'executed' });
    expect(output?.status).toEqual({ type: 'executed' });
    expect(await client.getSequenceNumber(carol.address)).toBe(1n);
    // What was answered for is there, whoever asks.
    const { data } = await client.queryTransactions({ filter: { sender: carol.address } });
    expect(data.map(({ transaction }) => transaction.sequence_info.tx_order)).toEqual([sequence_info.tx_order]);
    const { data: events } = await client.queryEvents({ filter: { tx_hash: execution_info.tx_hash } });
    expect(events).toHaveLength(output!.events.length);

    // The same bytes again: the sequence number is used up.
    const again = oracle('second');
    again.setSender(carol.address);
    again.setSeqNumber(0n);
    again.setChainId(engine.chainId);
    again.setMaxGas(50_000_000);
    again.setAuth(await signer.signTransaction(again));
    const late = client.signAndExecuteTransaction({ transaction: again.encode().toBytes(), signer });
    await expect(late).rejects.toMatchObject({ code: 1001, type: 'SequenceNuberTooOld' });
    again.setSeqNumber(1n);
    const unsigned = client.signAndExecuteTransaction({ transaction: again.encode().toBytes(), signer });
    await expect(unsigned).rejects.toMatchObject({ code: 1010, type: 'InvalidAuthenticator' });
    again.setAuth(await signer.signTransaction(again));
    const { execution_info: second } = await client.signAndExecuteTransaction({
      transaction: again.encode().toBytes(),
      signer,
    });
    expect(second.status).toEqual({ type: 'executed' });

    // A script, which the SDK's own transactions cannot be: what somebody else signed goes out as bytes.
    const script = bitcoinSigner(carol.privateKey).sign({
      sender: parseAddress(carol.address),
      sequenceNumber: 2n,
      chainId: engine.chainId,
      maxGasAmount: 50_000_000n,
      action: { kind: 'script', code: SCRIPT, typeArguments: [], arguments: [encode(u256, 3n)] },
    });
    const { execution_info: third } = await client.signAndExecuteTransaction({
      transaction: encode(signedTransaction, script),
      signer,
    });
    expect(third.status).toEqual({ type: 'executed' });
  },

  dryrun: async ({ client, engine }) => {
    const transaction = oracle('dry');
    transaction.setSender(dave.address);
    transaction.setSeqNumber(0n);
    transaction.setChainId(engine.chainId);
    transaction.setMaxGas(50_000_000);
    const txBcsHex = transaction.encodeData().toHex();
    const { raw_output, vm_error_info } = await client.dryrun({ txBcsHex });
    expect(raw_output.status).toEqual({ type: 'executed' });
    expect(BigInt(raw_output.gas_used)).toBeGreaterThan(0n);
    expect(vm_error_info).toEqual({ error_message: '', execution_state: [] });
    expect(await client.getSequenceNumber(dave.address)).toBe(0n);
  },

  transfer: async ({ client }) => {
    const signer = keyOf(erin);
    const recipients = [
      frank.address,
      frank.regtestAddress,
      new RoochAddress(frank.address).toBech32Address(),
      new RoochAddress(frank.address),
    ];
    const before = BigInt((await client.getBalance({ owner: frank.address, coinType: RGAS })).balance);
    for (const recipient of recipients) {
      const { execution_info } = await client.transfer({
        signer,
        recipient,
        amount: 1_000n,
        coinType: { target: RGAS },
      });
      expect(execution_info.status).toEqual({ type: 'executed' });
    }
    const { balance } = await client.getBalance({ owner: frank.address, coinType: RGAS });
    expect(BigInt(balance)).toBe(before + 4_000n);
    const tooMuch = await client.transfer({
      signer,
      recipient: frank.address,
      amount: 10n ** 30n,
      coinType: { target: RGAS },
    });
    expect(tooMuch.execution_info.status.type).toBe('moveabort');
  },

  transferObject: async ({ client }) => {
    const signer = keyOf(grace);
    await client.signAndExecuteTransaction({ transaction: oracle('to give'), signer });
    const owned = async (owner: string): Promise<string[]> => {
      const { data } = await client.queryObjectStates({
        filter: { object_type_with_owner: { object_type: ORACLE_CAP, owner } },
      });
      return data.map(({ id }) => id);
    };
    const [objectId] = await owned(grace.address);
    const recipient = '0x1234';
    const { execution_info } = await client.transferObject({
      signer,
      recipient,
      objectId: objectId!,
      objectType: { target: ORACLE_CAP },
    });
    expect(execution_info.status).toEqual({ type: 'executed' });
    expect(await owned(grace.address)).toEqual([]);
    expect(await owned(`0x${'1234'.padStart(64, '0')}`)).toContain(objectId);
  },

  createSession: async ({ client }) => {
    const owner = keyOf(heidi);
    const session = await client.createSession({ sessionArgs: sessionArgs(['0x3::transfer::*']), signer: owner });
    const { data } = await client.getSessionKeys({ address: heidi.address });
    expect(data).toMatchObject([{ appName: 'a test', authenticationKey: session.getAuthKey() }]);
    expect(await client.sessionIsExpired({ address: heidi.address, authKey: session.getAuthKey() })).toBe(false);

    const recipient = '0x5678';
    const sent = await client.transfer({ signer: session, recipient, amount: 5n, coinType: { target: RGAS } });
    expect(sent.execution_info.status).toEqual({ type: 'executed' });
    // A function that it was not lent for, and a key that nobody lent.
    const beyond = client.signAndExecuteTransaction({ transaction: oracle('beyond'), signer: session });
    await expect(beyond).rejects.toMatchObject({ code: 1013 });
    const stranger = Session.fromJson({ ...session.toJSON(), secretKey: Ed25519Keypair.generate().getSecretKey() });
    const strange = client.transfer({ signer: stranger, recipient, amount: 5n, coinType: { target: RGAS } });
    await expect(strange).rejects.toMatchObject({ code: 1009, type: 'InvalidAccountAuthKey' });
  },

  removeSession: async ({ client }) => {
    const owner = keyOf(ivan);
    const session = await client.createSession({ sessionArgs: sessionArgs(['0x3::*::*']), signer: owner });
    expect(await client.removeSession({ authKey: session.getAuthKey(), signer: session })).toBe(true);
    const sent = client.transfer({ signer: session, recipient: '0x5678', amount: 5n, coinType: { target: RGAS } });
    await expect(sent).rejects.toMatchObject({ code: 1009 });
    expect((await client.getSessionKeys({ address: ivan.address })).data).toEqual([]);
    // Taking back a key that is not there is no failure; never having lent one is.
    expect(await client.removeSession({ authKey: session.getAuthKey(), signer: owner })).toBe(true);
    expect(await client.removeSession({ authKey: session.getAuthKey(), signer: keyOf(judy) })).toBe(false);
  },
};
