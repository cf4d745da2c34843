/** The TestBox of `movelet/rooch`: nodes on a thread, and commands that a suite need not await. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RoochClient, Secp256k1Keypair } from '@roochnetwork/rooch-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { spend } from '../../../src/bitcoin/mine.ts';
import { encodeBitcoinTransaction } from '../../../src/bitcoin/transaction.ts';
import { getUnusedPort, RoochContainer, TestBox } from '../../../src/cli/rooch/index.ts';
import { reservedPort } from '../../reserved-port.ts';

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
    // One that getUnusedPort finds may be taken by another test before the node has it.
    const port = await reservedPort();
    expect(await getUnusedPort()).toBeGreaterThan(0);
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

  it('starts no containers, and says so', async () => {
    expect(() => new RoochContainer()).toThrow(/loadRoochEnv\('local'\)/);
    const box = newBox();
    await expect(box.loadORDEnv()).rejects.toThrow(/call loadBitcoinEnv\(\) before/);
    await expect(box.getFaucetBTC('bcrt1qqqq')).rejects.toThrow(/call loadBitcoinEnv\(\) before/);
    await expect(box.simulateRoochRpcDelay()).rejects.toMatchObject({ code: 'not-supported' });
  });

  it('mines blocks that its node follows, without a wait', async () => {
    const box = newBox();
    await box.loadBitcoinEnv();
    const bitcoin = box.bitcoinContainer!;
    expect(await bitcoin.executeRpcCommand('getblockcount')).toBe('0');
    await box.loadRoochEnv('local', 0);
    const client = new RoochClient({ url: `http://${box.getRoochServerAddress()}` });
    const owner = Secp256k1Keypair.generate().getSchnorrPublicKey().toAddress().bitcoinAddress.toStr();
    const hashes = JSON.parse(await bitcoin.executeRpcCommandRaw([], 'generatetoaddress', ['3', owner])) as string[];
    expect([hashes.length, await bitcoin.executeRpcCommand('getbestblockhash')]).toEqual([3, hashes[2]]);
    // Fifty bitcoins a block, on every network.
    const { data } = await client.queryUTXO({ filter: { owner } });
    expect(data.map(({ value }) => (value as { value: string }).value)).toEqual(Array(3).fill('5000000000'));
    const objects = `object -t bitcoin_move::utxo::UTXO -o ${owner} --limit 1 --config-dir ${box.roochDir}`;
    expect(JSON.parse(box.roochCommand(objects))).toMatchObject({
      data: [{ value: { value: '5000000000' } }],
      has_next_page: true,
    });
    const balance = `account balance -a ${owner} --json --config-dir ${box.roochDir}`;
    expect(JSON.parse(box.roochCommand(balance))).toMatchObject({ BTC: { balance: '15000000000' } });
    const address = await bitcoin.executeRpcCommandRaw([], 'getnewaddress');
    await bitcoin.executeRpcCommandRaw([], 'generatetoaddress', ['101', address]);
    // One coinbase has a hundred blocks on it.
    expect(await bitcoin.executeRpcCommand('getbalance')).toBe('50');
    await expect(bitcoin.executeRpcCommand('stop')).rejects.toThrow(/bitcoind has no stop here/);
  });

  it('pays from a faucet, in a block of its own, also what the node broadcasts', async () => {
    const box = newBox();
    await box.loadBitcoinEnv(null, true);
    await box.loadRoochEnv('local', 0);
    const client = new RoochClient({ url: `http://${box.getRoochServerAddress()}` });
    const address = (): string => Secp256k1Keypair.generate().getBitcoinAddress().toStr();
    const [payee, other] = [address(), address()];
    const txid = await box.getFaucetBTC(payee, 1.5);
    const paid = await client.queryUTXO({ filter: { owner: payee } });
    expect(paid.data.map(({ value }) => value)).toMatchObject([{ bitcoin_txid: txid, value: '150000000' }]);
    const { vout } = paid.data[0]!.value as { vout: number };
    const spent = spend([{ outpoint: { txid, vout } }], [{ to: other, value: 149_000_000n }]);
    await client.broadcastBitcoinTX({ hex: toHex(encodeBitcoinTransaction(spent)) });
    await box.bitcoinContainer!.mineBlock();
    expect((await client.queryUTXO({ filter: { owner: payee } })).data).toEqual([]);
    expect((await client.queryUTXO({ filter: { owner: other } })).data).toMatchObject([
      { value: { value: '149000000' } },
    ]);
    await expect(box.getFaucetBTC(payee, 1_000_000)).rejects.toThrow(/amount: expected at most \d+ satoshis/);
  });

  it('inscribes a file from the wallet of ord', async () => {
    const box = newBox();
    await box.loadBitcoinEnv();
    await box.loadORDEnv();
    await box.loadRoochEnv('local', 0);
    const ord = async (command: string): Promise<Record<string, never>> => {
      const { exitCode, output } = await box.ordContainer!.execCmd(command);
      expect(exitCode, output).toBe(0);
      return JSON.parse(output) as Record<string, never>;
    };
    await ord('wallet create');
    const [address] = (await ord('wallet receive'))['addresses'] as unknown as string[];
    await box.bitcoinContainer!.executeRpcCommandRaw([], 'generatetoaddress', ['101', address!]);
    expect((await ord('wallet balance'))['total']).toBe(101 * 5_000_000_000);
    box.shell(`echo '{"p":"brc-20"}' > ${box.ordContainer!.getHostDataPath()}/hello.txt`);
    const made = await ord(`wallet inscribe --fee-rate 1 --file /data/hello.txt --destination ${address}`);
    const [{ id }] = made['inscriptions'] as unknown as [{ id: string }];
    await box.bitcoinContainer!.executeRpcCommandRaw([], 'generatetoaddress', ['1', address!]);
    expect(await ord('wallet inscriptions')).toMatchObject([{ inscription: id, postage: 10_000 }]);
    const client = new RoochClient({ url: `http://${box.getRoochServerAddress()}` });
    const { data } = await client.queryInscriptions({ filter: { owner: address! } });
    const { body, content_type } = data[0]!.value as { body: string; content_type: string };
    expect([data.length, Buffer.from(body.slice(2), 'hex').toString(), content_type]).toEqual([
      1,
      '{"p":"brc-20"}\n',
      'text/plain;charset=utf-8',
    ]);
    expect(await box.ordContainer!.execCmd('wallet burn')).toEqual({
      exitCode: 1,
      output: expect.stringContaining('ord has no'),
    });
    expect((await box.ordContainer!.execCmd('wallet inscribe --file none.txt')).exitCode).toBe(1);
  });
});
