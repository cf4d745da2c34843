/** A local chain on which every kind of record occurs, written by hand. */
import { encode, pair, string, u64, vector } from '../../../src/base/bcs.ts';
import { concatBytes, toHex } from '../../../src/base/bytes/bytes.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { inscription, utxo } from '../../../src/bitcoin/index.ts';
import { INSCRIPTION_PROTOCOL } from '../../../src/bitcoin/object-key.ts';
import type { LedgerTransactionData } from '../../../src/chain/transaction/ledger.ts';
import { inscriptionObjectId, utxoObjectId } from '../../../src/execution/bitcoin-move/object-id.ts';
import {
  accountCoinStoreId,
  coinInfo,
  coinInfoId,
  coinStore,
  coinStoreField,
  coinStoreTransferEvent,
  multiCoinFieldKey,
  multiCoinStoreId,
} from '../../../src/execution/framework/coin.ts';
import { DEV_ACCOUNTS, Engine, type EngineOptions, GAS_COIN_TYPE } from '../../../src/index.ts';
import { addressOf, parseAddressHex } from '../../../src/move/address.ts';
import { canonicalStruct } from '../../../src/move/type-tag.ts';
import {
  type Action,
  type Address,
  customObjectId,
  namedObjectId,
  type ObjectId,
  parseStructTag,
  parseTypeTag,
  type StructTag,
} from '../../../src/query/transaction-builder.ts';
import { forge } from '../../forge.ts';
import { executionOf, type HandOutput } from '../../journeys/edits.ts';

export const ALICE: Address = parseAddressHex(DEV_ACCOUNTS[0]!.address);
export const BOB: Address = parseAddressHex(DEV_ACCOUNTS[1]!.address);
export const ALICE_HEX: string = DEV_ACCOUNTS[0]!.address;
export const BOB_HEX: string = DEV_ACCOUNTS[1]!.address;
export const ALICE_BITCOIN: string = DEV_ACCOUNTS[0]!.regtestAddress;
export const GOLD: StructTag = parseStructTag('0x42::gold::Gold');
export const TXID: Uint8Array = Uint8Array.from({ length: 32 }, (_, index) => index);
export const BLOCK_HASH: Uint8Array = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);
export const CUSTOM_HANDLE: ObjectId = customObjectId(encode(u64, 5n), parseStructTag('0x3::coin_store::DepositEvent'));
export const UTXO_ID: ObjectId = utxoObjectId({ txid: TXID, vout: 1 });
export const INSCRIPTION_ID: ObjectId = inscriptionObjectId({ txid: TXID, index: 0 });
/** Beyond what a double holds. */
export const LARGE_GAS = 9_007_199_254_740_993n;

const GAS_NAME = canonicalStruct(GAS_COIN_TYPE);
const START = 100_000_000_000_000n;

export class World {
  readonly engine: Engine;
  #serial = 0n;

  private constructor(engine: Engine) {
    this.engine = engine;
  }

  /** The chain: transactions 1 to 8 behind genesis. */
  static async open(options: EngineOptions = {}): Promise<World> {
    const world = new World(await Engine.open(options));
    await world.#coins();
    await world.#bitcoin();
    await world.#outcomes();
    await world.#more();
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
  }

  commit(data: LedgerTransactionData, output: HandOutput): Promise<unknown> {
    return forge(this.engine, data, (state) => executionOf(state, output));
  }

  /** A transaction of a sender with an action. */
  signed(sender: Address, action: Action): LedgerTransactionData {
    const data = { sender, sequenceNumber: this.#serial++, chainId: 4n, maxGasAmount: 100_000_000n, action };
    return { kind: 'l2-transaction', data, authenticator: { validatorId: 1n, payload: Uint8Array.of(1, 2, 3) } };
  }

  /** 1: Alice hands five of the smallest unit to Bob. */
  async #coins(): Promise<void> {
    const stores = [ALICE, BOB].map((owner) => accountCoinStoreId(owner, GAS_COIN_TYPE)) as [ObjectId, ObjectId];
    const event = (index: 0 | 1): Uint8Array =>
      encode(coinStoreTransferEvent, { coinStoreId: stores[index], coinType: GAS_NAME, amount: 5n });
    const action: Action = {
      kind: 'function',
      function: { address: addressOf(3), module: 'transfer', name: 'transfer_coin' },
      typeArguments: [parseTypeTag('0x3::gas_coin::RGas')],
      arguments: [BOB, Uint8Array.of(5, ...new Uint8Array(31))],
    };
    await this.commit(this.signed(ALICE, action), {
      gasUsed: 1234n,
      edits: [
        { id: stores[0], value: encode(coinStore, { balance: START - 5n, frozen: false }) },
        { id: stores[1], value: encode(coinStore, { balance: START + 5n, frozen: false }) },
      ],
      events: [
        { type: '0x3::coin_store::WithdrawEvent', data: event(0) },
        { type: '0x3::coin_store::DepositEvent', data: event(1) },
        { type: '0x3::coin_store::DepositEvent', data: event(1), handle: CUSTOM_HANDLE },
      ],
    });
  }

