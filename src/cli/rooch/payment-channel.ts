/**
 * `rooch payment-channel`: hubs, channels and vouchers of `0x3::payment_channel`, and what receivers earn.
 *
 * A voucher is passed on as text: the multibase of its BCS, as the chain verifies it, and the signature.
 * @module
 */
import { base58 } from '@scure/base';
import { bytes, type Codec, decode, encode, string, struct, u8, u64, u256, vector } from '../../base/bcs.ts';
import { toHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { toBech32 } from '../../bitcoin/address.ts';
import { formatObjectId, type ObjectId, objectId, parseObjectId } from '../../chain/object/object-id.ts';
import { canonicalType, displayType, parseTypeTag } from '../../move/type-tag.ts';
import type { ViewArgument } from '../../query/view-argument.ts';
import { type Arguments, type Options, UsageError, understood } from '../arguments.ts';
import { plain } from '../decoded-value.ts';
import { heldValue, multibase, type RoochSession, SENDER_OPTIONS, signMessage } from './session.ts';
import { type CommandAnswer, jsonAnswer, type RoochCommand, requiredOption } from './table.ts';

const GAS_COIN = '0x3::gas_coin::RGas';
const SOURCE_TYPE = 'payment_channel';
const VOUCHER_VERSION = 1;

const COIN: Options = { 'coin-type': { value: 'TYPE', help: `which coins (default: ${GAS_COIN})` } };
const CHANNEL: Options = { 'channel-id': { value: 'ID', help: 'the channel' } };
const RAV: Options = { rav: { value: 'TEXT', help: 'a voucher, as create-rav gives it' } };
const OWNER: Options = { owner: { value: 'WHO', help: 'the owner of the hub' } };

/** `0x3::payment_channel::SubRAV`. */
interface Voucher {
  readonly version: number;
  readonly chainId: bigint;
  readonly channelId: ObjectId;
  readonly channelEpoch: bigint;
  readonly fragment: string;
  readonly amount: bigint;
  readonly nonce: bigint;
}

const voucher: Codec<Voucher> = struct<Voucher>({
  version: u8,
  chainId: u64,
  channelId: objectId,
  channelEpoch: u64,
  fragment: string,
  amount: u256,
  nonce: u64,
});

interface SignedVoucher {
  readonly voucher: Voucher;
  readonly signature: Uint8Array;
}

const signedVoucher: Codec<SignedVoucher> = struct<SignedVoucher>({ voucher, signature: bytes });

/** `0x3::payment_channel::CloseProof` and `CancelProof`. */
interface Proof {
  readonly fragment: string;
  readonly amount: bigint;
  readonly nonce: bigint;
}

const cancelProofs = vector(struct<Proof>({ fragment: string, amount: u256, nonce: u64 }));
const closeProofs = vector(
  struct<Proof & { readonly signature: Uint8Array }>({ fragment: string, amount: u256, nonce: u64, signature: bytes }),
);

/** @throws {UsageError} for text that create-rav did not give */
function readVoucher(text: string): SignedVoucher {
  return understood('--rav', () => {
    if (!text.startsWith('z')) throw new UsageError(`--rav: expected a voucher of create-rav, got ${text}`);
    return decode(signedVoucher, base58.decode(text.slice(1)));
  });
}

/** The voucher of an option, which must be of the channel that another option names. @throws {UsageError} */
function voucherOf(args: Arguments, text: string): SignedVoucher {
  const read = readVoucher(text);
  const [id, channel] = [formatObjectId(read.voucher.channelId), args.string('channel-id')];
  if (channel !== undefined && channel !== id)
    throw new UsageError(`--rav: expected one of ${channel}, got one of ${id}`);
  return read;
}

const coinType = (session: RoochSession, args: Arguments): string =>
  session.named(args.string('coin-type') ?? GAS_COIN);

async function send(
  session: RoochSession,
  args: Arguments,
  name: string,
  values: readonly ViewArgument[],
  told: object,
  typeArguments: readonly string[] = [],
): Promise<CommandAnswer> {
  const sender = session.sender(args);
  const action = await session.call({ function: `0x3::${name}`, typeArguments, arguments: values });
  const { json: executed } = await session.executed(sender, action, args);
  return jsonAnswer({ ...told, execution_info: executed.execution_info });
}

/** Views of `0x3::payment_channel` and `0x3::payment_revenue`. */
const view = (session: RoochSession, name: string, ...values: readonly ViewArgument[]): Promise<readonly unknown[]> =>
  session.view({ function: `0x3::${name}`, arguments: values });

const voucherView = ({
  voucher: { chainId, channelId, channelEpoch, fragment, amount, nonce },
}: SignedVoucher): object => ({
  chain_id: Number(chainId),
  channel_id: formatObjectId(channelId),
  channel_epoch: Number(channelEpoch),
  vm_id_fragment: fragment,
  amount: amount.toString(),
  nonce: Number(nonce),
});

const STATES = ['Active', 'Cancelling', 'Closed'];

export const PAYMENT_CHANNEL_ROWS: readonly RoochCommand[] = [
  {
    name: 'payment-channel init',
    summary: 'pay into a hub, which is created if there is none',
    options: { ...OWNER, amount: { value: 'N', help: 'how much' }, ...COIN, ...SENDER_OPTIONS },
    run: async (session, args) => {
      const owner = session.address(requiredOption(args, 'owner'), '--owner');
      const [amount, coin_type] = [requiredOption(args, 'amount'), coinType(session, args)];
      const told = { owner: toBech32(owner), amount, coin_type };
      return send(session, args, 'payment_channel::deposit_to_hub_entry', [owner, amount], told, [coin_type]);
    },
  },
  {
    name: 'payment-channel open',
    summary: 'a channel, with a sub-channel for a method of the sender',
    options: {
      receiver: { value: 'WHO', help: 'the payee' },
      'vm-id-fragment': { value: 'NAME', help: 'the method (default: one whose key the wallet has)' },
      ...COIN,
      ...SENDER_OPTIONS,
    },
    run: async (session, args) => {
      const [sender, receiver] = [
        session.sender(args),
        session.address(requiredOption(args, 'receiver'), '--receiver'),
      ];
      const given = args.string('vm-id-fragment');
      const fragment = given ?? (await session.didMethod(sender)).fragment;
      const type = coinType(session, args);
      const name = canonicalType(parseTypeTag(type));
      const [channel_id] = await view(session, 'payment_channel::get_channel_id', sender, receiver, name);
      const told = {
        receiver: toBech32(receiver),
        vm_id_fragment: fragment,
        fragments_source: given === undefined ? 'auto_discovered' : 'provided',
        channel_id,
      };
      return send(session, args, 'payment_channel::open_channel_with_sub_channel_entry', [receiver, fragment], told, [
        type,
      ]);
    },
  },
  {
    name: 'payment-channel create-rav',
    summary: 'a signed voucher',
    options: {
      ...CHANNEL,
      'vm-id-fragment': { value: 'NAME', help: 'the method that signs (default: one whose key the wallet has)' },
      amount: { value: 'N', help: 'the total ever paid by this sub-channel' },
      nonce: { value: 'N', help: 'higher than that of the last voucher' },
      'channel-epoch': { value: 'N', help: "default: the channel's" },
      'chain-id': { value: 'N', help: "default: the node's" },
      sender: { value: 'WHO', help: 'the payer' },
    },
    run: async (session, args) => {
      const sender = session.sender(args);
      const { fragment, privateKey } = await session.didMethod(sender, args.string('vm-id-fragment'));
      const id = requiredOption(args, 'channel-id');
      const channelEpoch = BigInt(
        args.string('channel-epoch') ?? `${(await view(session, 'payment_channel::get_channel_epoch', id))[0]}`,
      );
      const chainId = BigInt(args.string('chain-id') ?? (await session.read<string>('rooch_getChainID')));
      const unsigned: Voucher = {
        version: VOUCHER_VERSION,
        chainId,
        channelId: parseObjectId(id),
        channelEpoch,
        fragment,
        amount: integer(args, 'amount'),
        nonce: integer(args, 'nonce'),
      };
      const message = encode(voucher, unsigned);
      const signed = { voucher: unsigned, signature: signMessage(message, privateKey) };
      return jsonAnswer({
        rav_hex: toHexPrefixed(message),
        signed_rav: { sub_rav: voucherView(signed), signature: toHex(signed.signature) },
        encoded: multibase(encode(signedVoucher, signed)),
        signer_address: toBech32(sender),
      });
    },
  },
  {
    name: 'payment-channel claim',
    summary: 'pay what a voucher is worth to the receiver',
    options: { ...RAV, ...SENDER_OPTIONS },
    run: (session, args) => {
      const read = readVoucher(requiredOption(args, 'rav'));
      const { channelId, fragment, amount, nonce } = read.voucher;
      const told = { ...voucherView(read), claimer: toBech32(session.sender(args)) };
      const values = [formatObjectId(channelId), fragment, amount, nonce, read.signature];
      return send(session, args, 'payment_channel::claim_from_channel_entry', values, told);
    },
  },
  {
    name: 'payment-channel close',
    summary: 'close a channel as its receiver, with the last vouchers',
    options: { ...CHANNEL, ravs: { value: 'TEXT', multiple: true, help: 'a voucher' }, ...SENDER_OPTIONS },
    run: (session, args) => {
      const id = requiredOption(args, 'channel-id');
      const ravs = args.strings('ravs').map((text) => voucherOf(args, text));
      const proofs = ravs.map((rav) => ({ ...rav.voucher, signature: rav.signature }));
      const told = { channel_id: id, ravs_count: ravs.length };
      return send(session, args, 'payment_channel::close_channel_entry', [id, encode(closeProofs, proofs)], told);
    },
  },
  {
    name: 'payment-channel cancel',
    summary: 'begin to cancel a channel as its sender',
    options: { ...CHANNEL, ...RAV, ...SENDER_OPTIONS },
    run: (session, args) => {
      const id = requiredOption(args, 'channel-id');
      const text = args.string('rav');
      if (text === undefined) {
        const told = { channel_id: id, proof_provided: false, vm_id_fragment: null, amount: null, nonce: null };
        return send(session, args, 'payment_channel::initiate_cancellation_entry', [id], told);
      }
      const read = voucherOf(args, text);
      const { vm_id_fragment, amount, nonce } = voucherView(read) as Record<string, unknown>;
      const told = { channel_id: id, proof_provided: true, vm_id_fragment, amount, nonce };
      const proofs = encode(cancelProofs, [read.voucher]);
      return send(session, args, 'payment_channel::initiate_cancellation_with_proofs_entry', [id, proofs], told);
    },
  },
  {
    name: 'payment-channel dispute',
    summary: 'show a better voucher of a channel that is being cancelled',
    options: { ...CHANNEL, ...RAV, ...SENDER_OPTIONS },
    run: (session, args) => {
      const id = requiredOption(args, 'channel-id');
      const { voucher: shown, signature } = voucherOf(args, requiredOption(args, 'rav'));
      const { fragment, amount, nonce } = shown;
      const told = {
        channel_id: id,
        vm_id_fragment: fragment,
        dispute_amount: amount.toString(),
        dispute_nonce: Number(nonce),
      };
      return send(
        session,
        args,
        'payment_channel::dispute_cancellation_entry',
        [id, fragment, amount, nonce, signature],
        told,
      );
    },
  },
  {
    name: 'payment-channel finalize-cancellation',
    summary: 'close a channel whose dispute period is over',
    options: { ...CHANNEL, ...SENDER_OPTIONS },
    run: (session, args) => {
      const id = requiredOption(args, 'channel-id');
      return send(session, args, 'payment_channel::finalize_cancellation_entry', [id], { channel_id: id });
    },
  },
  {
    name: 'payment-channel query channel',
    summary: 'the state of a channel',
    options: { ...CHANNEL, 'list-sub-channels': { help: 'with its sub-channels' } },
    run: async (session, args) => {
      const id = requiredOption(args, 'channel-id');
      const [sender, receiver, coin_type, state] = await view(session, 'payment_channel::get_channel_info', id);
      const [epoch] = await view(session, 'payment_channel::get_channel_epoch', id);
      const [count] = await view(session, 'payment_channel::get_sub_channel_count', id);
      const [cancellation] = await view(session, 'payment_channel::get_cancellation_info', id);
      return jsonAnswer({
        channel_id: id,
        sender: toBech32(sender as string),
        receiver: toBech32(receiver as string),
        coin_type,
        status: STATES[Number(state)],
        channel_epoch: Number(epoch),
        cancellation_info: heldValue(cancellation) ?? null,
        sub_channels_count: Number(count),
        sub_channels: args.flag('list-sub-channels') ? await subChannels(session, id) : null,
      });
    },
  },
  {
    name: 'payment-channel query hub',
    summary: 'what an account has in its hub, and its open channels',
    options: { ...OWNER, ...COIN },
    run: async (session, args) => {
      const owner = session.address(requiredOption(args, 'owner'), '--owner');
      const type = coinType(session, args);
      const [hub_id] = await view(session, 'payment_channel::get_payment_hub_id', owner);
      const name = '0x3::payment_channel::get_balance_in_hub';
      const [amount] = await session.view({ function: name, typeArguments: [type], arguments: [owner] });
      const coin_type = canonicalType(parseTypeTag(type));
      const [count] = await view(session, 'payment_channel::get_active_channel_count', owner, coin_type);
      return jsonAnswer({
        hub_id,
        owner: toBech32(owner),
        balances: amount === '0' ? [] : [{ coin_type, amount }],
        active_channels: count === '0' ? [] : [{ coin_type, count: Number(count) }],
      });
    },
  },
  {
    name: 'payment-channel query-revenue',
    summary: 'what an account has earned',
    options: { ...OWNER, 'source-type': { value: 'NAME', help: `from this kind of source: ${SOURCE_TYPE}` }, ...COIN },
    run: async (session, args) => {
      const owner = session.address(requiredOption(args, 'owner'), '--owner');
      const type = coinType(session, args);
      const call = { function: '0x3::payment_revenue::get_revenue_balance', typeArguments: [type], arguments: [owner] };
      const [balance] = await session.view(call);
      const [hub_id] = await view(session, 'payment_revenue::get_revenue_hub_id', owner);
      const amount = `${balance}`;
      const balances = [
        {
          coin_type: displayType(parseTypeTag(type)),
          amount,
          source_type: SOURCE_TYPE,
          source_breakdown: [{ source_id: null, amount }],
        },
      ];
      const isOne = args.given.has('source-type');
      return jsonAnswer({
        hub_id,
        owner: toBech32(owner),
        revenue_balances: isOne || amount === '0' ? [] : balances,
        total_amount: isOne ? amount : null,
      });
    },
  },
  {
    name: 'payment-channel withdraw-revenue',
    summary: 'take earnings into the account',
    options: { ...OWNER, amount: { value: 'N', help: 'how much' }, ...COIN, ...SENDER_OPTIONS },
    run: (session, args) => {
      const owner = toBech32(session.address(requiredOption(args, 'owner'), '--owner'));
      const [amount, coin_type] = [requiredOption(args, 'amount'), coinType(session, args)];
      const told = { owner, amount, coin_type, fee_amount: '0', net_amount: amount };
      return send(session, args, 'payment_revenue::withdraw_revenue_entry', [amount], told, [coin_type]);
    },
  },
];

/** @throws {UsageError} */
function integer(args: Arguments, name: string): bigint {
  const text = requiredOption(args, name);
  if (!/^\d{1,78}$/.test(text)) throw new UsageError(`--${name}: expected a whole number, got ${text}`);
  return BigInt(text);
}

interface SubChannelJson {
  readonly state: { readonly decoded_value: unknown };
}

/** The entries of a channel's table of sub-channels. */
async function subChannels(session: RoochSession, id: string): Promise<readonly object[]> {
  const [channel] = await session.read<readonly { decoded_value: unknown }[]>('rooch_getObjectStates', id, {
    decode: true,
  });
  const { sub_channels } = plain(channel!.decoded_value) as { sub_channels: { handle: { id: string } } };
  const method = 'rooch_listFieldStates';
  const page = await session.read<{ readonly data: readonly SubChannelJson[] }>(
    method,
    sub_channels.handle.id,
    null,
    null,
    {
      decode: true,
    },
  );
  return page.data.map(({ state }) => {
    const { name, value } = plain(state.decoded_value) as { readonly name: string; readonly value: object };
    return { fragment: name, ...value };
  });
}
