/**
 * The reference's own tests of its framework: each file is a chain, each task a transaction, and the status that it ends
 * with is on record.
 *
 * `$MOVELET_REFERENCE/movelet-tests/framework-cases.json` holds them, compiled outside the project from the `.move` and
 * `.exp` files of crates/rooch-framework-tests: `{ file, addresses, tasks: Task[] }[]`. As in the reference's runner, a
 * transaction's hash is that of its sender and action, no signature is asked for and the time stands still, so object ids
 * that the files name are those that come about. Of 93 tasks in 34 files, 25 never reach a chain: the
 * reference's compiler refuses them (`UNCOMPILED` below), by rules that its chain has too. They have a `skip`, and the
 * `code` that another compiler made of them, which the chain refuses.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encode, string, u64, u256 } from '../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { CHAIN_ID_LOCAL } from '../../src/base/config.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import { parseObjectIdHex } from '../../src/chain/object/object-id.ts';
import { frameworkGenesis } from '../../src/execution/genesis/framework-genesis.ts';
import { releasedGenesis } from '../../src/execution/genesis/released-genesis.ts';
import { parseAddressHex } from '../../src/move/address.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import { validateCall } from '../../src/pipeline/validate.ts';
import {
  type Action,
  type Address,
  action as actionCodec,
  formatAddress,
  type KeptStatus,
  objectId,
  parseTypeTag,
} from '../../src/query/transaction-builder.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import { callOf, StepChain } from './step-chain.ts';

interface Task {
  readonly task: number;
  /** `run test::m::mint --signers A --args u64:1`, without `//#`. */
  readonly command: string;
  /** The first line of what the reference prints: `status EXECUTED`. */
  readonly expected: string;
  readonly kind?: 'publish' | 'script' | 'run' | 'view_object';
  /** Bytecode of a module or a script, in hex. */
  readonly code?: string;
  /** Why the reference does not run this task. */
  readonly skip?: string;
}

interface Case {
  readonly file: string;
  readonly addresses: Readonly<Record<string, string>>;
  readonly tasks: readonly Task[];
}

const reference = process.env['MOVELET_REFERENCE'] ?? '';
const path = `${reference}/movelet-tests/framework-cases.json`;
const isThere = existsSync(path);
const note = isThere ? '' : ' (skipped: MOVELET_REFERENCE names no directory that holds movelet-tests)';
const isView = ({ command }: Task): boolean => command.startsWith('view_object ');
const all: readonly Case[] = isThere ? JSON.parse(readFileSync(path, 'utf8')) : [];
const cases = all
  .map((one) => ({ ...one, tasks: one.tasks.filter((task) => task.skip === undefined || isView(task)) }))
  .filter(({ tasks }) => tasks.length > 0);

/** The local chain of the reference's runner: its time begins at 0. */
const LOCAL = {
  chainId: CHAIN_ID_LOCAL,
  timestamp: 0n,
  bitcoinNetwork: 'regtest',
  reorganisationDepth: 0n,
  accounts: [],
} as const;
/** Tasks that ask for a local chain, which the file's is not: `fast_forward_seconds_for_local`, `faucet_entry`. */
const LOCAL_ONLY: ReadonlySet<string> = new Set(['timestamp/timestamp_test.move 4', 'coin_store/coin_store.move 2']);
const GAS_MAX = 1_000_000_000n;
const COINS = 10n ** 12n;
const PACKAGES: Readonly<Record<string, string>> = { rooch_framework: '0x3', moveos_std: '0x2' };

function argument(given: string): Uint8Array {
  const [, type, value] = /^(\w+):(.*)$/.exec(given)!;
  switch (type) {
    case 'object':
    case 'object_id':
      return encode(objectId, parseObjectIdHex(value!));
    case 'string':
      return encode(string, value!);
    case 'u256':
      return encode(u256, BigInt(value!));
    case 'u64':
      return encode(u64, BigInt(value!));
    default:
      throw new Error(`an argument of type ${type}`);
  }
}

/** The words after an option, up to the next one. */
function words(command: string, name: string): string[] {
  return [...command.matchAll(new RegExp(`--${name} ((?:(?!--)\\S+ ?)+)`, 'g'))].flatMap(([, list]) =>
    list!.trim().split(' '),
  );
}

