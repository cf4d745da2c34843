/**
 * Random calls of functions that go deep only with arguments that belong together: identity documents, whose account
 * must sign by a method, and payment channels, whose vouchers must be signed.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytes, encode, string, u8, u64, u256, vector } from '../../../src/base/bcs.ts';
import { concatBytes, equalBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { CHAIN_ID_LOCAL } from '../../../src/base/config.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { type Address, addressOf, parseAddressHex } from '../../../src/move/address.ts';
import { canonicalStruct, parseStructTag, parseTypeTag } from '../../../src/move/type-tag.ts';
import { type ObjectId, objectId } from '../../../src/query/transaction-builder.ts';
import type { RandomNumber } from '../../effort.ts';
import type { Step } from './framework-world.ts';
import { nameOfStep } from './outcomes.ts';
import { MULTIBASE_KEYS } from './samples.ts';
import type { Target } from './target.ts';

const RGAS = '0x3::gas_coin::RGas';
const COIN_TYPE = canonicalStruct(parseStructTag(RGAS));
const SECRET = fromHex(DEV_ACCOUNTS[0]!.privateKey);
const [ALICE, BOB] = DEV_ACCOUNTS.slice(0, 2).map(({ address }) => parseAddressHex(address)) as [Address, Address];

const FRAGMENTS = ['account-key', 'account-key', 'account-key', 'key-1', 'key-2', '', 'x'.repeat(129)];
const KEYS = [...Object.values(MULTIBASE_KEYS), MULTIBASE_KEYS.secp256k1, 'key', 'z11', 'm'];
const METHOD_TYPES = [
  ...['Ed25519VerificationKey2020', 'EcdsaSecp256k1VerificationKey2019', 'EcdsaSecp256r1VerificationKey2019'],
  'JsonWebKey2020',
];
const SCOPES = ['0x3::did::*', '0x3::*::*', 'did', '0x1::a::b::c', '0xzz::a::b'];
const TEXTS = ['CadopCustodianService', 'https://example.org', '', 'x'.repeat(513)];
const DIDS = [
  'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme',
  'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
  `did:bitcoin:${DEV_ACCOUNTS[0]!.mainnetAddress}`,
  'did:rooch:rooch1',
  'did:key:',
  'key:did:z',
];

/** Who and what a story is about. */
interface Cast {
  /** The document's account. */
  readonly account: Address;
  readonly channel: ObjectId;
  /** How often the channel was closed. */
  readonly epoch: bigint;
  /** Steps so far: vouchers grow with them. */
  readonly time: number;
}

/** Makes a random step of one of the stories. */
export class StoryTeller {
  readonly #random: RandomNumber;
  readonly #targets: ReadonlyMap<string, Target>;

  constructor(random: RandomNumber, targets: readonly Target[]) {
    this.#random = random;
    this.#targets = new Map(targets.map((target) => [nameOfStep(target), target]));
  }

  step(cast: Cast): Step {
    const [name, ...given] = this.#pick([...this.#documentCalls(cast), ...this.#channelCalls(cast)])();
    return this.#step(name, given);
  }

