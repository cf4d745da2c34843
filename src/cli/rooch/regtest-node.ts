/**
 * Stands for `bitcoind -regtest` and `ord` in a TestBox: blocks mined in this process, behind the calls of Bitcoin
 * Core's JSON-RPC that followers and suites make.
 *
 * Nothing is signed or checked; nor does the chain check it. The wallet of `bitcoind` and that of `ord` are sets of
 * addresses whose outputs they spend. With automatic mining, a transaction is in a block at once. Source:
 * https://developer.bitcoin.org/reference/rpc/, https://docs.ordinals.com/guides/wallet.html
 * @module
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { argumentError, arrayOf, assertFits, assertText, type Expectation, TEXT } from '../../base/argument.ts';
import { fromHex, toHex } from '../../base/bytes/bytes.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { formatBitcoinAddress, witnessAddress } from '../../bitcoin/address.ts';
import { addressOfScript } from '../../bitcoin/address-derivation.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import { formatInscriptionId } from '../../bitcoin/inscription.ts';
import { type PlannedOutput, RegtestChain, reveal, spend } from '../../bitcoin/mine.ts';
import { formatOutPoint, type OutPoint } from '../../bitcoin/outpoint.ts';
import {
  type BitcoinTransaction,
  decodeTransaction,
  encodeBitcoinTransaction,
  isCoinbase,
} from '../../bitcoin/transaction.ts';

const SATOSHIS_PER_COIN = 100_000_000;
/** Blocks on a coinbase before it may be spent, and those that give a wallet its first coins. */
const MATURITY = 100;
const FAUCET_BLOCKS = MATURITY + 1;
/** Satoshis of each transaction of a wallet. */
const FEE = 1_000n;
/** Satoshis of an output with an inscription, as `ord` makes them. */
const POSTAGE = 10_000n;
/** An output that nobody can spend: that of the first block, as on every network. */
const OP_RETURN = Uint8Array.of(0x6a);
/** Milliseconds that a node has to take in what was mined. */
const FOLLOWED_MS_MAX = 60_000;

const WORDS: Expectation = ['text, or an array of text', (given) => TEXT[1](given) || arrayOf(TEXT)[1](given)];

interface Coin {
  readonly outpoint: OutPoint;
  readonly value: bigint;
  readonly address: string;
  /** Of the block that it is in; undefined in the pool. */
  readonly height: number | undefined;
  readonly isCoinbase: boolean;
}

/** What stands for `bitcoind` in a TestBox. */
export interface RegtestNode {
  /** Its address, as `--btc-rpc-url` takes it. */
  getRpcUrl(): string;
  /** A user that it accepts: any. */
  getRpcUser(): string;
  /** A password that it accepts: any. */
  getRpcPass(): string;
  /** Where a suite puts files for `ord`, which knows the folder as `/data`. */
  getHostDataPath(): string;
  /**
   * A call of Bitcoin Core, which resolves when the node of the box has what was mined.
   * @param params values of JSON
   * @returns what `bitcoin-cli` prints
   * @throws {EngineError} `not-supported` for a call that is not there
   */
  executeRpcCommand(command: string, params?: readonly unknown[]): Promise<string>;
  /**
   * The same with texts, as `bitcoin-cli` takes them.
   * @param opts its options: there is one wallet, whatever they name
   */
  executeRpcCommandRaw(opts: readonly string[], command: string, params?: readonly string[]): Promise<string>;
  /** Mines the first coins of the wallet. */
  prepareFaucet(): Promise<void>;
  /**
   * Sends bitcoins of the wallet, and mines them.
   * @returns the transaction's id
   */
  getFaucetBTC(address: string, amount?: number): Promise<string>;
  /** Mines a block, with what waits for one. */
  mineBlock(): Promise<void>;
  /** Ends it. */
  stop(): void;
}

/** What stands for `ord` in a TestBox: its wallet. */
export interface OrdProgram {
  /** Where files for `wallet inscribe` are, which knows the folder as `/data`. */
  getHostDataPath(): string;
  /** Runs `wallet create`, `receive`, `balance`, `inscriptions` or `inscribe`; another command ends with 1 and says so. */
  execCmd(cmd: readonly string[] | string): Promise<ExecutedCommand>;
  /** There is nothing to be ended. */
  stop(): void;
}

