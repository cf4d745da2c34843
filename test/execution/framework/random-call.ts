/**
 * Random transactions on stages that must agree. The first stage chooses as it goes: functions' parameters get values
 * that earlier calls returned, handles and values of objects that the chain has, or made-up bytes. The other stages
 * repeat its steps.
 * @module
 */
import { encode } from '../../../src/base/bcs.ts';
import { equalBytes } from '../../../src/base/bytes/bytes.ts';
import { EngineError } from '../../../src/base/error.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { isDynamicField, isEmbedded } from '../../../src/chain/object/object-state.ts';
import { isObjectHandle, isObjectId, isSigner } from '../../../src/execution/runtime/call-arguments.ts';
import type { SessionOutput } from '../../../src/execution/runtime/session.ts';
import type { ContextEntry } from '../../../src/execution/runtime/tx-context.ts';
import { structType } from '../../../src/move/type-tag.ts';
import {
  type Address,
  canonicalType,
  formatObjectId,
  type ObjectId,
  type ObjectMeta,
  parseTypeTag,
  stateChangeSet,
  type TypeTag,
} from '../../../src/query/transaction-builder.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import type { RandomNumber } from '../../effort.ts';
import type { Kept, Run, Source, Stage, Step, TransactionResult, TransactionSettings } from './framework-world.ts';
import { RandomValue } from './random-value.ts';
import { VALUES } from './samples.ts';
import { bindTypes, type Target } from './target.ts';

/** The number of values that stay, in all and of one type. */
const KEPT_MAX = 600;
const KEPT_OF_TYPE_MAX = 6;

/** What their objects hold decides how everything runs. */
const FIXED_MODULES: ReadonlySet<string> = new Set(['gas_schedule', 'module_store']);

export interface Transaction {
  readonly settings: TransactionSettings;
  readonly steps: readonly Step[];
  /** By stage. */
  readonly results: readonly TransactionResult[];
}

/** What transactions are run with. */
export interface Context {
  readonly entries: readonly ContextEntry[];
  /** An account, or the type of an object whose owner it is. */
  readonly sender?: Address | string;
}

interface DirectorOptions {
  readonly stages: readonly Stage[];
  /** What generic functions are tried with. */
  readonly typeArguments: readonly TypeTag[];
  /** What made the existing objects. */
  readonly objects: FieldChanges;
  /** Contexts that transactions are given. */
  readonly contexts: readonly Context[];
  /** Whether a value may be made up of bytes, or must come from a function or the chain. */
  readonly mayMakeUp?: (type: Type) => boolean;
}

export class Director {
  readonly #random: RandomNumber;
  readonly #options: DirectorOptions;
  readonly #value: RandomValue;
  /** Objects that are not fields, by their type. */
  readonly #objects = new Map<string, ObjectId[]>();
  readonly #objectTypes = new Map<string, TypeTag>();
  /** Those of genesis, by id. */
  readonly #firstObjects: ReadonlyMap<string, ObjectMeta>;
  #kept: ReadonlyMap<number, Kept>;
  #nextKept: number;
  #transactions = 0;
  /** What the step at hand uses. */
  #taken = new Set<string>();

  constructor(random: RandomNumber, options: DirectorOptions) {
    this.#random = random;
    this.#options = options;
    this.#kept = new Map(VALUES.entries());
    this.#nextKept = VALUES.length;
    this.#value = new RandomValue(random, {
      objectsOf: (tag) => this.#objectsOf(tag),
      allObjects: () => [...this.#objects.values()].flat(),
      keptOf: (tag) => this.#keptOf(tag),
      allKept: () => [...this.#kept.values()].map(({ bytes }) => bytes),
    });
    this.#firstObjects = new Map(options.objects.map(([, { meta }]) => [formatObjectId(meta.id), meta]));
    this.#noteObjects(options.objects);
  }

