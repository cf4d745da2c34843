/**
 * `rooch did`: identity documents (`0x3::did`) and keys for them.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { base64, bech32 } from '@scure/base';
import { encode, string } from '../../base/bcs.ts';
import { concatBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { toBech32 } from '../../bitcoin/address.ts';
import { customObjectId, formatObjectId } from '../../chain/object/object-id.ts';
import { sessionSigner } from '../../chain/signature/signer.ts';
import type { SessionScheme } from '../../chain/transaction/auth-payload.ts';
import { type Address, FRAMEWORK_ADDRESS, formatAddress } from '../../move/address.ts';
import { structTag } from '../../move/type-tag.ts';
import type { ViewArgument } from '../../query/view-argument.ts';
import { type Arguments, type Options, UsageError } from '../arguments.ts';
import { type ExecutedJson, multibase, type RoochSession, SENDER_OPTIONS } from './session.ts';
import { type CommandAnswer, jsonAnswer, type RoochCommand, requiredOption } from './table.ts';
import { SECRET_PREFIX } from './wallet.ts';

const DOCUMENT_TYPE = structTag(FRAMEWORK_ADDRESS, 'did', 'DIDDocument');
const CREATED_EVENT = '0x3::did::DIDCreatedEvent';

/**
 * The relationships of a method to its document, by the names that the program takes, in the order of their numbers on
 * the chain.
 */
const RELATIONSHIPS = [
  ['auth', 'authentication'],
  ['assert', 'assertionmethod'],
  ['invoke', 'capabilityinvocation'],
  ['delegate', 'capabilitydelegation'],
  ['agreement', 'keyagreement'],
];

/** @throws {UsageError} */
function relationship(text: string): number {
  const place = RELATIONSHIPS.findIndex((names) => names.includes(text.trim().toLowerCase()));
  if (place >= 0) return place;
  const expected = RELATIONSHIPS.map(([name]) => name).join(', ');
  throw new UsageError(`--relationship: expected ${expected}, got ${text}`);
}

/** `KEY=VALUE,...` as two lists. @throws {UsageError} */
function properties(args: Arguments): readonly [string[], string[]] {
  const pairs = (args.string('properties') ?? '').split(',').filter((pair) => pair !== '');
  const wrong = pairs.find((pair) => !pair.includes('='));
  if (wrong !== undefined) throw new UsageError(`--properties: expected KEY=VALUE, got ${wrong}`);
  return [
    pairs.map((pair) => pair.slice(0, pair.indexOf('=')).trim()),
    pairs.map((pair) => pair.slice(pair.indexOf('=') + 1).trim()),
  ];
}

const addressOf = (session: RoochSession, text: string): Address => session.address(text, 'DID');

const didOf = (address: Address): string => `did:rooch:${toBech32(address)}`;

const documentId = (address: Address): string =>
  formatObjectId(customObjectId(encode(string, toBech32(address)), DOCUMENT_TYPE));

async function create(
  session: RoochSession,
  args: Arguments,
  name: string,
  values: readonly ViewArgument[],
): Promise<CommandAnswer> {
  const action = await session.call({ function: `0x3::did::${name}`, arguments: values });
  const { json: executed } = await session.executed(session.sender(args), action, args);
  const { did, object_id } = createdDid(executed);
  const [document] = await session.view({
    function: '0x3::did::get_did_document_by_object_id',
    arguments: [object_id],
  });
  const { account_cap } = document as { readonly account_cap: { readonly addr: string } };
  const did_address = toBech32(account_cap.addr);
  return jsonAnswer({ did, object_id, did_address, execution_info: executed.execution_info });
}

/** @throws {EngineError} `not-found` if the transaction made no document */
function createdDid({ output }: ExecutedJson): { readonly did: string; readonly object_id: string } {
  const event = output?.events.find(({ event_type }) => event_type === CREATED_EVENT);
  if (event === undefined) throw new EngineError('not-found', `the transaction emitted no ${CREATED_EVENT}`);
  return (event.decoded_event_data as { readonly value: { readonly did: string; readonly object_id: string } }).value;
}

async function documentAnswer(session: RoochSession, object_id: string): Promise<CommandAnswer> {
  const views = ['did_document', 'created_timestamp', 'updated_timestamp'].map((what) =>
    session.view({ function: `0x3::did::get_${what}_by_object_id`, arguments: [object_id] }),
  );
  const [did_document, created_at, updated_at] = (await Promise.all(views)).map(([value]) => value);
  return jsonAnswer({ did_document, object_id, created_at: Number(created_at), updated_at: Number(updated_at) });
}

