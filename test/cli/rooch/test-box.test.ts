/** The TestBox of `movelet/rooch`: nodes on a thread, and commands that a suite need not await. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { getUnusedPort, RoochContainer, TestBox } from '../../../src/cli/rooch/index.ts';

const isBuilt = existsSync(new URL('../../../dist/cli/rooch/worker.js', import.meta.url));
const counter = fileURLToPath(new URL('../../../examples/counter', import.meta.url));

const boxes: TestBox[] = [];
const newBox = (): TestBox => {
  const box = new TestBox();
  boxes.push(box);
  return box;
};

afterEach(() => {
  for (const box of boxes.splice(0)) box.cleanEnv();
});

const asked = async (box: TestBox): Promise<unknown> => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"rooch_getChainID","params":[]}';
  const url = `http://${box.getRoochServerAddress()}`;
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { result: unknown }).result;
};

describe.skipIf(!isBuilt)(`a TestBox${isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)'}`, () => {
  it('has a node of its own, which ends with it', async () => {
    const [one, two] = [newBox(), newBox()];
    await one.loadRoochEnv('local', 0);
    await two.loadRoochEnv('container', 0);
    expect([await asked(one), await asked(two)]).toEqual(['4', '4']);
    expect(await one.cmdPublishPackage(counter, { namedAddresses: 'counter=default' })).toBe(true);
    const view = `move view --function default::counter::value --config-dir`;
    expect(JSON.parse(one.roochCommand(`${view} ${one.roochDir}`))).toMatchObject({ vm_status: 'Executed' });
    // The other chain does not have it: not at the address of this account.
    expect(await one.defaultCmdAddress()).not.toBe(await two.defaultCmdAddress());
    const address = one.getRoochServerAddress();
    one.cleanEnv();
    await expect(fetch(`http://${address}`)).rejects.toThrow();
    expect(existsSync(one.tmpDir.name)).toBe(false);
    expect(await asked(two)).toBe('4');
  });

  it('listens where it is told to, and says what is in the way', async () => {
    const [box, other] = [newBox(), newBox()];
    const port = await getUnusedPort();
    await box.loadRoochEnv('local', port, ['--traffic-burst-size', '10']);
    expect(box.getRoochServerAddress()).toBe(`127.0.0.1:${port}`);
    expect(box.getMetricsPort()).toBe(port);
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('# TYPE');
    await expect(other.loadRoochEnv('local', port)).rejects.toMatchObject({ code: 'transport-failed' });
    await expect(other.loadRoochEnv('local', 0, ['--no-such'])).rejects.toThrow(/there is no option --no-such/);
  });

  it('throws what a command would write to standard error, with its code', () => {
    const box = newBox();
    const failure = (command: string): unknown => {
      try {
        return box.roochCommand(command);
      } catch (error) {
        return error;
      }
    };
    expect(failure('db gc')).toMatchObject({
      code: 'not-supported',
      message: expect.stringMatching(/^rooch: rooch db is not/),
    });
    expect(failure('move publish')).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/--config-dir/),
    });
    expect(failure(`state --access-path /object/0x3 --config-dir ${box.roochDir}`)).toMatchObject({
      code: 'not-found',
    });
  });

  it('splits a line as a shell does, and takes variables of the environment', async () => {
    const box = newBox();
    await box.loadRoochEnv('local', 0);
    const environment = [`ROOCH_CONFIG_DIR=${box.roochDir}`];
    const line = `rpc request --method rooch_getStates --params '["/object/0x3", {"decode": true}]'`;
    expect(JSON.parse(box.roochCommand(line, environment))).toMatchObject([{ object_type: '0x2::account::Account' }]);
    expect(box.roochCommand(['account', 'verify', '-s', '01', '-m', 'a b', '--json'], environment)).toBe('false\n');
    expect(box.shell(['echo', 'two', 'words'])).toBe('two words\n');
  });

  it('runs commands that go on until their output is there', async () => {
    const box = newBox();
    const start = `server start -d TMP --port 0 --config-dir ${box.roochDir}`;
    expect(await box.roochAsyncCommand(start, 'start listening')).toContain('server start');
    await expect(box.roochAsyncCommand(start, 'another text', [], 2_000)).rejects.toMatchObject({
      code: 'limit-exceeded',
    });
    await expect(box.roochAsyncCommand('version', 'another text')).rejects.toThrow(
      /ended without the output another text/,
    );
    await expect(box.roochAsyncCommand('db gc', 'text')).rejects.toThrow(/rooch db is not answered here/);
    expect(await box.roochAsyncCommand('version', 'movelet')).toContain('version');
  });

  it('starts no containers, and says so', () => {
    expect(() => new RoochContainer()).toThrow(/loadRoochEnv\('local'\)/);
  });
});
