/**
 * What the chain does before every transaction and around its action: `validate`, `pre_execute` and `post_execute` of
 * `0x3::transaction_validator`.
 *
 * These would take a large part of a signed transfer, always doing the same. So if the chain runs this package's
 * framework, TypeScript does what they usually do (`intrinsic/`); in every other case, and for tracers and on the
 * interpreter, their Move code runs. Both have the same effects; tests compare them.
 *
 * A transaction is also charged for its size: a price per byte, which rises with the size. Validation always requires
 * the tiered price; execution charges by tiers if the chain has enabled them.
 * Source: `calculate_io_writes_gas` of the reference's moveos/moveos/src/gas/table.rs.
 * @module
 */
import type { SignedTransaction } from '../chain/transaction/signed.ts';
import type { TxValidateResult } from '../execution/framework/transaction.ts';
import { hasOwnFramework } from '../execution/intrinsic/own-framework.ts';
import { type End, postExecute } from '../execution/intrinsic/post-execute.ts';
import { preExecute, type Start } from '../execution/intrinsic/pre-execute.ts';
import { validate } from '../execution/intrinsic/validate.ts';
import type { GasEntries } from '../execution/runtime/machine-cache.ts';
import { ObjectRuntime } from '../execution/runtime/object-runtime.ts';
import type { Session, SessionCall } from '../execution/runtime/session.ts';
import { FRAMEWORK_ADDRESS } from '../move/address.ts';
import type { Failure } from '../vm/failure.ts';
import { cannotPay } from './deposit.ts';
import type { ExecutionContext } from './execution-context.ts';

const VALIDATOR = { address: FRAMEWORK_ADDRESS, name: 'transaction_validator' };
const PRE_EXECUTE: SessionCall = { module: VALIDATOR, function: 'pre_execute', typeArguments: [], arguments: [] };
const POST_EXECUTE: SessionCall = { module: VALIDATOR, function: 'post_execute', typeArguments: [], arguments: [] };

/**
 * Runs `pre_execute`.
 * @param start what the session's transaction context also says
 */
export function runPreExecute(session: Session, start: Start, context: ExecutionContext): Failure | undefined {
  return unmetered(session, () => {
    if (isUsual(session, context) && preExecute(session, start)) return undefined;
    return (
      (context.settings.gasGift ? undefined : cannotPay(session.txContext, context)) ?? failureOf(session, PRE_EXECUTE)
    );
  });
}

/**
 * Runs `post_execute`.
 * @param end as `start` of `runPreExecute`
 */
export function runPostExecute(session: Session, end: End, context: ExecutionContext): Failure | undefined {
  return unmetered(session, () => {
    // The action may have replaced the framework.
    const isSameCode = session.objects.modules.changed().length === 0;
    if (isSameCode && isUsual(session, context) && postExecute(session, end)) return undefined;
    return failureOf(session, POST_EXECUTE);
  });
}

/**
 * What `validate` returns; undefined if the Move function has to run.
 * @param hash of the transaction
 */
export function validateUsual(
  transaction: SignedTransaction,
  hash: Uint8Array,
  context: ExecutionContext,
): TxValidateResult | undefined {
  const { state, machines, settings } = context;
  const isTranslated = machines.at(state).engine === 'translate';
  if (!isTranslated || !runsOwnFramework(context)) return undefined;
  return validate(new ObjectRuntime(state), transaction, hash, settings.verifySignatures);
}

function isUsual(session: Session, context: ExecutionContext): boolean {
  return session.isTranslated && runsOwnFramework(context);
}

function runsOwnFramework({ state, machines }: ExecutionContext): boolean {
  return hasOwnFramework(state, machines.at(state), machines.modules);
}

function failureOf(session: Session, call: SessionCall): Failure | undefined {
  const outcome = session.call(call);
  return outcome.kind === 'failed' ? outcome.failure : undefined;
}

/** Neither gas nor native work is the transaction's: the Move functions work on what it is, more than TypeScript does. */
function unmetered<T>({ gas, work }: Session, run: () => T): T {
  gas.metering = false;
  try {
    return work.uncounted(run);
  } finally {
    gas.metering = true;
  }
}

/** From this many bytes on, each costs this many times the base price. */
const TIERS: readonly (readonly [bytes: bigint, factor: bigint])[] = [
  [300_000n, 46n],
  [160_000n, 23n],
  [8_000n, 16n],
  [4_000n, 4n],
  [2_000n, 2n],
  [0n, 1n],
];

const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** Gas units for a transaction of `bytes` bytes, or 0 if that does not fit a u64: no budget could pay for it. */
export function sizeCharge(entries: GasEntries, bytes: bigint, isTiered: boolean): bigint {
  const [, factor] = isTiered ? TIERS.find(([from]) => bytes >= from)! : [0n, 1n];
  const price = (entries.get('storage.storage_fee_per_transaction_byte') ?? 0n) * factor;
  const charge = bytes * price;
  return price > U64_MAX || charge > U64_MAX ? 0n : charge;
}
