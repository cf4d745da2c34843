/**
 * Natives of `0x2::move_module` that publish: names, the checks before modules are stored, and their `init` functions.
 * Those that make changed copies of modules are in `module-template.ts`.
 *
 * A module id is the text `0x`, the address without leading zeros, `::` and the name.
 * Source: the reference's `natives/moveos_stdlib/move_module.rs`.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import { EngineError } from '../../base/error.ts';
import { type Address, formatAddressShort, MOVEOS_STD_ADDRESS, parseAddressHex } from '../../move/address.ts';
import { isIdentifier } from '../../move/identifier.ts';
import type { Module } from '../../vm/binary/module.ts';
import type { ModuleId } from '../../vm/module-id.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ArrayVector, type ByteVector, U64Vector } from '../../vm/value/vector.ts';
import { dependencyOrder, verifyBundle } from '../../vm/verify/bundle.ts';
import { checkCompatibility } from '../../vm/verify/compatibility.ts';
import { hasInitFunction } from '../../vm/verify/entry-functions.ts';
import { type ModuleLookup, selfIdOf } from '../../vm/verify/module-lookup.ts';
import { checkMetadataCompatibility, verifyPublish } from '../../vm/verify/publish.ts';
import { verificationSteps } from '../../vm/verify/verdict-cache.ts';
import { CHAIN_LIMITS } from '../../vm/verify/verify.ts';
import { FEATURE_COMPATIBILITY_CHECKER_V2 } from '../runtime/features.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { spendReading, spendVerification } from '../runtime/verification-work.ts';
import type { ModuleNatives, Natives } from './module-natives.ts';
import { templateNatives } from './module-template.ts';
import { panic } from './panic.ts';
import type { NativePrices } from './prices.ts';
import { makeText, readText } from './text.ts';

/** Microseconds for each of the modules that are verified together, besides its steps: for its name and its links. */
const MODULE_WORK = 50;

/** Microseconds for each module that a module above or below them names. */
const LINK_WORK = 1;

/** Microseconds for the name of a module. */
const NAME_WORK = 5;

type Context = NativeContext<SessionHost>;

/** A module of the bundle has another address than the package. */
const ERROR_ADDRESS = 1;
/** The bytecode verifier or the linker refused a module. */
const ERROR_VERIFICATION = 2;
/** A module may not replace the existing one. */
const ERROR_INCOMPATIBLE = 3;

export const MOVE_MODULE: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'move_module' },
  natives: (prices) => ({ ...nameNatives(prices), ...publishNatives(prices), ...templateNatives(prices) }),
};

function nameNatives(prices: NativePrices): Natives {
  const idCost = prices.linear('move_module.module_id_inner', 'per_byte_in_str');
  return {
    module_id_inner: (context: Context, { returns }: NativeSignature, code: ByteVector): StructValue => {
      const text = formatModuleId(selfIdOf(readModule(context, code)));
      context.charge(idCost(text.length));
      return makeText(returns[0]!, text);
    },
    /** Free: the reference reads no price for it from schedules. */
    module_id_from_name: (
      context: Context,
      { returns }: NativeSignature,
      address: Address,
      name: StructValue,
    ): StructValue => {
      const text = formatModuleId({ address, name: readIdentifier(context, name) });
      return makeText(returns[0]!, text);
    },
  };
}

