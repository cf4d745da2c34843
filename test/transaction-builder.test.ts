import { Args, RoochAddress, Secp256k1Keypair, Transaction } from '@roochnetwork/rooch-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode, encode } from '../src/base/bcs.ts';
import { fromHex, toHex, toHexPrefixed } from '../src/base/bytes/bytes.ts';
import { FRAMEWORK_PACKAGES } from '../src/execution/framework/framework.ts';
import {
  type Account,
  DEV_ACCOUNTS,
  DEV_MNEMONIC,
  Engine,
  GAS_COIN_TYPE,
  toBech32,
  type ViewArgument,
} from '../src/index.ts';
import {
  bitcoinSigner,
  buildTransaction,
  callFunction,
  encodeTransaction,
  type ModuleAbi,
  publishModules,
  sessionSigner,
  signedTransaction,
  transactionData,
  transactionHash,
  verifyAuthenticator,
} from '../src/query/transaction-builder.ts';
import { createRpc, type Rpc } from '../src/server/index.ts';
import { expectRefusal } from './refusal.ts';

const RGAS = '0x3::gas_coin::RGas';
const TRANSFER = '0x3::transfer::transfer_coin';

let engine: Engine;
let rpc: Rpc;
let alice: Account;
let bob: Account;

beforeAll(async () => {
  engine = await Engine.open();
  rpc = createRpc(engine);
  [alice, bob] = engine.accounts as [Account, Account];
});

afterAll(async () => {
  await engine.close();
});

async function abiOf(address: string, module: string): Promise<ModuleAbi | null> {
  return rpc.request('rooch_getModuleABI', [address, module]);
}

describe('the accounts of an engine', () => {
  it('are those that genesis funded, in every form of their names', () => {
    expect(engine.accounts.map(({ address }) => String(address))).toEqual(DEV_ACCOUNTS.map(({ address }) => address));
    expect(alice.bitcoin).toBe(DEV_ACCOUNTS[0]!.regtestAddress);
    expect(toBech32(alice.address)).toBe(new RoochAddress(DEV_ACCOUNTS[0]!.address).toBech32Address());
    expect(String(alice)).toBe(DEV_ACCOUNTS[0]!.address);
    expect(engine.balances.get(alice.address, GAS_COIN_TYPE).balance).toBe(100_000_000_000_000n);
    expect(JSON.parse(JSON.stringify(alice))).toEqual({
      address: DEV_ACCOUNTS[0]!.address,
      bech32: toBech32(alice.address),
      bitcoin: alice.bitcoin,
      publicKey: `0x${DEV_ACCOUNTS[0]!.publicKey}`,
      path: "m/86'/0'/0'/0/1",
    });
    // What is printed or logged does not hold the key.
    expect(alice.privateKey).toBe(`0x${DEV_ACCOUNTS[0]!.privateKey}`);
  });

  it('have Bitcoin addresses of the network that the chain follows', async () => {
    await using other = await Engine.open({ bitcoinNetwork: 'bitcoin' });
    expect(other.accounts[0]?.bitcoin).toBe(DEV_ACCOUNTS[0]!.mainnetAddress);
  });

  it('are a fork’s own in a fork', async () => {
    await using fork = engine.fork();
    expect(fork.accounts).toHaveLength(DEV_ACCOUNTS.length);
    expect(fork.accounts[0]).not.toBe(alice);
  });

  it('sign what is asked of them for the chain as it is', () => {
    const bytes = alice.signTransaction({
      function: TRANSFER,
      typeArguments: [RGAS],
      arguments: [bob.address, 1_000n],
    });
    const { data, authenticator } = decode(signedTransaction, bytes);
    expect(data).toMatchObject({ sequenceNumber: 0n, chainId: 4n, maxGasAmount: 1_000_000_000n });
    const proof = verifyAuthenticator(transactionHash(data), authenticator);
    expect(proof?.kind === 'bitcoin' && toHex(proof.account)).toBe(alice.address.slice(2));
    const later = alice.transaction(publishModules([]), { sequenceNumber: 7n, maxGasAmount: 5n });
    expect(later).toMatchObject({ sequenceNumber: 7n, maxGasAmount: 5n, action: { kind: 'modules' } });
  });

  it('refuse what does not fit, by name', () => {
    const call = (parts: object) => () =>
      alice.signTransaction({ function: TRANSFER, typeArguments: [RGAS], ...parts });
    expectRefusal(
      call({ arguments: [bob.address] }),
      'invalid-argument',
      'expected 2 arguments (address, u256), got 1',
    );
    expectRefusal(call({ arguments: [bob.address, -1] }), 'invalid-argument', 'argument 1 (u256)');
    expectRefusal(call({ function: '0x3::transfer::nothing' }), 'not-found', 'nothing');
    expectRefusal(call({ function: '0x9::transfer::nothing' }), 'not-found', 'Module does not exist');
  });
});

