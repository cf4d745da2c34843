/**
 * movelet deploy: runs the steps of a file on a chain, but only those that the chain lacks.
 *
 * The chain has a package if it has the same bytes for all of its modules, and a call if it has executed a transaction
 * of it. The hash of a transaction is on disk before it is sent, so a run that was cut short looks it up next time.
 * What is then sent in its place has the same sequence number, so that only one of the two is executed.
 * @module
 */
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { bytes, decode, encode, string, struct } from '../base/bcs.ts';
import { equalBytes, fromHex, toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { sha3Joined } from '../base/hash/sha3.ts';
import { functionCall, parseFunctionId } from '../chain/transaction/action.ts';
import { compile } from '../compile/index.ts';
import type { ModuleSource } from '../execution/module-sources.ts';
import { shortText } from '../execution/trace/short-text.ts';
import { type Address, formatAddress } from '../move/address.ts';
import { parseTypeTag } from '../move/type-tag.ts';
import { publishAction } from '../pipeline/publish.ts';
import { selfIdOf } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import { accountNamed } from './account.ts';
import { type Arguments, type Command, command, UsageError, understood } from './arguments.ts';
import {
  type CallStep,
  type ChainName,
  DeploymentResult,
  type DeployStep,
  type PublishStep,
  ResultLock,
  readSteps,
  resolved,
  type StepResult,
  type StepTransaction,
} from './deployment.ts';
import { encodedBy, withoutExactNumbers } from './move-call.ts';
import { type AskedNode, assertLasting, hasControls, OPENING_GROUP, onNode, readFrom } from './node.ts';
import { modulesAt } from './packages.ts';
import {
  executeSubmission,
  firstAccount,
  maxGasOf,
  SUBMIT_OPTIONS,
  type Submission,
  SYSTEM_TYPE,
  sendSigned,
  signedSubmission,
  signerFor,
  simulateSubmission,
  tellSources,
  throwRefusal,
} from './submit.ts';

/** A step that is ready to run. */
interface Prepared {
  /** Undefined if the chain already has the step. */
  readonly submission: Submission | undefined;
  readonly result: StepResult;
  readonly sources: readonly ModuleSource[];
  /** What it does, for people. */
  readonly text: string;
}

/** A transaction that the chain has. */
interface Landed extends StepTransaction {
  readonly order: bigint;
}

interface TransactionJson {
  readonly transaction: { readonly sequence_info: { readonly tx_order: string | number } };
  readonly execution_info: { readonly tx_hash: string; readonly status: { readonly type: string } } | null;
}

interface ChangeJson {
  readonly metadata: { readonly id: string; readonly object_type: string };
  readonly value: { readonly new?: string } | null;
  readonly fields: readonly ChangeJson[];
}

interface ChangeSetsJson {
  readonly data: readonly { readonly state_change_set: { readonly changes: readonly ChangeJson[] } }[];
}

/** A field of the object of an account's modules. */
const MODULE_FIELD = struct<{ name: string; code: Uint8Array }>({ name: string, code: bytes });

class Deployer {
  readonly #node: AskedNode;
  readonly #folder: string;
  readonly #sender: Address;
  readonly #maxGas: bigint;
  readonly #needsKeys: boolean;
  /** What is known of each step on this chain. */
  readonly #results: Record<string, StepResult>;
  /** Writes the result of a step to disk. */
  readonly #record: (id: string, result: StepResult) => Promise<void>;

  constructor(
    node: AskedNode,
    { folder, sender, maxGas, needsKeys }: DeployOptions,
    results: Readonly<Record<string, StepResult>>,
    record: (id: string, result: StepResult) => Promise<void>,
  ) {
    this.#node = node;
    this.#folder = folder;
    this.#sender = sender;
    this.#maxGas = maxGas;
    this.#needsKeys = needsKeys;
    this.#results = { ...results };
    this.#record = record;
  }

  /**
   * Finds out whether the chain has a step.
   * @throws {UsageError} for a step that cannot be understood, {EngineError} for one that was run in another form
   */
  async prepare(step: DeployStep): Promise<Prepared> {
    const landed = await this.#landed(step.id);
    return 'publish' in step ? this.#package(step, landed) : this.#call(step, landed);
  }

  /**
   * Sends a step and prints the outcome.
   * @returns whether it was executed
   */
  async send(id: string, { submission, result, sources }: Prepared): Promise<boolean> {
    const sent = (await signedSubmission(this.#node, submission!, this.#maxGas))!;
    await tellSources(this.#node, sources);
    const { objects, transactions = [], ...known } = result;
    const others = transactions.filter(({ hash }) => hash !== sent.hash);
    const own = { hash: sent.hash, digest: digestOf(submission!) };
    await this.know(id, { ...known, transactions: [own, ...others] });
    const { outcome } = await sendSigned(this.#node, sent);
    if (!outcome.isExecuted) {
      process.stdout.write(`${id}: ${outcome.text}`);
      return false;
    }
    const made = await this.#objects([BigInt(outcome.order!)]);
    await this.know(id, { ...known, objects: { ...objects, ...made }, transactions: [own, ...others] });
    process.stdout.write(`${id}: ${outcome.text.split('\n')[0]}\n${objectLines(made)}`);
    return true;
  }

  /**
   * Prints what a step would do: on a fork by executing it, which needs no key, otherwise by a dry run of the node.
   * @returns whether it would be executed
   */
  async foresee(id: string, { submission, result, sources, text }: Prepared, isFork: boolean): Promise<boolean> {
    if (isFork) await tellSources(this.#node, sources);
    const foreseen = isFork ? executeSubmission : simulateSubmission;
    const { outcome } = await foreseen(this.#node, submission!, this.#maxGas);
    const made = isFork && outcome.isExecuted ? await this.#objects([BigInt(outcome.order!)]) : {};
    this.#results[id] = { ...result, objects: { ...result.objects, ...made } };
    const gas = /, gas \d+/.exec(outcome.text)?.[0] ?? '';
    process.stdout.write(`${id}: ${outcome.isExecuted ? `would ${text}${gas}\n${objectLines(made)}` : outcome.text}`);
    return outcome.isExecuted;
  }

  /** Records a step if what is known of it has changed. */
  async know(id: string, result: StepResult): Promise<void> {
    if (JSON.stringify(this.#results[id]) !== JSON.stringify(result)) await this.#record(id, result);
    this.#results[id] = result;
  }

  async #package({ id, publish, ...given }: PublishStep, landed: readonly Landed[]): Promise<Prepared> {
    const addresses = Object.entries(this.#resolved(id, given.addresses ?? {})).map(
      ([name, who]) => [name, formatAddress(accountNamed(`${id}: addresses: ${name}`, `${who}`))] as const,
    );
    const sources: ModuleSource[] = [];
    const codes = await modulesAt(join(this.#folder, publish), async (folder) => {
      const built = await compile(folder, { addresses: Object.fromEntries(addresses) });
      sources.push(...built.modules);
      return built;
    });
    const action = understood(id, () => publishAction(codes));
    const ids = codes.map((code) => selfIdOf(readModule(code)));
    const { address } = ids[0]!;
    const modules = ids.map(({ name }) => name);
    const before = await this.#codes(address, modules);
    const isThere = codes.every((code, at) => before[at] !== undefined && equalBytes(code, before[at]));
    const text = `${before.some((code) => code !== undefined) ? 'upgrade' : 'publish'} ${modules.join(', ')}`;
    const result = {
      address: formatAddress(address),
      modules,
      ...(await this.#made(id, landed)),
    };
    return {
      submission: isThere ? undefined : { sender: this.#signer(id, given.sender, address), action },
      result,
      sources,
      text,
    };
  }

  async #call({ id, ...given }: CallStep, landed: readonly Landed[]): Promise<Prepared> {
    const [last] = landed;
    const sender =
      last === undefined ? this.#signer(id, given.sender, this.#sender) : this.#account(id, given.sender, this.#sender);
    const step = this.#resolved(id, given);
    const call = {
      id: understood(`${id}: call`, () => parseFunctionId(step.call)),
      typeArguments: (step.typeArguments ?? []).map((type) => understood(`${id}: ${type}`, () => parseTypeTag(type))),
    };
    const values = (step.arguments ?? []) as Parameters<typeof withoutExactNumbers>[0][];
    const action = await encodedBy(this.#node, call, () => values.map(withoutExactNumbers));
    const submission = { sender, action };
    if (last !== undefined && last.digest !== digestOf(submission)) {
      throw new EngineError(
        'invalid-argument',
        `${id}: transaction ${last.order} ran it with another function, sender or arguments: give the new call another id`,
      );
    }
    return {
      submission: last === undefined ? submission : undefined,
      result: await this.#made(id, landed),
      sources: [],
      text: `call ${shortText(step.call)}`,
    };
  }

  /** The executed transactions of a step that this chain has, the last first. */
  async #landed(id: string): Promise<readonly Landed[]> {
    const { transactions = [] } = this.#results[id] ?? {};
    if (transactions.length === 0) return [];
    const hashes = transactions.map(({ hash }) => hash);
    const landed = (found: readonly (TransactionJson | null)[]): Landed[] =>
      found.flatMap((each, at) => {
        if (each?.execution_info?.status.type !== 'executed') return [];
        return [{ ...transactions[at]!, order: BigInt(each.transaction.sequence_info.tx_order) }];
      });
    return readFrom(this.#node, 'rooch_getTransactionsByHash', [hashes], landed);
  }

  /** What is recorded of a step if the chain still has it, or else what the chain says. */
  async #made(id: string, landed: readonly Landed[]): Promise<StepResult> {
    const { objects, transactions = [] } = this.#results[id] ?? {};
    if (transactions.length === 0) return {};
    const [last] = landed;
    const others = transactions.filter(({ hash }) => hash !== last?.hash);
    const ordered = last === undefined ? others : [{ hash: last.hash, digest: last.digest }, ...others];
    const isRecorded = objects !== undefined && last?.hash === transactions[0]!.hash;
    const orders = landed.map(({ order }) => order);
    return { objects: isRecorded ? objects : await this.#objects(orders), transactions: ordered };
  }

  /**
   * The objects that transactions made, by the names of their structs.
   * @param orders the last first
   */
  async #objects(orders: readonly bigint[]): Promise<NonNullable<StepResult['objects']>> {
    const made: Record<string, string | string[]> = {};
    const add = ({ metadata, value, fields }: ChangeJson): void => {
      const { id, object_type: type } = metadata;
      const [, name] = /^\w+::\w+::(\w+)/.exec(type) ?? [];
      if (value?.new !== undefined && name !== undefined && !SYSTEM_TYPE.test(type)) {
        made[name] = Object.hasOwn(made, name) ? [made[name]!, id].flat() : id;
      }
      for (const field of fields) add(field);
    };
    for (const order of orders.toReversed()) {
      const params = ['all', `${order - 1n}`, '1'];
      await readFrom(this.#node, 'rooch_syncStates', params, ({ data: [set] }: ChangeSetsJson) =>
        set!.state_change_set.changes.forEach(add),
      );
    }
    return made;
  }

  /** The bytes of modules, undefined for those that are not there. */
  async #codes(address: Address, modules: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const code = ([state]: readonly ({ readonly value: string } | null)[]): Uint8Array | undefined =>
      state ? decode(MODULE_FIELD, fromHex(state.value.replace(/^0x/, ''))).code : undefined;
    const path = (name: string): string => `/module/${formatAddress(address)}/${name}`;
    return Promise.all(modules.map((name) => readFrom(this.#node, 'rooch_getStates', [path(name)], code)));
  }

  #account(id: string, who: string | number | undefined, fallback: Address): Address {
    return who === undefined ? fallback : accountNamed(`${id}: sender`, `${this.#resolved(id, who)}`);
  }

  /** The sender of a step. Its key must be known, except in a dry run. */
  #signer(id: string, who: string | number | undefined, fallback: Address): Address {
    const sender = this.#account(id, who, fallback);
    if (!this.#needsKeys || signerFor(sender) !== undefined) return sender;
    const key = `the key of ${formatAddress(sender)} is not known here`;
    throw new EngineError('not-supported', `${id}: ${key}: give it as MOVELET_KEY, or another sender`);
  }

  #resolved<T>(id: string, value: T): T {
    return resolved(value, (reference) => {
      const [step = '', name] = reference.split('.');
      if (step === 'sender') return formatAddress(this.#sender);
      const { address, objects = {} } = this.#results[step] ?? {};
      const found = name === undefined ? address : Object.hasOwn(objects, name) ? objects[name] : undefined;
      if (typeof found === 'string') return found;
      const made = Object.keys(objects).join(', ') || 'no objects';
      const why = Array.isArray(found) ? `made ${found.length} of them` : `made ${made}`;
      throw new Unresolved(
        `${id}: \${${reference}}: ${name === undefined ? `${step} publishes nothing` : `${step} ${why}`}`,
      );
    });
  }
}

/** A reference to something that no step has created. */
class Unresolved extends UsageError {}

function digestOf({ sender, action }: Submission): string {
  return toHexPrefixed(sha3Joined(sender, encode(functionCall, action)));
}

function objectLines(made: NonNullable<StepResult['objects']>): string {
  return Object.entries(made)
    .map(([name, ids]) => `  ${name} ${[ids].flat().join(', ')}\n`)
    .join('');
}

interface DeployOptions {
  readonly folder: string;
  readonly sender: Address;
  readonly maxGas: bigint;
  /** Whether the keys of senders have to be known. */
  readonly needsKeys: boolean;
}

interface FirstJson {
  readonly data: readonly { readonly execution_info: { readonly tx_hash: string } | null }[];
}

async function chainOf(node: AskedNode): Promise<ChainName> {
  const id = await readFrom(node, 'rooch_getChainID', [], (text: string) => `${text}`);
  const hashOfFirst = ({ data }: FirstJson): string => `${data[0]!.execution_info!.tx_hash}`;
  return { id, genesis: await readFrom(node, 'rooch_getTransactionsByOrder', [null, '1', false], hashOfFirst) };
}

async function run(args: Arguments): Promise<number> {
  const [file = ''] = args.positionals;
  const isDryRun = args.flag('dry-run');
  if (!isDryRun) assertLasting(args);
  const steps = await readSteps(file);
  const sender = args.string('sender');
  const options = {
    folder: dirname(file),
    sender: sender === undefined ? firstAccount() : accountNamed('--sender', sender),
    maxGas: maxGasOf(args),
    needsKeys: !isDryRun,
  };
  const out = args.string('out') ?? file.replace(/(?:\.json)?$/, '.result.json');
  const lock = isDryRun ? undefined : new ResultLock(out);
  const deployed = onNode(args, async (node) => {
    const result = new DeploymentResult(out, await chainOf(node));
    const missing = await dryRun(node, steps, options, result);
    if (missing === undefined) return 1;
    if (isDryRun) return 0;
    if (missing > 0 && !args.flag('yes') && !(await isConfirmed(node))) return 1;
    const deployer = new Deployer(node, options, result.steps, (...recorded) => result.set(...recorded));
    for (const step of steps) {
      const prepared = await deployer.prepare(step);
      if (prepared.submission === undefined) await deployer.know(step.id, prepared.result);
      else if (!(await deployer.send(step.id, prepared))) return 1;
    }
    // The last time may have been on another chain.
    await result.write();
    process.stdout.write(`${out}\n`);
    return 0;
  });
  return deployed.finally(() => lock?.release()).catch(throwRefusal);
}

/**
 * Prints what each step would do. On a test node, the steps are tried on a fork; any other node makes a dry run of each
 * step that needs nothing missing.
 * @returns how many are missing on the chain; undefined if one would fail
 */
async function dryRun(
  node: AskedNode,
  steps: readonly DeployStep[],
  options: DeployOptions,
  { steps: results }: DeploymentResult,
): Promise<number | undefined> {
  const fork = (await hasControls(node)) ? await forkOf(node) : undefined;
  const deployer = new Deployer(fork ?? node, options, results, async () => {});
  let missing = 0;
  try {
    for (const step of steps) {
      const prepared =
        missing > 0 && fork === undefined ? await unlessMissing(deployer, step) : await deployer.prepare(step);
      if (prepared === undefined) {
        process.stdout.write(`${step.id}: not tried, since it needs what is missing\n`);
      } else if (prepared.submission === undefined) {
        process.stdout.write(`${step.id}: is there\n`);
        await deployer.know(step.id, prepared.result);
        continue;
      } else {
        if (!(await deployer.foresee(step.id, prepared, fork !== undefined))) return undefined;
      }
      missing++;
    }
  } finally {
    await fork?.close();
  }
  const where = fork === undefined ? '' : ', tried on a fork';
  process.stdout.write(
    missing === 0 ? 'nothing is missing\n' : `${missing} of ${steps.length} steps are missing${where}\n`,
  );
  return missing;
}

async function unlessMissing(deployer: Deployer, step: DeployStep): Promise<Prepared | undefined> {
  try {
    return await deployer.prepare(step);
  } catch (error) {
    if (error instanceof Unresolved || (error instanceof EngineError && error.code === 'not-found')) return undefined;
    throw error;
  }
}

async function forkOf(node: AskedNode): Promise<AskedNode> {
  const id = await readFrom(node, 'dev_fork', [], ({ id: text }: { id: string }) => `${text}`);
  return {
    where: node.where,
    ask: (method, params) => node.ask(method, params, id),
    close: async () => {
      await node.ask('dev_dropFork', JSON.stringify([id]));
    },
  };
}

async function isConfirmed({ where }: AskedNode): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('without a terminal that could be asked, give --yes or --dry-run');
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asked.question(`run them on ${where}? (y/N) `)).trim());
  } finally {
    asked.close();
  }
}

export const deployCommand: Command = command({
  name: 'deploy',
  summary: 'run the steps of a file that a chain lacks',
  usage: 'FILE [--yes] [--dry-run] [--out FILE] [--sender WHO] ...',
  example: 'examples/auction/deploy.json --dry-run',
  min: 1,
  help: `FILE has steps by their ids, in JSON: {"token": {"publish": FOLDER}, "pool": {"call": FUNCTION, "arguments":
[...]}}. They may refer to earlier ones: \${token} is the address of that package, \${pool.Pool} the object of that
struct which the step pool created, and \${sender} the sending account. What is missing is tried first, and run once
you confirm. A file gets the result, for programs.

A package is published or upgraded unless the chain has the same modules, and a call is sent unless the chain has its
transaction, so running the command again continues a deployment. Exit codes: 0 complete, 1 refused or failed, 2 wrong usage.`,
  options: {
    yes: { help: 'do not ask for confirmation' },
    out: { value: 'FILE', completes: 'file', help: 'the result (default: NAME.result.json beside NAME.json)' },
    sender: {
      value: 'WHO',
      help: 'the account that calls: an address, or a number of movelet account list (default: that of MOVELET_KEY, or 0)',
    },
    ...Object.fromEntries(Object.entries(SUBMIT_OPTIONS).filter(([name]) => name !== 'json')),
  },
  more: [OPENING_GROUP],
  completes: 'file',
  run,
});
