/**
 * Ingestion against Move, the reference's and our framework's, where there is more than blocks: stakes in Babylon, subscribers of event
 * queues, and values that Move code put on outputs and inscriptions. See chain-move.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { decode, encode, string, u64 } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { type StakeDeclaration, stakingScript } from '../../../src/bitcoin/babylon.ts';
import { type BitcoinTransaction, decodeBlock, spend } from '../../../src/bitcoin/index.ts';
import { mineBlock } from '../../../src/bitcoin/mine.ts';
import { toXOnlyPublicKey } from '../../../src/bitcoin/public-key.ts';
import { INSCRIPTION_STORE_ID, UTXO_STORE_ID } from '../../../src/execution/bitcoin-move/object-id.ts';
import {
  BABYLON_PARAMETERS,
  BABYLON_PARAMETERS_ID,
  TIMESTAMP,
} from '../../../src/execution/bitcoin-move/object-type.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { addressOf, MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { vectorTag } from '../../../src/move/type-tag.ts';
import { localGenesis } from '../../../src/pipeline/local-chain.ts';
import {
  namedObjectId,
  type ObjectId,
  type ObjectState,
  objectId,
  parseTypeTag,
  type TypeTag,
} from '../../../src/query/transaction-builder.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';
import { Branch } from './branch.ts';
import { type ChainWorld, Comparison, worldOf } from './chain-move.ts';

const TIMEOUT_MS = 3_600_000;
const DAY_MS = 86_400_000n;

/** The modules of the reference's genesis file, and those of our framework. */
const CODES = [
  { whose: "the reference's Move", isThere: hasReference, load: async () => undefined },
  { whose: "our framework's Move", isThere: true, load: async () => (await localGenesis({})).output.changeSet },
];

for (const { whose, isThere, load } of CODES) {
  const note = isThere ? '' : referenceNote;
  describe.skipIf(!isThere)(`${whose} and ingestion, with more than blocks${note}`, { timeout: TIMEOUT_MS }, () => {
    it.each([
      [864_795, 1n],
      [874_100, 2n],
    ])('stakes in Babylon at height %i: taken, refused for each reason, spent', async (height, version) => {
      const to = DEV_ACCOUNTS[0]!.regtestAddress;
      const mine = (previousHash: Uint8Array, at: number, transactions: readonly BitcoinTransaction[]) =>
        mineBlock({ previousHash, height: at, time: 1_800_000_000 + at, to, transactions });
      const empty = mine(new Uint8Array(32), height - 1, []);
      const world = worldOf(
        { block: decodeBlock(empty.bytes), height: empty.height },
        { network: 'bitcoin', code: await load() },
      );
      const comparison = new Comparison(world);
      comparison.processAll(decodeBlock(empty.bytes), empty.height);
      const staking = stakingTransactions(world, version);
      const first = mine(empty.hash, height, staking);
      comparison.processAll(decodeBlock(first.bytes), first.height);
      const stakes = world.ownedOf('0x4::bbn::BBNStakeSeal');
      for (const { meta } of stakes) addTemporaryState(world, 'bbn', meta);
      const unbonding = staking.map(({ txid, outputs }) =>
        spend([{ outpoint: { txid, vout: 1 } }], [{ to, value: outputs[1]!.value }]),
      );
      const second = mine(first.hash, height + 1, unbonding);
      comparison.processAll(decodeBlock(second.bytes), second.height);
      expect(comparison.differences).toEqual([]);
      expect(stakes).toHaveLength(2);
      expect(comparison.eventCounts).toMatchObject({
        '0x4::bbn::BBNStakingEvent': 2,
        '0x4::bbn::BBNStakingFailedEvent': 6,
        '0x4::bbn::BBNStakingUnbondingEvent': 2,
        '0x4::bbn::TempStateDropEvent': 2,
      });
    });

    it('queues with subscribers, and values on outputs and inscriptions', async () => {
      const code = await load();
      const counts: Record<string, number> = {};
      for (let round = 0; round < runs(4, 40); round++) {
        const next = randomNumbers(seed + round);
        const branch = new Branch(next);
        const first = branch.mine();
        const world = worldOf({ block: decodeBlock(first.bytes), height: first.height }, { code });
        const comparison = new Comparison(world);
        const subscribers = subscribeAll(world);
        comparison.processAll(decodeBlock(first.bytes), first.height);
        for (let block = 0; block < 12; block++) {
          for (const [module, store] of [
            ['utxo', UTXO_STORE_ID],
            ['ord', INSCRIPTION_STORE_ID],
          ] as const) {
            for (const { meta } of world.objectsOf(store)) if (next(3) === 0) addTemporaryState(world, module, meta);
          }
          if (next(3) === 0) passTime(world, BigInt(next(40)) * DAY_MS);
          if (next(4) === 0) unsubscribe(world, subscribers.splice(next(subscribers.length), 1)[0]!);
          const { bytes, height } = branch.mine();
          comparison.processAll(decodeBlock(bytes), height);
        }
        expect(comparison.differences).toEqual([]);
        for (const [type, count] of Object.entries(comparison.eventCounts)) counts[type] = (counts[type] ?? 0) + count;
      }
      expect(Object.keys(counts)).toEqual(
        expect.arrayContaining([
          '0x4::utxo::TempStateDropEvent',
          '0x4::ord::TempStateDropEvent',
          '0x4::ord::InscriptionEvent',
        ]),
      );
    });
  });
}

