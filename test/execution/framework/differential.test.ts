/**
 * Our framework against the newest one of the reference: the same transactions on equal chains, on which our modules or
 * theirs stand, must return the same values, abort in the same modules with the same codes, and have the same effects.
 * Gas and places in the code differ, since functions are written in other ways.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { equalObjectIds, MODULE_STORE_ID } from '../../../src/chain/object/object-id.ts';
import { State } from '../../../src/chain/state/state.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { gasEntriesOf } from '../../../src/execution/framework/gas-schedule.ts';
import { readReleasedGenesis } from '../../../src/execution/genesis/released-genesis.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { MachineCache } from '../../../src/execution/runtime/machine-cache.ts';
import { runSession, type SessionOutput } from '../../../src/execution/runtime/session.ts';
import { ABILITY_KEY } from '../../../src/move/ability.ts';
import type { TypeTag } from '../../../src/move/type-tag.ts';
import { localGenesis } from '../../../src/pipeline/local-chain.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { type Module, selfIdOf } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { hasInitFunction } from '../../../src/vm/verify/entry-functions.ts';
import { isLong, randomNumbers, runs, seed } from '../../effort.ts';
import { genesisFiles, hasReference, referenceNote, releasedPackages, releaseNumbers } from '../../vm/corpus.ts';
import { functionText, moduleName } from './declaration.ts';
import { Chain, Stage } from './framework-world.ts';
import { describeSteps, hasFailed, isOutOfGas, linesOf, nameOfStep, outcomeWithoutCode } from './outcomes.ts';
import { Director, type Transaction } from './random-call.ts';
import {
  ACCOUNT_CONTEXT,
  CONTAINER_MODULES,
  CONTEXTS,
  DOCUMENT_CONTEXT,
  FEW_TYPE_ARGUMENTS,
  playScenes,
  TYPE_ARGUMENTS,
} from './scenes.ts';
import { StoryTeller } from './stories.ts';
import { type Target, targetsOf } from './target.ts';

const title = `our framework and the reference's newest${referenceNote}`;

const ROUNDS = runs(2, 200);
const STORY_STEPS = runs(400, 40_000);
const CONTAINER_ROUNDS = runs(4, 400);
const TIMEOUT = isLong ? 7_200_000 : 600_000;
/** Bodies take different amounts; what runs out of it on either side is not compared. */
const BUDGET = 30_000_000n;

const random = randomNumbers(seed);

/** Functions that other modules, transactions or the machine may call, and that both have. */
function sharedTargets(ours: readonly Module[], theirs: readonly Module[]): Target[] {
  const known = new Map(theirs.map((module) => [moduleName(module), new Set(functionTexts(module))]));
  return ours.flatMap((module) => {
    const texts = functionTexts(module);
    const names = module.functionDefinitions.map(({ handle }) => module.functionHandles[handle]!.name);
    const usable = new Set(
      names.filter((_, index) => {
        const text = texts[index]!;
        return !text.startsWith('fun ') && known.get(moduleName(module))?.has(text) === true;
      }),
    );
    const usableNames = new Set([...usable].map((name) => module.identifiers[name]!));
    return targetsOf(module).filter((target) => usableNames.has(target.function));
  });
}

function functionTexts(module: Module): string[] {
  return module.functionDefinitions.map((definition) => functionText(module, definition));
}

/**
 * Whether functions must take any value of a type. Handles and what objects hold come from the chain, and the fields of
 * a bit vector hang together: made-up ones show how functions are written.
 */
function mayMakeUp(type: Type): boolean {
  if (type.kind === 'vector') return mayMakeUp(type.item);
  if (type.kind !== 'struct') return true;
  const { module, name } = type.struct;
  if ((module === 'object' && name === 'Object') || (module === 'bit_vector' && name === 'BitVector')) return false;
  return (type.abilities & ABILITY_KEY) === 0 && type.fields.every(mayMakeUp);
}

function agree(transaction: Transaction): void {
  const [ours, theirs] = transaction.results;
  const message = `${describeSteps(transaction)}\nMOVELET_FUZZ_SEED=${seed}`;
  expect(outcomeWithoutCode(ours!), message).toEqual(outcomeWithoutCode(theirs!));
}

/** Calls every function, alone and after others of its module, and reports how that went. */
function exercise(director: Director, targets: readonly Target[], rounds: number): { calls: number; returned: number } {
  const byModule = new Map<string, Target[]>();
  for (const target of targets) {
    byModule.set(target.module.name, [...(byModule.get(target.module.name) ?? []), target]);
  }
  const counts = { calls: 0, returned: 0, outOfGas: 0 };
  const neverReturned = new Set(targets.map(nameOfStep));
  const run = (list: readonly Target[]): void => {
    const transaction = director.run(list, BUDGET);
    counts.calls += transaction.steps.length;
    if (transaction.results.some(isOutOfGas)) {
      counts.outOfGas++;
      return;
    }
    agree(transaction);
    const [{ results }] = transaction.results as [Transaction['results'][0]];
    for (const [index, { kind }] of results.entries()) {
      if (kind !== 'returned') continue;
      counts.returned++;
      neverReturned.delete(nameOfStep(transaction.steps[index]!));
    }
    if (!hasFailed(transaction.results[0]!)) director.commit(transaction);
  };
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      run([target]);
      const siblings = byModule.get(target.module.name)!;
      if (random(2) === 0) run([siblings[random(siblings.length)]!, siblings[random(siblings.length)]!, target]);
    }
  }
  const names = isLong ? `:\n${[...neverReturned].sort().join('\n')}` : '';
  console.info(
    `${counts.returned} of ${counts.calls} calls of ${targets.length} functions returned and agreed, ` +
      `${counts.outOfGas} ran out of gas; seed ${seed}; ${neverReturned.size} functions never returned${names}`,
  );
  return counts;
}

