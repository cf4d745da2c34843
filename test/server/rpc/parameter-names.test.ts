/** The names of parameters in `chain_getModuleABI`, which bytecode does not have. */
import { afterAll, describe, expect, it } from 'vitest';
import { compileSources } from '../../../src/compile/index.ts';
import { Engine } from '../../../src/index.ts';
import { createRpc } from '../../../src/server/index.ts';

interface Abi {
  readonly functions: readonly {
    readonly name: string;
    readonly params: readonly string[];
    readonly param_names?: readonly string[];
  }[];
}

const engine = await Engine.open();
const rpc = createRpc(engine);
afterAll(() => engine.close());

const abiOf = async (address: string, module: string, namespace: 'chain' | 'rooch' = 'chain'): Promise<Abi> =>
  (await rpc.request(`${namespace}_getModuleABI`, [address, module])) as unknown as Abi;

async function modulesOf(address: string): Promise<string[]> {
  const page = await rpc.request('chain_listStates', [`/module/${address}`, null, '1000', { decode: true }]);
  const { data } = page as unknown as { data: { state: { decoded_value: { value: { name: string } } } }[] };
  return data.map(({ state }) => state.decoded_value.value.name);
}

describe('the names of parameters', () => {
  it("are those of the framework's sources, for each of its functions", async () => {
    const { functions } = await abiOf('0x3', 'transfer');
    // rooch-framework/sources/transfer.move of the reference.
    expect(functions.find(({ name }) => name === 'transfer_coin')?.param_names).toEqual(['from', 'to', 'amount']);
    const unnamed: string[] = [];
    for (const address of ['0x1', '0x2', '0x3', '0x4']) {
      for (const module of await modulesOf(address)) {
        const abi = await abiOf(address, module);
        for (const { name, params, param_names: names = [] } of abi.functions) {
          if (names.length !== params.length) unnamed.push(`${address}::${module}::${name}`);
        }
      }
    }
    expect(unnamed).toEqual([]);
  });

  it('are those of a package that was published as it was compiled, and stay with its code', async () => {
    const [{ address }] = engine.accounts as unknown as [{ address: string }];
    const compiled = (name: string) =>
      compileSources(
        { 'm.move': `module me::m { public fun f(${name}: u8, _b: bool): u8 { ${name} } }` },
        { addresses: { me: address } },
      );
    const names = async () => (await abiOf(address, 'm')).functions.map((each) => each.param_names);
    await engine.publish(address, compiled('first'));
    expect(await names()).toEqual([['first', '_b']]);
    expect((await abiOf(address, 'm', 'rooch')).functions.map((each) => Object.keys(each))).toEqual([
      ['name', 'is_entry', 'type_params', 'params', 'return'],
    ]);
  });

  it('are left out where no source tells them', async () => {
    const [, { address }] = engine.accounts as unknown as [unknown, { address: string }];
    const { modules } = compileSources(
      { 'n.move': 'module me::n { public fun g(unheard: u16): u16 { unheard } }' },
      { addresses: { me: address } },
    );
    await engine.publish(
      address,
      modules.map(({ bytes }) => bytes),
    );
    expect((await abiOf(address, 'n')).functions[0]).not.toHaveProperty('param_names');
  });
});
