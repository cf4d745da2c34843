/**
 * What TypeScript says of transactions, compared with what the Move function `validate` returns, when anything may be
 * unusual about the transaction and the chain: it says the same, or nothing.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytes, decode, encode, string, u64 } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { hashedSigned } from '../../../src/chain/transaction/signed.ts';
import type { SessionKey as GrantedKey } from '../../../src/execution/framework/account.ts';
import {
  TX_META_TYPE,
  type TxValidateResult,
  txMeta,
  txMetaOf,
  txValidateResult,
} from '../../../src/execution/framework/transaction.ts';
import {
  INTRINSIC_VALIDATION_BYTES_MAX,
  INTRINSIC_VALIDATION_GAS_MIN,
  validate,
} from '../../../src/execution/intrinsic/validate.ts';
import { runSession, type Session } from '../../../src/execution/runtime/session.ts';
import { contextEntryOf, type TxContext } from '../../../src/execution/runtime/tx-context.ts';
import { address, addressOf, FRAMEWORK_ADDRESS, parseAddress } from '../../../src/move/address.ts';
import { sessionSettings } from '../../../src/pipeline/execution-context.ts';
import {
  type Action,
  type SignedTransaction,
  signedTransaction,
  type TransactionData,
} from '../../../src/query/transaction-builder.ts';
import type { Returned } from '../../../src/vm/call.ts';
import { property } from '../../effort.ts';
import {
  ed25519Session,
  lendKey,
  p256Session,
  type SessionKey,
  secp256k1Session,
} from '../../pipeline/authenticators.ts';
import { type BitcoinParts, signBitcoin } from '../../pipeline/signer.ts';
import { ALICE, BOB, callOf, StepChain, transfer } from '../../pipeline/step-chain.ts';
import { arrange, keyOddity, type Oddity, oddity } from './arrangement.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const KEYS: readonly SessionKey[] = [
  ed25519Session(new Uint8Array(32).fill(7)),
  secp256k1Session(BOB),
  p256Session(new Uint8Array(32).fill(9)),
];
const SCOPES = [
  { moduleAddress: FRAMEWORK_ADDRESS, moduleName: 'transfer', functionName: '*' },
  { moduleAddress: FRAMEWORK_ADDRESS, moduleName: '*', functionName: 'transfer_coin' },
  { moduleAddress: FRAMEWORK_ADDRESS, moduleName: 'transfer', functionName: 'transfer_coin' },
  { moduleAddress: FRAMEWORK_ADDRESS, moduleName: 'transfer', functionName: 'transfer_object' },
  { moduleAddress: FRAMEWORK_ADDRESS, moduleName: 'coin', functionName: '*' },
  { moduleAddress: bob, moduleName: '*', functionName: '*' },
];

/** Alice has sent something, and granted all keys. */
async function livedIn(): Promise<StepChain> {
  const chain = await StepChain.open();
  chain.send(ALICE, transfer(bob, 1n));
  for (const { authenticationKey } of KEYS) {
    chain.send(ALICE, lendKey(authenticationKey, { module: 'transfer', function: '*', interval: 3_600n }));
  }
  return chain;
}

const chain = await livedIn();
const next = chain.sequenceNumber(alice);

function contextOf({ data }: SignedTransaction, txHash: Uint8Array): TxContext {
  const { data: meta, ...entry } = contextEntryOf(TX_META_TYPE, txMeta, txMetaOf(data.action));
  const { sender, sequenceNumber, maxGasAmount } = data;
  const entries = [{ ...entry, data: meta.slice() }];
  return { sender, sequenceNumber, maxGasAmount, txHash, txSize: 200n, idsCreated: 0n, entries };
}

/** What the Move function returns, and the gas that it uses; undefined if it does not return. */
function askMove(
  session: Session,
  { data, authenticator }: SignedTransaction,
): { readonly result: TxValidateResult; readonly gas: bigint } | undefined {
  const parts = [
    encode(u64, data.chainId),
    encode(u64, authenticator.validatorId),
    encode(bytes, authenticator.payload),
  ];
  const module = { address: FRAMEWORK_ADDRESS, name: 'transaction_validator' };
  const outcome = session.call({ module, function: 'validate', typeArguments: [], arguments: parts });
  if (outcome.kind === 'failed') return undefined;
  const [{ type, value }] = outcome.values as [Returned];
  return { result: decode(txValidateResult, type.encode(value)), gas: session.gasUsed };
}

