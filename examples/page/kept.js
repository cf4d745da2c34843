// A worker whose chain is kept, in the private file system of the page's origin.
import { Engine } from 'movelet';

addEventListener('message', async ({ data: amount }) => {
  try {
    const engine = await Engine.open({ store: 'wallet' });
    const [alice, bob] = engine.accounts;
    const receipt = await engine.executeAs(alice, {
      function: '0x3::transfer::transfer_coin',
      typeArguments: ['0x3::gas_coin::RGas'],
      arguments: [bob.address, amount],
    });
    const balance = engine.balance(bob);
    await engine.close();
    postMessage({ order: receipt.order, balance });
  } catch (error) {
    // `store-locked` if another tab has it.
    postMessage({ code: error.code, message: error.message });
  }
});
