import { afterAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { createRpc, type JsonValue } from '../../../src/server/index.ts';
import { publish, SIGHTS } from '../../query/published.ts';
import { type Answer, asked } from '../asked.ts';

const ACCOUNT = DEV_ACCOUNTS[0]!.address;

const engine = await Engine.open({ viewMsMax: 3_600_000 });
const before = engine.head.stateRoot;
await publish(engine, SIGHTS);
const rpc = createRpc(engine);
afterAll(() => engine.close());

const ask = (method: string, ...params: readonly unknown[]): Promise<Answer<JsonValue>> => asked(rpc, method, params);

const sight = (name: string, args: readonly string[] = [], ty_args: readonly string[] = []): unknown => ({
  function_id: `0x42::sights::${name}`,
  ty_args,
  args,
});
const chain = async (...params: readonly unknown[]): Promise<JsonValue | undefined> =>
  (await ask('chain_executeViewFunction', ...params)).result;

describe('executeViewFunction', () => {
  it('answers with values, their types and what they mean, under both prefixes', async () => {
    const expected = {
      vm_status: 'Executed',
      return_values: [
        { value: { type_tag: 'u64', value: '0x0100000000000000' }, decoded_value: '1' },
        { value: { type_tag: 'bool', value: '0x01' }, decoded_value: true },
        {
          value: { type_tag: 'vector<u64>', value: '0x0202000000000000000300000000000000' },
          decoded_value: ['2', '3'],
        },
      ],
    };
    expect(await chain(sight('several'))).toEqual(expected);
    expect((await ask('rooch_executeViewFunction', sight('several'))).result).toEqual(expected);
    expect(await chain(sight('nothing'))).toEqual({ vm_status: 'Executed', return_values: [] });
    const text = await rpc.handle(
      '{"jsonrpc":"2.0","id":1,"method":"chain_executeViewFunction","params":[{"function_id":"0x3::chain_id::chain_id","ty_args":[],"args":[]}]}',
    );
    expect(text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"vm_status":"Executed","return_values":[{"value":{"type_tag":"u64","value":"0x0400000000000000"},"decoded_value":"4"}]}}',
    );
  });

  it('takes function ids in both forms, arguments with and without 0x, and parameters by name', async () => {
    const long = `${'0'.repeat(62)}42::sights::secret`;
    const secret = {
      vm_status: 'Executed',
      return_values: [{ value: { type_tag: 'u64', value: '0x2a00000000000000' }, decoded_value: '42' }],
    };
    expect(await chain({ function_id: long, ty_args: [], args: [] })).toEqual(secret);
    const named = {
      jsonrpc: '2.0',
      id: 1,
      method: 'chain_executeViewFunction',
      params: { function_call: sight('secret') },
    };
    expect(JSON.parse((await rpc.handle(JSON.stringify(named)))!).result).toEqual(secret);
    for (const prefix of ['', '0x']) {
      expect(await chain(sight('pair', [`${prefix}0500000000000000`], ['u64']))).toMatchObject({
        return_values: [
          {
            value: { type_tag: '0x42::sights::Pair<u64>', value: '0x0500000000000000020102' },
            decoded_value: { abilities: 7, type: '0x42::sights::Pair<u64>', value: { left: '5', right: '0x0102' } },
          },
        ],
      });
    }
    expect(
      await chain({ function_id: '0x3::coin::name_by_type', ty_args: ['0x3::gas_coin::RGas'], args: [] }),
    ).toMatchObject({
      return_values: [{ value: { type_tag: '0x1::string::String' }, decoded_value: 'Rooch Gas Coin' }],
    });
  });

  it('takes arguments as values by their Move types', async () => {
    const call = { function_id: '0x42::sights::pair', ty_args: ['u64'], arguments: ['5'] };
    expect(await chain(call)).toEqual(await chain(sight('pair', ['0500000000000000'], ['u64'])));
  });

  it('takes an object by its id', async () => {
    expect(await chain(sight('owner', [`01${ACCOUNT.slice(2)}`]))).toMatchObject({
      return_values: [{ value: { type_tag: 'address' }, decoded_value: ACCOUNT }],
    });
  });

  it('shows aborts with the location in each prefix’s form', async () => {
    const abort = (location: string) => ({
      vm_status: { MoveAbort: { location, abort_code: '7' } },
      return_values: null,
      failure: {
        status: 'ABORTED',
        module: '0x42::sights',
        function: 'stop',
        code_offset: 1,
        instruction: 'Abort',
        abort_code: '7',
        abort_name: null,
        abort_meaning: null,
        call_stack: null,
      },
    });
    expect(await chain(sight('stop'))).toEqual(abort(`${'0'.repeat(62)}42::sights`));
    expect((await ask('rooch_executeViewFunction', sight('stop'))).result).toEqual(abort('0x42::sights'));
  });

  it('shows failures of code with function, offset and status', async () => {
    expect((await ask('rooch_executeViewFunction', sight('overflow'))).result).toMatchObject({
      vm_status: { ExecutionFailure: { location: '0x42::sights', function: 13, code_offset: 1, status_code: '4017' } },
      return_values: null,
      failure: { status: 'ARITHMETIC_ERROR', function: 'overflow', code_offset: 1, abort_code: null },
    });
    expect(await chain(sight('beyond'))).toMatchObject({ vm_status: { ExecutionFailure: { status_code: '4018' } } });
    expect((await ask('rooch_executeViewFunction', sight('forever'))).result).toMatchObject({
      vm_status: { ExecutionFailure: { location: '0x42::sights', function: 15, code_offset: 0, status_code: '4002' } },
      return_values: null,
      failure: { status: 'OUT_OF_GAS', function: 'forever', code_offset: 0, instruction: 'Branch b0' },
    });
  });

  it('shows everything else as a status, and in words', async () => {
    const status = async (...params: Parameters<typeof sight>): Promise<unknown> => await chain(sight(...params));
    expect(await status('write')).toMatchObject({ vm_status: { Error: '0' }, return_values: null });
    expect(await status('missing')).toMatchObject({ vm_status: { Error: '1091' }, return_values: null });
    expect(await status('pair')).toMatchObject({ vm_status: { Error: '1076' } });
    expect(await status('secret', ['00'])).toMatchObject({ vm_status: { Error: '1098' } });
    expect(await status('pair', ['00'], ['u64'])).toMatchObject({
      vm_status: { Error: '1100' },
      return_values: null,
      error_message: 'argument 0 (u64): got 1 byte that is not the BCS of one such value',
      failure: { module: null, function: null, instruction: null, call_stack: null },
    });
    expect(await status('pair', ['00'], ['0x77::x::Y'])).toMatchObject({ vm_status: { Error: '1081' } });
  });

  it('is an error for a module that does not exist, and for what cannot be read', async () => {
    const error = async (call: unknown, ...more: readonly unknown[]) =>
      (await ask('chain_executeViewFunction', call, ...more)).error!;
    const absent = await error({ function_id: '0x99::nothing::at_all', ty_args: [], args: [] });
    expect([absent.code, absent.message]).toEqual([2, `Module does not exist: 0x${'0'.repeat(62)}99::nothing`]);
    const cases: [unknown, string][] = [
      [{ function_id: '0x42::sights', ty_args: [], args: [] }, 'params[0] function_call.function_id'],
      [{ function_id: 'rooch1x::a::b', ty_args: [], args: [] }, 'params[0] function_call.function_id'],
      [sight('secret', ['0x0']), 'params[0] function_call.args[0]'],
      [sight('secret', ['00', 'zz']), 'params[0] function_call.args[1]'],
      [sight('secret', [], ['u64', 'u65']), 'params[0] function_call.ty_args[1]'],
      [{ function_id: '0x42::sights::secret', args: [], arguments: [] }, 'params[0] function_call'],
      [{ ty_args: [], args: [] }, 'params[0] function_call.function_id'],
    ];
    for (const [call, path] of cases) {
      const { code, data } = await error(call);
      expect([code, data.path]).toEqual([-32602, path]);
    }
    expect((await error(sight('secret'), { stateRoot: '0x12' })).data.path).toBe('params[1] option.stateRoot');
  });

  it('runs at an earlier state root', async () => {
    const at = { stateRoot: before };
    expect(await chain({ function_id: '0x3::chain_id::chain_id', ty_args: [], args: [] }, at)).toMatchObject({
      vm_status: 'Executed',
    });
    expect((await ask('chain_executeViewFunction', sight('secret'), at)).error?.code).toBe(2);
    expect((await ask('chain_executeViewFunction', sight('secret'), { stateRoot: '00'.repeat(32) })).error?.code).toBe(
      2,
    );
  });
});