  #step(name: string, given: readonly Uint8Array[]): Step {
    const [, path, types] = /^([^<]*)(?:<(.*)>)?$/.exec(name)!;
    const { module, function: own, returnsReference } = this.#targets.get(path!)!;
    const sources = given.map((value) => ({ kind: 'bytes' as const, bytes: value }));
    const typeArguments = types === undefined ? [] : [parseTypeTag(types)];
    return { module, function: own, typeArguments, sources, returnsReference };
  }

  /** Asks for the channel's epoch. */
  epochStep(channel: ObjectId): Step {
    return this.#step('0x3::payment_channel::get_channel_epoch', [encode(objectId, channel)]);
  }

  /** Whether the stories can go on after a step: the document must still have its first method. */
  goesOn(step: Step): boolean {
    const first = encode(string, FRAGMENTS[0]!);
    const names = step.sources.some((source) => source.kind === 'bytes' && equalBytes(source.bytes, first));
    return !(step.function.startsWith('remove_') && names);
  }

  #documentCalls({ account }: Cast): (() => [string, ...Uint8Array[]])[] {
    const signer = (): Address => this.#pick([account, account, account, account, ALICE]);
    const fragment = (): Uint8Array => encode(string, this.#pick(FRAGMENTS));
    const key = (): Uint8Array => encode(string, this.#pick(KEYS));
    const type = (): Uint8Array => encode(string, this.#pick(METHOD_TYPES));
    const text = (): Uint8Array => encode(string, this.#pick(TEXTS));
    const texts = (): Uint8Array => encode(vector(string), this.#some(TEXTS, 3));
    const scopes = (): Uint8Array => encode(vector(string), this.#some(SCOPES, 3));
    const relationship = (): number => this.#random(6);
    const relationships = (): Uint8Array => Uint8Array.of(3, relationship(), relationship(), relationship());
    const option = (value: Uint8Array): Uint8Array =>
      this.#random(4) === 0 ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), value);
    const did = (): Uint8Array => encode(string, this.#pick(DIDS));
    return [
      () => ['0x3::did::add_verification_method_entry', signer(), fragment(), type(), key(), relationships()],
      () => [
        ...(['0x3::did::add_verification_method_with_scopes_entry', signer(), fragment(), type(), key()] as const),
        ...([relationships(), scopes()] as const),
      ],
      () => ['0x3::did::remove_verification_method_entry', signer(), fragment()],
      () => ['0x3::did::add_to_verification_relationship_entry', signer(), fragment(), encode(u8, relationship())],
      () => [
        ...(['0x3::did::add_to_verification_relationship_with_scope_entry', signer(), fragment()] as const),
        ...([encode(u8, relationship()), scopes()] as const),
      ],
      () => ['0x3::did::remove_from_verification_relationship_entry', signer(), fragment(), encode(u8, relationship())],
      () => ['0x3::did::add_service_entry', signer(), fragment(), text(), text()],
      () => ['0x3::did::add_service_with_properties_entry', signer(), fragment(), text(), text(), texts(), texts()],
      () => ['0x3::did::update_service_entry', signer(), fragment(), text(), text(), texts(), texts()],
      () => ['0x3::did::remove_service_entry', signer(), fragment()],
      () => ['0x3::did::create_did_object_for_self_with_custom_scopes_entry', ALICE, key(), scopes()],
      () => [
        ...(['0x3::did::create_did_object_via_cadop_with_controller_and_scopes', signer(), did()] as const),
        ...([option(key()), option(type()), key(), type(), option(scopes())] as const),
      ],
    ];
  }

  #channelCalls({ account, channel, epoch, time }: Cast): (() => [string, ...Uint8Array[]])[] {
    const id = encode(objectId, channel);
    const party = (): Address => this.#pick([account, account, BOB, BOB, ALICE]);
    const fragment = (): string => (this.#random(4) > 0 ? FRAGMENTS[0]! : this.#pick(FRAGMENTS));
    const amount = (): bigint => BigInt(this.#pick([0, 1, 100, time, time + 1, time, time + 2, 2_000_000]));
    const nonce = (): bigint => BigInt(this.#pick([0, 1, time, time + 1, time + 2]));
    const voucher = (): [Uint8Array, Uint8Array, Uint8Array, Uint8Array] => {
      const [name, sum, number] = [fragment(), this.#pick([amount(), BigInt(time)]), nonce()];
      return [
        encode(string, name),
        encode(u256, sum),
        encode(u64, number),
        encode(bytes, this.#sign(channel, epoch, name, sum, number)),
      ];
    };
    const closeProofs = (): Uint8Array => this.#list(() => concatBytes(...voucher()));
    const cancelProofs = (): Uint8Array => this.#list(() => concatBytes(...voucher().slice(0, 3)));
    return [
      () => ['0x3::payment_channel::claim_from_channel_entry', party(), id, ...voucher()],
      () => ['0x3::payment_channel::claim_from_channel_entry', party(), id, ...voucher()],
      () => ['0x3::payment_channel::apply_receipt_entry', account, BOB, encode(string, COIN_TYPE), ...voucher()],
      () => ['0x3::payment_channel::close_channel_entry', party(), id, encode(bytes, closeProofs())],
      () => ['0x3::payment_channel::initiate_cancellation', party(), id, cancelProofs()],
      () => [
        '0x3::payment_channel::initiate_cancellation_with_proofs_entry',
        party(),
        id,
        encode(bytes, cancelProofs()),
      ],
      () => ['0x3::payment_channel::dispute_cancellation_entry', party(), id, ...voucher()],
      () => ['0x3::payment_channel::finalize_cancellation_entry', id],
      () => [
        ...([`0x3::payment_channel::open_channel_with_sub_channel_entry<${RGAS}>`, account, BOB] as const),
        encode(string, fragment()),
      ],
      () => ['0x3::payment_channel::authorize_sub_channel_entry', party(), id, encode(string, fragment())],
      () => [`0x3::payment_channel::withdraw_from_hub_entry<${RGAS}>`, account, encode(u256, amount())],
      () => [`0x3::payment_channel::deposit_to_hub_entry<${RGAS}>`, ALICE, account, encode(u256, amount())],
      () => [
        '0x2::timestamp::fast_forward_seconds_by_system',
        addressOf(this.#random(5)),
        encode(u64, BigInt(this.#random(2)) * 50_000n),
      ],
    ];
  }

  /** The signature of a voucher; now and then of another one. */
  #sign(channel: ObjectId, epoch: bigint, fragment: string, amount: bigint, nonce: bigint): Uint8Array {
    const parts = [encode(u8, 1), encode(u64, CHAIN_ID_LOCAL), encode(objectId, channel), encode(u64, epoch)];
    const rest = [
      encode(string, fragment),
      encode(u256, amount),
      encode(u64, this.#random(9) === 0 ? nonce + 1n : nonce),
    ];
    return secp256k1.sign(concatBytes(...parts, ...rest), SECRET);
  }

  #list(item: () => Uint8Array): Uint8Array {
    const items = Array.from({ length: this.#random(3) }, item);
    return concatBytes(Uint8Array.of(items.length), ...items);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)]!;
  }

  #some<Item>(items: readonly Item[], lengthMax: number): Item[] {
    return Array.from({ length: this.#random(lengthMax + 1) }, () => this.#pick(items));
  }
}
