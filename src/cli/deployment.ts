/**
 * The two files of movelet deploy: the steps, which people write, and beside them the result, which tests and apps read.
 * @module
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { EngineError, messageOf } from '../base/error.ts';
import { parseJson } from '../server/rpc/json.ts';
import { type LiveThread, lifeOf, thisThread } from '../store/directory-owner.ts';
import { readInput, UsageError } from './arguments.ts';
import { writeDumpFile } from './dump.ts';

/** A step of a deployment; its texts may refer to what earlier steps made. */
export type DeployStep = PublishStep | CallStep;

interface AnyStep {
  readonly id: string;
  /** Who sends it: an address, the number of a funded account, or a reference. */
  readonly sender?: string | number;
}

export interface PublishStep extends AnyStep {
  /** A folder or a file as `movelet publish` takes it, from the folder of the steps. */
  readonly publish: string;
  /** Named addresses by name. */
  readonly addresses?: Readonly<Record<string, string | number>>;
}

export interface CallStep extends AnyStep {
  /** `address::module::function` */
  readonly call: string;
  readonly arguments?: readonly unknown[];
  readonly typeArguments?: readonly string[];
}

const ID = /^[a-zA-Z]\w*$/;
const DEPTH_MAX = 32;
const MEMBERS = { publish: ['publish', 'addresses', 'sender'], call: ['call', 'arguments', 'typeArguments', 'sender'] };
/** `${step}`, the address of a package; `${step.Struct}`, the object of that type that a step made; `${sender}`. */
const REFERENCE = /\$\{([^}]*)\}/g;

/**
 * The steps of a file, in its order.
 * @throws {UsageError} for a file that does not hold steps. {EngineError} `not-found`
 */
export async function readSteps(path: string): Promise<readonly DeployStep[]> {
  const text = new TextDecoder().decode(await readInput('FILE', path));
  const given = readObject(path, text, 'steps by their ids: {"token": {"publish": "."}}');
  const steps: DeployStep[] = [];
  for (const [id, step] of Object.entries(given)) {
    const name = `${path}: ${id}`;
    if (!ID.test(id) || id === 'sender') throw new UsageError(`${name}: expected an id of letters and digits`);
    if ((text.match(new RegExp(`"${id}"\\s*:\\s*\\{`, 'g')) ?? []).length > 1)
      throw new UsageError(`${name} is there twice`);
    assertStep(name, step);
    for (const reference of referencesIn(step)) {
      const [to] = reference.split('.');
      if (to !== 'sender' && !steps.some((earlier) => earlier.id === to))
        throw new UsageError(`${name}: there is no earlier step ${to}, which \${${reference}} refers to`);
    }
    steps.push({ ...(step as object), id } as DeployStep);
  }
  return steps;
}

function readObject(path: string, text: string, expected: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(text, DEPTH_MAX);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    throw new UsageError(`${path}: expected ${expected}: ${cause.message}`, { cause });
  }
  if (!isObject(value)) throw new UsageError(`${path}: expected ${expected}`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is valid for a member of a step. */
const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  publish: (value) => typeof value === 'string',
  call: (value) => typeof value === 'string',
  sender: isAccount,
  addresses: (value) => isObject(value) && Object.values(value).every(isAccount),
  arguments: Array.isArray,
  typeArguments: (value) => Array.isArray(value) && value.every((type) => typeof type === 'string'),
};

function isAccount(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function assertStep(name: string, step: unknown): void {
  const kind = (['publish', 'call'] as const).find((each) => isObject(step) && each in step);
  if (kind === undefined) throw new UsageError(`${name}: expected {"publish": FOLDER} or {"call": FUNCTION}`);
  for (const [member, value] of Object.entries(step as object)) {
    if (!MEMBERS[kind].includes(member))
      throw new UsageError(`${name}: expected ${MEMBERS[kind].join(', ')}, got ${member}`);
    if (!IS[member]!(value)) throw new UsageError(`${name}: ${member}: not a value that it can have`);
  }
}

function referencesIn(value: unknown): string[] {
  if (typeof value === 'string') return Array.from(value.matchAll(REFERENCE), ([, name = '']) => name);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : [];
}

/** The same value, with what `find` gives in the place of each reference. */
export function resolved<T>(value: T, find: (reference: string) => string): T {
  const inner = (each: unknown): unknown => {
    if (typeof each === 'string') return each.replace(REFERENCE, (_, name: string) => find(name));
    if (Array.isArray(each)) return each.map(inner);
    // An integer with all its digits is an object too, and has no references.
    if (!isObject(each) || Object.getPrototypeOf(each) !== Object.prototype) return each;
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, inner(member)]));
  };
  return inner(value) as T;
}