  /** Runs functions one after the other in one transaction, until one fails. Nothing of it stays. */
  run(targets: readonly Target[], gasBudget: bigint): Transaction {
    const settings = this.#settings(gasBudget);
    let steps: Step[] = [];
    let next = 0;
    return this.#play(
      settings,
      (run) => {
        if (run.results.length === 0) [steps, next] = [[], 0];
        while (next < targets.length) {
          const step = this.#step(targets[next++]!, run);
          if (step === undefined) continue;
          steps.push(step);
          return step;
        }
        return undefined;
      },
      () => steps,
    );
  }

  /** Runs given steps, on all stages. */
  play(
    steps: readonly Step[],
    settings: Partial<TransactionSettings> & Pick<TransactionSettings, 'gasBudget'>,
  ): Transaction {
    const whole = { ...this.#settings(settings.gasBudget), ...settings };
    return this.#play(
      whole,
      (run) => steps[run.results.length],
      () => steps,
    );
  }

  /** Makes a transaction that succeeded a part of every stage's chain, unless it removed what chains depend on. */
  commit({ results }: Transaction): void {
    const [{ output }] = results as [TransactionResult];
    if (!output.changeSet.changes.every((change) => this.#isBearable(change)) || !canBeStored(output)) return;
    const { stages } = this.#options;
    for (const chain of new Set(stages.map((stage) => stage.chain))) {
      const index = stages.findIndex((stage) => stage.chain === chain);
      chain.apply(results[index]!.output.changeSet);
    }
    const [led] = results;
    this.#noteObjects(led!.output.changeSet.changes);
    this.#nextKept = led!.nextKept;
    this.#kept = this.#trim(led!.kept);
  }

  /** An existing object of a type given as text. */
  objectOf(type: string): ObjectId {
    const ids = this.#objects.get(canonicalType(parseTypeTag(type))) ?? [];
    if (ids.length === 0) throw new Error(`there is no ${type}`);
    return ids[0]!;
  }

  /** The owner of an existing object of a type given as text. */
  ownerOf(type: string): Address {
    const owner = this.#someOwnerOf(type);
    if (owner === undefined) throw new Error(`there is no ${type}`);
    return owner;
  }

  #someOwnerOf(type: string): Address | undefined {
    const ids = this.#objects.get(canonicalType(parseTypeTag(type))) ?? [];
    if (ids.length === 0) return undefined;
    return this.#options.stages[0]!.chain.state.object(this.#pick(ids))?.meta.owner;
  }

  #settings(gasBudget: bigint): TransactionSettings {
    const { entries, sender } = this.#pick(this.#options.contexts);
    const usual = typeof sender === 'string' ? this.#someOwnerOf(sender) : sender;
    return {
      sender: usual === undefined || this.#random(4) === 0 ? this.#value.owner() : usual,
      number: ++this.#transactions,
      entries,
      gasBudget,
      kept: this.#kept,
      nextKept: this.#nextKept,
    };
  }

  #play(settings: TransactionSettings, next: (run: Run) => Step | undefined, done: () => readonly Step[]): Transaction {
    this.#value.sender = settings.sender;
    const [leader, ...others] = this.#options.stages;
    const led = leader!.run(settings, next);
    const steps = done();
    return { settings, steps, results: [led, ...others.map((stage) => repeat(stage, settings, steps))] };
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)]!;
  }

  /** Drops values at random if there are many; the initial ones stay. */
  #trim(kept: ReadonlyMap<number, Kept>): ReadonlyMap<number, Kept> {
    const counts = new Map<string, number>();
    const fresh = [...kept].filter(([index]) => index >= VALUES.length).reverse();
    const few = fresh.filter(([, { type }]) => {
      const count = (counts.get(type) ?? 0) + 1;
      counts.set(type, count);
      return count <= KEPT_OF_TYPE_MAX || this.#random(3) === 0;
    });
    while (few.length > KEPT_MAX) few.splice(this.#random(few.length), 1);
    return new Map([...VALUES.entries(), ...few.reverse()]);
  }

  #noteObjects(changes: FieldChanges): void {
    for (const [, { meta, value, fields }] of changes) {
      if (!isDynamicField(meta)) {
        const tag = structType(meta.objectType);
        const type = canonicalType(tag);
        const others = (this.#objects.get(type) ?? []).filter((id) => formatObjectId(id) !== formatObjectId(meta.id));
        const isThere = value?.kind !== 'delete' && !isEmbedded(meta);
        this.#objects.set(type, isThere ? [...others, meta.id] : others);
        this.#objectTypes.set(type, tag);
        this.#value.noteOwner(meta.owner);
      }
      this.#noteObjects([...fields]);
    }
  }

  /** Objects of genesis stay where they are; code and prices stay as they are. */
  #isBearable([, { meta, value }]: FieldChanges[number]): boolean {
    const first = this.#firstObjects.get(formatObjectId(meta.id));
    if (first === undefined) return true;
    if (value?.kind === 'delete' || !equalBytes(first.owner, meta.owner) || first.flag !== meta.flag) return false;
    return !FIXED_MODULES.has(meta.objectType.module);
  }

  /** A call of a function with type arguments and values that it takes, or undefined. */
  #step(target: Target, run: Run): Step | undefined {
    const { module, function: name, generics, returnsReference, constants } = target;
    this.#value.constants = constants;
    for (let attempt = 0; attempt < (generics === 0 ? 1 : 6); attempt++) {
      this.#taken = new Set();
      const typeArguments = generics === 0 ? [] : this.#typeArgumentsFor(target, run);
      const types = run.parameterTypes({ module, function: name, typeArguments });
      if (types === undefined || types.some((type) => referent(type).layoutFault !== 0)) continue;
      this.#value.fittingObjects = this.#fittingObjects(module.name, typeArguments);
      const sources = types.map((type) => this.#source(type, run));
      if (sources.every((source) => source !== undefined)) {
        return { module, function: name, typeArguments, sources: sources as Source[], returnsReference };
      }
    }
    return undefined;
  }

  /** Some objects of a module's own types and of these types, as many of each. */
  #fittingObjects(module: string, typeArguments: readonly TypeTag[]): readonly ObjectId[] {
    const wanted = new Set(typeArguments.map(canonicalType));
    return [...this.#objectTypes].flatMap(([type, tag]) => {
      const isOwn = tag.kind === 'struct' && tag.struct.module === module;
      const ids = isOwn || wanted.has(type) ? (this.#objects.get(type) ?? []) : [];
      return ids.length === 0 ? [] : [this.#pick(ids), this.#pick(ids)];
    });
  }

  /** If possible, those of an existing value or object. */
  #typeArgumentsFor(target: Target, run: Run): TypeTag[] {
    const known: TypeTag[] = [];
    if (this.#random(5) !== 0) {
      for (const token of target.parameters) {
        const tags = new Map(this.#objectTypes);
        for (const [, { tag, type }] of run.values()) tags.set(type, tag);
        const fitting = [...tags.values()].flatMap((tag) => {
          const bound = bindTypes(target.source, token, tag);
          return bound === undefined || bound.every((known) => known === undefined) ? [] : [bound];
        });
        if (fitting.length === 0) continue;
        for (const [index, tag] of this.#pick(fitting).entries()) if (tag !== undefined) known[index] ??= tag;
      }
    }
    return Array.from({ length: target.generics }, (_, index) => known[index] ?? this.#someType());
  }

  /** The first ones more often. */
  #someType(): TypeTag {
    const { typeArguments } = this.#options;
    return typeArguments[Math.min(this.#random(typeArguments.length), this.#random(typeArguments.length))]!;
  }

  #source(type: Type, run: Run): Source | undefined {
    const target = referent(type);
    const choices = isSigner(type) ? [] : this.#choices(type, target, run);
    const free = choices.filter((choice) => !this.#taken.has(nameOf(choice)));
    const mayMakeUp = this.#options.mayMakeUp?.(target) ?? true;
    const comesFromCalls = target.kind === 'struct' && !isObjectId(target);
    const makesUp = free.length === 0 || (mayMakeUp && this.#random(6) < (comesFromCalls ? 2 : 4));
    if (!makesUp) {
      const source = this.#pick(free);
      this.#taken.add(nameOf(source));
      return source;
    }
    return mayMakeUp ? { kind: 'bytes', bytes: this.#value.bytes(target) } : undefined;
  }

  #choices(type: Type, target: Type, run: Run): Source[] {
    const wanted = canonicalType(target.tag);
    const choices: Source[] = [];
    for (const [index, kept] of run.values()) if (kept.type === wanted) choices.push({ kind: 'kept', index });
    if (target.kind !== 'struct') return choices;
    if (isObjectHandle(target)) {
      const [inner] = target.struct.typeArguments;
      for (const id of this.#objectsOf(inner!.tag)) choices.push({ kind: 'handle', id });
    } else if (type.isReference) {
      for (const id of this.#objectsOf(target.tag)) choices.push({ kind: 'object', id });
    }
    return choices;
  }

  #objectsOf(tag: TypeTag): readonly ObjectId[] {
    return this.#objects.get(canonicalType(tag)) ?? [];
  }

  #keptOf(tag: TypeTag): readonly Uint8Array[] {
    const wanted = canonicalType(tag);
    return [...this.#kept.values()].filter(({ type }) => type === wanted).map(({ bytes }) => bytes);
  }
}

/** Types of objects nest up to a bound; no chain can keep what makes deeper ones. */
function canBeStored({ changeSet }: SessionOutput): boolean {
  try {
    encode(stateChangeSet, changeSet);
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'invalid-argument') return false;
    throw error;
  }
}

function repeat(stage: Stage, settings: TransactionSettings, steps: readonly Step[]): TransactionResult {
  return stage.run(settings, (run) => steps[run.results.length]);
}

function referent(type: Type): Type {
  return type.isReference ? type.item : type;
}

function nameOf(source: Source): string {
  if (source.kind === 'kept') return String(source.index);
  // A handle and a reference to the same object's value are two ways to reach one thing.
  return source.kind === 'bytes' ? '' : formatObjectId(source.id);
}
