import { askOver, ownChain, sharedChain } from './chain.js';

const COIN = '0x3::gas_coin::RGas';
const ask = askOver(location.search === '?shared' ? sharedChain() : ownChain());

const [alice, bob] = await ask('dev_accounts');
await ask('dev_call', [
  alice.address,
  { function_id: '0x3::transfer::transfer_coin', ty_args: [COIN], arguments: [bob.address, '5'] },
]);
const { balance } = await ask('chain_getBalance', [bob.address, COIN]);
document.querySelector('output').textContent = balance;