const flip =
  (at: number) =>
  (signature: Uint8Array): Uint8Array => {
    const changed = signature.slice();
    changed[at]! ^= 1;
    return changed;
  };

type Signing = (data: TransactionData) => Uint8Array;
const byWallet =
  (change: Partial<BitcoinParts>): Signing =>
  (data) =>
    signBitcoin(ALICE, data, (parts) => ({ ...parts, ...change }));
const long = new TextEncoder().encode(`Rooch Transaction:\n${' '.repeat(INTRINSIC_VALIDATION_BYTES_MAX)}`);

const signings: readonly Signing[] = [
  byWallet({}),
  ...KEYS.map(
    (key): Signing =>
      (data) =>
        key.sign(data),
  ),
  ...KEYS.map(
    (key): Signing =>
      (data) =>
        key.sign(data),
  ),
  byWallet({ signature: new Uint8Array(64).fill(1) }),
  byWallet({ signature: new Uint8Array(64) }),
  byWallet({ signature: new Uint8Array(64).fill(255) }),
  byWallet({ signature: new Uint8Array(63).fill(1) }),
  (data) => KEYS[2]!.sign(data, () => new Uint8Array(64)),
  byWallet({ messageInfo: long }),
  byWallet({ messageInfo: new TextEncoder().encode('Bitcoin Transaction:\n') }),
  byWallet({ fromAddress: BOB.mainnetAddress }),
  byWallet({ fromAddress: 'nowhere' }),
  (data) => signBitcoin(BOB, data),
  (data) => KEYS[0]!.sign(data, flip(3)),
  (data) => KEYS[1]!.sign(data, flip(40)),
  (data) => ed25519Session(new Uint8Array(32).fill(8)).sign(data),
];

interface Case {
  /** Whether signatures are checked. */
  readonly isVerified: boolean;
  readonly data: TransactionData;
  readonly sign: Signing;
  readonly odd: readonly Oddity[];
}

const usually = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));
const U64_MAX = 2n ** 64n - 1n;
const script: Action = { kind: 'script', code: new Uint8Array(0), typeArguments: [], arguments: [] };

const cases: fc.Arbitrary<Case> = fc.record({
  isVerified: fc.boolean(),
  data: fc.record({
    sender: usually(alice, bob, addressOf(0x57a6)),
    sequenceNumber: usually(next, next - 1n, next + 1n, 0n, U64_MAX),
    chainId: usually(chain.head.chainId, 1n, 2n, 3n),
    maxGasAmount: usually(100_000_000n, 1n, INTRINSIC_VALIDATION_GAS_MIN - 1n, 1_000_000_000n, 1_000_000_001n),
    action: usually<Action>(
      transfer(bob, 1n),
      script,
      { kind: 'modules', modules: [] },
      callOf('0x3::coin::transfer_coin'),
    ),
  }),
  sign: fc.constantFrom(...signings),
  odd: fc.oneof(
    fc.constant([]),
    fc.array(oddity(100_000_000n, chain.now), { maxLength: 2 }),
    fc.array(keyOddity(SCOPES, chain.now / 1_000n), { minLength: 1, maxLength: 2 }),
  ),
});

const usual: TransactionData = {
  sender: alice,
  sequenceNumber: next,
  chainId: chain.head.chainId,
  maxGasAmount: 100_000_000n,
  action: transfer(bob, 1n),
};
const byKey: Signing = (data) => KEYS[0]!.sign(data);
const ofKey = (...odd: readonly Oddity[]): [Case] => [{ isVerified: true, data: usual, sign: byKey, odd }];
const seconds = chain.now / 1_000n;

/** Rare ones, which random choices might not meet. */
const EXAMPLES: [Case][] = [
  ofKey({ kind: 'granted key', parts: { lastActiveTime: seconds - 11n, maxInactiveInterval: 10n } }),
  ofKey({ kind: 'granted key', parts: { lastActiveTime: U64_MAX, maxInactiveInterval: 10n } }),
  ...SCOPES.map((scope) => ofKey({ kind: 'granted key', parts: { scopes: [scope] } })),
  ...(['account', 'clock', 'mapping', 'chain id'] as const).map((what) => ofKey({ kind: 'embed', what })),
  [
    {
      isVerified: true,
      data: { ...usual, sequenceNumber: U64_MAX },
      sign: byKey,
      odd: [{ kind: 'sequence number', value: U64_MAX }],
    },
  ],
  ...[1n, 2n, 9n].map((id): [Case] => [
    {
      isVerified: true,
      data: { ...usual, chainId: id },
      sign: byWallet({}),
      odd: [
        { kind: 'chain id', id },
        { kind: 'in store', balance: 0n, frozen: false },
        { kind: 'in field', balance: 0n, frozen: false },
      ],
    },
  ]),
];

