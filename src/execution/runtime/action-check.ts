/**
 * Checks of the code in a transaction: its script, or the modules that it publishes.
 *
 * Source: `verify_move_action` and `execute_move_action` of the reference's moveos/moveos/src/vm/moveos_vm.rs;
 * `MoveOS::verify` in moveos/moveos/src/moveos.rs of the reference.
 * @module
 */

import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { type Address, isReservedAddress } from '../../move/address.ts';
import { dependenciesOf, type Module, moduleIdText, moduleKey, type Script, selfIdOf } from '../../vm/binary/module.ts';
import { readScript } from '../../vm/binary/read.ts';
import { type Failure, placeless } from '../../vm/failure.ts';
import { StatusCode } from '../../vm/status.ts';
import { type VerifyResult, verdictOf } from '../../vm/verdict.ts';
import { verifyBundle } from '../../vm/verify/bundle.ts';
import { checkCompatibility } from '../../vm/verify/compatibility.ts';
import { verifyDependencies } from '../../vm/verify/dependencies.ts';
import { checkCalledSignature, hasInitFunction } from '../../vm/verify/entry-functions.ts';
import { verifyPublish } from '../../vm/verify/publish.ts';
import { scriptModule } from '../../vm/verify/script-module.ts';
import { StepMeter } from '../../vm/verify/step-meter.ts';
import { verifyScript } from '../../vm/verify/verify.ts';
import type { SessionModules } from './module-source.ts';
import { type NativeWork, spendReading, spendVerification } from './native-work.ts';

/** The failure in a verdict, or undefined. */
function failureOfVerdict(verdict: VerifyResult): Failure | undefined {
  if (verdict.ok) return undefined;
  const { statusCode, subStatus, message } = verdict;
  return placeless(statusCode, message, subStatus === undefined ? undefined : BigInt(subStatus));
}

/**
 * Verifies the script of a transaction and links it with the session's modules.
 * @throws {ThrownFailure} EXECUTION_LIMIT_REACHED if that exceeds `work`
 */
export function loadScript(code: Uint8Array, modules: SessionModules, work: NativeWork): Script | Failure {
  let script: Script;
  spendReading(work, code.length);
  try {
    script = readScript(code.slice());
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'malformed-module') throw error;
    return placeless(StatusCode.CODE_DESERIALIZATION_ERROR, `the script cannot be read: ${error.message}`);
  }
  const refused = verifyCounted(script, work);
  if (refused !== undefined) return refused;
  const missing = dependenciesOf(script).find((id) => modules.load(id) === undefined);
  if (missing !== undefined)
    return placeless(StatusCode.LINKER_ERROR, `module ${moduleIdText(missing)} does not exist`);
  return failureOfVerdict(verifyDependencies(script, (id) => modules.load(id))) ?? script;
}

function verifyCounted(script: Script, work: NativeWork): Failure | undefined {
  let verdict: VerifyResult | undefined;
  spendVerification(work, (onSteps) => {
    const meter = new StepMeter(undefined, onSteps);
    verdict = verifyScript(script, meter);
    return meter.taken;
  });
  return verdict && failureOfVerdict(verdict);
}

/**
 * The chain's requirements on a script besides sound bytecode: those on its signature, and those on published modules.
 */
export function checkScript(script: Script, modules: SessionModules): Failure | undefined {
  return failureOfVerdict(verifyPublish([scriptModule(script)], (id) => modules.stored.load(id)));
}

/** Cached results by function; undefined if it can be called. */
const checkedCalls = new WeakMap<Module | Script, Map<string, Failure | undefined>>();

/** Whether a transaction can call a function with this declaration. */
export function checkCalled(binary: Module | Script, name: string): Failure | undefined {
  let checked = checkedCalls.get(binary);
  if (checked?.has(name) === true) return checked.get(name);
  const failure = checkDeclared(binary, name);
  // Names of missing functions are not cached: their number is unlimited.
  if (failure?.status === StatusCode.FUNCTION_RESOLUTION_FAILURE) return failure;
  checked ??= new Map();
  checkedCalls.set(binary, checked.set(name, failure));
  return failure;
}

function checkDeclared(binary: Module | Script, name: string): Failure | undefined {
  if (binary.kind === 'script') {
    return failureOfVerdict(checkCalledSignature(binary, binary.signatures[binary.parameters]!, []));
  }
  const handle = binary.functionHandles.find(
    (it) => it.module === binary.selfHandle && binary.identifiers[it.name] === name,
  );
  if (handle === undefined) return placeless(StatusCode.FUNCTION_RESOLUTION_FAILURE, `there is no function ${name}`);
  const { signatures } = binary;
  return failureOfVerdict(checkCalledSignature(binary, signatures[handle.parameters]!, signatures[handle.returns]!));
}

/** The modules of a bundle. */
export function readBundle(codes: readonly Uint8Array[], modules: SessionModules): readonly Module[] | Failure {
  try {
    return codes.map((code) => modules.read(code));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'malformed-module') throw error;
    return placeless(error.details['statusCode'] as StatusCode, error.message);
  }
}

/** Checks of a bundle before its transaction is ordered. Only the system publishes without Move code. */
export function checkBundle(bundle: readonly Module[], modules: SessionModules, sender: Address): Failure | undefined {
  if (!isReservedAddress(sender)) {
    return placeless(StatusCode.INVALID_MODULE_PUBLISHER, 'only the system can publish a bundle of modules');
  }
  return (
    failureOfVerdict(verifyPublish(bundle, (id) => modules.stored.load(id))) ??
    failureOfVerdict(verifyBundle(bundle, (id) => modules.load(id)))
  );
}

/**
 * Checks of a bundle when it is published: its modules are compatible with those they replace, and each links with
 * those before it.
 */
export function checkPublished(
  bundle: readonly Module[],
  modules: SessionModules,
  sender: Address,
): Failure | undefined {
  const seen = new Set<string>();
  for (const module of bundle) {
    const id = selfIdOf(module);
    if (!isReservedAddress(sender) && !equalBytes(id.address, sender)) {
      const message = `module ${moduleIdText(id)} is not at the address of the sender`;
      return placeless(StatusCode.MODULE_ADDRESS_DOES_NOT_MATCH_SENDER, message);
    }
  }
  for (const module of bundle) {
    const id = selfIdOf(module);
    const old = modules.load(id);
    const refused = old && failureOfVerdict(checkCompatibility(old, module, { checksFriends: true }));
    if (refused !== undefined) return refused;
    if (seen.has(moduleKey(id))) {
      return placeless(StatusCode.DUPLICATE_MODULE_NAME, `module ${moduleIdText(id)} is in the bundle twice`);
    }
    seen.add(moduleKey(id));
  }
  const verdict = verifyBundle(bundle, (id) => modules.load(id));
  return failureOfVerdict(verdict.ok ? verdictOf(() => bundle.forEach(hasInitFunction)) : verdict);
}
