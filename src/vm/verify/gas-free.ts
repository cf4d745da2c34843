/**
 * Functions that would run without gas name two helpers of their module.
 *
 * The reference's check of the helpers' types accepts none (its comparison of the first parameter is a stub that says
 * no), so no module with such a function can be published; what is checked before it decides the number.
 * Source: `verify_gas_free_function` of the reference's `moveos-verifier/src/verifier.rs`.
 * @module
 */
import type { Module } from '../binary/module.ts';
import { findFunction, ownName } from './full-name.ts';
import { requireMetadata } from './private-generics.ts';
import { PublishStatus, refusePublish } from './publish-status.ts';

export function checkGasFreeFunctions(module: Module): void {
  for (const [name, { validate }] of requireMetadata(module).gasFree) {
    requireFunction(module, name);
    const { parameters, returns } = module.functionHandles[requireFunction(module, validate)]!;
    const taken = module.signatures[parameters]!.length;
    const returned = module.signatures[returns]!.length;
    if (taken === 0 || returned === 0) {
      throw refusePublish(PublishStatus.NOT_ENOUGH_PARAMETERS, `${validate} takes or returns nothing`);
    }
    if (taken !== 1 && returned !== 1) {
      throw refusePublish(PublishStatus.TOO_MANY_PARAMETERS, `${validate} takes and returns more than one value`);
    }
    throw refusePublish(PublishStatus.TYPE_MISMATCH, `${validate} has a parameter that no chain accepts`);
  }
}

function requireFunction(module: Module, name: string): number {
  const handle = findFunction(module, name);
  if (handle !== undefined) return handle;
  throw refusePublish(PublishStatus.FUNCTION_NOT_EXISTS, `${name} is not a function of ${ownName(module)}`);
}