/** Transactions that each declare a stake beside the second output: two good ones, the others with one thing wrong. */
function stakingTransactions(world: ChainWorld, version: bigint): BitcoinTransaction[] {
  const field = world.state.field(BABYLON_PARAMETERS_ID, BABYLON_PARAMETERS.key(version))!;
  const parameters = BABYLON_PARAMETERS.decode(field.value);
  const [stakerKey, providerKey] = DEV_ACCOUNTS.map(({ publicKey }) => toXOnlyPublicKey(fromHex(publicKey)));
  const good: StakeDeclaration = {
    tag: parameters.tag,
    version: 0,
    stakerKey: stakerKey!,
    providerKey: providerKey!,
    stakingTime: 64_000,
  };
  const { stakingAmountMin, stakingAmountMax } = parameters;
  const plain = fromHex('51');
  const make = (declared: StakeDeclaration, value: bigint, script = stakingScript(declared, parameters)) => [
    { scriptPubkey: declarationScript(declared), value: 0n },
    { scriptPubkey: script, value },
  ];
  const held = stakingScript(good, parameters);
  const plans = [
    make(good, stakingAmountMin),
    make({ ...good, stakerKey: providerKey! }, stakingAmountMax),
    make({ ...good, version: 1 }, stakingAmountMin),
    make({ ...good, stakingTime: 63_999 }, stakingAmountMin),
    make(good, stakingAmountMin - 1n),
    make(good, stakingAmountMax + 1n),
    make(good, stakingAmountMin, plain),
    [...make(good, stakingAmountMin), { scriptPubkey: held, value: stakingAmountMin }],
    // What follows is no declaration, and causes no event.
    make({ ...good, tag: fromHex('62626e30') }, stakingAmountMin),
    [...make(good, stakingAmountMin), { scriptPubkey: declarationScript(good), value: 0n }],
    [{ scriptPubkey: declarationScript(good).subarray(0, 72), value: 0n }, ...make(good, stakingAmountMin).slice(1)],
  ];
  return plans.map((outputs, index) => {
    const outpoint = { txid: new Uint8Array(32).fill(0xb0 + index), vout: 0 };
    return spend([{ outpoint }], outputs);
  });
}

function declarationScript({ tag, version, stakerKey, providerKey, stakingTime }: StakeDeclaration): Uint8Array {
  const time = Uint8Array.of(stakingTime >> 8, stakingTime & 0xff);
  return concatBytes(Uint8Array.of(0x6a, 71), tag, Uint8Array.of(version), stakerKey, providerKey, time);
}

/** Puts a value on an object that has none of its type yet, as a module of its owner would. */
function addTemporaryState(
  world: ChainWorld,
  module: 'utxo' | 'ord' | 'bbn',
  { id, owner }: ObjectState['meta'],
): void {
  const given = encode(objectId, id);
  const type = STATE_TYPES.find((candidate) => {
    const call = { module, function: 'contains_temp_state', typeArguments: [candidate], arguments: [given] };
    const [found] = world.call(owner, call);
    return found!.value !== true;
  });
  if (type === undefined) return;
  const value = type.kind === 'u64' ? encode(u64, 7n) : encode(string, 'seven');
  world.call(owner, { module, function: 'add_temp_state', typeArguments: [type], arguments: [given, value] });
}

const STATE_TYPES: readonly TypeTag[] = [
  { kind: 'u64' },
  vectorTag({ kind: 'u8' }),
  parseTypeTag('0x1::string::String'),
];

/** Who holds all subscriptions. */
const SUBSCRIBER = addressOf(0x5e);

interface Subscriber {
  readonly id: ObjectId;
  readonly event: TypeTag;
}

/** A subscriber of each queue that the random chains can have. */
function subscribeAll(world: ChainWorld): Subscriber[] {
  const people = DEV_ACCOUNTS.map(({ address }) => address.slice(2));
  const states = ['u64', 'vector<u8>', `0x${'1'.padStart(64, '0')}::string::String`];
  const queues = [
    ...people.slice(0, 5).flatMap((name) => [
      [name, '0x4::utxo::ReceiveUTXOEvent'],
      [name, '0x4::utxo::SpendUTXOEvent'],
    ]),
    ...states.flatMap((name) => [
      [name, '0x4::utxo::TempStateDropEvent'],
      [name, '0x4::ord::TempStateDropEvent'],
    ]),
    ['test', '0x4::ord::InscriptionEvent'],
  ] as const;
  return queues.map(([name, type]) => {
    const event = parseTypeTag(type!);
    const [subscriber] = world.call(SUBSCRIBER, {
      address: MOVEOS_STD_ADDRESS,
      module: 'event_queue',
      function: 'subscribe',
      typeArguments: [event],
      arguments: [encode(string, name!)],
    });
    const id = decode(objectId, subscriber!.type.encode(subscriber!.value));
    world.edit((runtime) => runtime.transfer(id, SUBSCRIBER));
    return { id, event };
  });
}

function unsubscribe(world: ChainWorld, { id, event }: Subscriber): void {
  world.call(SUBSCRIBER, {
    address: MOVEOS_STD_ADDRESS,
    module: 'event_queue',
    function: 'unsubscribe',
    typeArguments: [event],
    arguments: [encode(objectId, id)],
  });
}

/** Lets the chain's time go on without blocks, so that stored events expire. */
function passTime(world: ChainWorld, milliseconds: bigint): void {
  const id = namedObjectId(TIMESTAMP.tag);
  world.edit((runtime) => runtime.set(id, TIMESTAMP, runtime.get(id, TIMESTAMP)! + milliseconds));
}
