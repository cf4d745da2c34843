/**
 * The Move machine: compute kernels against the reference's own interpreter, the first call in a fresh process, and the
 * memory of a thousand specialisations.
 *
 * The kernels (`../shared/data/kernels`) come with the times of the reference's Rust interpreter on a quiet machine and
 * with a calibration loop; a ratio is that time, scaled by this run's calibration, over ours. The baseline printed with
 * a ratio is the last recorded one, in `vm.json` beside this file; set `MOVELET_BENCH_RECORD` to record again. Times
 * are medians.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Module } from '../src/vm/binary/module.ts';
import { readModule } from '../src/vm/binary/read.ts';
import { GasMeter } from '../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE } from '../src/vm/gas/schedule.ts';
import { idOfHandle } from '../src/vm/link/loaded-module.ts';
import { Machine } from '../src/vm/machine.ts';
import { NativeTable } from '../src/vm/native.ts';
import { type BenchLine, line } from './line.ts';
import { inFreshProcess, least, PACKAGE, timer } from './measure.ts';

interface Kernel {
  readonly function: string;
  readonly n: number;
  readonly result: string;
  readonly gas: number;
  readonly native_ms: number;
}

interface Calibration {
  readonly calibrate: (rounds: number, turns: number) => unknown;
  readonly referenceNs: number;
}

const CALIBRATION_TURNS = 2e7;

/** Ratios to the native interpreter, by line name. */
type Recorded = Record<string, number>;

const { MOVELET_SHARED, MOVELET_BENCH_RECORD } = process.env;
// This file runs from build/bench.
const folder = `${MOVELET_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))}/data/kernels`;
const recordPath = fileURLToPath(new URL('../../bench/vm.json', import.meta.url));
const BUDGET = 10n ** 15n;

function makeMachine(): Machine<undefined> {
  return Machine.create<undefined>({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE });
}

/** Calls a kernel and checks its result and gas. */
function callKernel(machine: Machine<undefined>, module: Module, kernel: Kernel): void {
  const gas = new GasMeter(BUDGET);
  const call = {
    module: idOfHandle(module, module.selfHandle),
    function: kernel.function,
    typeArguments: [],
    arguments: [{ value: BigInt(kernel.n) }],
  };
  const outcome = machine.call(call, { source: { load: () => module }, gas, host: undefined });
  const value = outcome.kind === 'returned' ? outcome.values[0]?.value : undefined;
  if (value !== BigInt(kernel.result) || BUDGET - gas.left !== BigInt(kernel.gas)) {
    throw new Error(`kernel ${kernel.function} went wrong: ${outcome.kind} ${value}, ${BUDGET - gas.left} gas`);
  }
}

function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

async function kernelLines(short: boolean, recorded: Recorded): Promise<BenchLine[]> {
  const module = readModule(new Uint8Array(readFileSync(`${folder}/kernels.mv`)));
  const { kernels } = JSON.parse(readFileSync(`${folder}/kernels.json`, 'utf8')) as { kernels: readonly Kernel[] };
  const { calibrate, referenceNs } = (await import(pathToFileURL(`${folder}/calibrate.mjs`).href)) as Calibration;
  const time = timer(short);
  // One round runs its loop twice, the first time to warm it.
  const measureScale = async (): Promise<number> =>
    ((await time(() => calibrate(1, CALIBRATION_TURNS))) * 1e3) / (2 * CALIBRATION_TURNS) / referenceNs;
  // The minimum of several, taken in between the kernels, since load changes while they run.
  let scale = await measureScale();
  const firstMs: number[] = [];
  const warmMs: number[] = [];
  const beside = (name: string, value: number, target?: string): BenchLine => {
    const last = recorded[name];
    recorded[name] = Math.round(value * 10) / 10;
    return line(name, value, 'x', last === undefined ? last : { name: 'the last recorded', value: last }, target);
  };
  // Warm the machine's own code first: what we measure is the code it generates.
  for (const kernel of kernels) callKernel(makeMachine(), module, kernel);
  for (const kernel of kernels) {
    firstMs.push((await time(() => callKernel(makeMachine(), module, kernel))) / 1e3);
    const machine = makeMachine();
    warmMs.push((await time(() => callKernel(machine, module, kernel))) / 1e3);
    scale = Math.min(scale, await measureScale());
  }
  const ratios = (times: readonly number[]): number[] =>
    kernels.map(({ native_ms }, index) => (native_ms * scale) / times[index]!);
  const warm = ratios(warmMs);
  const first = ratios(firstMs);
  return [
    beside('11 kernels, warm, as fast as the native interpreter times', geometricMean(warm), '20 x, geometric mean'),
    beside('11 kernels, first call, code made in the call', geometricMean(first), '8 x, geometric mean'),
    ...kernels.map((kernel, index) => beside(`${kernel.function}, warm`, warm[index]!)),
  ];
}