/** The result of a step. */
export interface StepResult {
  /** Of the package that was published. */
  readonly address?: string;
  /** Names of its modules. */
  readonly modules?: readonly string[];
  /** The objects that it made, by the name of their struct, but not those of the framework: an id, or several. */
  readonly objects?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The transactions of this step, the last first, each recorded before it is sent. Another chain with the same genesis may
   * have some of them, and failed ones are among them.
   */
  readonly transactions?: readonly StepTransaction[];
}

export interface StepTransaction {
  readonly hash: string;
  /** A digest of what it does and of its sender. */
  readonly digest: string;
}

export type StepResults = Readonly<Record<string, StepResult>>;

/** What identifies a chain. */
export interface ChainName {
  readonly id: string;
  /** The hash of its first transaction. */
  readonly genesis: string;
}

/** What is recorded of one chain. */
interface Recorded {
  readonly chain: ChainName;
  readonly steps: StepResults;
}

/**
 * Locks a result until `release`: a file beside it names the run that holds it. If that run was killed, the next one
 * takes over its lock.
 */
export class ResultLock {
  readonly #path: string;

  /**
   * @throws {EngineError} `store-locked` if another run has it
   * @throws {UsageError} for a folder that cannot be written to
   */
  constructor(result: string) {
    this.#path = `${result}.lock`;
    const own = thisThread();
    if (this.#make(own)) return;
    const other = this.#holder();
    if (other !== undefined && lifeOf(other, own) === 'ended') {
      rmSync(this.#path, { force: true });
      if (this.#make(own)) return;
    }
    const who = other === undefined ? 'another run' : `another run, process ${other.pid},`;
    throw new EngineError(
      'store-locked',
      `${result}: ${who} is writing it: wait for its end, or remove ${this.#path} if it runs no more`,
    );
  }

  release(): void {
    rmSync(this.#path, { force: true });
  }

  #make(own: LiveThread): boolean {
    try {
      writeFileSync(this.#path, `${JSON.stringify(own)}\n`, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'EEXIST') return false;
      throw new UsageError(`--out: ${messageOf(error)}; name a file in a folder that exists and can be written to`);
    }
  }

  /** The run that has it; undefined if the file does not say, for example while it is being written. */
  #holder(): LiveThread | undefined {
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8')) as LiveThread;
    } catch {
      return undefined;
    }
  }
}

/** The results of deployments: on the chain of the last run, and on others before it. */
export class DeploymentResult {
  readonly #path: string;
  readonly #others: readonly Recorded[];
  #current: Recorded;

  /** @throws {UsageError} for a file that holds something else */
  constructor(path: string, chain: ChainName) {
    const recorded = existsSync(path) ? readRecorded(path) : [];
    const isThis = (each: Recorded): boolean => each.chain.id === chain.id && each.chain.genesis === chain.genesis;
    this.#path = path;
    this.#current = recorded.find(isThis) ?? { chain, steps: {} };
    this.#others = recorded.filter((each) => !isThis(each));
  }

  get steps(): StepResults {
    return this.#current.steps;
  }

  /** Records the result of a step. Durable when the promise is fulfilled. */
  async set(id: string, result: StepResult): Promise<void> {
    this.#current = { ...this.#current, steps: { ...this.steps, [id]: result } };
    await this.write();
  }

  async write(): Promise<void> {
    const others = this.#others.length === 0 ? {} : { others: this.#others };
    const text = `${JSON.stringify({ ...this.#current, ...others }, null, 2)}\n`;
    await writeDumpFile(this.#path, true, [new TextEncoder().encode(text)]);
  }
}

function readRecorded(path: string): Recorded[] {
  const expected = 'the result of movelet deploy';
  const { others = [], ...last } = readObject(path, readFileSync(path, 'utf8'), expected);
  const recorded = [last, ...(Array.isArray(others) ? others : [others])];
  const isRecorded = ({ chain, steps }: Record<string, unknown>): boolean => isObject(chain) && isObject(steps);
  if (recorded.every((each) => isObject(each) && isRecorded(each))) return recorded as never;
  throw new UsageError(`${path}: expected ${expected}; name another file by --out`);
}
