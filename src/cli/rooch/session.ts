/**
 * One run of a command of the `rooch` program: its wallet, the node that it asks, names for addresses, and transactions
 * of the wallet's accounts.
 * @module
 */
import { resolve } from 'node:path';
import { base58 } from '@scure/base';
import { bytes, encode, option, string, struct, u8 } from '../../base/bcs.ts';
import { fromHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { MAX_GAS_AMOUNT_DEFAULT } from '../../base/config.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { signSecp256k1 } from '../../base/hash/secp256k1.ts';
import { nodeAddressOf, parseAccount } from '../../bitcoin/address.ts';
import { addressOfTaproot, parseNostrPublicKey } from '../../bitcoin/address-derivation.ts';
import type { Signer } from '../../chain/signature/signer.ts';
import { type Action, type FunctionAction, formatFunctionId } from '../../chain/transaction/action.ts';
import { type TransactionData, transactionHash, VALIDATOR_DID } from '../../chain/transaction/signed.ts';
import { type Address, formatAddress } from '../../move/address.ts';
import type { CallInput } from '../../query/function-call.ts';
import { buildTransaction, callFunction, encodeTransaction, type ModuleAbi } from '../../query/transaction-builder.ts';
import { type Arguments, type Options, readNumber, UsageError, understood } from '../arguments.ts';
import { plain } from '../decoded-value.ts';
import { callParam } from '../move-call.ts';
import { type AskedNode, nodeAt } from '../node.ts';
import { Wallet, type WalletAccount } from './wallet.ts';

/** Options of every command. */
export const COMMON_OPTIONS: Options = {
  'config-dir': { value: 'DIR', completes: 'directory', help: 'keys and nodes (default: ROOCH_CONFIG_DIR)' },
  json: { help: 'print JSON where the command prints text' },
};

/** Options of commands that send a transaction. */
export const SENDER_OPTIONS: Options = {
  sender: { value: 'WHO', help: 'an account of the wallet, or one that its keys sign for (default: default)' },
  'max-gas-amount': { value: 'N', help: `gas units that it may use (default: ${MAX_GAS_AMOUNT_DEFAULT})` },
  'sequence-number': { value: 'N', help: 'the number of the transaction (default: the next of the sender)' },
  'session-key': { value: 'KEY', help: 'sign with this session key: its authentication key in hex' },
};

/** Names that stand for addresses, beside those of accounts. */
const FRAMEWORK_NAMES: Readonly<Record<string, string>> = {
  std: '0x1',
  moveos_std: '0x2',
  rooch_framework: '0x3',
  bitcoin_move: '0x4',
};

/** The parts of the answer to an executed transaction that are read. */
export interface ExecutedJson {
  readonly execution_info: {
    readonly tx_hash: string;
    readonly gas_used: string;
    readonly status: { readonly type: string };
  };
  readonly output: {
    readonly events: readonly { readonly event_type: string; readonly decoded_event_data: unknown }[];
  } | null;
  readonly sequence_info: { readonly tx_order: string };
}

/** An executed transaction: the node's answer as text and as a value. */
export interface Executed {
  readonly text: string;
  readonly json: ExecutedJson;
}

interface ViewJson {
  readonly vm_status: unknown;
  readonly return_values: readonly { readonly decoded_value: unknown }[] | null;
}

/** A name in front of `::`, which stands for an address. */
const NAMED = /(?<![\w:])([A-Za-z_]\w*)(?=::)/g;

export class RoochSession {
  readonly cwd: string;
  readonly #directory: string;
  #wallet: Wallet | undefined;
  #node: AskedNode | undefined;

  /** @throws {UsageError} if nothing names the configuration directory */
  constructor(
    args: Arguments,
    { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  ) {
    const directory = args.string('config-dir') ?? env['ROOCH_CONFIG_DIR'];
    if (directory === undefined) throw new UsageError('--config-dir: expected a directory, or one in ROOCH_CONFIG_DIR');
    this.cwd = cwd;
    this.#directory = resolve(cwd, directory);
  }

  init(): Wallet {
    this.#wallet = Wallet.init(this.#directory);
    return this.#wallet;
  }

  /** @throws {EngineError} as `Wallet.open` */
  get wallet(): Wallet {
    this.#wallet ??= Wallet.open(this.#directory);
    return this.#wallet;
  }

  path(text: string): string {
    return resolve(this.cwd, text);
  }

  /** The result as JSON text. */
  async ask(method: string, ...params: readonly unknown[]): Promise<string> {
    this.#node ??= nodeAt(this.wallet.env.rpc, undefined, `env ${this.wallet.activeEnv}`);
    return this.#node.ask(method, JSON.stringify(params));
  }

  async read<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return JSON.parse(await this.ask(method, ...params)) as T;
  }

  /** Addresses by their names: `default` is the active account's. */
  get names(): Readonly<Record<string, string>> {
    return { ...FRAMEWORK_NAMES, default: this.wallet.activeAddress };
  }

  /**
   * An address by its name, or in any form: hex, `rooch1`, Bitcoin, Nostr, `did:rooch:`.
   * @throws {UsageError} for other text
   */
  address(text: string, what: string): Address {
    const named = this.names[text] ?? text.replace(/^did:rooch:/, '');
    return understood(what, () =>
      named.startsWith('npub1') ? nodeAddressOf(addressOfTaproot(parseNostrPublicKey(named))) : parseAccount(named),
    );
  }

  /** A type or the name of a function, in which names may stand for addresses. */
  named(text: string): string {
    const names = this.names;
    return text.replace(NAMED, (name) => names[name] ?? name);
  }

  /** The account that an option names, or the active one. */
  account(text: string | undefined, what: string): WalletAccount {
    const address = formatAddress(this.address(text ?? 'default', what));
    const found = this.wallet.account(address);
    if (found === undefined) throw new EngineError('not-found', `${what}: the wallet has no key of ${address}`);
    return found;
  }

  /** A call whose arguments are encoded by the types of the function's parameters. */
  async call(call: CallInput & { readonly function: string }): Promise<FunctionAction> {
    const [owner, module] = call.function.split('::');
    return callFunction(call, await this.read<ModuleAbi | null>('rooch_getModuleABI', owner, module));
  }

  /**
   * What a function returns, decoded.
   * @throws {EngineError} `not-found` if it fails
   */
  async view(call: CallInput & { readonly function: string }): Promise<readonly unknown[]> {
    const action = await this.call(call);
    const answer = await this.read<ViewJson>('rooch_executeViewFunction', callParam(action));
    if (answer.return_values !== null) return answer.return_values.map(({ decoded_value }) => plain(decoded_value));
    throw new EngineError('not-found', `${call.function} failed: ${JSON.stringify(answer.vm_status)}`);
  }

  sender(args: Arguments): Address {
    return this.address(args.string('sender') ?? 'default', '--sender');
  }

  /** A transaction of the options' sender, not signed. */
  async build(sender: Address, action: Action, args: Arguments): Promise<TransactionData> {
    const max = Number.MAX_SAFE_INTEGER;
    const maxGasAmount = BigInt(readNumber(args, 'max-gas-amount', Number(MAX_GAS_AMOUNT_DEFAULT), max, 1));
    const chainId = BigInt(await this.read<string>('rooch_getChainID'));
    const sequenceNumber = args.given.has('sequence-number')
      ? BigInt(readNumber(args, 'sequence-number', 0, max))
      : BigInt((await this.view({ function: '0x2::account::sequence_number', arguments: [sender] }))[0] as string);
    return buildTransaction({ sender, sequenceNumber, chainId, maxGasAmount, action });
  }

  /** Signs and executes a call of `sender`. The status may be a failure. */
  async execute(sender: Address, action: Action, args: Arguments): Promise<Executed> {
    const data = await this.build(sender, action, args);
    const signer = await this.signer(sender, args.string('session-key'));
    return this.submit(encodeTransaction(signer.sign(data)));
  }

  async submit(transaction: Uint8Array): Promise<Executed> {
    const params = [toHexPrefixed(transaction), { withOutput: true, decode: true }];
    const text = await this.ask('rooch_executeRawTransaction', ...params).catch((cause) => {
      // Suites put a message between quotes.
      const reason = messageOf(cause).replaceAll("'", '\u2019');
      throw cause instanceof EngineError ? new EngineError(cause.code, reason, { cause }) : cause;
    });
    return { text, json: JSON.parse(text) as ExecutedJson };
  }

  /**
   * The same for commands for which a failure is an error.
   * @throws {EngineError} `transaction-rejected` with its status
   */
  async executed(sender: Address, action: FunctionAction, args: Arguments): Promise<Executed> {
    const result = await this.execute(sender, action, args);
    const { status } = result.json.execution_info;
    if (status.type === 'executed') return result;
    const name = formatFunctionId(action.function);
    throw new EngineError('transaction-rejected', `${name} failed: ${JSON.stringify(status)}`);
  }

  /**
   * The signer for an account: its own key, a session key, or a method of its identity document whose key the wallet
   * has.
   * @throws {EngineError} `not-found`
   */
  async signer(sender: Address, sessionKey?: string): Promise<Signer> {
    const address = formatAddress(sender);
    if (sessionKey !== undefined) {
      const found = this.wallet.session(address, sessionKey);
      if (found !== undefined) return found;
      throw new EngineError('not-found', `--session-key: the wallet has no session key ${sessionKey} of ${address}`);
    }
    const own = this.wallet.account(address)?.signer;
    if (own !== undefined) return own;
    const [isDid] = await this.view({ function: '0x3::did::exists_did_for_address', arguments: [sender] });
    if (isDid !== true) throw new EngineError('not-found', `--sender: the wallet has no key of ${address}`);
    const method = await this.didMethod(sender);
    return {
      address,
      sign: (data) => ({ data, authenticator: { validatorId: VALIDATOR_DID, payload: didPayload(method, data) } }),
    };
  }

  /**
   * A method of an account's identity document by which the wallet can sign.
   * @param fragment the method's name; by default any
   * @throws {EngineError} `not-found`
   */
  async didMethod(did: Address, fragment?: string): Promise<DidMethod> {
    const [document] = await this.view({ function: '0x3::did::get_did_document_by_address', arguments: [did] });
    const { verification_methods: methods } = document as DidDocument;
    for (const { key, value } of methods.data) {
      if (fragment !== undefined && fragment !== key) continue;
      const own = this.wallet.accounts.find(({ signer }) => multibase(signer.publicKey) === value.public_key_multibase);
      if (own !== undefined) return { fragment: key, privateKey: own.privateKey };
    }
    const which = fragment === undefined ? 'method' : `method ${fragment}`;
    throw new EngineError(
      'not-found',
      `the wallet has no key of ${formatAddress(did)}, and none of a ${which} of its identity`,
    );
  }
}

/** A method of an identity document, with its key. */
interface DidMethod {
  readonly fragment: string;
  readonly privateKey: string;
}

interface DidDocument {
  readonly verification_methods: {
    readonly data: readonly { readonly key: string; readonly value: { readonly public_key_multibase: string } }[];
  };
}

/** The envelope of `0x3::did_validator` in which the hash of the transaction is signed as it is. */
const RAW_HASH = 0;

const didPayloadCodec = struct<{
  envelope: number;
  fragment: string;
  signature: Uint8Array;
  message: Uint8Array | undefined;
}>({ envelope: u8, fragment: string, signature: bytes, message: option(bytes) });

function didPayload({ fragment, privateKey }: DidMethod, data: TransactionData): Uint8Array {
  const signature = signMessage(transactionHash(data), privateKey);
  return encode(didPayloadCodec, { envelope: RAW_HASH, fragment, signature, message: undefined });
}

/** What an option holds, as a view gives it; undefined for none. */
export function heldValue<T>(value: unknown): T | undefined {
  return (value as { readonly vec: readonly T[] }).vec[0];
}

/** ECDSA of the SHA-256 of a message. */
export function signMessage(message: Uint8Array, privateKey: string): Uint8Array {
  return signSecp256k1(message, fromHex(privateKey));
}

/** Bytes in base58, as identity documents write keys. */
export function multibase(given: Uint8Array): string {
  return `z${base58.encode(given)}`;
}
