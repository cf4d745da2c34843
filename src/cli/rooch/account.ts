/**
 * `rooch init`, `env`, `account` and `session-key`: the wallet.
 * @module
 */
import { bech32 } from '@scure/base';
import { concatBytes, encodeUtf8, fromHex, toHex } from '../../base/bytes/bytes.ts';
import { ByteWriter } from '../../base/bytes/writer.ts';
import { verifySecp256k1 } from '../../base/hash/secp256k1.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { formatBitcoinAddress, toBech32 } from '../../bitcoin/address.ts';
import { writeSizedBytes } from '../../bitcoin/compact-size.ts';
import { formatObjectId } from '../../chain/object/object-id.ts';
import { formatAddress } from '../../move/address.ts';
import { type Options, UsageError, understood } from '../arguments.ts';
import { heldValue, type RoochSession, SENDER_OPTIONS, signMessage } from './session.ts';
import { jsonAnswer, type RoochCommand, requiredOption } from './table.ts';
import { decodeSecret, encodeSecret, type Wallet, type WalletAccount } from './wallet.ts';

const ADDRESS: Options = { address: { value: 'WHO', short: 'a', help: 'the account (default: default)' } };
const ALIAS: Options = { alias: { value: 'NAME', help: 'the name of the node' } };
const LIMIT: Options = { limit: { value: 'N', short: 'l', help: 'at most N (default: 50)' } };

const LIMIT_DEFAULT = '50';

/** Seconds. */
const INACTIVE_DEFAULT = '3600';

/** Scheme, signature and public key, as `account sign` gives them together. */
const SECP256K1_FLAG = 1;
const SIGNATURE_BYTES = 64;

interface BalanceJson {
  readonly symbol: string;
  readonly coin_type: string;
}

interface PageJson<T> {
  readonly data: readonly T[];
  readonly next_cursor: unknown;
  readonly has_next_page: boolean;
}

interface TransactionJson {
  readonly execution_info: { readonly tx_hash: string } | null;
  readonly transaction: { readonly sequence_info: { readonly tx_accumulator_root: string } };
}

/** An account as `account list` shows it. */
function accountView({ signer }: WalletAccount, { activeAddress, sessions }: Wallet) {
  const { address, publicKey, bitcoinAddress } = signer;
  return {
    address: toBech32(address),
    hex_address: address,
    bitcoin_address: formatBitcoinAddress(bitcoinAddress, 'regtest'),
    nostr_public_key: bech32.encodeFromBytes('npub', publicKey.slice(1)),
    public_key: `0x${toHex(publicKey)}`,
    has_session_key: sessions.some(({ account }) => account === address),
    active: address === activeAddress,
  };
}

/** What wallets sign for a text, by the convention of Bitcoin Core's `signmessage`; the signature hashes it once more. */
function messageDigest(text: string): Uint8Array {
  const writer = new ByteWriter();
  writeSizedBytes(writer, encodeUtf8('Bitcoin Signed Message:\n'));
  writeSizedBytes(writer, encodeUtf8(text));
  return sha256(writer.finish());
}

interface UtxoJson {
  readonly value: { readonly value: string };
}

/** The outputs of an account, as a coin among its others. */
async function bitcoins(session: RoochSession, owner: string): Promise<object> {
  let balance = 0n;
  for (let cursor: unknown = null; ; ) {
    const page = await session.read<PageJson<UtxoJson>>('btc_queryUTXOs', { owner }, cursor, null, null);
    for (const { value } of page.data) balance += BigInt(value.value);
    if (!page.has_next_page) return { name: 'Bitcoin', symbol: 'BTC', decimals: 8, balance: balance.toString() };
    cursor = page.next_cursor;
  }
}

