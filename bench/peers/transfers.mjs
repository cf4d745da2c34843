// The same transfer on other chains that run in the process of their caller: one account pays another, a thousand times,
// with signatures checked and without. `npm run bench -- peers` runs this between two runs of ours. Every transaction is
// built and signed before the clock starts. The least processor time of ten rounds counts, in all threads, each round on a
// new chain. With --json it prints `[{ name, perSecond }]`.
import { generateKeyPairSync, sign } from 'node:crypto';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createLegacyTx } from '@ethereumjs/tx';
import {
  Account,
  bytesToHex,
  createAddressFromPrivateKey,
  createAddressFromString,
  privateToAddress,
} from '@ethereumjs/util';
import { createVM, runTx } from '@ethereumjs/vm';
import {
  CANCUN,
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
} from '@nomicfoundation/edr';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  generateKeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';

const TRANSFERS = 1_000;
const ROUNDS = 10;
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const TO = `0x${'42'.repeat(20)}`;
const ETHER = 10n ** 18n;
const isJson = process.argv.includes('--json');
const measured = [];

/** Prepares `rounds` runs, then prints transfers a second of processor time, of the fastest. */
async function measure(name, prepare) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const run = await prepare();
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, user + system);
  }
  const perSecond = Math.round((TRANSFERS * 1_000_000) / least);
  measured.push({ name, perSecond });
  if (isJson) return;
  process.stdout.write(
    `${name.padEnd(48)} ${String(perSecond).padStart(8)}/s  ${(least / TRANSFERS).toFixed(0).padStart(6)} us each\n`,
  );
}

async function solana(sigverify) {
  const svm = new LiteSVM().withSigverify(sigverify).withTransactionHistory(0n);
  const payer = await generateKeyPairSigner();
  const recipient = await generateKeyPairSigner();
  svm.airdrop(payer.address, lamports(10n ** 13n));
  const transactions = [];
  for (let index = 0; index < TRANSFERS; index++) {
    const instruction = getTransferSolInstruction({
      source: payer,
      destination: recipient.address,
      amount: lamports(1_000_000n + BigInt(index)),
    });
    transactions.push(
      await pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(payer, message),
        (message) => svm.setTransactionMessageLifetimeUsingLatestBlockhash(message),
        (message) => appendTransactionMessageInstruction(instruction, message),
        (message) => signTransactionMessageWithSigners(message),
      ),
    );
  }
  return () => {
    for (const transaction of transactions) {
      const result = svm.sendTransaction(transaction);
      if (result instanceof FailedTransactionMetadata) throw new Error(`refused: ${result.err()}`);
    }
  };
}

const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun });

function legacy(nonce, signed = true) {
  const fields = { nonce, gasLimit: 21_000, gasPrice: 10n ** 10n, to: createAddressFromString(TO), value: 1n };
  const transaction = createLegacyTx(fields, { common, freeze: signed });
  return signed ? transaction.sign(KEY) : transaction;
}

async function ethereumJs(isSigned) {
  const vm = await createVM({ common });
  const sender = createAddressFromPrivateKey(KEY);
  await vm.stateManager.putAccount(sender, new Account(0n, 1_000n * ETHER));
  // Decoded from bytes, so that the sender is recovered anew.
  const transactions = Array.from({ length: TRANSFERS }, (_, nonce) => {
    if (isSigned) return legacy(nonce);
    const transaction = legacy(nonce, false);
    transaction.getSenderAddress = () => sender;
    transaction.isSigned = () => true;
    transaction.hash = () => KEY;
    return transaction;
  });
  return async () => {
    for (const tx of transactions) {
      await runTx(vm, { tx, skipHardForkValidation: true, skipBlockGasLimitValidation: true });
      await vm.stateManager.getStateRoot();
    }
  };
}

const edrContext = new EdrContext();
await edrContext.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());

async function edr(isSigned) {
  const from = bytesToHex(privateToAddress(KEY));
  const hardfork = CANCUN;
  const provider = await edrContext.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: true,
      chainId: 31337n,
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: 16_000_000n,
      genesisState: [
        ...l1GenesisState(l1HardforkFromString(hardfork)),
        { address: privateToAddress(KEY), balance: 1_000n * ETHER },
      ],
      hardfork,
      initialBaseFeePerGas: 1_000_000_000n,
      minGasPrice: 0n,
      mining: { autoMine: true, blockGasLimit: 30_000_000n, memPool: { order: MineOrdering.Priority } },
      network: { genesisBlockGasLimit: 30_000_000n },
      networkId: 31337n,
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  );
  const send = async (method, params) => {
    const answer = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const data = typeof answer.data === 'string' ? JSON.parse(answer.data) : answer.data;
    if (data.error !== undefined) throw new Error(data.error.message);
    return data.result;
  };
  if (!isSigned) await send('hardhat_impersonateAccount', [from]);
  const chain = new Common({ chain: { ...Mainnet, chainId: 31337 }, hardfork: Hardfork.Cancun });
  const requests = Array.from({ length: TRANSFERS }, (_, nonce) => {
    const fields = { nonce, gasLimit: 21_000, gasPrice: 10n ** 10n, to: TO, value: 1n };
    if (isSigned) {
      const raw = bytesToHex(createLegacyTx(fields, { common: chain }).sign(KEY).serialize());
      return ['eth_sendRawTransaction', [raw]];
    }
    return ['eth_sendTransaction', [{ from, to: TO, value: '0x1', gas: '0x5208', gasPrice: '0x2540be400' }]];
  });
  return async () => {
    for (const [method, params] of requests) await send(method, params);
  };
}

/** How fast this machine is now, for ratios between runs: the signature check of the host. */
async function baseline() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { verify } = await import('node:crypto');
  const message = new Uint8Array(32);
  const signature = sign(null, message, privateKey);
  return () => {
    for (let index = 0; index < TRANSFERS; index++) verify(null, message, publicKey, signature);
  };
}

if (!isJson) process.stdout.write(`Node ${process.version}, ${process.platform} ${process.arch}\n`);
await measure('baseline: Ed25519 check of node:crypto', baseline);
await measure('LiteSVM, signatures checked', () => solana(true));
await measure('LiteSVM, signatures off', () => solana(false));
await measure('EthereumJS runTx, signatures checked', () => ethereumJs(true));
await measure('EthereumJS runTx, signatures off', () => ethereumJs(false));
await measure('EDR, raw transactions, a block each', () => edr(true));
await measure('EDR, impersonated, a block each', () => edr(false));
// EDR keeps threads of its own.
process.stdout.write(isJson ? JSON.stringify(measured) : '', () => process.exit(0));
