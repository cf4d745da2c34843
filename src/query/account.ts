/**
 * The accounts a local or dev chain starts with: their addresses in every form, their keys, and transactions signed
 * with them. The keys are public (framework/accounts.ts).
 * @module
 */
import { A_U64, assertObject, assertOptions, plainBytes } from '../base/argument.ts';
import { encode } from '../base/bcs.ts';
import { equalBytes, fromHex, toHexPrefixed } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { MAX_GAS_AMOUNT_DEFAULT } from '../base/config.ts';
import { type BitcoinAddress, formatBitcoinAddress, parseBitcoinAddress } from '../bitcoin/address.ts';
import type { BitcoinNetwork } from '../bitcoin/network.ts';
import { readChangeSet } from '../chain/ledger/change-sets.ts';
import { readHistory } from '../chain/ledger/history.ts';
import { readTransaction } from '../chain/ledger/transactions.ts';
import type { ChangedFields } from '../chain/object/change-set.ts';
import type { ObjectId } from '../chain/object/object-id.ts';
import { type BitcoinSigner, knownKeySigner } from '../chain/signature/signer.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import {
  assertTransactionData,
  type SignedTransaction,
  signedTransaction,
  type TransactionData,
} from '../chain/transaction/signed.ts';
import { printAs } from '../chain/value/readable.ts';
import { followedNetwork } from '../execution/bitcoin-move/object-id.ts';
import { sequenceNumberOf } from '../execution/framework/account.ts';
import { DEV_ACCOUNTS, type DevAccount } from '../execution/framework/accounts.ts';
import { accountCoinStoreId, GAS_COIN_TYPE } from '../execution/framework/coin.ts';
import { shortText } from '../execution/trace/short-text.ts';
import { formatAddress, formatAddressBech32, parseAddress } from '../move/address.ts';
import { type ActionInput, encodeAction } from './function-call.ts';
import type { Reader, ReaderSource } from './reader.ts';

/** Options of a transaction besides its sender and action. */
export interface TransactionOptions {
  /** Gas units that the transaction may use. Default: MAX_GAS_AMOUNT_DEFAULT. */
  readonly maxGasAmount?: bigint | undefined;
  /**
   * Default: the account's next one at the head. Set it for a transaction that waits for earlier ones of the account.
   */
  readonly sequenceNumber?: bigint | undefined;
}

const TRANSACTION_OPTIONS = { maxGasAmount: A_U64, sequenceNumber: A_U64 };

/** An account of an engine, with its key. */
export class Account implements BitcoinSigner {
  static {
    reportAtCaller(Account);
  }

  /** `0x` and 64 digits. */
  readonly address: string;
  /** Text of its Bitcoin address (taproot) on the network that the chain follows. */
  readonly bitcoin: string;
  readonly #known: DevAccount;
  readonly #source: ReaderSource;
  #bitcoinAddress: BitcoinAddress | undefined;
  #signer: BitcoinSigner | undefined;

  constructor(known: DevAccount, network: BitcoinNetwork, source: ReaderSource) {
    this.#known = known;
    this.#source = source;
    this.address = formatAddress(parseAddress(known.address));
    this.bitcoin = network === 'regtest' ? known.regtestAddress : formatBitcoinAddress(this.bitcoinAddress, network);
  }

  /** BIP-32 path from `DEV_MNEMONIC`. */
  get path(): string {
    return this.#known.path;
  }

  /** secp256k1 secret key: `0x` and 64 digits. Neither printed nor in the account's JSON. */
  get privateKey(): string {
    return `0x${this.#known.privateKey}`;
  }