it('is found valid for what a session key signs within its scope and its time', () => {
  const said = (parts: Partial<GrantedKey>, ...others: readonly Oddity[]): unknown => {
    const signed = byKey(usual);
    const { hash } = decode(hashedSigned, signed);
    return runSession(
      sessionSettings(chain.context, contextOf(decode(signedTransaction, signed), hash)),
      ({ objects }) => {
        for (const odd of [{ kind: 'granted key', parts } as const, ...others])
          arrange(objects, alice, odd, KEYS[0]!.authenticationKey);
        return validate(objects, decode(signedTransaction, signed), hash, true)?.sessionKey;
      },
    );
  };
  const { authenticationKey } = KEYS[0]!;
  expect(SCOPES.map((scope) => said({ scopes: [scope] }) !== undefined)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(said({ lastActiveTime: seconds - 10n, maxInactiveInterval: 10n })).toEqual(authenticationKey);
  expect(said({ lastActiveTime: seconds - 11n, maxInactiveInterval: 10n })).toBeUndefined();
  expect(said({ lastActiveTime: 0n, maxInactiveInterval: 0n })).toEqual(authenticationKey);
  // To read so much from the state takes the Move function more gas than such a transaction need have.
  expect(said({}, { kind: 'long record' })).toBeUndefined();
});

it('is left to Move code for a session key whose text is not UTF-8, which transactions may send', async () => {
  const own = await StepChain.open();
  const [key] = KEYS;
  const name = encode(bytes, Uint8Array.of(0xff, 0xfe));
  const scope = [encode(address, FRAMEWORK_ADDRESS), encode(string, 'transfer'), encode(string, '*')];
  const rest = [encode(string, 'https://app.example'), encode(bytes, key!.authenticationKey), ...scope];
  own.send(ALICE, callOf('0x3::session_key::create_session_key_entry', [], name, ...rest, encode(u64, 3_600n)));
  own.now += 60_000n;
  const { status } = own.execute(key!.sign(own.data(alice, transfer(bob, 1n))));
  expect(status).toEqual({ kind: 'executed' });
  // The last but one of its parts is the second at which it was used last.
  const named = [encode(address, alice), encode(bytes, key!.authenticationKey)];
  const stored = own.view(callOf('0x3::session_key::get_session_key', [], ...named));
  expect(stored.subarray(stored.length - 16, stored.length - 8)).toEqual(encode(u64, own.now / 1_000n));
});

it('is what the Move function returns, or undefined', () => {
  const [ours, kinds] = [{ wallet: 0, session: 0 }, new Set<string>()];
  let theirs = 0;
  fc.assert(
    fc.property(cases, ({ isVerified, data, sign, odd }) => {
      const signed = sign(data);
      const transaction = decode(signedTransaction, signed);
      const { hash } = decode(hashedSigned, signed);
      const settings = {
        ...sessionSettings(chain.context, contextOf(transaction, hash)),
        isReadOnly: true,
        assumesSignatures: !isVerified,
      };
      const prepared = <T>(run: (session: Session) => T): T =>
        runSession(settings, (session) => {
          for (const each of odd)
            for (const { authenticationKey } of KEYS) {
              arrange(session.objects, data.sender, each, authenticationKey);
            }
          return run(session);
        });
      const own = prepared(({ objects }) => validate(objects, transaction, hash, isVerified));
      const move = prepared((session) => askMove(session, transaction));
      if (own === undefined) {
        if (move === undefined) theirs++;
        return;
      }
      if (own.sessionKey === undefined) ours.wallet++;
      else ours.session++;
      if (own.sessionKey !== undefined) kinds.add(toHex(own.sessionKey));
      expect(move?.result).toEqual(own);
      expect(move!.gas).toBeLessThan(INTRINSIC_VALIDATION_GAS_MIN);
    }),
    { ...property(600, 5_000), examples: EXAMPLES },
  );
  expect(Math.min(ours.wallet, ours.session, theirs)).toBeGreaterThan(5);
  expect(kinds.size).toBe(KEYS.length);
});
