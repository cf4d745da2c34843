/**
 * Why an execution failed, for people and for tests: the place in words instead of numbers, and the name of an abort code
 * where it is known.
 * @module
 */
import { ABORT_NAMES } from '../framework/abort-names.ts';
import { formatAddressShort } from '../move/address.ts';
import type { Module } from '../vm/binary/module.ts';
import type { CodeLocation, Failure } from '../vm/failure.ts';
import type { ModuleId } from '../vm/module-id.ts';
import { StatusCode, statusName } from '../vm/status.ts';

/** Why Move code failed, and where. */
export interface ExplainedFailure {
  /** Name of the Move machine's status: `ABORTED`, `OUT_OF_GAS`, `ARITHMETIC_ERROR`. */
  readonly status: string;
  /** `0x3::coin`, or `script`. Undefined where the failure is of no place in code. */
  readonly module: string | undefined;
  /** Undefined where the module is not there any more: it was to be published by the same transaction. */
  readonly function: string | undefined;
  readonly codeOffset: number | undefined;
  /** What `abort` was given. */
  readonly abortCode: bigint | undefined;
  /** How the framework's sources call that code in that module. */
  readonly abortName: string | undefined;
  /** One sentence of all this. */
  readonly message: string;
}

/** Finds a module as it was when the code ran. */
export type ModuleLookup = (id: ModuleId) => Module | undefined;

export function explainFailure(failure: Failure, findModule: ModuleLookup): ExplainedFailure {
  const { status, subStatus, location } = failure;
  const module = location && moduleText(location);
  const abortCode = status === StatusCode.ABORTED ? subStatus : undefined;
  const abortName =
    module === undefined || abortCode === undefined ? undefined : ABORT_NAMES[module]?.[Number(abortCode)];
  const fun = location && functionName(location, findModule);
  return {
    status: statusName(status),
    module,
    function: fun,
    codeOffset: location?.codeOffset,
    abortCode,
    abortName,
    message: sentence(failure, { module, fun, abortName }),
  };
}

interface Words {
  readonly module: string | undefined;
  readonly fun: string | undefined;
  readonly abortName: string | undefined;
}

function sentence({ status, subStatus, location, message }: Failure, { module, fun, abortName }: Words): string {
  const place =
    location && ` in ${module}::${fun ?? `function ${location.functionIndex}`} at offset ${location.codeOffset}`;
  if (status === StatusCode.ABORTED && subStatus !== undefined) {
    return `aborted with code ${subStatus}${abortName === undefined ? '' : ` (${abortName})`}${place ?? ''}`;
  }
  return `${statusName(status)}${place ?? ''}${message === '' ? '' : `: ${message}`}`;
}

function moduleText({ module }: CodeLocation): string {
  return module === undefined ? 'script' : `${formatAddressShort(module.address)}::${module.name}`;
}

function functionName({ module: id, functionIndex }: CodeLocation, findModule: ModuleLookup): string | undefined {
  if (id === undefined) return 'main';
  const module = findModule(id);
  const definition = module?.functionDefinitions[functionIndex];
  return definition && module?.identifiers[module.functionHandles[definition.handle]!.name];
}
