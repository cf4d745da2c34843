// A suite as it would be written for the reference network; only the import of TestBox differs.

import { RoochClient } from '@roochnetwork/rooch-sdk';
import { TestBox } from 'movelet/rooch';
import { afterAll, beforeAll, expect, test } from 'vitest';

let box: TestBox;

beforeAll(async () => {
  box = new TestBox();
  await box.loadRoochEnv('local', 0);
  expect(await box.cmdPublishPackage('examples/counter', { namedAddresses: 'counter=default' })).toBe(true);
});

afterAll(() => box.cleanEnv());

test('the counter counts', async () => {
  const rooch = (command: string): unknown => JSON.parse(box.roochCommand(`${command} --config-dir ${box.roochDir}`));
  const call = '--function default::counter::add --args object:default::counter::Counter --args u64:5';
  expect(rooch(`move run ${call} --json`)).toMatchObject({ execution_info: { status: { type: 'executed' } } });
  expect(rooch('move view --function default::counter::value')).toMatchObject({
    return_values: [{ decoded_value: '5' }],
  });
});

test('the SDK sees it', async () => {
  const client = new RoochClient({ url: `http://${box.getRoochServerAddress()}` });
  const target = `${await box.defaultCmdAddress()}::counter::value`;
  const { return_values: values } = await client.executeViewFunction({ target });
  expect(values?.[0]?.decoded_value).toBe('5');
});
