/**
 * Bounds on the size of programs, each of them optional.
 *
 * The chain runs the reference's default configuration, which sets none but the depth of the operand stack
 * (`VerifierConfig::default`). The others exist because a host may want them, and because the reference has them.
 * Source: the reference's `move-bytecode-verifier/src/limits.rs` and `verifier.rs`.
 *
 * The work of verifying one module has a bound. Code with many loops, locals and borrows can make the analyses run for
 * very long. The reference has a meter for them but does not use it; what exceeds the bound here is refused with the
 * status of that meter.
 * @module
 */
import type { Binary } from '../binary/module.ts';
import { type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { Rejection, rejectEntry } from '../verdict.ts';

/**
 * Steps that verifying one module may take: instructions, locals and borrows that are checked, including repeated rounds of
 * loops. The largest framework module takes 86,000. The reference has no bound in its default configuration; code that would
 * keep its verifier busy for minutes is refused here. This many steps take half a second to a second.
 */
export const VERIFY_STEPS_MAX = 5_000_000;

/** What the verifier refuses beyond unsound code; a bound that is absent is not checked. */
export interface VerifierLimits {
  /** Values that one function may have on the operand stack. */
  readonly stackHeightMax: number;
  readonly loopDepthMax?: number;
  readonly functionParametersMax?: number;
  readonly typeParametersMax?: number;
  readonly basicBlocksMax?: number;
  readonly scriptBasicBlocksMax?: number;
  readonly backEdgesPerFunctionMax?: number;
  readonly backEdgesPerModuleMax?: number;
  /** Nodes of one type; a struct or a type parameter counts as four. */
  readonly typeNodesMax?: number;
  /** Values that one basic block may push. */
  readonly blockPushesMax?: number;
  readonly structDefinitionsMax?: number;
  readonly functionDefinitionsMax?: number;
  readonly structFieldsMax?: number;
  /** Work of verifying one module or script; see `VERIFY_STEPS_MAX`. */
  readonly stepsMax?: number;
}

/** Weight of a node that may stand for many: a struct, a type parameter. */
const EXPANDING_NODE_WEIGHT = 4;

export function checkLimits(binary: Binary, limits: VerifierLimits): void {
  checkHandles(binary, limits);
  if (limits.typeNodesMax !== undefined) checkTypes(binary, limits.typeNodesMax);
  if (binary.kind === 'script') return;
  const { functionDefinitions, structDefinitions } = binary;
  refuseAbove(StatusCode.MAX_FUNCTION_DEFINITIONS_REACHED, functionDefinitions.length, limits.functionDefinitionsMax);
  refuseAbove(StatusCode.MAX_STRUCT_DEFINITIONS_REACHED, structDefinitions.length, limits.structDefinitionsMax);
  for (const { fields } of structDefinitions) {
    refuseAbove(StatusCode.MAX_FIELD_DEFINITIONS_REACHED, fields?.length ?? 0, limits.structFieldsMax);
  }
}

function checkHandles(binary: Binary, { typeParametersMax, functionParametersMax }: VerifierLimits): void {
  for (const [index, { typeParameters, parameters }] of binary.functionHandles.entries()) {
    if (typeParameters.length > (typeParametersMax ?? typeParameters.length)) {
      throw tooMany(StatusCode.TOO_MANY_TYPE_PARAMETERS, 'functionHandle', index, typeParameters.length);
    }
    const count = binary.signatures[parameters]!.length;
    if (count > (functionParametersMax ?? count)) {
      throw tooMany(StatusCode.TOO_MANY_PARAMETERS, 'functionHandle', index, count);
    }
  }
  for (const [index, { typeParameters }] of binary.structHandles.entries()) {
    if (typeParameters.length > (typeParametersMax ?? typeParameters.length)) {
      throw tooMany(StatusCode.TOO_MANY_TYPE_PARAMETERS, 'structHandle', index, typeParameters.length);
    }
  }
}

function tooMany(
  status: StatusCode,
  table: 'functionHandle' | 'structHandle',
  index: number,
  count: number,
): Rejection {
  return rejectEntry(status, table, index, `expected fewer parameters, got ${count}`);
}

function checkTypes(binary: Binary, typeNodesMax: number): void {
  const check = (token: SignatureToken): void => {
    refuseAbove(StatusCode.TOO_MANY_TYPE_NODES, weight(token), typeNodesMax);
  };
  for (const signature of binary.signatures) signature.forEach(check);
  for (const { type } of binary.constants) check(type);
  if (binary.kind === 'script') return;
  for (const { fields } of binary.structDefinitions) for (const { type } of fields ?? []) check(type);
}

function weight(token: SignatureToken): number {
  const isExpanding =
    token.tag === TokenTag.Struct || token.tag === TokenTag.StructInstantiation || token.tag === TokenTag.TypeParameter;
  return token.arguments.reduce((sum, inner) => sum + weight(inner), isExpanding ? EXPANDING_NODE_WEIGHT : 1);
}

/** Refuses a number above its bound, if it has one. */
export function refuseAbove(status: StatusCode, count: number, max: number | undefined): void {
  if (max !== undefined && count > max) throw new Rejection(status, `expected at most ${max}, got ${count}`);
}

/** Two to ten milliseconds of work. */
const STEPS_BETWEEN_CALLS = 50_000;

export class StepMeter {
  readonly #stepsMax: number;
  readonly #onSteps: ((taken: number) => void) | undefined;
  #taken = 0;
  #next = STEPS_BETWEEN_CALLS;

  /**
   * @param stepsMax infinity for no bound
   * @param onSteps called every few milliseconds with the steps so far; what it throws ends the verification without a
   * verdict
   */
  constructor(stepsMax: number, onSteps?: (taken: number) => void) {
    this.#stepsMax = stepsMax;
    this.#onSteps = onSteps;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Counts steps; rejects the program once there are too many. */
  charge(steps: number): void {
    this.#taken += steps;
    if (this.#taken >= this.#next) {
      this.#next = this.#taken + STEPS_BETWEEN_CALLS;
      this.#onSteps?.(this.#taken);
    }
    if (this.#taken <= this.#stepsMax) return;
    throw new Rejection(
      StatusCode.CONSTRAINT_NOT_SATISFIED,
      `the program is too complex: verifying it takes more than ${this.#stepsMax} steps`,
    );
  }
}