const MACHINE = JSON.stringify(new URL('../src/vm/', import.meta.url).href);

/** The imports that a child process needs to run kernels. */
const CHILD = `
  const { readModule } = await import(${MACHINE} + 'binary/read.js');
  const { Machine } = await import(${MACHINE} + 'machine.js');
  const { NativeTable } = await import(${MACHINE} + 'native.js');
  const { INITIAL_GAS_SCHEDULE } = await import(${MACHINE} + 'gas/schedule.js');
  const { GasMeter } = await import(${MACHINE} + 'gas/meter.js');
  const { idOfHandle } = await import(${MACHINE} + 'link/loaded-module.js');
  const { readFileSync } = await import('node:fs');
  const bytes = new Uint8Array(readFileSync(${JSON.stringify(`${folder}/kernels.mv`)}));
`;

/** Processor time of `code` in a fresh process after running `before`, in milliseconds. */
function freshMs(before: string, code: string): number {
  return inFreshProcess(`${before}
    const before = process.cpuUsage();
    ${code}
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(String((user + system) / 1000));`);
}

/** Milliseconds of the first call in a fresh process, with the machine's own code loaded, from bytes to the value. */
function coldCall(): number {
  return freshMs(
    CHILD,
    `const module = readModule(bytes);
    const machine = Machine.create({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE });
    const call = { module: idOfHandle(module, module.selfHandle), function: 'fib', typeArguments: [], arguments: [{ value: 10n }] };
    const outcome = machine.call(call, { source: { load: () => module }, gas: new GasMeter(10n ** 9n), host: undefined });
    if (outcome.kind !== 'returned') throw new Error(outcome.kind);`,
  );
}

/** Milliseconds of the first view of a balance in a fresh process, from an open engine to the value. */
function coldView(): number {
  return freshMs(
    `const { DEV_ACCOUNTS, Engine } = await import(${PACKAGE});
    const engine = await Engine.open();`,
    `const call = { function: '0x3::gas_coin::balance', arguments: [DEV_ACCOUNTS[0].address] };
    engine.view(call);`,
  );
}

/** Megabytes taken by a thousand specialisations of one function of 60 instructions, including types. */
function weighSpecialisations(): number {
  const code = `${CHILD}
    const kernels = readModule(bytes);
    const functionHandles = kernels.functionHandles.map((handle) => ({ ...handle, typeParameters: [0] }));
    const module = { ...kernels, functionHandles };
    const machine = Machine.create({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE });
    const id = idOfHandle(module, module.selfHandle);
    const setting = { source: { load: () => module }, gas: new GasMeter(10n ** 12n), host: undefined };
    const call = (type) => {
      const call = { module: id, function: 'sieve', typeArguments: [type], arguments: [{ value: 10n }] };
      const outcome = machine.call(call, setting);
      if (outcome.kind !== 'returned') throw new Error(outcome.kind);
    };
    const types = [{ kind: 'u64' }];
    while (types.length < 1001) types.push({ kind: 'vector', item: types[types.length - 1] });
    call(types[0]);
    gc();
    const before = process.memoryUsage().heapUsed;
    for (const type of types.slice(1)) call(type);
    gc();
    process.stdout.write(String((process.memoryUsage().heapUsed - before) / 1e6));`;
  return inFreshProcess(code, ['--expose-gc']);
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  if (!existsSync(`${folder}/kernels.json`)) {
    process.stderr.write('the bench of the machine was skipped: ../shared/data/kernels is missing\n');
    return [];
  }
  const recorded: Recorded = existsSync(recordPath) ? JSON.parse(readFileSync(recordPath, 'utf8')) : {};
  const rounds = short ? 1 : 5;
  const lines = [
    ...(await kernelLines(short, recorded)),
    line('first call of a fresh process, module read', await least(rounds, coldCall), 'ms'),
    line('first view of a fresh process, the machine loaded in it', await least(rounds, coldView), 'ms'),
    line('a thousand specialisations', weighSpecialisations(), 'MB'),
  ];
  if (MOVELET_BENCH_RECORD !== undefined) writeFileSync(recordPath, `${JSON.stringify(recorded, undefined, 2)}\n`);
  return lines;
}
