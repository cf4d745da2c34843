/**
 * The framework, for pages: its modules are those of the genesis that the build wrote, so a page does not load them twice.
 * @module
 */
import { addressOf } from '../../move/address.ts';
import { localSnapshot } from '../genesis/local-snapshot.ts';
import type { FrameworkPackage } from './framework.ts';

const NAMES = ['MoveStdlib', 'MoveosStdlib', 'RoochFramework', 'BitcoinMove'];

/** The packages at 0x1, 0x2, 0x3 and 0x4, each after those it depends on. Read once a chain is opened. */
export const FRAMEWORK_PACKAGES: readonly FrameworkPackage[] = NAMES.map((name, index) => {
  const { moduleKeys, modules } = localSnapshot()!;
  const own = moduleKeys.filter((key) => BigInt(`0x${key.split('::')[0]}`) === BigInt(index + 1));
  return {
    address: addressOf(index + 1),
    name,
    modules: own.map((key) => ({ name: key.split('::')[1]!, bytes: modules.find(key)!.bytes })),
  };
});