/** A command of `did manage`: a call by the document's account. */
function manageRow(
  name: string,
  summary: string,
  options: Options,
  call: (
    session: RoochSession,
    args: Arguments,
  ) => {
    readonly operation: string;
    readonly function: string;
    readonly arguments: readonly ViewArgument[];
  },
): RoochCommand {
  return {
    name: `did manage ${name}`,
    summary,
    options: {
      'did-address': { value: 'WHO', help: 'the document: the address of its account' },
      fragment: { value: 'NAME', help: 'the name of the method or service in it' },
      ...options,
      ...SENDER_OPTIONS,
    },
    run: async (session, args) => {
      const owner = addressOf(session, requiredOption(args, 'did-address'));
      const { operation, function: name, arguments: values } = call(session, args);
      const fragment = requiredOption(args, 'fragment');
      const action = await session.call({ function: `0x3::did::${name}`, arguments: [fragment, ...values] });
      const { json: executed } = await session.executed(owner, action, args);
      const { execution_info } = executed;
      return jsonAnswer({ operation, did: didOf(owner), did_address: toBech32(owner), fragment, execution_info });
    },
  };
}

const RELATIONSHIP: Options = { relationship: { value: 'NAME', help: 'auth, assert, invoke, delegate or agreement' } };

const SERVICE: Options = {
  'service-type': { value: 'TYPE', help: 'what it is' },
  endpoint: { value: 'URL', help: 'where it is' },
  properties: { value: 'KEY=VALUE,...', help: 'more about it' },
};

/** A kind of key: its names in the program, and its number in front of keys. */
interface KeyKind {
  readonly word: string;
  readonly name: string;
  readonly scheme: SessionScheme;
  readonly flag: number;
  /** In front of a key in a `did:key`: https://w3c-ccg.github.io/did-key-spec */
  readonly multicodec: readonly number[];
}

const KEY_KINDS: readonly KeyKind[] = [
  { word: 'ed25519', name: 'Ed25519', scheme: 'ed25519', flag: 0, multicodec: [0xed, 0x01] },
  { word: 'secp256k1', name: 'Secp256k1', scheme: 'secp256k1', flag: 1, multicodec: [0xe7, 0x01] },
  { word: 'ecdsa-r1', name: 'EcdsaR1', scheme: 'p256', flag: 2, multicodec: [0x80, 0x24] },
];

/** A key as `did keygen` shows it. @param secret 32 bytes */
export function keyView(word: string, secret: Uint8Array): object {
  const { name, scheme, flag, multicodec } = KEY_KINDS.find((kind) => kind.word === word)!;
  const { publicKey } = sessionSigner(FRAMEWORK_ADDRESS, secret, scheme);
  const flagged = concatBytes(Uint8Array.of(flag), publicKey);
  const flaggedSecret = concatBytes(Uint8Array.of(flag), secret);
  return {
    key_type: name,
    public_key: {
      multibase: multibase(flagged),
      hex: toHexPrefixed(publicKey),
      base64: base64.encode(flagged),
      raw_multibase: multibase(publicKey),
    },
    private_key: {
      hex: toHexPrefixed(secret),
      base64: base64.encode(flaggedSecret),
      bech32: bech32.encodeFromBytes(SECRET_PREFIX, flaggedSecret),
    },
    did_key: `did:key:${multibase(concatBytes(Uint8Array.from(multicodec), publicKey))}`,
  };
}