function transactionOf(
  { kind, code, command }: Task,
  addresses: Case['addresses'],
): { sender: Address; action: Action } {
  if (kind === 'publish') {
    const { addresses: named, moduleHandles, selfHandle } = readModule(fromHex(code!));
    return { sender: named[moduleHandles[selfHandle]!.address]!, action: publishAction([fromHex(code!)]) };
  }
  const sender = parseAddressHex(addresses[words(command, 'signers')[0]!]!);
  const given = words(command, 'args').map(argument);
  const called = /^run (\w+)(::\w+::\w+)/.exec(command);
  if (called !== null) {
    const [, owner, rest] = called;
    return { sender, action: callOf(`${addresses[owner!] ?? PACKAGES[owner!]}${rest}`, [], ...given) };
  }
  const typeArguments = words(command, 'type-args').map((type) => parseTypeTag(type));
  return { sender, action: { kind: 'script', code: fromHex(code!), typeArguments, arguments: given } };
}

function run(chain: StepChain, { sender, action }: { sender: Address; action: Action }): string {
  const validation = validateCall({ sender, action, maxGasAmount: GAS_MAX }, chain.context);
  if (validation.kind === 'refused') return validation.error.message;
  const { transaction } = validation;
  const hash = sha3(concatBytes(sender, encode(actionCodec, action)));
  const context = { ...transaction.context, txHash: hash, txSize: 1n, sequenceNumber: 0n };
  return statusText(chain.perform({ ...transaction, hash, context }).status);
}

/** What `view_object` prints of an object whose fields are bytes, except for its times and its tree. */
const ENTITY =
  /^ObjectEntity \{ id: (\w+), owner: (\w+), flag: (\d+),.* size: (\d+),.*address: (\w+), module: Identifier\("(\w+)"\), name: Identifier\("(\w+)"\).* value: \[(.*)\] \} \}$/;

/** What a task ends with; an object is put in our words. */
function expectedOf({ task, expected }: Task): string {
  const entity = ENTITY.exec(expected);
  if (entity === null) return `${task} ${expected}`;
  const [, id, owner, flag, size, module, moduleName, name, fields] = entity;
  const value = [...fields!.matchAll(/U8\((\d+)\)/g)].map(([, byte]) => Number(byte));
  const type = `${formatAddress(fromHex(module!))}::${moduleName}::${name}`;
  return `${task} ${id} ${owner} ${flag} ${size} ${type} ${toHex(Uint8Array.from(value))}`;
}

function view(chain: StepChain, command: string): string {
  const [id] = words(command, 'object-id') as [string];
  const object = chain.state.object(parseObjectIdHex(id));
  if (object === undefined) return `Error: Object with id ${id} not found`;
  const { owner, flag, size, objectType } = object.meta;
  const type = `${formatAddress(objectType.address)}::${objectType.module}::${objectType.name}`;
  return `${id} ${toHex(owner)} ${flag} ${size} ${type} ${toHex(object.value)}`;
}

function statusText(status: KeptStatus): string {
  if (status.kind === 'executed') return 'status EXECUTED';
  if (status.kind !== 'move-abort' || status.location.kind === 'script') return `status ${status.kind}`;
  const { address, name } = status.location;
  return `status ABORTED with code ${status.code} in ${formatAddress(address)}::${name}`;
}

async function play({ tasks, addresses }: Case, isReleased: boolean): Promise<string[]> {
  const file = `${reference}/crates/rooch-genesis/released/test`;
  const genesis = isReleased ? releasedGenesis(new Uint8Array(readFileSync(file))) : frameworkGenesis(LOCAL);
  const chain = await StepChain.open({ genesis });
  if (isReleased) for (const owner of new Set(Object.values(addresses))) chain.fund(parseAddressHex(owner), COINS);
  return tasks.map((task) => {
    const ended = isView(task) ? view(chain, task.command) : run(chain, transactionOf(task, addresses));
    return `${task.task} ${ended}`;
  });
}

/**
 * Tasks that never reach a chain: the reference's compiler refuses them. By file the tasks, and what the chain asks of
 * such code, with the abort code of its publish, which test/vm/verify/publish.test.ts has; 0 where sound code, or none at
 * all, is what is missing.
 */
