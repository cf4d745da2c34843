/**
 * What the chain refuses at publish, by the reference's tests of its framework: modules with metadata of private
 * generics and data structs, and their upgrades.
 *
 * `$MOVELET_REFERENCE/movelet-tests/publishes.json` holds them, prepared outside the project from the `.mvir` and `.exp`
 * files of crates/rooch-framework-tests: `{ file, tasks: Task[] }[]`. Each module is published by its address, with the
 * framework's own entry function.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bytes, encode, string, struct, vector } from '../../../src/base/bcs.ts';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import { type Address, address, parseAddressHex } from '../../../src/move/address.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import { assembleModule } from '../../vm/assemble.ts';
import { frameworkModule, withExterns } from './externs.ts';
import { contextOf, SessionWorld } from './session-world.ts';

interface Task {
  readonly task: number;
  /** The module's, `0x11`. */
  readonly address: string;
  /** The module for this project's assembler, without `extern` blocks for the framework. */
  readonly text: string;
  /** The BCS of its entry `rooch::metadata_v0`, in hex, if it has one. */
  readonly metadata?: string;
  /** The abort code of `0x2::move_module`; absent if the module is published. */
  readonly code?: string;
}

const path = `${process.env['MOVELET_REFERENCE']}/movelet-tests/publishes.json`;
const isThere = existsSync(path);
const note = isThere ? '' : ' (skipped: MOVELET_REFERENCE names no directory that holds movelet-tests)';
const suites: readonly { readonly file: string; readonly tasks: readonly Task[] }[] = isThere
  ? JSON.parse(readFileSync(path, 'utf8'))
  : [];

const METADATA_KEY = new TextEncoder().encode('rooch::metadata_v0');
const packageData = struct<{ name: string; id: Address; modules: readonly Uint8Array[] }>({
  name: string,
  id: address,
  modules: vector(bytes),
});

function publish(world: SessionWorld, task: Task): string {
  const text = withExterns(task.text, (name) =>
    /^0x[1-4]::/.test(name) && !task.text.includes(`extern ${name} `) ? frameworkModule(name) : undefined,
  );
  const module = assembleModule(text);
  const metadata = task.metadata === undefined ? [] : [{ key: METADATA_KEY, value: fromHex(task.metadata) }];
  const id = parseAddressHex(task.address);
  const data = encode(packageData, { name: 'p', id, modules: [writeModule({ ...module, metadata })] });
  const call = ['0x2::module_store::publish_package_entry', encode(bytes, data)] as const;
  const { results, output } = world.run([call], { context: contextOf(id) });
  if (results[0] === '') world.apply(output.changeSet);
  return results[0]!;
}

describe.skipIf(!isThere)(`what the reference's chain refuses at publish${note}`, () => {
  it('is on record', () => {
    expect(suites.length).toBeGreaterThan(0);
  });

  it.each(suites.map((suite) => [suite.file, suite.tasks] as const))('%s', async (_file, tasks) => {
    const world = await SessionWorld.open();
    for (const task of tasks) {
      const result = publish(world, task).replace(/^(ABORTED \d+ at \w+):.*/, '$1');
      expect(result, `task ${task.task}`).toBe(task.code === undefined ? '' : `ABORTED ${task.code} at move_module`);
    }
  });
});
