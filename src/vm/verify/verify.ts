/**
 * The bytecode verifier: the conditions that a module or script must satisfy before the machine trusts it.
 *
 * Passes run in the reference's order and the first failure is the verdict, so its status is the reference's: bounds,
 * duplication, signatures, instruction consistency, constants, friends, recursive structs, instantiation loops,
 * and then for each body in turn control flow, stack usage, types, locals, references and acquired resources. Later
 * passes index and pop without checking, since earlier ones have.
 *
 * Linking with other modules is checked in `dependencies.ts`, the chain's requirements beyond Move in `publish.ts`, and
 * what an upgrade may change in `compatibility.ts`. The reference's limits on the size of programs are left out: its
 * default configuration, which the chain runs, sets none but the depth of the operand stack. A verdict depends only on
 * the bytes.
 * Source: the reference's `move-bytecode-verifier/src/verifier.rs` and `code_unit_verifier.rs`.
 *
 * A module that is published again, or checked twice in one transaction, is verified once: verdicts are kept with the
 * module object, which is immutable, for as long as it lives. Since the runtime's `ModuleCache` returns the same object
 * for the same bytes, that amounts to caching by the hash of the code. Only the verdict on a module by itself is
 * cached: how it links depends on others and is checked each time.
 * @module
 */

import { equalBytes } from '../../base/bytes/bytes.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import { ABILITY_KEY } from '../../move/ability.ts';
import { checkModuleBounds, checkScriptBounds } from '../binary/bounds.ts';
import { type Instruction, type Module, namedBy, type Script } from '../binary/module.ts';
import { Op, plainOp } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import { rejectEntry, type VerifyResult, verdictOf } from '../verdict.ts';
import { checkConstants } from './constants.ts';
import { checkControlFlow } from './control-flow.ts';
import { checkDuplication } from './duplication.ts';
import { type FunctionContext, rejectIn } from './function-context.ts';
import { checkInstructionConsistency } from './instruction-consistency.ts';
import { checkLocalsSafety } from './locals-safety.ts';
import { checkInstantiationLoops, checkStructRecursion } from './recursion.ts';
import { checkReferenceSafety } from './reference-safety.ts';
import { checkSignatures } from './signature.ts';
import { checkStackUsage } from './stack-usage.ts';
import { StepMeter } from './step-meter.ts';
import { checkTypeSafety } from './type-safety.ts';
import { TypeTable } from './type-table.ts';

/**
 * Checks that a function's list of acquired resources is exact: the resources that it and its callees in the module
 * access in global storage. Source: the reference's `move-bytecode-verifier/src/acquires_list_verifier.rs`.
 */
function checkAcquires(module: Module, body: FunctionContext): void {
  const annotated = new Set(module.functionDefinitions[body.index]!.acquires);
  const actual = new Set<number>();
  const seen = new Set<number>();
  for (const [offset, item] of body.code.instructions.entries()) {
    const key = item.op * 65_536 + item.operand;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const resource of acquiredBy(module, item, body.definitionOf)) {
      if (!annotated.has(resource)) {
        const message = `expected struct definition ${resource} among the acquired resources`;
        throw rejectIn(body, StatusCode.MISSING_ACQUIRES_ANNOTATION, offset, message);
      }
      actual.add(resource);
    }
  }
  // In the order of struct definitions, as the reference's set has them.
  for (const resource of [...annotated].sort((left, right) => left - right)) {
    if (!actual.has(resource)) {
      const message = `struct definition ${resource} is declared as acquired but is not`;
      throw rejectEntry(StatusCode.EXTRANEOUS_ACQUIRES_ANNOTATION, 'functionDefinition', body.index, message);
    }
    const { abilities } = module.structHandles[module.structDefinitions[resource]!.handle]!;
    if ((abilities & ABILITY_KEY) === 0) {
      const message = `struct definition ${resource} is acquired but lacks key`;
      throw rejectEntry(StatusCode.INVALID_ACQUIRES_ANNOTATION, 'functionDefinition', body.index, message);
    }
  }
}

function acquiredBy(module: Module, item: Instruction, definitionOf: ReadonlyMap<number, number>): readonly number[] {
  switch (plainOp(item.op)) {
    case Op.Call: {
      const definition = definitionOf.get(namedBy(module, item));
      return definition === undefined ? [] : module.functionDefinitions[definition]!.acquires;
    }
    case Op.MoveFrom:
    case Op.MutBorrowGlobal:
    case Op.ImmBorrowGlobal:
      return [namedBy(module, item)];
    default:
      return [];
  }
}