const UNCOMPILED: readonly (readonly [file: string, tasks: readonly number[], rule: string, code: number])[] = [
  ['data_struct/data_struct_incorrect', [1], 'a data struct for the function', 10008],
  ['data_struct/data_struct_incorrect_field', [1], 'data structs have copy and drop', 10013],
  ['entry_function/entry_function_invalid_struct', [1], 'no struct as a parameter', 11001],
  ['entry_function/entry_function_valid_reference', [1], 'no mutable signer', 11001],
  ['entry_function/entry_function_with_return_value', [1], 'no results', 11000],
  ['global_storage_access/move_to', [1], 'no instruction of global storage', 13000],
  ['global_storage_access/move_to', [2], 'the module of task 1 is not there', 0],
  ['init_function/init_function_invalid', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 'a signer or nothing for init', 12002],
  ['language/reference_test', [1], 'no reference to a local is returned', 0],
  ['object/object_cap', [2], 'a type of the calling module', 10011],
  ['private_generics/in_private_generics_types', [2, 3], 'a type of the calling module', 10011],
  ['private_generics/mismatches_function_definition', [1], 'a type parameter that there is', 10003],
  ['private_generics/outside_module', [2, 3], 'a type of the calling module', 10011],
];

const recorded = `${reference}/crates/rooch-framework-tests/tests/cases`;
const isCheckout = existsSync(recorded);
const checkoutNote = isCheckout ? '' : ' (skipped: MOVELET_REFERENCE is not set)';

describe.skipIf(!isCheckout)(`the cases that the reference records${checkoutNote}`, () => {
  it('have 93 tasks besides those that begin them, of which 25 do not compile', () => {
    let tasks = 0;
    const uncompiled: string[] = [];
    for (const path of readdirSync(recorded, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.move')) continue;
      const file = path.slice(0, -'.move'.length);
      tasks += [...readFileSync(join(recorded, path), 'utf8').matchAll(/^\/\/# (?!init\b)/gm)].length;
      // The compiler's words; an object that is not found is an answer of the chain.
      const refused = /\ntask (\d+) [^\n]*\nError: error/g;
      for (const [, task] of readFileSync(join(recorded, `${file}.exp`), 'utf8').matchAll(refused)) {
        uncompiled.push(`${file} ${task}`);
      }
    }
    const listed = UNCOMPILED.flatMap(([file, numbers]) => numbers.map((task) => `${file} ${task}`));
    expect(uncompiled.sort()).toEqual(listed.sort());
    expect([tasks, uncompiled.length]).toEqual([93, 25]);
  });
});

describe.skipIf(!isThere)(`the reference’s tests of its framework${note}`, () => {
  it.each(cases)('$file, on our framework', async (one) => {
    expect(await play(one, false)).toEqual(one.tasks.map(expectedOf));
  });

  it.each(cases)('$file, on the test network’s genesis', async ({ file, addresses, tasks }) => {
    const everywhere = tasks.filter(({ task }) => !LOCAL_ONLY.has(`${file} ${task}`));
    const ended = await play({ file, addresses, tasks: everywhere }, true);
    expect(ended).toEqual(everywhere.map(expectedOf));
  });

  /** Those that another compiler takes. Without private generics, it omits a type parameter that does not exist. */
  const refused = UNCOMPILED.flatMap(([file, numbers, rule, code]) =>
    numbers.map((task) => ({ name: `${file} ${task}`, rule, code, file: `${file}.move`, task })),
  ).filter(({ rule, code }) => code > 0 && rule !== 'a type parameter that there is');

  it.each(refused)('the chain refuses $name: $rule', async ({ file, task, code }) => {
    const one = all.find((other) => other.file === file)!;
    const tasks = one.tasks.filter((other) => other.task === task || (other.task < task && other.skip === undefined));
    const ended = await play({ ...one, tasks }, false);
    expect(ended.slice(0, -1)).toEqual(tasks.slice(0, -1).map(expectedOf));
    // A module's publication aborts, a script is refused before it runs.
    expect(ended.at(-1)).toMatch(new RegExp(`^${task} status ABORTED .*(?:code|sub status) ${code}\\b`));
  });

  it('are all there', () => {
    expect(cases.reduce((sum, { tasks }) => sum + tasks.length, 0)).toBe(68);
  });
});
