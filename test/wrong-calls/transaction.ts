/**
 * Wrong calls of the door `movelet/transaction`.
 * @module
 */
import { parseAddress } from '../../src/move/address.ts';
import * as transaction from '../../src/query/transaction-builder.ts';
import { DATA, members, OUTPUT, signing, type Table, TRANSFER, tries } from './attempts.ts';
import { ANYTHING_ELSE, NO_ADDRESS, NO_BYTES, NO_LIST, NO_OBJECT, NO_OPTIONS, NO_TEXT } from './values.ts';

export function transactionCalls(): Table {
  const key = new Uint8Array(32).fill(7);
  const noKey = [undefined, ...ANYTHING_ELSE, {}, 'text', new Uint8Array(31), new Uint8Array(32)];
  const signer = transaction.bitcoinSigner(key);
  const session = transaction.sessionSigner('0x42', key);
  const multisign = transaction.multisignSigner('0x42', [key]);
  const account = new Uint8Array(32);
  account[31] = 0x42;
  return {
    bitcoinSigner: [
      ...tries('privateKey', noKey, (given) => transaction.bitcoinSigner(given)),
      ...tries('options', NO_OPTIONS, (options) => transaction.bitcoinSigner(key, options)),
      ...members(
        {
          network: [null, 'mainnet', 5],
          info: [null, 5, {}],
          messageForm: [null, 'new', 5],
          bitcoinAddress: [null, 5, 'x', new Uint8Array(5), OUTPUT.to],
          adress: ['x'],
        },
        (given) => transaction.bitcoinSigner(key, given),
      ),
    ],
    multisignSigner: [
      ...tries('account', NO_ADDRESS, (given) => transaction.multisignSigner(given, [key])),
      ...tries('privateKeys', [undefined, ...NO_LIST], (keys) => transaction.multisignSigner(account, keys)),
      ...tries('privateKeys', [[]], (keys) => transaction.multisignSigner(account, keys)),
      ...tries('privateKeys[0]', noKey, (given) => transaction.multisignSigner(account, [given])),
    ],
    sessionSigner: [
      ...tries('account', NO_ADDRESS, (given) => transaction.sessionSigner(given, key)),
      ...tries('privateKey', noKey.slice(0, -1), (given) => transaction.sessionSigner(account, given)),
      ...tries('scheme', [null, 'ed448', 5, 'constructor'], (scheme) =>
        transaction.sessionSigner(account, key, scheme),
      ),
    ],
    'BitcoinSigner#sign': signing((data) => signer.sign(data), parseAddress(signer.address)),
    'SessionSigner#sign': signing((data) => session.sign(data), parseAddress(session.address)),
    'Signer#sign': signing((data) => multisign.sign(data), parseAddress(multisign.address)),
    sessionAuthenticationKey: [
      ...tries('scheme', [undefined, null, 'ed448', 5], (scheme) =>
        transaction.sessionAuthenticationKey(scheme, new Uint8Array(32)),
      ),
      ...tries('publicKey', [...NO_BYTES, new Uint8Array(5)], (publicKey) =>
        transaction.sessionAuthenticationKey('ed25519', publicKey),
      ),
    ],
    verifyAuthenticator: [
      ...tries('hash', [...NO_BYTES, new Uint8Array(5)], (hash) =>
        transaction.verifyAuthenticator(hash, { validatorId: 1n, payload: new Uint8Array(5) }),
      ),
      ...tries(
        'authenticator',
        [...NO_OBJECT, {}, { validatorId: 1n }, { validatorId: 1, payload: key }],
        (authenticator) => transaction.verifyAuthenticator(key, authenticator),
      ),
    ],
    buildTransaction: [
      ...tries('plan', [...NO_OBJECT], (plan) => transaction.buildTransaction(plan)),
      ...members(
        {
          sender: NO_ADDRESS,
          sequenceNumber: [undefined, null, 5, -1n, '5', 1n << 64n],
          chainId: [undefined, null, 5, -1n, '5', 1n << 64n],
          maxGasAmount: [null, 5, -1n, '5', 1n << 64n],
          action: [...NO_OBJECT, {}, TRANSFER, { kind: 'fnction' }],
          gas: [5n],
        },
        (given) => transaction.buildTransaction({ ...DATA, ...given }),
      ),
    ],
    callFunction: [
      ...tries('call', [...NO_OBJECT, []], (call) => transaction.callFunction(call)),
      ...tries('function', [...NO_TEXT, '0x3::a'], (id) => transaction.callFunction({ function: id })),
      ...tries('argument 0', NO_BYTES, (given) =>
        transaction.callFunction({ function: '0x3::a::b', arguments: [given] }),
      ),
      ...tries('abi', [5, 'text', {}, { functions: 5 }, Date.now], (abi) =>
        transaction.callFunction({ function: '0x3::a::b' }, abi),
      ),
    ],
    publishModules: [
      ...tries('modules', [undefined, ...NO_LIST], (modules) => transaction.publishModules(modules)),
      ...tries('modules[0]', NO_BYTES, (module) => transaction.publishModules([module])),
    ],
    encodeTransaction: tries('signed', [...NO_OBJECT, {}, { data: DATA }], (signed) =>
      transaction.encodeTransaction(signed),
    ),
  };
}