/** What a program would have printed. */
export interface ExecutedCommand {
  readonly exitCode: number;
  readonly output: string;
}

/** Addresses whose outputs are spent together. */
class Wallet {
  readonly addresses: string[] = [];
  /** Outputs that hold an inscription, which are not spent for something else. */
  readonly inscribed: Map<string, string> = new Map();

  newAddress(): string {
    const address = formatBitcoinAddress(witnessAddress(1, new Uint8Array(randomBytes(32))), 'regtest');
    this.addresses.push(address);
    return address;
  }
}

interface BitcoinRequest {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
}

/** A call of Bitcoin Core. @param params as JSON has them */
type Call = (node: MinedBitcoin, params: readonly unknown[]) => unknown;

const CALLS: Readonly<Record<string, Call>> = {
  createwallet: (_node, [name]) => ({ name, warning: '' }),
  loadwallet: (_node, [name]) => ({ name, warning: '' }),
  generatetoaddress: (node, [count, address]) => node.generate(Number(count), String(address)),
  getbalance: (node) => node.balance(),
  getbestblockhash: (node) => node.blockHash(node.height),
  getblock: (node, [hash]) => node.blockHex(String(hash)),
  getblockcount: (node) => node.height,
  getblockhash: (node, [height]) => node.blockHash(Number(height)),
  getnewaddress: (node) => node.newAddress(),
  getrawmempool: (node) => node.pool.map(({ txid }) => formatBitcoinHash(txid)),
  getrawtransaction: (node, [txid]) => node.transactionHex(String(txid)),
  listunspent: (node) => node.unspent(),
  sendrawtransaction: (node, [hex]) => node.send(decodeTransaction(fromHex(String(hex)))),
  sendtoaddress: (node, [address, amount]) => node.pay(String(address), satoshis(amount)),
};

function satoshis(amount: unknown): bigint {
  const value = Math.round(Number(amount) * SATOSHIS_PER_COIN);
  if (Number.isSafeInteger(value) && value > 0) return BigInt(value);
  throw argumentError('amount', 'bitcoins, a number above 0', amount);
}

const coins = (value: bigint): number => Number(value) / SATOSHIS_PER_COIN;

/** The chain that a TestBox mines, and a wallet on it. */
export class MinedBitcoin implements RegtestNode {
  /** Transactions that wait for a block. */
  pool: BitcoinTransaction[] = [];
  readonly #chain = new RegtestChain();
  readonly #coins = new Map<string, Coin>();
  readonly #wallet = new Wallet();
  readonly #isMining: boolean;
  readonly #directory: string;
  readonly #server: Server;
  #isFollowed = false;
  /** Whether the last block was handed out, and whether its reader has asked for more. */
  #isAsked = false;
  #isTaken = true;
  #waiting: (() => void)[] = [];