describe('transactions without an engine', () => {
  it('are those of the official SDK, to the byte', async () => {
    const sdk = new Transaction();
    const keypair = Secp256k1Keypair.deriveKeypair(DEV_MNEMONIC);
    sdk.callFunction({
      target: TRANSFER,
      args: [Args.address(bob.address.toString()), Args.u256(1_000n)],
      typeArgs: [RGAS],
      maxGas: 50_000_000,
    });
    sdk.setSender(keypair.getRoochAddress().toHexAddress());
    sdk.setSeqNumber(3n);
    sdk.setChainId(4n);
    const call = { function: TRANSFER, typeArguments: [RGAS], arguments: [String(bob.address), 1_000n] };
    const action = callFunction(call, await abiOf('0x3', 'transfer'));
    const data = buildTransaction({
      sender: String(alice.address),
      sequenceNumber: 3n,
      chainId: 4n,
      maxGasAmount: 50_000_000n,
      action,
    });
    expect(toHex(encode(transactionData, data))).toBe(sdk.encodeData().toHex());
    expect(toHex(transactionHash(data))).toBe(toHex(sdk.hashData()));
    // The SDK writes its message in the older form.
    const authenticator = await keypair.signTransaction(sdk);
    sdk.setAuth(authenticator);
    const theirs = sdk.encode().toBytes();
    const signer = bitcoinSigner(DEV_ACCOUNTS[0]!.privateKey, {
      info: 'sdk',
      messageForm: 'legacy',
    });
    expect(toHex(encodeTransaction(signer.sign(data)))).toBe(toHex(theirs));
  });

  it('have their arguments encoded by an ABI as by the modules themselves', async () => {
    let calls = 0;
    for (const { address, modules } of frameworkModules()) {
      for (const module of modules) {
        const abi = await abiOf(address, module);
        for (const { name, params, is_entry, type_params } of (abi?.functions ?? []) as EntryFunction[]) {
          if (!is_entry) continue;
          const values = params.filter((text) => !text.endsWith('signer')).map(sampleOf);
          const typeArguments = type_params.map(() => RGAS);
          const call = { function: `${address}::${module}::${name}`, typeArguments, arguments: values };
          const { action } = alice.transaction(call);
          expect(callFunction(call, abi), call.function).toEqual(action);
          calls++;
        }
      }
    }
    expect(calls).toBeGreaterThan(50);
  });

  it('take arguments as BCS where there is no ABI', () => {
    const call = { function: TRANSFER, typeArguments: [RGAS] };
    expect(callFunction({ ...call, arguments: [fromHex(bob.address), { bcs: Uint8Array.of(1) }] })).toMatchObject({
      arguments: [fromHex(bob.address), Uint8Array.of(1)],
    });
    expectRefusal(() => callFunction({ ...call, arguments: [1] }), 'invalid-argument', 'argument 0: expected bytes');
    const ascii = { functions: [{ name: call.function.split('::')[2]!, params: ['0x1::ascii::String'] }] };
    expect(callFunction({ ...call, typeArguments: [], arguments: ['~ \0'] }, ascii).arguments).toEqual([
      Uint8Array.of(3, 126, 32, 0),
    ]);
    // The chain takes any bytes for it; the functions of 0x1::ascii rely on these.
    expectRefusal(
      () => callFunction({ ...call, typeArguments: [], arguments: ['é'] }, ascii),
      'invalid-argument',
      'argument 0 (0x1::ascii::String): expected ASCII text, got "é"',
    );
  });

  it('say what an ABI lacks', async () => {
    const abi = await abiOf('0x3', 'transfer');
    expectRefusal(() => callFunction({ function: '0x3::transfer::nothing' }, abi), 'not-found', 'nothing');
    const call = { function: '0x3::transfer::transfer_object', arguments: [bob.address, '0x42'] };
    expectRefusal(() => callFunction(call, abi), 'invalid-argument', 'typeArguments: expected one for T0');
    const noModule = { function: '0x3::nowhere::nothing' };
    const none = await abiOf('0x3', 'nowhere');
    expectRefusal(() => callFunction(noModule, none), 'not-found', 'no module for 0x3::nowhere::nothing');
    const other = {
      function: '0x3::coin_store::transfer_object',
      typeArguments: [RGAS],
      arguments: [bob.address, '0x42'],
    };
    expectRefusal(
      () => callFunction(other, abi),
      'invalid-argument',
      'abi: expected the ABI of 0x3::coin_store, whose function is called, got that of 0x3::transfer',
    );
    const elsewhere = { ...call, function: '0x33::transfer::transfer_object', typeArguments: [RGAS] };
    expectRefusal(() => callFunction(elsewhere, abi), 'invalid-argument', 'the ABI of 0x33::transfer');
    for (const [part, value] of Object.entries({ address: 'nowhere', name: 3 })) {
      const wrong = { ...abi!, [part]: value } as ModuleAbi;
      expectRefusal(() => callFunction(call, wrong), 'invalid-argument', `abi.${part}: expected`);
    }
    const struct: ModuleAbi = { functions: [{ name: 'f', params: ['0x1::m::S'] }] };
    expectRefusal(() => callFunction({ function: '0x1::m::f', arguments: [{}] }, struct), 'invalid-argument', '{ bcs');
  });

  it('have signers whose address and keys people can read', () => {
    const alice = DEV_ACCOUNTS[0]!;
    const signer = bitcoinSigner(alice.privateKey);
    expect([signer.address, toHexPrefixed(signer.publicKey)]).toEqual([alice.address, `0x${alice.publicKey}`]);
    expect(sessionSigner(alice.address, '22'.repeat(32)).address).toBe(alice.address);
  });

  it('are signed by session keys for the account that lent them', () => {
    const session = sessionSigner(alice.address, '22'.repeat(32));
    const data = buildTransaction({
      sender: alice.address,
      sequenceNumber: 0n,
      chainId: 4n,
      action: publishModules([]),
    });
    const { authenticator } = decode(signedTransaction, encodeTransaction(session.sign(data)));
    expect(verifyAuthenticator(transactionHash(data), authenticator)).toMatchObject({
      kind: 'session',
      scheme: 'ed25519',
    });
    expectRefusal(() => sessionSigner(alice.address, 'no key'), 'invalid-argument', 'privateKey');
  });
});