  /** 2 and 3: a Bitcoin block, and a transaction with an output that carries an inscription. */
  async #bitcoin(): Promise<void> {
    await this.commit({ kind: 'l1-block', chainId: 0n, blockHeight: 203n, blockHash: BLOCK_HASH }, {});
    const seals = [{ protocol: INSCRIPTION_PROTOCOL, objects: [INSCRIPTION_ID] }];
    const output = encode(utxo, { txid: TXID, vout: 1, value: 5_000_000_000n, seals });
    const content = encode(inscription, {
      id: { txid: TXID, index: 0 },
      location: { outpoint: { txid: TXID, vout: 1 }, offset: 3n },
      sequenceNumber: 7,
      inscriptionNumber: 2,
      isCursed: true,
      charms: 2,
      body: Uint8Array.of(0x68, 0x69),
      contentEncoding: undefined,
      contentType: 'text/plain',
      metadata: new Uint8Array(0),
      metaprotocol: undefined,
      parents: [{ txid: BLOCK_HASH, index: 4 }],
      pointer: 12n,
      rune: undefined,
    });
    await this.commit(
      { kind: 'l1-transaction', chainId: 0n, blockHash: BLOCK_HASH, txid: TXID },
      {
        time: 1_700_000_000_001n,
        edits: [
          { id: UTXO_ID, type: '0x4::utxo::UTXO', value: output, owner: ALICE },
          { id: INSCRIPTION_ID, type: '0x4::ord::Inscription', value: content, owner: addressOf(0x77) },
        ],
      },
    );
  }

  /** 4 to 7: what a transaction can come to. */
  async #outcomes(): Promise<void> {
    const module = { kind: 'module', address: addressOf(2), name: 'object' } as const;
    const script: Action = {
      kind: 'script',
      code: Uint8Array.of(0xa1),
      typeArguments: [],
      arguments: [Uint8Array.of(1)],
    };
    await this.commit(this.signed(BOB, script), {
      gasUsed: LARGE_GAS,
      status: { kind: 'move-abort', location: module, code: 7n },
    });
    await this.commit(this.signed(BOB, { kind: 'modules', modules: [Uint8Array.of(0xa1, 0x1c)] }), {
      status: { kind: 'execution-failure', location: { kind: 'script' }, function: 3, codeOffset: 12 },
    });
    await this.commit(this.signed(BOB, script), { status: { kind: 'out-of-gas' } });
    await this.commit(this.signed(BOB, script), { status: { kind: 'miscellaneous-error' } });
  }

  /** 8: a coin that Alice holds in her multi coin store only, and display rules for accounts. */
  async #more(): Promise<void> {
    const gold = canonicalStruct(GOLD);
    const description = { coinType: gold, name: 'Gold', symbol: 'AU', iconUrl: 'data:,', decimals: 2, supply: 1000n };
    const store = multiCoinStoreId(ALICE);
    const field = encode(coinStoreField, { coinType: gold, balance: 12n, frozen: false });
    const rules: readonly (readonly [string, string])[] = [
      ['text', '{addr} {sequence_number} {missing} {metadata.id} {metadata.owner}'],
      ['name', 'An account'],
    ];
    await this.commit(this.signed(ALICE, { kind: 'modules', modules: [] }), {
      edits: [
        { id: coinInfoId(GOLD), type: '0x3::coin::CoinInfo<0x42::gold::Gold>', value: encode(coinInfo, description) },
        { id: store, type: '0x3::multi_coin_store::MultiCoinStore', value: Uint8Array.of(0), owner: ALICE },
        {
          id: [...store, multiCoinFieldKey(GOLD)],
          type: '0x2::object::DynamicField<0x1::string::String, 0x3::multi_coin_store::CoinStoreField>',
          value: concatBytes(encode(string, gold), field),
        },
        {
          id: namedObjectId(parseStructTag('0x2::display::Display<0x2::account::Account>')),
          type: '0x2::display::Display<0x2::account::Account>',
          value: encode(vector(pair(string, string)), rules),
        },
      ],
    });
  }
}

/** The hash of a coin's type: the cursor of balances. */
export function coinCursor(coin: StructTag): string {
  return `0x${toHex(sha3(new TextEncoder().encode(canonicalStruct(coin))))}`;
}
