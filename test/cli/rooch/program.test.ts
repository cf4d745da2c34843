/** The `rooch` program's commands: their flags and their JSON, by its documentation and by what the official SDK reads. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Secp256k1Keypair } from '@roochnetwork/rooch-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import { keyView } from '../../../src/cli/rooch/did.ts';
import { runRooch } from '../../../src/cli/rooch/program.ts';
import { Program } from './program.ts';

interface AccountJson {
  readonly address: string;
  readonly hex_address: string;
  readonly bitcoin_address: string;
  readonly nostr_public_key: string;
  readonly has_session_key: boolean;
  readonly active: boolean;
}

interface ExecutedJson {
  readonly execution_info: { readonly tx_hash: string; readonly status: { readonly type: string } };
}

const EXECUTED = { execution_info: { status: { type: 'executed' } } };

let cwd: string;
let rooch: Program;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'movelet-rooch-cwd-'));
  cpSync(fileURLToPath(new URL('../../../examples/counter', import.meta.url)), join(cwd, 'counter'), {
    recursive: true,
  });
  rooch = await Program.start(cwd);
});

afterAll(async () => {
  await rooch.stop();
  rmSync(cwd, { recursive: true });
});

const accounts = (): Promise<Record<string, AccountJson>> => rooch.json('account', 'list', '--json');
const line = (text: string): Promise<string> => rooch.run(text.split(' '));
const json = <T = Record<string, unknown>>(text: string): Promise<T> => rooch.json<T>(...text.split(' '));

describe('rooch account', () => {
  it('lists the active account as default, and the others by number', async () => {
    const created = await json<string>('account create --json');
    const listed = await accounts();
    expect(Object.keys(listed)).toEqual(['default', 'account0']);
    expect(listed['account0']).toMatchObject({ address: created, active: false, has_session_key: false });
    expect(listed['default']).toMatchObject({ active: true });
  });

  it("exports a key whose addresses are those of the SDK's key pair, and imports it", async () => {
    const { account0 } = await accounts();
    const { encoded_private_key: key } = await json(`account export -a ${account0!.address} --json`);
    const pair = Secp256k1Keypair.fromSecretKey(key as string);
    expect(account0).toMatchObject({
      address: pair.getRoochAddress().toBech32Address(),
      hex_address: pair.getRoochAddress().toHexAddress(),
      bitcoin_address: pair.getBitcoinAddress().toStr(),
    });
    await line(`account nullify -a ${account0!.bitcoin_address}`);
    expect(Object.keys(await accounts())).toEqual(['default']);
    await line(`account import -k ${key}`);
    expect((await accounts())['account0']).toEqual(account0);
    await line(`account nullify -a ${account0!.nostr_public_key}`);
    await line(`account import -k ${key}`);
  });

  it('says what to use instead of a recovery phrase, and refuses keys in other formats', async () => {
    expect(await line('account export')).toContain('--address');
    await expect(line('account import -k roochsecretkey1qqqq')).rejects.toThrow(/-k: expected a secp256k1 key/);
  });

  it('signs a text, and verifies what it signed', async () => {
    const signature = await rooch.json<string>('account', 'sign', '-a', 'default', '-m', 'a text', '--json');
    const verify = (message: string): Promise<boolean> =>
      rooch.json('account', 'verify', '-s', signature, '-m', message, '--json');
    expect([await verify('a text'), await verify('another')]).toEqual([true, false]);
    await expect(line('account verify -s 00ff -m a --json')).rejects.toThrow(
      /expected one that rooch account sign gave/,
    );
  });

  it('switches the active account, which default names from then on', async () => {
    const { default: first, account0 } = await accounts();
    await line(`account switch -a ${account0!.address}`);
    expect((await accounts())['default']!.hex_address).toBe(account0!.hex_address);
    await line(`account switch -a ${first!.address}`);
  });

  it('knows nothing of an account that the chain has not seen', async () => {
    const created = await json<string>('account create --json');
    expect(await json(`account tx -a ${created} --json`)).toEqual({});
    expect(await json(`account object -a ${created} --json`)).toEqual({});
    const nothing = { account_address: null, sequence_number: null, bitcoin_address: null };
    expect(await json(`account show -a ${created} --json`)).toEqual(nothing);
  });

  it('transfers coins, which its balance shows by symbol', async () => {
    const [to, coin] = [await json<string>('account create --json'), '0x3::gas_coin::RGas'];
    expect(await json(`account transfer --coin-type ${coin} --to ${to} --amount 250 --json`)).toMatchObject(EXECUTED);
    const balances = await json(`account balance -a ${to} --json`);
    expect(balances).toMatchObject({
      BTC: { name: 'Bitcoin', symbol: 'BTC', decimals: 8, balance: '0' },
    });
    expect(balances).toMatchObject({ RGAS: { balance: '250', coin_type: coin, decimals: 8 } });
    expect(await json(`account balance -a ${to} --coin-type rooch_framework::gas_coin::RGas --json`)).toEqual(balances);
    const { default: sender } = await accounts();
    const shown = await json(`account show --json`);
    expect(shown).toEqual({
      account_address: sender!.hex_address,
      sequence_number: '1',
      bitcoin_address: sender!.bitcoin_address,
    });
    expect(Object.keys(await json('account tx --json'))).toHaveLength(1);
  });
});

describe('rooch env', () => {
  it('adds, lists, switches and removes nodes', async () => {
    await line('env add --alias other --rpc http://127.0.0.1:1');
    await line('env switch --alias other');
    await expect(line('state --access-path /object/0x3')).rejects.toThrow(/nothing answers at http:\/\/127.0.0.1:1/);
    await expect(line('env remove --alias other')).rejects.toThrow(/other is the active environment/);
    await line('env switch --alias local');
    await line('env remove --alias other');
    const listed = await json<readonly { alias: string; active: boolean }[]>('env list --json');
    expect(listed).toEqual([{ alias: 'local', active: true, rpc: expect.stringMatching(/^http:\/\/127/) }]);
    await expect(line('env switch --alias other')).rejects.toThrow(/no env is called other/);
  });
});

describe('rooch move', () => {
  it('publishes, runs and views a package whose address is that of an account', async () => {
    expect(await json('move publish -p counter --named-addresses counter=default --json')).toMatchObject(EXECUTED);
    const call = '--function default::counter::add --args object:default::counter::Counter';
    expect(await json(`move run ${call} --args u64:5 --json`)).toMatchObject(EXECUTED);
    expect(await json(`move run-function ${call} --args 2u64 --json`)).toMatchObject(EXECUTED);
    const { vm_status, return_values: values } = await json('move view --function default::counter::value');
    expect([vm_status, values]).toEqual(['Executed', [expect.objectContaining({ decoded_value: '7' })]]);
    expect(await line(`move run ${call} --args 1u64`)).toMatch(/^Status: \{"type":"executed"\}\nOrder: \d+\nHash: 0x/);
  });

  it('keeps the status of a call that aborts, and refuses one that is not valid', async () => {
    const call = 'move run --function default::counter::add --args object:default::counter::Counter';
    const { execution_info: info } = await json<ExecutedJson>(`${call} --args u64:0 --json`);
    expect(info.status).toMatchObject({ type: 'moveabort', abort_code: '1' });
    const tried = await json<{ raw_output: object }>(`${call} --args u64:9 --dry-run`);
    expect(tried.raw_output).toMatchObject({ status: { type: 'executed' } });
    // Nothing of it was written.
    expect(await json('move view --function default::counter::value')).toMatchObject({
      return_values: [{ decoded_value: '8' }],
    });
    await expect(line('move run --function default::nothing::f')).rejects.toThrow(
      /FUNCTION_RESOLUTION_FAILURE|LINKER_ERROR/,
    );
  });

  it('builds a file that it publishes, and that a call publishes', async () => {
    const build = 'move build -p counter --named-addresses counter=default --json';
    expect(await json(build)).toEqual({ Result: 'Success' });
    expect(existsSync(join(cwd, 'counter/build/Counter/package.rpd'))).toBe(true);
    await line(`${build} --install-dir built`);
    expect(readFileSync(join(cwd, 'built/package.rpd'))).toEqual(
      readFileSync(join(cwd, 'counter/build/Counter/package.rpd')),
    );
    expect(await json('move publish built/package.rpd --json')).toMatchObject(EXECUTED);
    const publish = 'move run --function 0x2::module_store::publish_package_entry --args file:built/package.rpd --json';
    expect(await json(publish)).toMatchObject(EXECUTED);
    await expect(line('move publish none.rpd')).rejects.toThrow(/PACKAGE_FILE: there is no file/);
    await expect(line('move publish built/package.rpd --by-move-action')).rejects.toThrow(/INVALID_MODULE_PUBLISHER/);
    await expect(line('move build -p counter --named-addresses counter')).rejects.toThrow(/expected NAME=WHO/);
  });

  it.each([
    ['u512:1', 'the type', /expected TYPE:VALUE/],
    ['1', 'a type', /expected TYPE:VALUE/],
    ['u8:256', 'the range', /an integer from 0 to 255/],
    ['bool:yes', 'a bool', /true or false/],
    ['@nobody', 'an address', /--args/],
    ['vector<u8>:1,x', 'an item', /an integer from 0 to 255/],
    ['file:none', 'a file', /there is no file/],
  ] as [string, string, RegExp][])('refuses the argument %s by %s', async (text, _what, expected) => {
    await expect(rooch.run(['move', 'view', '--function', '0x3::empty::empty', '--args', text])).rejects.toThrow(
      expected,
    );
  });

  it.each([
    [['0x1::string::length', 'string:four'], '4'],
    [['0x2::string_utils::to_string_u64', '15u64'], '15'],
    [['0x1::vector::is_empty', 'vector<u8>:2,3,4', '--type-args', 'u8'], false],
    [['0x1::vector::is_empty', 'vector<address>:', '--type-args', 'address'], true],
    [['0x1::vector::contains', 'vector<u16>:2,3', 'u16:3', '--type-args', 'u16'], true],
    [['0x2::account::exists_at', '@rooch_framework'], true],
    [['0x2::object::exists_object', 'object_id:moveos_std::timestamp::Timestamp'], true],
  ] as [string[], unknown][])('encodes the arguments of %j', async ([name, ...rest], expected) => {
    const words = rest.flatMap((word, at) =>
      word.startsWith('--') || rest[at - 1] === '--type-args' ? [word] : ['--args', word],
    );
    const { return_values: values } = await rooch.json<{ return_values: { decoded_value: unknown }[] }>(
      'move',
      'view',
      '--function',
      name!,
      ...words,
    );
    expect(values[0]!.decoded_value).toEqual(expected);
  });
});

interface PageJson {
  readonly data: readonly Record<string, unknown>[];
  readonly next_cursor: unknown;
  readonly has_next_page: boolean;
}

describe('what rooch asks a node', () => {
  it('is states, resources and fields, by names or ids', async () => {
    const timestamp = { object_type: '0x2::timestamp::Timestamp' };
    expect(await json('state --access-path /object/moveos_std::timestamp::Timestamp')).toMatchObject([timestamp]);
    const type = '0x3::account_coin_store::AutoAcceptCoins';
    expect(await json(`resource --address rooch_framework --resource ${type}`)).toMatchObject({
      object_type: `0x2::object::DynamicField<0x1::string::String, ${type}>`,
    });
    expect(await json(`resource --address 0x99 --resource ${type}`)).toBeNull();
    const page = await json<{ data: { field_key: string; state: { id: string } }[] }>(
      'dynamic-field list-field-states --object-id 0x3 --limit 1',
    );
    const [{ field_key: key, state }] = page.data as [(typeof page.data)[0]];
    expect(await json(`dynamic-field get-field-states --object-id 0x3 --field-keys ${key}`)).toMatchObject([
      { id: state.id },
    ]);
  });

  it('is objects, by id, owner and type, page by page', async () => {
    const counter = await json<PageJson>('object -t default::counter::Counter');
    expect(counter.data).toMatchObject([{ decoded_value: { value: { value: '8' } } }]);
    expect(await json(`object -i ${counter.data[0]!['id']}`)).toMatchObject({
      data: [{ id: counter.data[0]!['id'] }],
    });
    expect(
      (await json<PageJson>('object --object-ids 0x2::timestamp::Timestamp 0x3::chain_id::ChainID')).data,
    ).toHaveLength(2);
    const owned = await json<PageJson>('object --limit 1');
    expect(owned.has_next_page).toBe(true);
    const { tx_order, state_index } = owned.next_cursor as Record<string, string>;
    const next = await json<PageJson>(`object -o default --limit 1 --cursor ${tx_order},${state_index}`);
    expect(next.data[0]!['id']).not.toBe(owned.data[0]!['id']);
    expect((await json<PageJson>('object -o default -t 0x3::coin_store::CoinStore -d')).data.length).toBeGreaterThan(0);
    await expect(line('object --cursor 1')).rejects.toThrow(/--cursor: expected TX_ORDER,INDEX, got 1/);
  });

  it('is events of a type, from either end', async () => {
    const amounts = async (options: string): Promise<unknown> =>
      (await json<PageJson>(`event get-events-by-event-handle -t default::counter::Added ${options}`)).data.map(
        ({ decoded_event_data: data }) => (data as { value: { amount: string } }).value.amount,
      );
    expect(await amounts('--descending-order false')).toEqual(['5', '2', '1']);
    expect(await amounts('-d true --limit 2')).toEqual(['1', '2']);
    expect(await amounts('--cursor 0 --limit 1 --descending-order=false')).toEqual(['2']);
    await expect(amounts('-d no')).rejects.toThrow(/--descending-order: expected true or false, got no/);
  });

  it('is any request, and the answer keeps every digit', async () => {
    expect(await json('rpc request --method rooch_getChainID --json')).toBe('4');
    const params = '["0x2::timestamp::Timestamp", {"decode": true}]';
    const [object] = await rooch.json<Record<string, unknown>[]>(
      'rpc',
      'request',
      '--method',
      'rooch_getObjectStates',
      '--params',
      params,
    );
    expect(object).toMatchObject({ object_type: '0x2::timestamp::Timestamp' });
    await expect(line('rpc request --method rooch_nothing')).rejects.toThrow(/rooch_nothing/);
    await expect(line('rpc request --method rooch_status --params {')).rejects.toThrow(
      /--params: expected a JSON array/,
    );
  });
});

describe('rooch transaction', () => {
  it('finds transactions by order, hash, sender and time', async () => {
    const [first] = (await json<PageJson>('tx get-transactions-by-order --cursor 0 --limit 1 --descending-order false'))
      .data;
    const { tx_hash: hash } = first!['execution_info'] as { tx_hash: string };
    expect(await json(`transaction get-transactions-by-hash --hashes ${hash}`)).toMatchObject([
      { execution_info: { tx_hash: hash } },
    ]);
    for (const filter of [
      '--sender default --limit 1',
      `--tx-hashes ${hash}`,
      '--from-order 1 --to-order 2',
      '--start-time 0 --end-time 9999999999999 --limit 1',
    ]) {
      expect((await json<PageJson>(`transaction query ${filter}`)).data, filter).toHaveLength(1);
    }
    await expect(line('transaction query --start-time 0')).rejects.toThrow(/expected --sender, --tx-hashes/);
  });

  it('builds, signs and sends one by way of files', async () => {
    const built = await json<{ path: string }>(
      'transaction build --function rooch_framework::empty::empty -o tx.rtd --json',
    );
    expect(built.path).toBe(join(cwd, 'tx.rtd'));
    const signed = await json<{ path: string }>(`transaction sign ${built.path} --json -y`);
    expect(await json(`transaction submit ${signed.path}`)).toMatchObject(EXECUTED);
    await expect(line(`transaction submit ${signed.path}`)).rejects.toThrow(/SEQUENCE_NUMBER_TOO_OLD|sequence number/i);
  });
});

describe('rooch session-key', () => {
  it('creates a key that may call what its scope says, and nothing else', async () => {
    await line('session-key create --app-name test --app-url https://test.example --scope 0x3::empty::empty');
    const [key] = await json<{ name: string }[]>('session-key list --json');
    expect((await accounts())['default']!.has_session_key).toBe(true);
    expect(await json(`move run --function 0x3::empty::empty --session-key ${key!.name} --json`)).toMatchObject(
      EXECUTED,
    );
    const other = `move run --function 0x3::empty::empty_with_signer --session-key ${key!.name}`;
    await expect(line(other)).rejects.toThrow(/status/);
    await expect(line('move run --function 0x3::empty::empty --session-key 0x11')).rejects.toThrow(
      /has no session key 0x11/,
    );
    expect(await json(`session-key list -a 0x77 --json`)).toEqual([]);
  });
});

describe('rooch did', () => {
  // Source: docs/dev-guide/did-keygen-examples.md of the reference.
  it('shows keys in the forms of the reference', () => {
    const secret = fromHex('9c07f46bda2e5f4fa939d178ef80b0171ef4e8fcecf5ea9c75b166ab08e90784');
    expect(keyView('ed25519', secret)).toEqual({
      key_type: 'Ed25519',
      public_key: {
        multibase: 'z18y1uAidokabgSwuhueACRx9Eia2tEBxg1KAkf8TDqZwU',
        hex: '0x765b59cd96ae8173ae5f318fb50ce3160b1d1acc25cac0f78371a7f08f942f17',
        base64: 'AHZbWc2WroFzrl8xj7UM4xYLHRrMJcrA94Nxp/CPlC8X',
        raw_multibase: 'z8y1uAidokabgSwuhueACRx9Eia2tEBxg1KAkf8TDqZwU',
      },
      private_key: {
        hex: '0x9c07f46bda2e5f4fa939d178ef80b0171ef4e8fcecf5ea9c75b166ab08e90784',
        base64: 'AJwH9GvaLl9PqTnReO+AsBce9Oj87PXqnHWxZqsI6QeE',
        bech32: 'roochsecretkey1qzwq0artmgh97naf88gh3muqkqt3aa8glnk0t65uwkckd2cgayrcgxaq60x',
      },
      did_key: 'did:key:z6MknRGwkxtF6869ZSkQbD83H3hEY9Jje5D2hL5gVQREknir',
    });
  });

  it('makes a document, changes it as its account, and finds it', async () => {
    const made = await json<Record<string, string>>('did create self');
    expect(made).toMatchObject({ ...EXECUTED, did: `did:rooch:${made['did_address']}` });
    const manage = (words: string): Promise<Record<string, unknown>> =>
      json(`did manage ${words} --did-address ${made['did_address']}`);
    const { private_key: _, ...key } = await json<{ public_key: { raw_multibase: string }; private_key: unknown }>(
      'did keygen ed25519',
    );
    const type = '--method-type Ed25519VerificationKey2020 --relationships auth,assert';
    expect(await manage(`add-vm --fragment key-2 --public-key ${key.public_key.raw_multibase} ${type}`)).toMatchObject({
      ...EXECUTED,
      operation: 'add_verification_method',
      fragment: 'key-2',
      did: made['did'],
    });
    expect(await manage('add-relationship --fragment key-2 --relationship invoke')).toMatchObject({
      operation: 'add_to_invoke',
    });
    expect(await manage('remove-relationship --fragment key-2 --relationship assert')).toMatchObject({
      operation: 'remove_from_assert',
    });
    await manage(
      'add-service --fragment chat --service-type Chat --endpoint https://chat.example --properties a=1,b=2',
    );
    for (const by of ['address', 'did', 'object-id']) {
      const name = by === 'object-id' ? made['object_id'] : by === 'did' ? made['did'] : made['did_address'];
      const { did_document: document, object_id: id } = await json<{
        did_document: Record<string, unknown>;
        object_id: string;
      }>(`did query ${by} ${name}`);
      expect(id).toBe(made['object_id']);
      expect(document).toMatchObject({
        id: { method: 'rooch', identifier: made['did_address'] },
        authentication: ['account-key', 'key-2'],
        assertion_method: ['account-key'],
        capability_invocation: ['account-key', 'key-2'],
      });
    }
    expect(await json(`did query exists ${made['did']}`)).toEqual({
      identifier: made['did'],
      exists: true,
      query_type: 'did_identifier',
    });
    expect(await json('did query exists 0x77')).toEqual({ identifier: '0x77', exists: false, query_type: 'address' });
    await expect(manage('add-relationship --fragment key-2 --relationship friend')).rejects.toThrow(
      /expected auth, assert/,
    );
    await expect(manage('add-service --fragment x --service-type a --endpoint b --properties a')).rejects.toThrow(
      /KEY=VALUE/,
    );
    await expect(manage('remove-vm --fragment key-9')).rejects.toThrow(/remove_verification_method_entry failed/);
  });
});

describe('rooch payment-channel', () => {
  it('pays by vouchers: claimed, closed, withdrawn', async () => {
    const receiverKey = await json<string>('account create --json');
    const receiver = await json<Record<string, string>>(`did create self --sender ${receiverKey}`);
    const sender = await json<Record<string, string>>(
      `did create self --sender ${await json<string>('account create --json')}`,
    );
    const channel = (words: string): Promise<Record<string, unknown>> => json(`payment-channel ${words}`);
    await channel(`init --owner ${sender['did']} --amount 1000000000 --sender default`);
    const opened = await channel(`open --sender ${sender['did']} --receiver ${receiver['did_address']}`);
    expect(opened).toMatchObject({ ...EXECUTED, vm_id_fragment: 'account-key', fragments_source: 'auto_discovered' });
    const id = opened['channel_id'] as string;
    const rav = (amount: number, nonce: number): Promise<Record<string, unknown>> =>
      channel(`create-rav --channel-id ${id} --amount ${amount} --nonce ${nonce} --sender ${sender['did']}`);
    const first = await rav(10_000, 1);
    expect(first['signed_rav']).toMatchObject({
      sub_rav: { amount: '10000', nonce: 1, chain_id: 4, channel_epoch: 0 },
    });
    expect(await channel(`claim --rav ${first['encoded']}`)).toMatchObject({ ...EXECUTED, amount: '10000', nonce: 1 });
    const earned = `query-revenue --owner ${receiver['did_address']}`;
    expect((await channel(earned))['revenue_balances']).toMatchObject([
      { amount: '10000', source_type: 'payment_channel' },
    ]);
    expect(await channel(`query channel --channel-id ${id} --list-sub-channels`)).toMatchObject({
      status: 'Active',
      channel_epoch: 0,
      sub_channels_count: 1,
      sub_channels: [{ fragment: 'account-key', last_claimed_amount: '10000', last_confirmed_nonce: '1' }],
    });
    expect(await channel(`query hub --owner ${sender['did']}`)).toMatchObject({
      hub_id: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      owner: sender['did_address'],
      // What was paid in, without the first voucher, and without the gas that a hub pays for its owner.
      balances: [{ amount: expect.stringMatching(/^99[89]\d{6}$/) }],
      active_channels: [{ count: 1 }],
    });
    const second = await rav(25_000, 2);
    const close = `close --channel-id ${id} --ravs ${second['encoded']} --sender ${receiver['did_address']}`;
    expect(await channel(close)).toMatchObject({ ...EXECUTED, ravs_count: 1 });
    expect(await channel(`${earned} --source-type payment_channel`)).toMatchObject({
      revenue_balances: [],
      total_amount: '25000',
    });
    const withdraw = `withdraw-revenue --owner ${receiver['did_address']} --amount 25000 --sender ${receiver['did_address']}`;
    expect(await channel(withdraw)).toMatchObject({ ...EXECUTED, net_amount: '25000', fee_amount: '0' });
    expect((await channel(earned))['revenue_balances']).toEqual([]);
    expect((await channel(`query channel --channel-id ${id}`))['status']).toBe('Closed');
    await expect(channel(`claim --rav ${first['encoded']}`)).rejects.toThrow(
      /claim_from_channel_entry failed.*"abort_code":"2"/,
    );
    await expect(channel('claim --rav nothing')).rejects.toThrow(/--rav: expected a voucher of create-rav/);
  });
});

describe('a command that is not understood', () => {
  it.each([
    ['db gc', /rooch db is not answered here; use movelet verify/],
    ['move test -p counter', /rooch move test is not answered here; use movelet test/],
    ['bitcoin transfer', /rooch bitcoin is not answered here; use dev_mine/],
    ['acount list', /there is no command rooch acount list; did you mean rooch account list\?/],
    ['move view', /--function: expected a value, got none/],
    ['move view --functoin a', /there is no option --functoin; did you mean --function\?; usage: rooch move view/],
    ['account list more', /expected no argument "more"; usage: rooch account list/],
    ['server start -n main', /--network: expected local, got main/],
    ['move run --function 0x3::empty::empty --sender 0x77', /has no key of 0x0+77/],
  ])('says what to do: rooch %s', async (words, expected) => {
    await expect(line(words)).rejects.toThrow(expected);
  });

  it('needs a directory for its keys, which init makes', async () => {
    const place = { cwd, env: {} };
    const host = { write: () => {}, untilEnd: async () => {} };
    await expect(runRooch(['account', 'list'], place, host)).rejects.toThrow(/--config-dir: expected a directory/);
    await expect(runRooch(['account', 'list', '--config-dir', 'none'], place, host)).rejects.toThrow(
      /make it with rooch init/,
    );
  });

  it('is answered with a list of what exists', async () => {
    expect(await line('help')).toMatch(/move publish \[PACKAGE_FILE\] +publish or upgrade a package/);
    expect(await line('move --help')).toContain('-p, --path DIR: the package');
    expect(await line('version')).toMatch(/^rooch \d+\.\d+\.\d+ \(movelet\)/);
  });
});