/** Publishes modules on the empty state of the test network's genesis and runs their `init` functions. */
function initialise(modules: readonly Module[]): SessionOutput {
  const genesis = readReleasedGenesis(new Uint8Array(genesisFiles()[1]!));
  const entries = new Map(genesis.gasEntries);
  const cache = new MachineCache({ natives: nativeTable, gasEntries: () => entries, engine: 'interpret' });
  const settings = {
    state: new State(new Tree(() => undefined, new NodeCache()), EMPTY_ROOT, 0n),
    machine: cache.create(entries),
    modules: cache.modules,
    gasBudget: undefined,
    preloaded: genesis.genesisObjects,
    context: genesis.context,
  };
  return runSession(settings, (session) => {
    for (const module of modules) {
      const { address, name } = selfIdOf(module);
      session.objects.modules.publish(address, name, writeModule(module));
    }
    const withInit = modules.filter(hasInitFunction).map(selfIdOf);
    expect(session.runInitFunctions(withInit)).toEqual({ kind: 'returned', values: [] });
    return session.finish();
  });
}

/** What changed except the modules; our gas coin has no picture, theirs has one of 2,006 bytes. */
function comparableLines(changes: FieldChanges): string[] {
  const lines = linesOf(changes.filter(([, { meta }]) => !equalObjectIds(meta.id, MODULE_STORE_ID)));
  return lines.map((line) => line.replace(/(0452474153)01d60f[0-9a-f]{4012}/, '$100'));
}

describe.skipIf(!hasReference)(title, () => {
  const ours = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => readModule(bytes)));
  let theirs: Module[] = [];
  let binaries: Uint8Array[] = [];
  beforeAll(() => {
    const packages = releasedPackages(releaseNumbers().at(-1)!);
    const own = new Set(ours.map(moduleName));
    binaries = packages.flatMap(({ modules }) => modules);
    theirs = binaries.map((bytes) => readModule(bytes)).filter((module) => own.has(moduleName(module)));
  });

  /** Two new chains after the scenes, ours first. */
  async function direct(typeArguments: readonly TypeTag[]): Promise<Director> {
    const chains = [await Chain.open(), await Chain.open(binaries)];
    const director = new Director(random, {
      stages: chains.map((chain) => new Stage(chain, { engine: 'translate', gasEntries: gasEntriesOf })),
      typeArguments,
      contexts: CONTEXTS,
      objects: (await localGenesis({})).output.changeSet.changes,
      mayMakeUp,
    });
    for (const transaction of playScenes(director, ours.flatMap(targetsOf))) agree(transaction);
    return director;
  }

  it('initialise a chain in the same way', () => {
    const [our, their] = [initialise(ours), initialise(theirs)];
    expect(comparableLines(our.changeSet.changes)).toEqual(comparableLines(their.changeSet.changes));
    expect(our.events).toEqual(their.events);
    expect(our.context).toEqual(their.context);
  });

  it('do the same whatever arguments their functions get', { timeout: TIMEOUT }, async () => {
    const targets = sharedTargets(ours, theirs);
    expect(targets.length).toBeGreaterThan(1500);
    const { calls, returned } = exercise(await direct(TYPE_ARGUMENTS), targets, ROUNDS);
    expect(returned).toBeGreaterThan(calls / 2);
  });

  it('do the same to containers of few types', { timeout: TIMEOUT }, async () => {
    const targets = sharedTargets(ours, theirs).filter(({ module }) => CONTAINER_MODULES.has(module.name));
    const { calls, returned } = exercise(await direct(FEW_TYPE_ARGUMENTS), targets, CONTAINER_ROUNDS);
    expect(returned).toBeGreaterThan(calls / 2);
  });

  it('do the same in stories of documents and payment channels', {
    timeout: isLong ? 3_600_000 : 600_000,
  }, async () => {
    const director = await direct(TYPE_ARGUMENTS);
    const teller = new StoryTeller(random, ours.flatMap(targetsOf));
    const counts = new Map<string, [returned: number, failed: number]>();
    for (let round = 0; round < STORY_STEPS; round++) {
      const channel = director.objectOf('0x3::payment_channel::PaymentChannel');
      const account = director.ownerOf('0x3::payment_channel::PaymentChannel');
      const asked = director.play([teller.epochStep(channel)], { gasBudget: BUDGET });
      const epoch = BigInt(asked.results[0]!.results[0]!.text);
      const step = teller.step({ account, channel, epoch, time: round });
      const sender = random(8) === 0 ? undefined : account;
      const usual = step.function.startsWith('create_did_object_for_self') ? ACCOUNT_CONTEXT : DOCUMENT_CONTEXT;
      const context = random(4) === 0 ? CONTEXTS[random(CONTEXTS.length)]! : usual;
      const transaction = director.play([step], {
        gasBudget: BUDGET,
        entries: context.entries,
        ...(sender === undefined ? {} : { sender }),
      });
      agree(transaction);
      const count = counts.get(nameOfStep(step)) ?? [0, 0];
      counts.set(nameOfStep(step), count);
      if (hasFailed(transaction.results[0]!)) count[1]++;
      else {
        count[0]++;
        if (teller.goesOn(step)) director.commit(transaction);
      }
    }
    const lines = [...counts].map(([name, [returned, failed]]) => `${name}: ${returned} returned, ${failed} aborted`);
    console.info(`${STORY_STEPS} steps of stories agreed, seed ${seed}${isLong ? `\n${lines.join('\n')}` : ''}`);
  });
});
