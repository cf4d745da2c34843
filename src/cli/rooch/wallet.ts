/**
 * The configuration directory of the `rooch` program: nodes by alias in `rooch.yaml`, keys in `rooch.keystore`. Both are
 * written as JSON, which YAML includes.
 *
 * Keys are for tests and are not encrypted. A directory of the reference's program is left alone: its files are not
 * JSON.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bech32 } from '@scure/base';
import { fromHex, toHex } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { isSecp256k1Secret } from '../../base/hash/secp256k1.ts';
import { type BitcoinSigner, bitcoinSigner, type SessionSigner, sessionSigner } from '../../chain/signature/signer.ts';
import { NODE_URL_DEFAULT } from '../node.ts';

const CONFIG_FILE = 'rooch.yaml';
const KEYS_FILE = 'rooch.keystore';

/** What encoded private keys begin with. The first byte of one is the scheme: 1 for secp256k1. */
export const SECRET_PREFIX = 'roochsecretkey';
const SECP256K1_FLAG = 1;

/** A node that commands can be sent to. */
interface Env {
  readonly alias: string;
  readonly rpc: string;
}

/** A key with its addresses. */
export interface WalletAccount {
  readonly privateKey: string;
  readonly signer: BitcoinSigner;
}

/** A key that signs for an account, by its authentication key in hex. */
interface SessionKey {
  readonly account: string;
  readonly authenticationKey: string;
  readonly privateKey: string;
}

interface Config {
  readonly envs: readonly Env[];
  readonly active_env: string;
  readonly active_address: string;
}

interface Keys {
  readonly accounts: readonly string[];
  readonly sessions: readonly SessionKey[];
}

const LOCAL: Env = { alias: 'local', rpc: NODE_URL_DEFAULT };

export class Wallet {
  readonly #directory: string;
  envs: readonly Env[];
  activeEnv: string;
  accounts: readonly WalletAccount[];
  sessions: readonly SessionKey[];
  activeAddress: string;

  private constructor(directory: string, config: Config, keys: Keys) {
    this.#directory = directory;
    this.envs = config.envs;
    this.activeEnv = config.active_env;
    this.accounts = keys.accounts.map(accountOf);
    this.sessions = keys.sessions;
    this.activeAddress = config.active_address;
  }

  /** Makes the directory with one account, or opens an existing one. */
  static init(directory: string): Wallet {
    if (existsSync(join(directory, CONFIG_FILE))) return Wallet.open(directory);
    const privateKey = newSecret();
    const { address } = accountOf(privateKey).signer;
    const config = { envs: [LOCAL], active_env: LOCAL.alias, active_address: address };
    const made = new Wallet(directory, config, { accounts: [privateKey], sessions: [] });
    mkdirSync(directory, { recursive: true });
    made.save();
    return made;
  }

  /** @throws {EngineError} `not-found` for a directory without configuration, `malformed-bytes` for one of another program */
  static open(directory: string): Wallet {
    if (!existsSync(join(directory, CONFIG_FILE))) {
      throw new EngineError(
        'not-found',
        `${directory} has no ${CONFIG_FILE}: make it with rooch init, or name another --config-dir`,
      );
    }
    const config = readJson<Config>(join(directory, CONFIG_FILE));
    return new Wallet(directory, config, readJson<Keys>(join(directory, KEYS_FILE)));
  }

  save(): void {
    const config: Config = { envs: this.envs, active_env: this.activeEnv, active_address: this.activeAddress };
    const keys: Keys = { accounts: this.accounts.map(({ privateKey }) => privateKey), sessions: this.sessions };
    writeFileSync(join(this.#directory, CONFIG_FILE), `${JSON.stringify(config, null, 2)}\n`);
    writeFileSync(join(this.#directory, KEYS_FILE), `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  }

  /** @throws {EngineError} `not-found` */
  get env(): Env {
    const found = this.envs.find(({ alias }) => alias === this.activeEnv);
    if (found === undefined)
      throw new EngineError(
        'not-found',
        `no env is called ${this.activeEnv}: rooch env add --alias ${this.activeEnv} --rpc URL`,
      );
    return found;
  }

  /** The active account first. */
  get ordered(): readonly WalletAccount[] {
    const isActive = ({ signer }: WalletAccount): boolean => signer.address === this.activeAddress;
    return [...this.accounts.filter(isActive), ...this.accounts.filter((account) => !isActive(account))];
  }

  account(address: string): WalletAccount | undefined {
    return this.accounts.find(({ signer }) => signer.address === address);
  }

  /** Adds an account that is not there yet. */
  add(privateKey: string): WalletAccount {
    const account = accountOf(privateKey);
    const known = this.account(account.signer.address);
    if (known !== undefined) return known;
    this.accounts = [...this.accounts, account];
    this.save();
    return account;
  }

  create(): WalletAccount {
    return this.add(newSecret());
  }

  remove(address: string): void {
    this.accounts = this.accounts.filter(({ signer }) => signer.address !== address);
    this.save();
  }

  /** A new Ed25519 key that may sign for the account once the account has registered it. */
  createSession(account: string): SessionSigner {
    const privateKey = toHex(randomBytes(32));
    const signer = sessionSigner(account, privateKey);
    this.sessions = [...this.sessions, { account, privateKey, authenticationKey: toHex(signer.authenticationKey) }];
    this.save();
    return signer;
  }

  /** @param name the authentication key, in hex */
  session(account: string, name: string): SessionSigner | undefined {
    const digits = name.replace(/^0x/, '');
    const found = this.sessions.find((each) => each.account === account && each.authenticationKey === digits);
    return found && sessionSigner(account, found.privateKey);
  }
}

function accountOf(privateKey: string): WalletAccount {
  return { privateKey, signer: bitcoinSigner(privateKey) };
}

function newSecret(): string {
  for (;;) {
    const secret = new Uint8Array(randomBytes(32));
    if (isSecp256k1Secret(secret)) return toHex(secret);
  }
}

function readJson<T>(path: string): T {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const message = `${path} was not written by movelet rooch: name an empty directory with --config-dir, for rooch init`;
    throw new EngineError('malformed-bytes', message, { cause });
  }
}

/** The text form of a private key, as `account export` gives it. */
export function encodeSecret(privateKey: string): string {
  return bech32.encodeFromBytes(SECRET_PREFIX, Uint8Array.of(SECP256K1_FLAG, ...fromHex(privateKey)));
}

/** @throws {EngineError} `invalid-argument`, which does not repeat the text */
export function decodeSecret(text: string): string {
  const decoded = bech32.decodeUnsafe(text);
  const bytes = decoded?.prefix === SECRET_PREFIX ? bech32.fromWordsUnsafe(decoded.words) : undefined;
  if (bytes?.[0] === SECP256K1_FLAG && isSecp256k1Secret(bytes.slice(1))) return toHex(bytes.slice(1));
  throw new EngineError('invalid-argument', `-k: expected a secp256k1 key, ${SECRET_PREFIX}1 and bech32`);
}
