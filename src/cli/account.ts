/**
 * movelet account: the funded accounts, whose keys are public.
 * @module
 */
import { formatBitcoinAddress, parseAccount, parseBitcoinAddress } from '../bitcoin/address.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../bitcoin/network.ts';
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../execution/framework/accounts.ts';
import { coinText } from '../execution/framework/coin.ts';
import { shortLine } from '../execution/trace/short-text.ts';
import { type Address, formatAddress, parseAddressHex } from '../move/address.ts';
import { type Arguments, type Command, command, UsageError } from './arguments.ts';
import { decodedText } from './decoded-value.ts';
import {
  type AskedNode,
  NODE_OPTIONS,
  OPENING_GROUP,
  onNode,
  prettyJson,
  readFrom,
  readResult,
  readView,
} from './node.ts';

const GAS_COIN = '0x3::gas_coin::RGas';

interface Balance {
  /** In the smallest unit. */
  readonly balance: string;
  readonly text: string;
}

interface BalanceJson {
  readonly symbol: string;
  readonly decimals: number;
  readonly balance: string;
}

async function run(args: Arguments): Promise<number> {
  const [who = 'list'] = args.positionals;
  return who === 'list' ? runList(args) : runOne(args, accountNamed('WHO', who));
}

/**
 * The account that a text names: its number in `movelet account list`, or an address.
 * @param what its name in messages
 * @throws {UsageError} for anything else
 */
export function accountNamed(what: string, text: string): Address {
  const known = /^\d{1,9}$/.test(text) ? DEV_ACCOUNTS[Number(text)] : undefined;
  if (known !== undefined) return parseAddressHex(known.address);
  try {
    return parseAccount(text);
  } catch (cause) {
    const numbers = `a number from 0 to ${DEV_ACCOUNTS.length - 1} of movelet account list`;
    throw new UsageError(`${what}: expected an address, or ${numbers}, got ${text}`, { cause });
  }
}

interface BalancesJson {
  readonly data: readonly BalanceJson[];
  readonly has_next_page: boolean;
}

interface OwnedJson {
  readonly data: readonly {
    readonly id: string;
    readonly object_type: string;
    readonly value: string;
    readonly decoded_value: unknown;
  }[];
  readonly has_next_page: boolean;
}

/** Items shown of each list. */
const ITEMS_SHOWN = 100;

async function runOne(args: Arguments, account: Address): Promise<number> {
  const address = formatAddress(account);
  const method = 'rooch_queryObjectStates';
  const options = { decode: true, descending: true };
  const [owned, balances] = await onNode(
    args,
    async (node) => [
      await node.ask(method, JSON.stringify([{ owner: address }, null, `${ITEMS_SHOWN}`, options])),
      await node.ask('rooch_getBalances', JSON.stringify([address, null, `${ITEMS_SHOWN}`])),
    ],
    true,
  );
  if (args.flag('json')) {
    process.stdout.write(`${prettyJson(balances!)}\n${prettyJson(owned!)}\n`);
    return 0;
  }
  const lines = [
    [address, accountName(address)].filter((each) => each !== undefined).join('  '),
    ...readResult('rooch_getBalances', balances!, balanceLines),
    ...readResult(method, owned!, ownedLines),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function balanceLines({ data, has_next_page: hasMore }: BalancesJson): string[] {
  if (data.length === 0) return ['no coins'];
  const lines = data.map(({ balance, decimals, symbol }) => `  ${coinText(BigInt(balance), { decimals, symbol })}`);
  return ['coins', ...lines, ...(hasMore ? ['  ... and more'] : [])];
}

function ownedLines({ data, has_next_page: hasMore }: OwnedJson): string[] {
  if (data.length === 0) return ['no objects'];
  const lines = data.map(({ id, object_type: type, value, decoded_value: decoded }) => {
    return `  ${type} ${id}  ${shortLine(decoded === null ? value : decodedText(decoded))}`;
  });
  return ['objects, the last changed first', ...lines, ...(hasMore ? ['  ... and more'] : [])];
}

async function runList(args: Arguments): Promise<number> {
  const [network, balances] = await onNode(args, async (node) => [
    await networkOf(node),
    await Promise.all(DEV_ACCOUNTS.map(({ address }) => balanceOf(node, address))),
  ]);
  const listed = DEV_ACCOUNTS.map(({ address, mainnetAddress, privateKey, path }, number) => {
    const bitcoin = formatBitcoinAddress(parseBitcoinAddress(mainnetAddress), network);
    return { number, address, bitcoin, privateKey: `0x${privateKey}`, path, balance: balances[number]!.balance };
  });
  if (args.flag('json')) {
    process.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
    return 0;
  }
  const lines = listed.flatMap(({ number, address, bitcoin, privateKey }) => {
    return [`${number}  ${address}  ${balances[number]!.text}`, `   ${bitcoin}`, `   key ${privateKey}`];
  });
  const title = `accounts of the mnemonic "${DEV_MNEMONIC}" (public: for tests only)`;
  process.stdout.write(`${[title, ...lines].join('\n')}\n`);
  return 0;
}

async function networkOf(node: AskedNode): Promise<BitcoinNetwork> {
  const id = await readView(node, '0x4::network::network', [], (value?: number) => value);
  const names = Object.keys(BITCOIN_NETWORKS) as BitcoinNetwork[];
  return names.find((name) => BITCOIN_NETWORKS[name].id === id) ?? 'regtest';
}

function balanceOf(node: AskedNode, address: string): Promise<Balance> {
  return readFrom(node, 'rooch_getBalance', [address, GAS_COIN], ({ balance, decimals, symbol }: BalanceJson) => {
    if (typeof symbol !== 'string') throw new Error('a coin without a symbol');
    return { balance, text: coinText(BigInt(balance), { decimals, symbol }) };
  });
}

/** The name of a funded account, `account 0`, for its address. */
export function accountName(address: string): string | undefined {
  const number = DEV_ACCOUNTS.findIndex((account) => account.address === address);
  return number === -1 ? undefined : `account ${number}`;
}

export const accountCommand: Command = command({
  name: 'account',
  summary: 'list the funded accounts with their keys and balances, or what one account owns',
  usage: '[list | WHO] [--url URL | --data DIR]',
  example: '1',
  max: 1,
  completes: ['list'],
  help: `Lists the accounts that a local chain funds, each with the number that --sender takes; on other chains they own what was
sent to them. With WHO, an address or a number from that list, prints the coins and objects of that account.
`,
  options: { ...NODE_OPTIONS, json: { help: 'print them as JSON' } },
  more: [OPENING_GROUP],
  run,
});