  private constructor(directory: string, isMining: boolean) {
    this.#directory = directory;
    this.#isMining = isMining;
    this.#mine([], [{ scriptPubkey: OP_RETURN, value: BigInt(50 * SATOSHIS_PER_COIN) }]);
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(this.#answer(Buffer.concat(parts).toString()));
      });
    });
    this.#server.unref();
  }

  /**
   * @param directory where a suite puts files for its programs
   * @param isMining whether each transaction is mined at once
   */
  static async start(directory: string, isMining: boolean): Promise<MinedBitcoin> {
    const node = new MinedBitcoin(directory, isMining);
    await new Promise<void>((resolve) => node.#server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  /** Of the last block. */
  get height(): number {
    return this.#chain.height;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  getRpcUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  getRpcUser(): string {
    return 'rooch';
  }

  getRpcPass(): string {
    return 'rooch';
  }

  getHostDataPath(): string {
    return this.#directory;
  }

  async executeRpcCommand(command: string, params: readonly unknown[] = []): Promise<string> {
    assertText(command, 'command');
    assertFits(params, 'params', ['an array', Array.isArray]);
    return this.executeRpcCommandRaw(
      [],
      command,
      params.map((param) => JSON.stringify(param)),
    );
  }

  async executeRpcCommandRaw(
    opts: readonly string[],
    command: string,
    params: readonly string[] = [],
  ): Promise<string> {
    assertFits(opts, 'opts', arrayOf(TEXT));
    assertText(command, 'command');
    assertFits(params, 'params', arrayOf(TEXT));
    const result = this.#call(command, params.map(jsonOrText));
    await this.followed();
    return typeof result === 'string' ? result : JSON.stringify(result, null, 2);
  }

  async prepareFaucet(): Promise<void> {
    this.generate(FAUCET_BLOCKS, this.newAddress());
    await this.followed();
  }

  async getFaucetBTC(address: string, amount = 0.001): Promise<string> {
    assertText(address, 'address', 'a Bitcoin address');
    const value = satoshis(amount);
    if (this.#spendable(this.#wallet) <= value) await this.prepareFaucet();
    const txid = this.pay(address, value);
    await this.mineBlock();
    return txid;
  }

  async mineBlock(): Promise<void> {
    this.generate(1, this.newAddress());
    await this.followed();
  }

  /** The hash of a block. @throws {EngineError} `not-found` */
  blockHash(height: number): string {
    const block = this.#chain.blocks[height];
    if (block === undefined) throw new EngineError('not-found', `Block height out of range: ${height}`);
    return formatBitcoinHash(block.hash);
  }

  /** @throws {EngineError} `not-found` */
  blockHex(hash: string): string {
    const block = this.#chain.blocks.findLast((each) => formatBitcoinHash(each.hash) === hash);
    if (block === undefined) throw new EngineError('not-found', `Block not found: ${hash}`);
    return toHex(block.bytes);
  }

  /** @throws {EngineError} `not-found` */
  transactionHex(txid: string): string {
    const all = [...this.pool, ...this.#chain.blocks.flatMap(({ transactions }) => transactions)];
    const found = all.find((each) => formatBitcoinHash(each.txid) === txid);
    if (found === undefined) throw new EngineError('not-found', `No such mempool or blockchain transaction: ${txid}`);
    return toHex(encodeBitcoinTransaction(found));
  }

  newAddress(): string {
    return this.#wallet.newAddress();
  }

  /** Bitcoins that the wallet can spend. */
  balance(): number {
    return coins(this.#spendable(this.#wallet));
  }

  unspent(): readonly object[] {
    return this.coinsOf(this.#wallet).map(({ outpoint, value, address, height }) => ({
      txid: formatBitcoinHash(outpoint.txid),
      vout: outpoint.vout,
      address,
      amount: coins(value),
      confirmations: height === undefined ? 0 : this.height - height + 1,
      spendable: true,
    }));
  }

  /** Mines blocks, the first of them with what waits for one; returns their hashes. */
  generate(count: number, to: string): readonly string[] {
    const hashes: string[] = [];
    for (let mined = 0; mined < count; mined++) hashes.push(this.#mine(this.pool.splice(0), to));
    return hashes;
  }

  /** Pays from the wallet; returns the transaction's id. */
  pay(address: string, value: bigint): string {
    return this.send(this.spending(this.#wallet, { to: address, value }));
  }

  /** Puts a transaction into the pool, or into a block; returns its id. */
  send(transaction: BitcoinTransaction): string {
    this.#note(transaction, undefined);
    this.pool.push(transaction);
    if (this.#isMining) this.generate(1, this.newAddress());
    return formatBitcoinHash(transaction.txid);
  }

  /**
   * A payment of a wallet: the output, and what is left over.
   * @throws {EngineError} `invalid-argument` if it has too little
   */
  spending(wallet: Wallet, output: PlannedOutput): BitcoinTransaction {
    const needed = output.value + FEE;
    const taken: Coin[] = [];
    let sum = 0n;
    for (const coin of this.coinsOf(wallet)) {
      if (sum >= needed) break;
      taken.push(coin);
      sum += coin.value;
    }
    if (sum < needed) {
      throw new EngineError(
        'invalid-argument',
        `amount: expected at most ${sum - FEE} satoshis, what is there, got ${output.value}`,
      );
    }
    const rest: PlannedOutput = { to: wallet.addresses[0]!, value: sum - needed };
    return spend(taken, rest.value === 0n ? [output] : [output, rest]);
  }

  /** The outputs that a wallet can spend, the largest first. */
  coinsOf(wallet: Wallet): readonly Coin[] {
    const isMature = (coin: Coin): boolean => !coin.isCoinbase || this.height - (coin.height ?? 0) >= MATURITY;
    return [...this.#coins]
      .filter(([id, coin]) => wallet.addresses.includes(coin.address) && isMature(coin) && !wallet.inscribed.has(id))
      .map(([, coin]) => coin)
      .sort((left, right) => Number(right.value - left.value));
  }

  /** The values of all outputs of a wallet, by whether an inscription is in them. */
  total(wallet: Wallet): { readonly cardinal: bigint; readonly ordinal: bigint } {
    const sum = { cardinal: 0n, ordinal: 0n };
    for (const [id, { address, value }] of this.#coins)
      if (wallet.addresses.includes(address)) sum[wallet.inscribed.has(id) ? 'ordinal' : 'cardinal'] += value;
    return sum;
  }

  #spendable(wallet: Wallet): bigint {
    return this.coinsOf(wallet).reduce((sum, { value }) => sum + value, 0n);
  }

  #mine(transactions: readonly BitcoinTransaction[], to: string | readonly PlannedOutput[]): string {
    const parent = this.#chain.blocks.at(-1)?.header.time ?? 0;
    const time = Math.max(Math.floor(Date.now() / 1_000), parent + 1);
    const block = this.#chain.mine(
      typeof to === 'string' ? { to, transactions, time } : { to: this.newAddress(), coinbaseOutputs: to, time },
    );
    for (const transaction of block.transactions) this.#note(transaction, block.height);
    this.#isAsked = false;
    this.#isTaken = block.height === 0;
    return formatBitcoinHash(block.hash);
  }

  #note(transaction: BitcoinTransaction, height: number | undefined): void {
    const { txid, inputs, outputs } = transaction;
    for (const { previousOutput } of inputs) this.#coins.delete(formatOutPoint(previousOutput));
    for (const [vout, { value, scriptPubkey }] of outputs.entries()) {
      const address = addressOfScript(scriptPubkey);
      if (address.length === 0) continue;
      const id = formatOutPoint({ txid, vout });
      // One that a transaction of the pool has spent is not there again once its block is.
      if (height !== undefined && !isCoinbase(transaction) && !this.#coins.has(id)) continue;
      const coin = { outpoint: { txid, vout }, value, address: formatBitcoinAddress(address, 'regtest'), height };
      this.#coins.set(id, { ...coin, isCoinbase: isCoinbase(transaction) });
    }
  }

  #call(command: string, params: readonly unknown[]): unknown {
    const call = Object.hasOwn(CALLS, command) ? CALLS[command] : undefined;
    if (call !== undefined) return call(this, params);
    const known = Object.keys(CALLS).join(', ');
    throw new EngineError('not-supported', `bitcoind has no ${command} here: expected one of ${known}`);
  }

  #answer(text: string): string {
    const { id = null, method = '', params = [] } = JSON.parse(text) as BitcoinRequest;
    if (method === 'getblockcount' && this.#isAsked) {
      this.#isTaken = true;
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
    try {
      const result = this.#call(method, params);
      if (method === 'getblock' && params[0] === this.blockHash(this.height)) this.#isAsked = true;
      return JSON.stringify({ result, error: null, id });
    } catch (error) {
      return JSON.stringify({ result: null, error: { code: -1, message: messageOf(error) }, id });
    }
  }

  /** A node follows this one from now on; resolves once it has all blocks. */
  async beginFollowed(): Promise<void> {
    this.#isFollowed = true;
    await this.followed();
  }

  /** Resolves once the node that follows this one has the last block, if a node does. */
  async followed(): Promise<void> {
    if (!this.#isFollowed || this.#isTaken) return;
    await new Promise<void>((resolve, reject) => {
      const timeout = setTimeout(() => {
        reject(new EngineError('limit-exceeded', `no node took in the last block within ${FOLLOWED_MS_MAX} ms`));
      }, FOLLOWED_MS_MAX);
      this.#waiting.push(() => {
        clearTimeout(timeout);
        resolve();
      });
    });
  }
}

/** What `bitcoin-cli` makes of a text. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A command of `ord wallet`. */
type OrdCall = (wallet: OrdWallet, options: ReadonlyMap<string, string>) => unknown;

const ORD_CALLS: Readonly<Record<string, OrdCall>> = {
  create: () => ({}),
  receive: (wallet) => ({ addresses: [wallet.newAddress()] }),
  balance: (wallet) => wallet.balance(),
  inscriptions: (wallet) => wallet.inscriptions(),
  inscribe: (wallet, options) => wallet.inscribe(options),
};

/** The wallet of `ord` in a TestBox. */
export class OrdWallet implements OrdProgram {
  readonly #node: MinedBitcoin;
  readonly #wallet = new Wallet();

  constructor(node: MinedBitcoin) {
    this.#node = node;
  }

  stop(): void {}

  getHostDataPath(): string {
    return this.#node.getHostDataPath();
  }

  async execCmd(cmd: readonly string[] | string): Promise<ExecutedCommand> {
    assertFits(cmd, 'cmd', WORDS);
    const [word, name = '', ...rest] = typeof cmd === 'string' ? cmd.split(/\s+/) : cmd;
    const call = word === 'wallet' && Object.hasOwn(ORD_CALLS, name) ? ORD_CALLS[name] : undefined;
    if (call === undefined) {
      const known = Object.keys(ORD_CALLS).join(', ');
      return { exitCode: 1, output: `error: ord has no ${word} ${name} here: expected wallet with one of ${known}` };
    }
    try {
      const options = new Map(
        rest.flatMap((text, at) => (text.startsWith('--') ? [[text, rest[at + 1] ?? ''] as const] : [])),
      );
      const output = JSON.stringify(call(this, options), null, 2);
      await this.#node.followed();
      return { exitCode: 0, output };
    } catch (error) {
      return { exitCode: 1, output: `error: ${messageOf(error)}` };
    }
  }

  newAddress(): string {
    return this.#wallet.newAddress();
  }

  balance(): object {
    const { cardinal, ordinal } = this.#node.total(this.#wallet);
    return { cardinal: Number(cardinal), ordinal: Number(ordinal), runic: 0, total: Number(cardinal + ordinal) };
  }

  inscriptions(): readonly object[] {
    return [...this.#wallet.inscribed].map(([output, inscription]) => ({
      inscription,
      location: `${output}:0`,
      postage: Number(POSTAGE),
    }));
  }

  /**
   * Inscribes a file, in two transactions: one that commits to it, and one that reveals it.
   * @throws {EngineError} `invalid-argument` without a file, or without coins
   */
  inscribe(options: ReadonlyMap<string, string>): object {
    const file = options.get('--file');
    if (file === undefined) throw argumentError('--file', 'the path of a file', file);
    const path = file.replace(/^\/data\//, `${this.getHostDataPath()}/`);
    const content = { contentType: contentTypeOf(path), body: new Uint8Array(readFileSync(path)) };
    const to = options.get('--destination') ?? this.newAddress();
    const commit = this.#node.spending(this.#wallet, { to: this.newAddress(), value: POSTAGE + FEE });
    const revealed = reveal({ txid: commit.txid, vout: 0 }, content, [{ to, value: POSTAGE }]);
    this.#node.send(commit);
    this.#node.send(revealed);
    const id = formatInscriptionId({ txid: revealed.txid, index: 0 });
    const location = formatOutPoint({ txid: revealed.txid, vout: 0 });
    if (this.#wallet.addresses.includes(to)) this.#wallet.inscribed.set(location, id);
    return {
      commit: formatBitcoinHash(commit.txid),
      inscriptions: [{ destination: to, id, location: `${location}:0` }],
      reveal: formatBitcoinHash(revealed.txid),
      total_fees: Number(2n * FEE),
    };
  }
}

/** The content type that `ord` gives to a file, by its extension. */
function contentTypeOf(path: string): string {
  const types = [
    ['.txt', 'text/plain;charset=utf-8'],
    ['.json', 'application/json'],
    ['.html', 'text/html;charset=utf-8'],
    ['.png', 'image/png'],
    ['.svg', 'image/svg+xml'],
    ['.wasm', 'application/wasm'],
  ] as const;
  const found = types.find(([ending]) => path.endsWith(ending));
  if (found !== undefined) return found[1];
  throw new EngineError(
    'invalid-argument',
    `--file: expected one that ends with ${types.map(([ending]) => ending).join(', ')}, got ${path}`,
  );
}
