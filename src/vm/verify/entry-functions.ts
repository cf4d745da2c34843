/**
 * The signatures that the chain requires of entry functions, of functions called by a transaction, and of `init`.
 * Source: `verify_entry_function_at_publish`, `verify_entry_function` and `verify_init_function` of the reference's
 * `moveos-verifier/src/verifier.rs`.
 * @module
 */
import { type Binary, type Module, Visibility } from '../binary/module.ts';
import { fullFunctionText, fullStructText, typeText } from '../binary/render.ts';
import {
  isReference,
  isStructToken,
  type Signature,
  type SignatureToken,
  TokenTag,
} from '../binary/signature-token.ts';
import { type VerifyResult, verdictOf } from '../verdict.ts';
import { PublishStatus, refusePublish } from './publish-status.ts';

/** Structs that can be arguments of a transaction, by value or behind a reference, whatever their type arguments. */
const ARGUMENT_STRUCTS: ReadonlySet<string> = new Set([
  '0x1::string::String',
  '0x1::ascii::String',
  '0x2::object::ObjectID',
  '0x2::object::Object',
]);

const ARGUMENT_TYPES =
  'a transaction can pass bool, integers, address, strings, ObjectID, Object<T> and vectors of these';

export function checkEntryFunctions(module: Module): void {
  for (const { handle, isEntry } of module.functionDefinitions) {
    if (!isEntry) continue;
    const { parameters, returns } = module.functionHandles[handle]!;
    const name = fullFunctionText(module, handle);
    if (module.signatures[returns]!.length > 0) {
      throw refusePublish(PublishStatus.ENTRY_FUNCTION_RETURNS, `entry function ${name} returns values`);
    }
    const types = module.signatures[parameters]!;
    const refused = types.findIndex((type) => !isArgument(module, type));
    if (refused >= 0) {
      const message = `parameter ${refused} of entry function ${name} is a ${typeText(module, types[refused]!)}; ${ARGUMENT_TYPES}`;
      throw refusePublish(PublishStatus.ENTRY_FUNCTION_PARAMETER_TYPE, message);
    }
    checkSigners(types, name);
  }
}

/**
 * Checks the declared signature of a function or script that a transaction calls. An entry function was checked when it
 * was published; whether it is `entry` is checked when it runs. The reference swaps the two sub-statuses here, compared
 * with publishing.
 */
export function checkCalledSignature(binary: Binary, parameters: Signature, returns: Signature): VerifyResult {
  return verdictOf(() => {
    if (returns.length > 0) {
      throw refusePublish(
        PublishStatus.ENTRY_FUNCTION_PARAMETER_TYPE,
        'the function is not an entry function: it returns values, which view reads',
      );
    }
    const refused = parameters.findIndex((type) => !isArgument(binary, type));
    if (refused < 0) return;
    const message = `no transaction can pass parameter ${refused}, a ${typeText(binary, parameters[refused]!)}`;
    throw refusePublish(PublishStatus.ENTRY_FUNCTION_RETURNS, message);
  });
}

function checkSigners(types: readonly SignatureToken[], name: string): void {
  const signers = types.filter(isSigner).length;
  if (signers > 1) {
    throw refusePublish(PublishStatus.ENTRY_FUNCTION_SIGNER_COUNT, `entry function ${name} takes ${signers} signers`);
  }
  if (signers === 1 && !isSigner(types[0]!)) {
    const message = `the signer is not the first parameter of entry function ${name}`;
    throw refusePublish(PublishStatus.ENTRY_FUNCTION_SIGNER_NOT_FIRST, message);
  }
}

function isSigner(type: SignatureToken): boolean {
  if (type.tag === TokenTag.Signer) return true;
  return type.tag === TokenTag.Reference && type.arguments[0]!.tag === TokenTag.Signer;
}

function isArgument(module: Binary, type: SignatureToken): boolean {
  if (isReference(type)) return isSigner(type) || isArgumentStruct(module, type.arguments[0]!);
  if (type.tag === TokenTag.Vector) return isArgument(module, type.arguments[0]!);
  return isStructToken(type) ? isArgumentStruct(module, type) : type.tag !== TokenTag.TypeParameter;
}

function isArgumentStruct(module: Binary, type: SignatureToken): boolean {
  return isStructToken(type) && ARGUMENT_STRUCTS.has(fullStructText(module, type.index));
}

/** Whether the module has an `init` function to run at its first publish; refuses a malformed one. */
export function hasInitFunction(module: Module): boolean {
  const init = module.functionDefinitions.find(
    ({ handle }) => module.identifiers[module.functionHandles[handle]!.name] === 'init',
  );
  if (init === undefined) return false;
  const name = fullFunctionText(module, init.handle);
  if (init.visibility !== Visibility.Private) {
    throw refusePublish(PublishStatus.INIT_FUNCTION_NOT_PRIVATE, `${name} is not private`);
  }
  if (init.isEntry) throw refusePublish(PublishStatus.INIT_FUNCTION_IS_ENTRY, `${name} is an entry function`);
  const types = module.signatures[module.functionHandles[init.handle]!.parameters]!;
  if (types.length > 1) {
    throw refusePublish(PublishStatus.TOO_MANY_PARAMETERS, `${name} takes more than the publisher's signer`);
  }
  if (!types.every(isSigner)) {
    throw refusePublish(PublishStatus.INIT_FUNCTION_PARAMETER_TYPE, `${name} takes something other than a signer`);
  }
  return true;
}
