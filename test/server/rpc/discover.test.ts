/** `rpc.discover`: an OpenRPC document by its specification, whose examples work and whose schemas tell the truth. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PACKAGE_VERSION } from '../../../src/base/config.ts';
import { Engine, ERROR_CODES } from '../../../src/index.ts';
import { createRpc, type JsonValue, type MethodName } from '../../../src/server/index.ts';
import { methodTable } from '../../../src/server/rpc/methods.ts';
import * as form from './forms.ts';
import { expectForm } from './forms.ts';
import { mismatch } from './schema.ts';
import { World } from './world.ts';

interface Method {
  readonly name: string;
  readonly params: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Record<string, unknown>;
  }[];
  readonly result: { readonly schema: Record<string, unknown> };
  readonly examples: readonly { readonly params: readonly { readonly name: string; readonly value: JsonValue }[] }[];
}

async function documentOf(
  engine: Engine,
): Promise<{ readonly methods: readonly Method[]; readonly info: Record<string, unknown> }> {
  return (await createRpc(engine).request('rpc.discover')) as never;
}

describe('the document', () => {
  it('has the form that OpenRPC 1.3.2 asks for', async () => {
    await using engine = await Engine.open();
    const document = await createRpc(engine).request('rpc.discover');
    const descriptor = form.holding({ name: form.text, schema: form.holding({}) });
    const error = form.holding({ code: form.integer, message: form.text });
    const example = form.holding({
      name: form.text,
      params: form.array(form.holding({ name: form.text, value: form.anything })),
    });
    expectForm(
      document,
      form.record({
        openrpc: form.exactly('1.3.2'),
        info: form.holding({
          title: form.text,
          version: form.exactly('0.13.0'),
          'x-package-version': form.exactly(PACKAGE_VERSION),
          license: form.holding({ name: form.exactly('Apache-2.0') }),
        }),
        methods: form.array(
          form.holding({
            name: form.text,
            description: form.text,
            paramStructure: form.exactly('either'),
            params: form.array(descriptor),
            result: descriptor,
            errors: form.array(error),
            examples: form.array(example),
          }),
        ),
      }),
    );
    const { info, methods } = await documentOf(engine);
    expect(info['x-error-codes']).toEqual(ERROR_CODES);
    expect(info['x-limits']).toMatchObject({
      batchRequestsMax: 100,
      pageItemsMaxInterface: 1000,
      pageItemsMaxCurrent: 200,
    });
    const names = methods.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(new Set(names).size).toBe(names.length);
    for (const { params } of methods) {
      const firstOptional = params.findIndex(({ required }) => required !== true);
      if (firstOptional !== -1)
        expect(params.slice(firstOptional).some(({ required }) => required === true)).toBe(false);
    }
  });

  it('names its parameters as the reference does', async () => {
    await using engine = await Engine.open();
    const { methods } = await documentOf(engine);
    const names = new Map(methods.map(({ name, params }) => [name, params.map((param) => param.name).join()]));
    const expected: Readonly<Record<string, string>> = {
      getChainID: '',
      status: '',
      getStates: 'access_path,state_option',
      listStates: 'access_path,cursor,limit,state_option',
      getObjectStates: 'object_ids,state_option',
      getFieldStates: 'object_id,field_key,state_option',
      listFieldStates: 'object_id,cursor,limit,state_option',
      getEventsByEventHandle: 'event_handle,cursor,limit,descending_order,event_options',
      getBalance: 'account_addr,coin_type,option',
      getBalances: 'account_addr,cursor,limit,option',
      getTransactionsByHash: 'tx_hashes',
      getTransactionsByOrder: 'cursor,limit,descending_order',
      queryTransactions: 'filter,cursor,limit,query_option',
      queryEvents: 'filter,cursor,limit,query_option',
      queryObjectStates: 'filter,cursor,limit,query_option',
      queryFields: 'filter,page,limit,query_option',
      syncStates: 'filter,cursor,limit,query_option',
      checkChangeSets: 'cursor,limit,query_option',
      getModuleABI: 'module_addr,module_name,option',
      disassembleModule: 'module_addr,module_name,option',
      getHistory: 'object_id,cursor,limit,query_option',
      getBlame: 'object_id,field_key,cursor',
      getDiff: 'before,after,cursor,limit',
      getProof: 'target,option',
      executeViewFunction: 'function_call,option',
    };
    for (const [method, params] of Object.entries(expected)) {
      expect([names.get(`chain_${method}`), names.get(`rooch_${method}`)], method).toEqual([params, params]);
    }
    expect(names.get('btc_queryUTXOs')).toBe('filter,cursor,limit,descending_order');
    expect(names.get('btc_queryInscriptions')).toBe('filter,cursor,limit,descending_order');
  });
});

describe('every example', () => {
  it('works on a new local chain, and its values fit the schemas', async () => {
    await using engine = await Engine.open();
    await using world = await World.open();
    const { methods } = await documentOf(engine);
    for (const { name, params, result, examples } of methods) {
      expect(examples.length, name).toBeGreaterThan(0);
      for (const example of examples) {
        const values = example.params.map(({ value }) => value);
        values.forEach((value, index) => {
          if (value !== null)
            expect(mismatch(value, params[index]!.schema), `${name} ${params[index]!.name}`).toBeUndefined();
        });
        if (name === 'btc_broadcastTX') continue;
        // A transaction is for one chain at one moment: test/server/rpc/execute.test.ts sends the example.
        if (/_(execute|send)RawTransaction$/.test(name)) continue;
        for (const chain of [engine, world.engine]) {
          const rpc = createRpc(chain);
          const gone = new AbortController();
          const connection = { notify: () => true, closed: gone.signal };
          const answer = await rpc.request(name as MethodName, values as never, connection);
          expect(mismatch(answer, result.schema), name).toBeUndefined();
          const named = Object.fromEntries(example.params.map((param) => [param.name, param.value]));
          const again = await rpc.request(name as MethodName, named, connection);
          // Every subscription has an id of its own, and ends once.
          if (/subscribe/i.test(name)) expect(typeof again, name).toBe(typeof answer);
          else expect(again, name).toEqual(answer);
          gone.abort();
        }
      }
    }
  });
});

describe('the names', () => {
  it('are those of the table', async () => {
    await using engine = await Engine.open();
    const { methods } = await documentOf(engine);
    const listed = [...methods.map(({ name }) => name), 'rpc.discover'];
    expect([...methodTable(['chain', 'rooch'], false).keys(), 'rpc.discover'].sort()).toEqual([...listed].sort());
  });

  it('and the version are those of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(PACKAGE_VERSION).toBe(version);
  });
});