interface EntryFunction {
  readonly name: string;
  readonly is_entry: boolean;
  readonly params: readonly string[];
  readonly type_params: readonly unknown[];
}

/** The published modules of the framework, by package. */
function frameworkModules(): { address: string; modules: string[] }[] {
  return FRAMEWORK_PACKAGES.map(({ address, modules }) => ({
    address: `0x${toHex(address).replace(/^0+/, '')}`,
    modules: modules.map(({ name }) => name),
  }));
}

const SAMPLES: Readonly<Record<string, ViewArgument>> = {
  bool: true,
  address: '0x42',
  '0x1::string::String': 'text',
  '0x1::ascii::String': 'text',
  '0x2::object::ObjectID': '0x42',
};

/** A value that a parameter of this type takes. */
function sampleOf(text: string): ViewArgument {
  const target = text.replace(/^&(?:mut )?/, '');
  const [, item] = /^vector<(.*)>$/.exec(target) ?? [];
  if (item !== undefined) return item === 'u8' ? '0x0102' : [sampleOf(item), sampleOf(item)];
  if (/^u\d+$/.test(target)) return 200;
  if (target.startsWith('0x2::object::Object<')) return '0x42';
  const sample = SAMPLES[target];
  if (sample === undefined) throw new Error(`no sample of ${text}`);
  return sample;
}
