/**
 * The Move compiler: the whole framework from its sources, a small package, and a package of ten modules of which one
 * changed. What is measured in a fresh process includes the start of Node and the loading of the compiler.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FRAMEWORK_ADDRESSES, FRAMEWORK_PACKAGE_NAMES, frameworkDependency } from '../src/compile/framework.ts';
import { EmittedModuleCache } from '../src/compile/module-cache.ts';
import { type CompilerOutput, compileMove } from '../src/compile/move-compiler.ts';
import { addressOf } from '../src/move/address.ts';
import { type BenchLine, line } from './line.ts';
import { elapsed, least, timer } from './measure.ts';

/** Compiled, this file is build/bench/compile.js. */
const ROOT = new URL('../../', import.meta.url);
const FRAMEWORK = fileURLToPath(new URL('src/execution/framework/move', ROOT));
const COUNTER = fileURLToPath(new URL('examples/counter/sources/counter.move', ROOT));
const ONCE = '--compile-once';
const MODE = { hasTests: false, hasVerification: false };

function compileFramework(): CompilerOutput {
  const paths = readdirSync(FRAMEWORK, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.move'));
  const files = new Map(paths.map((path) => [path, readFileSync(`${FRAMEWORK}/${path}`, 'utf8')]));
  const targets = [{ files, addresses: FRAMEWORK_ADDRESSES }];
  return complete(compileMove({ targets, dependencies: [], mode: MODE }));
}

function compilePackage(files: ReadonlyMap<string, string>, cache?: EmittedModuleCache): CompilerOutput {
  const addresses = new Map([...FRAMEWORK_ADDRESSES, ['counter', addressOf(0xc0)]]);
  const dependencies = FRAMEWORK_PACKAGE_NAMES.map((name) => frameworkDependency(name, false));
  return complete(compileMove({ targets: [{ files, addresses }], dependencies, mode: MODE, cache }));
}

function complete(output: CompilerOutput): CompilerOutput {
  if (!output.isComplete) throw new Error(output.diagnostics.sorted()[0]?.primary.message);
  return output;
}

function compileCounter(): CompilerOutput {
  return compilePackage(new Map([['counter.move', readFileSync(COUNTER, 'utf8')]]));
}

/** Module `index` of ten, each of which uses the one before. */
function chainedModule(index: number, change: number): string {
  const before = index === 0 ? '' : `use counter::m${index - 1};`;
  const value = index === 0 ? '1' : `m${index - 1}::sum(&vector[x])`;
  return `module counter::m${index} {
    use std::vector;
    use moveos_std::event;
    ${before}
    const CHANGE: u64 = ${change};
    struct Added has copy, drop { value: u64 }
    public fun sum(values: &vector<u64>): u64 {
      let (i, total) = (0, CHANGE);
      while (i < vector::length(values)) {
        let x = *vector::borrow(values, i);
        if (x % 2 == 0 && x > 10) { total = total + x } else { total = total + ${value} };
        i = i + 1;
      };
      event::emit(Added { value: total });
      total
    }
    ${[0, 1, 2, 3, 4].map((at) => `fun part${at}(x: u64): u64 { assert!(x > ${at}, ${at}); x * ${at + 1} + sum(&vector[x]) }`).join('\n    ')}
    public fun parts(x: u64): u64 { part0(x) + part1(x) + part2(x) + part3(x) + part4(x) }
  }`;
}

/** Milliseconds, or megabytes at the most, that a fresh process takes for `what`. */
function inNewProcess(what: 'framework' | 'counter' | 'nothing'): { readonly ms: number; readonly megabytes: number } {
  const start = performance.now();
  const printed = execFileSync(process.execPath, [fileURLToPath(import.meta.url), ONCE, what], { encoding: 'utf8' });
  return { ms: performance.now() - start, megabytes: Number(printed) };
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const rounds = short ? 1 : 5;
  const time = timer(short);
  let megabytes = 0;
  const firstFramework = await least(rounds, () => {
    const once = inNewProcess('framework');
    megabytes = Math.max(megabytes, once.megabytes);
    return once.ms;
  });
  const nothing = await least(rounds, () => inNewProcess('nothing').ms);
  const firstCounter = await least(rounds, () => inNewProcess('counter').ms);
  for (let round = 0; round < 3; round++) compileFramework();
  const framework = await least(rounds, () => elapsed(compileFramework));
  const counter = await time(compileCounter);
  let change = 0;
  const cache = new EmittedModuleCache();
  const ten = await time(() => {
    change++;
    const texts = Array.from({ length: 10 }, (_, index) => chainedModule(index, index === 5 ? change : 0));
    compilePackage(new Map(texts.map((text, index) => [`m${index}.move`, text])), cache);
  });
  const baseline = { name: 'a process of Node that loads it', value: nothing };
  return [
    line('the framework in a fresh process', firstFramework, 'ms', baseline, '2600 ms'),
    line('the framework, warm', framework, 'ms', undefined, '800 ms'),
    line('memory of a process that compiles the framework', megabytes, 'MB', undefined, '150 MB'),
    line('examples/counter in a fresh process', firstCounter, 'ms', baseline, '250 ms'),
    line('examples/counter, warm', counter / 1_000, 'ms', undefined, '5 ms'),
    line('a package of ten modules of which one changed', ten / 1_000, 'ms', undefined, '15 ms'),
  ];
}

const [flag, what] = process.argv.slice(2);
if (flag === ONCE) {
  if (what === 'framework') compileFramework();
  if (what === 'counter') compileCounter();
  process.stdout.write(String(process.resourceUsage().maxRSS / 1024));
}
