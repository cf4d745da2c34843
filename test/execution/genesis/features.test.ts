/** The features of a new chain: `set_code_features` of 0x3::onchain_config of the reference, without WASM. */
import { expect, it } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';

/** Numbers of 0x2::features: a local chain, dev, test, templates, allowlist, WASM, gas by size, friends in upgrades. */
const ALL = [1, 2, 3, 4, 5, 6, 7, 8];

it.each([
  ['main', 1n, [5]],
  ['test', 2n, [3, 4, 7]],
  ['dev', 3n, [2, 3, 4, 7, 8]],
  ['local', 4n, [1, 2, 3, 4, 7, 8]],
  ['of its own number', 1234n, [4]],
])('of a chain that is %s', async (_name, chainId, expected) => {
  await using engine = await Engine.open({ chainId });
  const isOn = (feature: number): unknown =>
    engine.view({ function: '0x2::features::is_enabled', arguments: [feature] })[0];
  expect(ALL.filter(isOn)).toEqual(expected);
});