  /** Compressed secp256k1 public key, 33 bytes. */
  get publicKey(): Uint8Array {
    return fromHex(this.#known.publicKey);
  }

  /** Internal bytes of the Bitcoin address. */
  get bitcoinAddress(): BitcoinAddress {
    this.#bitcoinAddress ??= parseBitcoinAddress(this.#known.mainnetAddress);
    return this.#bitcoinAddress;
  }

  /**
   * A transaction of this account for the current state of the chain.
   *
   * ```ts
   * const data = alice.transaction({
   *   function: '0x3::transfer::transfer_coin',
   *   typeArguments: ['0x3::gas_coin::RGas'],
   *   arguments: [bob.address, 1_000n],
   * });
   * ```
   * @throws {EngineError} `not-found` for a module or function that does not exist, `invalid-argument` naming the
   * argument that does not fit
   */
  transaction(action: ActionInput, options: TransactionOptions = {}): TransactionData {
    assertOptions(options, TRANSACTION_OPTIONS);
    const reader = this.#source.current();
    const { head, state } = reader;
    const sender = parseAddress(this.address);
    const { maxGasAmount = MAX_GAS_AMOUNT_DEFAULT, sequenceNumber = sequenceNumberOf(state, sender) } = options;
    const encoded = encodeAction(action, state, reader.machines());
    return { sender, sequenceNumber, chainId: head.chainId, maxGasAmount, action: encoded };
  }

  /**
   * A call, or a transaction, signed as a Bitcoin wallet signs it: the BCS that `execute` takes and, in hexadecimal,
   * `rooch_executeRawTransaction`.
   * @throws {EngineError} as `transaction`; `invalid-argument` for another sender's transaction
   */
  signTransaction(call: ActionInput | TransactionData, options: TransactionOptions = {}): Uint8Array {
    assertObject(call, 'call', '{ function, typeArguments, arguments }, or a transaction');
    const data = 'sequenceNumber' in call ? call : this.transaction(call, options);
    return encode(signedTransaction, this.sign(data));
  }

  /** @throws {EngineError} `invalid-argument` for another sender's transaction */
  sign(data: TransactionData): SignedTransaction {
    const { bitcoinAddress, publicKey } = this;
    const address = parseAddress(this.address);
    this.#signer ??= knownKeySigner({ secret: fromHex(this.privateKey), publicKey, address, bitcoinAddress });
    assertTransactionData(data);
    return this.#signer.sign({ ...data, sender: plainBytes(data.sender) });
  }

  /** The address as text, for messages. */
  toString(): string {
    return this.address;
  }

  /** Everything about the account except its secret key. */
  toJSON(): object {
    const { path, bitcoin } = this;
    return {
      address: this.address,
      bech32: formatAddressBech32(parseAddress(this.address)),
      bitcoin,
      publicKey: toHexPrefixed(this.publicKey),
      path,
    };
  }
}

printAs(Account, ({ address }) => `${shortText(address)} (${address})`);

/** The well-known accounts that have coins at genesis; none on chains that started without them. */
export function fundedAccounts(reader: Reader): readonly DevAccount[] {
  // Partial chains start from the main network's genesis file, which funds nobody.
  const genesis = reader.head.unloadedRoots.length > 0 ? undefined : readTransaction(reader.rows, 0n);
  if (genesis === undefined) return [];
  const isMade = genesisObjects(reader, genesis.executionInfo.stateRoot);
  return DEV_ACCOUNTS.filter(({ address }) => isMade(accountCoinStoreId(parseAddress(address), GAS_COIN_TYPE)));
}

/** Accounts whose keys are known, as those of the chain of `source`. */
export function accountsOf(known: readonly DevAccount[], source: ReaderSource): readonly Account[] {
  const network = followedNetwork(source.current().state);
  return known.map((account) => new Account(account, network, source));
}

/**
 * Whether genesis created an object: known from its state or, if that was pruned, from its change set, which is kept.
 */
function genesisObjects(reader: Reader, root: Uint8Array): (id: ObjectId) => boolean {
  if ((readHistory(reader.rows)?.oldest ?? 0n) === 0n) {
    const state = reader.stateAt(root);
    return (id) => state.object(id) !== undefined;
  }
  const { changes } = readChangeSet(reader.rows, nodeSource(reader.rows), 0n).stateChangeSet;
  return (id) => {
    let fields: ChangedFields | undefined = changes;
    for (const part of id) fields = fields && [...fields].find(([key]) => equalBytes(key, part))?.[1].fields;
    return fields !== undefined;
  };
}