function publishNatives(prices: NativePrices): Natives {
  const sortCost = prices.linear('move_module.sort_and_verify_modules_inner');
  const sortPerModule = prices.of('move_module.sort_and_verify_modules_inner.per_module');
  const initBase = prices.of('move_module.request_init_functions.base');
  const initPerFunction = prices.of('move_module.request_init_functions.per_function');
  const checkCost = prices.linear('move_module.check_compatibililty_inner');
  return {
    sort_and_verify_modules_inner: (
      context: Context,
      { returns }: NativeSignature,
      codes: ArrayVector,
      address: Address,
    ): unknown[] => {
      const given = (codes.items as ByteVector[]).map((code) => readModule(context, code));
      const order = dependencyOrder(given);
      if (order === undefined) {
        const names = new Set(given.map((module) => formatModuleId(selfIdOf(module))));
        const isTwice = names.size < given.length;
        const message = isTwice ? 'two of the modules have one name' : 'the modules depend on each other in a circle';
        return context.fail(StatusCode.CYCLIC_MODULE_DEPENDENCY, message);
      }
      const bytes = (codes.items as ByteVector[]).reduce((sum, code) => sum + code.length, 0);
      context.charge(sortCost(bytes) + sortPerModule * given.length);
      const modules = order.map((position) => given[position]!);
      verifyForPublish(context, modules, address);
      const names = (chosen: readonly Module[], type: Type): ArrayVector =>
        new ArrayVector(chosen.map((module) => makeText(type.item, selfIdOf(module).name)));
      const withInit = modules.filter((module) => hasInitFunction(module));
      const indices = new U64Vector(BigUint64Array.from(order, (position) => BigInt(position)));
      return [names(modules, returns[0]!), names(withInit, returns[1]!), indices];
    },
    request_init_functions: (context: Context, _signature: NativeSignature, ids: ArrayVector): void => {
      context.host.work.spend(ids.length * NAME_WORK);
      const modules = (ids.items as StructValue[]).map((id) => parseModuleId(context, id));
      context.charge(initBase + initPerFunction * modules.length);
      for (const id of modules) context.host.initRequests.add(id);
    },
    check_compatibililty_inner: (
      context: Context,
      _signature: NativeSignature,
      next: ByteVector,
      old: ByteVector,
    ): void => {
      const nextModule = readModule(context, next);
      const oldModule = readModule(context, old);
      context.charge(checkCost(next.length + old.length));
      const checksFriends = context.host.features.has(FEATURE_COMPATIBILITY_CHECKER_V2);
      const compatible = checkCompatibility(oldModule, nextModule, { checksFriends });
      if (!compatible.ok) context.abort(ERROR_INCOMPATIBLE, compatible.message);
      const metadata = checkMetadataCompatibility(oldModule, nextModule);
      if (!metadata.ok) context.abort(metadata.subStatus ?? 0, metadata.message);
    },
  };
}

/** First the chain's checks, which see only stored modules, then Move's, which also see what the session published. */
function verifyForPublish(context: Context, modules: readonly Module[], address: Address): void {
  const { modules: known } = context.host;
  context.host.work.spend(modules.length * MODULE_WORK);
  const chain = verifyPublish(modules, (id) => known.stored.load(id));
  if (!chain.ok) context.abort(chain.subStatus ?? ERROR_VERIFICATION, chain.message);
  // One module may take up to VERIFY_STEPS_MAX of work, and a transaction has room for a hundred: the one that would
  // exceed the transaction's total is abandoned midway.
  for (const module of modules) {
    spendVerification(context.host.work, (onSteps) => verificationSteps(module, CHAIN_LIMITS, onSteps));
  }
  const { work } = context.host;
  const lookup: ModuleLookup = (id) => known.load(id);
  const sound = verifyBundle(modules, lookup, CHAIN_LIMITS, (links) => work.spend(links * LINK_WORK));
  if (!sound.ok) context.abort(ERROR_VERIFICATION, sound.message);
  if (modules.some((module) => !equalBytes(selfIdOf(module).address, address))) context.abort(ERROR_ADDRESS);
}

/** @throws the failure of the reference's deserializer for these bytes */
function readModule(context: Context, code: ByteVector): Module {
  spendReading(context.host.work, code.length);
  try {
    return context.host.modules.read(code.view());
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'malformed-module') throw error;
    return panic(context, error.details['statusCode'] as StatusCode, error.message);
  }
}

function formatModuleId({ address, name }: ModuleId): string {
  return `${formatAddressShort(address)}::${name}`;
}

function parseModuleId(context: Context, value: StructValue): ModuleId {
  const text = readText(value);
  const [, digits, name] = /^(0x[0-9a-fA-F]{1,64}|[0-9a-fA-F]{64})::([^:]*)$/.exec(text ?? '') ?? [];
  if (digits === undefined || name === undefined || !isIdentifier(name)) {
    return panic(context, StatusCode.TYPE_RESOLUTION_FAILURE, `expected a module id, got ${text}`);
  }
  return { address: parseAddressHex(digits), name };
}

function readIdentifier(context: Context, value: StructValue): string {
  const text = readText(value);
  if (text === undefined || !isIdentifier(text)) {
    return panic(context, StatusCode.TYPE_RESOLUTION_FAILURE, `expected an identifier, got ${text}`);
  }
  return text;
}