export const DID_ROWS: readonly RoochCommand[] = [
  {
    name: 'did create self',
    summary: 'a document for the sender',
    options: SENDER_OPTIONS,
    run: async (session, args) => {
      const { signer } = session.account(args.string('sender'), '--sender');
      return create(session, args, 'create_did_object_for_self_entry', [multibase(signer.publicKey)]);
    },
  },
  {
    name: 'did create cadop',
    summary: 'a document for a key, by a custodian',
    options: {
      'user-did-key': { value: 'DID', help: 'did:key:... of the user' },
      'custodian-service-key': { value: 'KEY', help: 'the key of the service, in multibase' },
      'custodian-key-type': { value: 'TYPE', help: 'its type (default: Ed25519VerificationKey2020)' },
      ...SENDER_OPTIONS,
    },
    run: (session, args) =>
      create(session, args, 'create_did_object_via_cadop_with_did_key_entry', [
        requiredOption(args, 'user-did-key'),
        requiredOption(args, 'custodian-service-key'),
        args.string('custodian-key-type') ?? 'Ed25519VerificationKey2020',
      ]),
  },
  ...['address', 'did'].map(
    (by): RoochCommand => ({
      name: `did query ${by}`,
      summary: `a document by ${by === 'did' ? 'its name' : 'the address of its account'}`,
      usage: 'DID',
      min: 1,
      run: (session, { positionals: [who = ''] }) => documentAnswer(session, documentId(addressOf(session, who))),
    }),
  ),
  {
    name: 'did query object-id',
    summary: 'a document by its object',
    usage: 'ID',
    min: 1,
    run: (session, { positionals: [id = ''] }) => documentAnswer(session, id),
  },
  {
    name: 'did query exists',
    summary: 'whether a document exists',
    usage: 'DID',
    min: 1,
    run: async (session, { positionals: [identifier = ''] }) => {
      const owner = addressOf(session, identifier);
      const [exists] = await session.view({ function: '0x3::did::exists_did_for_address', arguments: [owner] });
      const query_type = identifier.startsWith('did:') ? 'did_identifier' : 'address';
      return jsonAnswer({ identifier, exists, query_type });
    },
  },
  {
    name: 'did query controller',
    summary: 'the documents of a controller',
    usage: 'DID',
    min: 1,
    run: async (session, { positionals: [controller = ''] }) => {
      const name = '0x3::did::get_dids_by_controller_string';
      const [controlled_dids] = await session.view({ function: name, arguments: [controller] });
      return jsonAnswer({ controller, controlled_dids });
    },
  },
  manageRow(
    'add-vm',
    'add a method',
    {
      'method-type': { value: 'TYPE', help: 'the type of its key' },
      'public-key': { value: 'KEY', help: 'in multibase (default: a new Ed25519 key of the wallet)' },
      relationships: { value: 'NAME,...', help: 'what it is for' },
    },
    (session, args) => {
      const given = args.string('public-key');
      const owner = formatAddress(addressOf(session, requiredOption(args, 'did-address')));
      const key = given ?? multibase(session.wallet.createSession(owner).publicKey);
      const type = given === undefined ? 'Ed25519VerificationKey2020' : requiredOption(args, 'method-type');
      const places = (args.string('relationships') ?? '')
        .split(',')
        .filter((name) => name !== '')
        .map(relationship);
      return {
        operation: 'add_verification_method',
        function: 'add_verification_method_entry',
        arguments: [type, key, places],
      };
    },
  ),
  manageRow('remove-vm', 'remove a method', {}, () => ({
    operation: 'remove_verification_method',
    function: 'remove_verification_method_entry',
    arguments: [],
  })),
  ...(['add', 'remove'] as const).map((word) =>
    manageRow(`${word}-relationship`, `${word} a purpose of a method`, RELATIONSHIP, (_session, args) => {
      const name = requiredOption(args, 'relationship');
      const side = word === 'add' ? 'to' : 'from';
      return {
        operation: `${word}_${side}_${name}`,
        function: `${word}_${side}_verification_relationship_entry`,
        arguments: [relationship(name)],
      };
    }),
  ),
  manageRow('add-service', 'add a service', SERVICE, (_session, args) => ({
    operation: 'add_service',
    function: 'add_service_with_properties_entry',
    arguments: [requiredOption(args, 'service-type'), requiredOption(args, 'endpoint'), ...properties(args)],
  })),
  manageRow('update-service', 'replace a service', SERVICE, (_session, args) => ({
    operation: 'update_service',
    function: 'update_service_entry',
    arguments: [requiredOption(args, 'service-type'), requiredOption(args, 'endpoint'), ...properties(args)],
  })),
  manageRow('remove-service', 'remove a service', {}, () => ({
    operation: 'remove_service',
    function: 'remove_service_entry',
    arguments: [],
  })),
  ...KEY_KINDS.map(
    ({ word, name }): RoochCommand => ({
      name: `did keygen ${word}`,
      summary: `a new ${name} key`,
      options: { raw: { help: 'accepted: always' }, 'include-private': { help: 'accepted: always' } },
      run: async () => jsonAnswer(keyView(word, new Uint8Array(randomBytes(32)))),
    }),
  ),
];
