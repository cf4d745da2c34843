/** View functions of the reference's own framework, on its test network's genesis. */

import { describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { Engine } from '../../src/index.ts';
import { parseObjectId } from '../../src/query/transaction-builder.ts';
import { genesisFiles, hasReference, referenceNote } from '../vm/corpus.ts';

const GAS = '0x3::gas_coin::RGas';
// Values as the genesis file's own objects have them (spec/state.md 2.8, 2.10 and 10.3).
describe.skipIf(!hasReference)(`views of the test network${referenceNote}`, () => {
  it('give what genesis left', async () => {
    await using engine = await Engine.open({ genesis: genesisFiles()[1]! });
    const view = (name: string, given: readonly string[] = [], ...typeArguments: string[]): unknown => {
      const { status, values } = engine.tryView({ function: name, arguments: given, typeArguments });
      expect(status, name).toEqual({ kind: 'executed' });
      return values.map((value) => (value.toJSON() as { decoded: unknown }).decoded)[0];
    };
    expect(view('0x3::chain_id::chain_id')).toBe('2');
    expect(view('0x3::coin::supply_by_type', [], GAS)).toBe('100000000000000000');
    expect(view('0x3::coin::symbol_by_type', [], GAS)).toBe('RGAS');
    expect(view('0x3::coin::decimals_by_type', [], GAS)).toBe(8);
    expect(view('0x3::gas_coin::decimals')).toBe(8);
    expect(view('0x2::timestamp::now_milliseconds')).toBe('1714777860000');
    expect(view('0x2::account::sequence_number', ['0x3'])).toBe('0');
    expect(view('0x2::account::exists_at', ['0x99'])).toBe(false);
    expect(view('0x2::module_store::package_version', ['0x2'])).toBe('0');
    // framework_version u64, sequencer, dao
    const config = engine.objects.get(parseObjectId('0x3::onchain_config::OnchainConfig'))!.value;
    const sequencer = toHexPrefixed(config.subarray(8, 40));
    expect(view('0x3::onchain_config::sequencer')).toBe(sequencer);
    expect(view('0x3::onchain_config::rooch_dao')).toBe(toHexPrefixed(config.subarray(40)));
    expect(view('0x2::account::exists_at', [sequencer])).toBe(true);
    expect(view('0x3::gas_coin::balance', [sequencer])).toBe('50000000000000000');
    expect(view('0x4::network::network')).toBe(2);
    expect(view('0x4::network::network_name', ['2'])).toBe('testnet');
    expect(view('0x2::features::is_enabled', ['7'])).toBe(true);
    expect(view('0x2::features::is_enabled', ['0'])).toBe(false);
  });
});
