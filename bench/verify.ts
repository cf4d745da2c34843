/**
 * Reading and verifying modules: the framework's, each by itself, then linked and checked against the chain's rules as
 * one publish. The baseline for a module is hashing its bytes, the minimum for anyone who trusts it by hash. Times are
 * medians, and processor time for what runs for the first time.
 */

import { sha256 } from '../src/base/hash/sha256.ts';
import { FRAMEWORK_PACKAGES } from '../src/execution/framework/framework.ts';
import { type Module, moduleKey, selfIdOf } from '../src/vm/binary/module.ts';
import { readModule } from '../src/vm/binary/read.ts';
import { verifyBundle } from '../src/vm/verify/bundle.ts';
import { verifyPublish } from '../src/vm/verify/publish.ts';
import { verifyModule } from '../src/vm/verify/verify.ts';
import { type BenchLine, line } from './line.ts';
import { processorTime, timer } from './measure.ts';

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const time = timer(short);
  const packages = FRAMEWORK_PACKAGES.map(({ modules }) => modules.map(({ bytes }) => bytes));
  const binaries = packages.flat();
  const count = binaries.length;
  let modules: readonly Module[] = [];
  const firstRead = await processorTime(() => {
    modules = binaries.map((bytes) => readModule(bytes));
  });
  const firstVerify = await processorTime(() => modules.map((module) => verifyModule(module)));
  const hashed = await time(() => binaries.map(sha256));
  const read = await time(() => binaries.map(readModule));
  const verified = await time(() => modules.map((module) => verifyModule(module)));
  const published = await time(() => publish(packages));
  const baseline = { name: 'sha-256 of its bytes', value: hashed / count };
  const perModule = (name: string, time: number, target?: string): BenchLine =>
    line(name, time / count, 'us', baseline, target);
  return [
    perModule('a framework module, read', read),
    perModule('a framework module, verified', verified, '500 us'),
    perModule('a framework module, read, verified, linked and published', published),
    perModule('a framework module, read for the first time', firstRead),
    perModule('a framework module, verified for the first time', firstVerify),
  ];
}

function publish(packages: readonly (readonly Uint8Array[])[]): void {
  const stored = new Map<string, Module>();
  for (const binaries of packages) {
    const modules = binaries.map((bytes) => readModule(bytes));
    const bundle = verifyBundle(modules, (id) => stored.get(moduleKey(id)));
    const verdict = bundle.ok ? verifyPublish(modules, (id) => stored.get(moduleKey(id))) : bundle;
    if (!verdict.ok) throw new Error(verdict.message);
    for (const module of modules) stored.set(moduleKey(selfIdOf(module)), module);
  }
}