/**
 * A module's friends are other modules of its own address.
 * Source: the reference's `move-bytecode-verifier/src/friends.rs`.
 */
function checkFriends(module: Module): void {
  const self = module.moduleHandles[module.selfHandle]!;
  const own = module.friends.findIndex(({ address, name }) => address === self.address && name === self.name);
  if (own >= 0) {
    throw rejectEntry(StatusCode.INVALID_FRIEND_DECL_WITH_SELF, 'friend', own, 'a module cannot be its own friend');
  }
  const address = module.addresses[self.address]!;
  const foreign = module.friends.findIndex((friend) => !equalBytes(module.addresses[friend.address]!, address));
  if (foreign >= 0) {
    throw rejectEntry(
      StatusCode.INVALID_FRIEND_DECL_WITH_MODULES_OUTSIDE_ACCOUNT_ADDRESS,
      'friend',
      foreign,
      'expected friends at the address of the module',
    );
  }
}

/** Checks a module by itself; `meter` counts its steps. */
export function verifyModule(module: Module, meter: StepMeter = new StepMeter()): VerifyResult {
  const bounds = checkModuleBounds(module);
  if (!bounds.ok) return bounds;
  return verdictOf(() => {
    checkDuplication(module);
    checkSignatures(module, meter);
    checkInstructionConsistency(module);
    checkConstants(module);
    checkFriends(module);
    checkStructRecursion(module);
    checkInstantiationLoops(module, meter);
    checkFunctions(module, meter);
  });
}

/** Checks a script by itself; `meter` counts its steps. */
export function verifyScript(script: Script, meter: StepMeter = new StepMeter()): VerifyResult {
  const bounds = checkScriptBounds(script);
  if (!bounds.ok) return bounds;
  return verdictOf(() => {
    checkDuplication(script);
    checkSignatures(script, meter);
    checkInstructionConsistency(script);
    checkConstants(script);
    const types = new TypeTable(script);
    const { typeParameters, code } = script;
    const parameters = types.signature(script.parameters);
    const definitionOf = new Map<number, number>();
    checkBody({ binary: script, types, index: 0, typeParameters, parameters, returns: [], code, definitionOf, meter });
  });
}

function checkFunctions(module: Module, meter: StepMeter): void {
  const types = new TypeTable(module);
  const definitionOf = new Map(module.functionDefinitions.map(({ handle }, index) => [handle, index]));
  for (const [index, { handle, code }] of module.functionDefinitions.entries()) {
    if (code === undefined) continue;
    const { typeParameters, ...signature } = module.functionHandles[handle]!;
    const [parameters, returns] = [types.signature(signature.parameters), types.signature(signature.returns)];
    const given = { binary: module, types, index, typeParameters, parameters, returns, code, definitionOf, meter };
    checkAcquires(module, checkBody(given));
  }
}

/** Runs the passes over one body; returns its context. */
function checkBody(given: Omit<FunctionContext, 'locals' | 'graph'>): FunctionContext {
  const { binary, types, index, parameters, code } = given;
  const graph = checkControlFlow(code, binary.version, index);
  const body = { ...given, locals: [...parameters, ...types.signature(code.locals)], graph };
  checkStackUsage(body);
  checkTypeSafety(body);
  checkLocalsSafety(body);
  checkReferenceSafety(body);
  return body;
}

interface Judged {
  readonly verdict: VerifyResult;
  readonly steps: number;
}

const known = new WeakMap<Module, Judged>();

/** `verifyModule`, the first time; the same verdict from then on. */
export function verifyModuleOnce(module: Module): VerifyResult {
  return judge(module).verdict;
}

/**
 * Steps of verifying a module: the same number whether or not its verdict is cached.
 * @param onSteps as for `StepMeter`
 */
export function verificationSteps(module: Module, onSteps?: (taken: number) => void): number {
  return judge(module, onSteps).steps;
}

function judge(module: Module, onSteps?: (taken: number) => void): Judged {
  return getOrInsert(known, module, () => {
    const meter = new StepMeter(undefined, onSteps);
    return { verdict: verifyModule(module, meter), steps: meter.taken };
  });
}