/** @throws {UsageError} for text that is not scheme, signature and key */
function isSigned(signature: string, message: string): boolean {
  const bytes = understood('--signature', () => fromHex(signature.replace(/^0x/, '')));
  if (bytes[0] !== SECP256K1_FLAG) throw new UsageError('--signature: expected one that rooch account sign gave');
  const key = bytes.slice(1 + SIGNATURE_BYTES);
  return verifySecp256k1(key, sha256(messageDigest(message)), bytes.slice(1, 1 + SIGNATURE_BYTES));
}

export const ACCOUNT_ROWS: readonly RoochCommand[] = [
  {
    name: 'init',
    summary: 'make a configuration with one account',
    options: { 'skip-password': { help: 'accepted: keys are not encrypted' } },
    run: async (session) => {
      const { activeAddress } = session.init();
      return { text: `Generated new keypair for address [${activeAddress}]` };
    },
  },
  {
    name: 'env add',
    summary: 'name a node',
    options: { ...ALIAS, rpc: { value: 'URL', help: 'its address' } },
    run: async ({ wallet }, args) => {
      const env = { alias: requiredOption(args, 'alias'), rpc: requiredOption(args, 'rpc') };
      wallet.envs = [...wallet.envs.filter(({ alias }) => alias !== env.alias), env];
      wallet.save();
      return { text: `Environment \`${env.alias}\` was added` };
    },
  },
  {
    name: 'env list',
    summary: 'the named nodes',
    run: async ({ wallet: { envs, activeEnv } }) =>
      jsonAnswer(
        envs.map((env) => ({ ...env, active: env.alias === activeEnv })),
        envs.map(({ alias, rpc }) => `${alias === activeEnv ? '*' : ' '} ${alias} ${rpc}`).join('\n'),
      ),
  },
  {
    name: 'env switch',
    summary: 'ask another node from now on',
    options: ALIAS,
    run: async ({ wallet }, args) => {
      wallet.activeEnv = requiredOption(args, 'alias');
      // Fails if no node has the name.
      const { alias } = wallet.env;
      wallet.save();
      return { text: `The active environment was switched to \`${alias}\`` };
    },
  },
  {
    name: 'env remove',
    summary: 'forget a node',
    options: ALIAS,
    run: async ({ wallet }, args) => {
      const alias = requiredOption(args, 'alias');
      if (alias === wallet.activeEnv) throw new UsageError(`--alias: ${alias} is the active environment`);
      wallet.envs = wallet.envs.filter((env) => env.alias !== alias);
      wallet.save();
      return { text: `Environment \`${alias}\` was removed` };
    },
  },
  {
    name: 'account create',
    summary: 'a new key',
    run: async ({ wallet }) => {
      const { address } = wallet.create().signer;
      return jsonAnswer(toBech32(address), `Generated new keypair for address with key pair type [${address}]`);
    },
  },
  {
    name: 'account list',
    summary: 'the keys of the wallet',
    run: async ({ wallet }) => {
      const views = wallet.ordered.map((account) => accountView(account, wallet));
      // The active account is there, and first: without it there would be no default.
      const named = views.map((view, at) => [view.active ? 'default' : `account${at - 1}`, view] as const);
      const lines = named.map(([name, view]) => `${name} ${view.hex_address} ${view.bitcoin_address}`);
      return jsonAnswer(Object.fromEntries(named), lines.join('\n'));
    },
  },
  {
    name: 'account switch',
    summary: 'act as another account by default',
    options: ADDRESS,
    run: async (session, args) => {
      const { address } = session.account(args.string('address'), '--address').signer;
      session.wallet.activeAddress = address;
      session.wallet.save();
      return { text: `The active account was successfully switched to \`${address}\`` };
    },
  },
  {
    name: 'account nullify',
    summary: 'forget a key',
    options: ADDRESS,
    run: async (session, args) => {
      const { address } = session.account(args.string('address'), '--address').signer;
      session.wallet.remove(address);
      return { text: `Dropped the key of \`${address}\`` };
    },
  },
  {
    name: 'account export',
    summary: 'a private key as text',
    options: ADDRESS,
    run: async (session, args) => {
      if (!args.given.has('address')) {
        return { text: 'The keys of this wallet are from no recovery phrase: export one of them with --address' };
      }
      const { privateKey } = session.account(args.string('address'), '--address');
      const encoded = encodeSecret(privateKey);
      return jsonAnswer({ encoded_private_key: encoded }, `Export succeeded with the encoded private key [${encoded}]`);
    },
  },
  {
    name: 'account import',
    summary: 'add a private key that export gave',
    options: { 'encoded-private-key': { value: 'KEY', short: 'k', help: 'its text' } },
    run: async ({ wallet }, args) => {
      const { address } = wallet.add(decodeSecret(requiredOption(args, 'encoded-private-key'))).signer;
      return { text: `Key imported for address [${address}]` };
    },
  },
  {
    name: 'account sign',
    summary: 'sign a text',
    options: { ...ADDRESS, message: { value: 'TEXT', short: 'm', help: 'what is signed' } },
    run: async (session, args) => {
      const { privateKey, signer } = session.account(args.string('address'), '--address');
      const signature = signMessage(messageDigest(requiredOption(args, 'message')), privateKey);
      const text = toHex(concatBytes(Uint8Array.of(SECP256K1_FLAG), signature, signer.publicKey));
      return jsonAnswer(text, `Sign message succeeded with the signature ${text}`);
    },
  },
  {
    name: 'account verify',
    summary: 'check a signature that account sign gave',
    options: {
      signature: { value: 'HEX', short: 's', help: 'what account sign gave' },
      message: { value: 'TEXT', short: 'm', help: 'what was signed' },
    },
    run: async (_session, args) => {
      const isOne = isSigned(requiredOption(args, 'signature'), requiredOption(args, 'message'));
      return jsonAnswer(isOne, `Verification result: ${isOne}`);
    },
  },
  {
    name: 'account balance',
    summary: 'the coins of an account',
    options: { ...ADDRESS, 'coin-type': { value: 'TYPE', help: 'only coins of this type' } },
    run: async (session, args) => {
      const owner = formatAddress(session.address(args.string('address') ?? 'default', '--address'));
      const type = args.string('coin-type');
      const found =
        type === undefined
          ? (await session.read<PageJson<BalanceJson>>('rooch_getBalances', owner, null, null)).data
          : [await session.read<BalanceJson>('rooch_getBalance', owner, session.named(type))];
      const balances: Record<string, object> = { BTC: await bitcoins(session, owner) };
      for (const each of found) balances[each.symbol in balances ? each.coin_type : each.symbol] = each;
      return jsonAnswer(balances, found.map((each) => Object.values(each).join(' ')).join('\n'));
    },
  },
  {
    name: 'account transfer',
    summary: 'send coins',
    options: {
      to: { value: 'WHO', short: 't', help: 'the recipient' },
      'coin-type': { value: 'TYPE', short: 'c', help: 'which coins' },
      amount: { value: 'N', short: 'a', help: 'how many, in the smallest unit' },
      ...SENDER_OPTIONS,
    },
    run: async (session, args) => {
      const action = await session.call({
        function: '0x3::transfer::transfer_coin',
        typeArguments: [session.named(requiredOption(args, 'coin-type'))],
        arguments: [session.address(requiredOption(args, 'to'), '--to'), requiredOption(args, 'amount')],
      });
      const { text } = await session.execute(session.sender(args), action, args);
      return { json: text };
    },
  },
  {
    name: 'account show',
    summary: 'an account on the chain',
    options: ADDRESS,
    run: async (session, args) => {
      const address = session.address(args.string('address') ?? 'default', '--address');
      const id = formatAddress(address);
      const [object] = await session.read<readonly unknown[]>('rooch_getObjectStates', id, null);
      const isThere = object !== null && object !== undefined;
      const [number] = await session.view({ function: '0x2::account::sequence_number', arguments: [address] });
      const [bitcoin] = await session.view({ function: '0x3::address_mapping::resolve_bitcoin', arguments: [address] });
      const mapped = heldValue<{ readonly bytes: string }>(bitcoin);
      return jsonAnswer({
        account_address: isThere ? id : null,
        sequence_number: isThere ? number : null,
        bitcoin_address: mapped === undefined ? null : formatBitcoinAddress(fromHex(mapped.bytes), 'regtest'),
      });
    },
  },
  {
    name: 'account tx',
    summary: 'the transactions of an account',
    options: { ...ADDRESS, ...LIMIT },
    run: async (session, args) => {
      const sender = formatAddress(session.address(args.string('address') ?? 'default', '--address'));
      const page = await session.read<PageJson<TransactionJson>>(
        'rooch_queryTransactions',
        { sender },
        null,
        args.string('limit') ?? LIMIT_DEFAULT,
        null,
      );
      const key = (each: TransactionJson): string =>
        each.execution_info?.tx_hash ?? each.transaction.sequence_info.tx_accumulator_root;
      return jsonAnswer(Object.fromEntries(page.data.map((each) => [key(each), each])));
    },
  },
  {
    name: 'account object',
    summary: 'the objects of an account',
    options: { ...ADDRESS, ...LIMIT },
    run: async (session, args) => {
      const owner = formatAddress(session.address(args.string('address') ?? 'default', '--address'));
      const limit = args.string('limit') ?? LIMIT_DEFAULT;
      const page = await session.read<PageJson<{ readonly id: string }>>(
        'rooch_queryObjectStates',
        { owner },
        null,
        limit,
        null,
      );
      return jsonAnswer(Object.fromEntries(page.data.map((each) => [each.id, each])));
    },
  },
  {
    name: 'session-key create',
    summary: 'a key that may call some functions for an account',
    options: {
      'app-name': { value: 'TEXT', help: 'the name of the application' },
      'app-url': { value: 'URL', help: 'its address' },
      scope: { value: 'A::M::F', help: 'what it may call; * stands for any name' },
      'max-inactive-interval': {
        value: 'SECONDS',
        help: `expires when unused for so long (default: ${INACTIVE_DEFAULT})`,
      },
      ...SENDER_OPTIONS,
    },
    run: async (session, args) => {
      const sender = session.sender(args);
      const { authenticationKey } = session.wallet.createSession(formatAddress(sender));
      const action = await session.call({
        function: '0x3::session_key::create_session_key_with_scope_strings_entry',
        arguments: [
          requiredOption(args, 'app-name'),
          requiredOption(args, 'app-url'),
          authenticationKey,
          [session.named(requiredOption(args, 'scope'))],
          args.string('max-inactive-interval') ?? INACTIVE_DEFAULT,
        ],
      });
      await session.executed(sender, action, args);
      const [key] = await session.view({ function: GET_SESSION_KEY, arguments: [sender, authenticationKey] });
      return jsonAnswer(heldValue(key));
    },
  },
  {
    name: 'session-key list',
    summary: 'the session keys of an account',
    options: ADDRESS,
    run: async (session, args) => {
      const owner = session.address(args.string('address') ?? 'default', '--address');
      const [handle] = await session.view({
        function: '0x3::session_key::get_session_keys_handle',
        arguments: [owner],
      });
      const found = heldValue<{ readonly path: readonly string[] }>(handle);
      if (found === undefined) return jsonAnswer([]);
      const id = formatObjectId(found.path.map(fromHex));
      const page = await session.read<PageJson<FieldJson>>('rooch_listFieldStates', id, null, null, {
        decode: true,
      });
      return jsonAnswer(page.data.map(({ state }) => state.decoded_value.value));
    },
  },
];

const GET_SESSION_KEY = '0x3::session_key::get_session_key';

interface FieldJson {
  readonly state: { readonly decoded_value: { readonly value: unknown } };
}
