/**
 * The bytecode verifier: what a module or script must satisfy before the machine trusts it.
 *
 * Passes run in the reference's order and the first failure is the verdict, so its status is the reference's: bounds,
 * limits, duplication, signatures, instruction consistency, constants, friends, recursive structs, instantiation loops,
 * and then for each body in turn control flow, stack usage, types, locals, references and acquired resources. Later
 * passes index and pop without checking, since earlier ones have.
 *
 * Linking with other modules is checked in `dependencies.ts`, the chain's requirements beyond Move in `publish.ts`, and
 * what an upgrade may change in `compatibility.ts`. A verdict depends only on the bytes and the limits: it can be
 * cached by their hash.
 * Source: the reference's `move-bytecode-verifier/src/verifier.rs` and `code_unit_verifier.rs`.
 * @module
 */

import type { AbilitySet } from '../../move/ability.ts';
import { checkModuleBounds, checkScriptBounds } from '../binary/bounds.ts';
import type { Binary, Code, Module, Script } from '../binary/module.ts';
import { OPERANDS_MAX } from '../machine-limits.ts';
import { StatusCode } from '../status.ts';
import { Rejection, type VerifyLocation, type VerifyResult, verdictOf } from '../verdict.ts';
import { checkAcquires } from './acquires.ts';
import { checkConstants } from './constants.ts';
import { checkControlFlow } from './control-flow.ts';
import { checkDuplication } from './duplication.ts';
import { checkFriends } from './friends.ts';
import type { FunctionContext } from './function-body.ts';
import { checkInstantiationLoops } from './instantiation-loops.ts';
import { checkInstructionConsistency } from './instruction-consistency.ts';
import { checkLimits, refuseAbove, VERIFY_STEPS_MAX, type VerifierLimits } from './limits.ts';
import { checkLocalsSafety } from './locals-safety.ts';
import { checkReferenceSafety } from './reference-safety.ts';
import { checkSignatures } from './signature.ts';
import { checkStackUsage } from './stack-usage.ts';
import { StepMeter } from './step-meter.ts';
import { checkStructRecursion } from './struct-recursion.ts';
import { checkTypeSafety } from './type-safety.ts';
import { type Type, TypeTable } from './type-table.ts';

/**
 * The chain's configuration: the reference's default, whose only bound is that of the machine's operand stack, and this
 * engine's bound on work.
 */
export const CHAIN_LIMITS: VerifierLimits = { stackHeightMax: OPERANDS_MAX, stepsMax: VERIFY_STEPS_MAX };

/** Checks a module by itself; `meter` counts its steps. */
export function verifyModule(
  module: Module,
  limits: VerifierLimits = CHAIN_LIMITS,
  meter: StepMeter = new StepMeter(limits.stepsMax ?? Number.POSITIVE_INFINITY),
): VerifyResult {
  const bounds = checkModuleBounds(module);
  if (!bounds.ok) return bounds;
  return verdictOf(() => {
    checkLimits(module, limits);
    checkDuplication(module);
    checkSignatures(module, meter);
    checkInstructionConsistency(module);
    checkConstants(module);
    checkFriends(module);
    checkStructRecursion(module);
    checkInstantiationLoops(module, meter);
    checkFunctions(module, limits, meter);
  });
}

/** Checks a script by itself; `meter` counts its steps. */
export function verifyScript(
  script: Script,
  limits: VerifierLimits = CHAIN_LIMITS,
  meter: StepMeter = new StepMeter(limits.stepsMax ?? Number.POSITIVE_INFINITY),
): VerifyResult {
  const bounds = checkScriptBounds(script);
  if (!bounds.ok) return bounds;
  return verdictOf(() => {
    checkLimits(script, limits);
    checkDuplication(script);
    checkSignatures(script, meter);
    checkInstructionConsistency(script);
    checkConstants(script);
    const types = new TypeTable(script);
    const { parameters, typeParameters, code } = script;
    const source = { index: 0, typeParameters, parameters: types.signature(parameters), returns: [], code };
    const surroundings = { definitionOf: new Map(), meter };
    const body = bodyOf(script, types, source, surroundings, limits);
    refuseAbove(StatusCode.TOO_MANY_BASIC_BLOCKS, body.graph.blockCount, limits.scriptBasicBlocksMax);
    refuseAbove(StatusCode.TOO_MANY_BACK_EDGES, body.graph.backEdgeCount, limits.backEdgesPerFunctionMax);
    checkBody(body, limits);
  });
}

function checkFunctions(module: Module, limits: VerifierLimits, meter: StepMeter): void {
  const types = new TypeTable(module);
  const definitionOf = new Map(module.functionDefinitions.map(({ handle }, index) => [handle, index]));
  let backEdges = 0;
  for (const [index, { handle, code }] of module.functionDefinitions.entries()) {
    if (code === undefined) continue;
    const { typeParameters, parameters, returns } = module.functionHandles[handle]!;
    const source = {
      index,
      typeParameters,
      parameters: types.signature(parameters),
      returns: types.signature(returns),
      code,
    };
    const body = bodyOf(module, types, source, { definitionOf, meter }, limits);
    const location = { functionIndex: index, codeOffset: 0 };
    refuseAt(location, StatusCode.TOO_MANY_BASIC_BLOCKS, body.graph.blockCount, limits.basicBlocksMax);
    refuseAt(location, StatusCode.TOO_MANY_BACK_EDGES, body.graph.backEdgeCount, limits.backEdgesPerFunctionMax);
    checkBody(body, limits);
    checkAcquires(module, body);
    backEdges += body.graph.backEdgeCount;
  }
  refuseAbove(StatusCode.TOO_MANY_BACK_EDGES, backEdges, limits.backEdgesPerModuleMax);
}

function refuseAt(location: VerifyLocation, status: StatusCode, count: number, max: number | undefined): void {
  if (max !== undefined && count > max) throw new Rejection(status, `expected at most ${max}, got ${count}`, location);
}

interface BodySource {
  readonly index: number;
  readonly typeParameters: readonly AbilitySet[];
  readonly parameters: readonly Type[];
  readonly returns: readonly Type[];
  readonly code: Code;
}

function bodyOf(
  binary: Binary,
  types: TypeTable,
  source: BodySource,
  surroundings: Pick<FunctionContext, 'definitionOf' | 'meter'>,
  limits: VerifierLimits,
): FunctionContext {
  const graph = checkControlFlow(source.code, binary.version, source.index, limits.loopDepthMax);
  const locals = [...source.parameters, ...types.signature(source.code.locals)];
  return { binary, types, ...source, locals, graph, ...surroundings };
}

function checkBody(body: FunctionContext, limits: VerifierLimits): void {
  checkStackUsage(body, limits);
  checkTypeSafety(body);
  checkLocalsSafety(body);
  checkReferenceSafety(body);
}
