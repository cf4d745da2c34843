/**
 * Locals are used only while they hold a value, and values that cannot be dropped are not lost.
 * Source: the reference's `move-bytecode-verifier/src/locals_safety`.
 * @module
 */
import { ABILITY_DROP } from '../../move/ability.ts';
import { Op } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import type { Rejection } from '../verdict.ts';
import { type Analysis, analyze, type FunctionContext, rejectIn } from './function-context.ts';

const UNAVAILABLE = 0;
/** Assigned on some paths and not on others. */
const MAYBE_AVAILABLE = 1;
const AVAILABLE = 2;

/** One of the three states for each local. */
type LocalStates = Uint8Array;

export function checkLocalsSafety(body: FunctionContext): void {
  const initial = new Uint8Array(body.locals.length);
  initial.fill(AVAILABLE, 0, body.parameters.length);
  analyze(body, initial, new LocalsAnalysis(body));
}

class LocalsAnalysis implements Analysis<LocalStates> {
  readonly #body: FunctionContext;
  readonly #isDroppable: readonly boolean[];

  constructor(body: FunctionContext) {
    this.#body = body;
    this.#isDroppable = body.locals.map(
      (type) => (body.types.abilities(type, body.typeParameters) & ABILITY_DROP) !== 0,
    );
  }

  executeBlock(block: number, before: LocalStates): LocalStates {
    const states = before.slice();
    const { graph, code } = this.#body;
    const end = graph.ends[block]!;
    for (let offset = graph.starts[block]!; offset <= end; offset++) {
      const { op, operand } = code.instructions[offset]!;
      switch (op) {
        case Op.StLoc:
          if (states[operand] !== UNAVAILABLE && !this.#isDroppable[operand]) {
            throw this.#reject(StatusCode.STLOC_UNSAFE_TO_DESTROY_ERROR, offset, `local ${operand} would lose a value`);
          }
          states[operand] = AVAILABLE;
          break;
        case Op.MoveLoc:
          this.#requireAvailable(states, operand, StatusCode.MOVELOC_UNAVAILABLE_ERROR, offset);
          states[operand] = UNAVAILABLE;
          break;
        case Op.CopyLoc:
          this.#requireAvailable(states, operand, StatusCode.COPYLOC_UNAVAILABLE_ERROR, offset);
          break;
        case Op.MutBorrowLoc:
        case Op.ImmBorrowLoc:
          this.#requireAvailable(states, operand, StatusCode.BORROWLOC_UNAVAILABLE_ERROR, offset);
          break;
        case Op.Ret:
          this.#checkReturn(states, offset);
          break;
        default:
      }
    }
    return states;
  }

  join(known: LocalStates, arriving: LocalStates): LocalStates | undefined {
    let joined: LocalStates | undefined;
    for (let local = 0; local < known.length; local++) {
      if (known[local] === arriving[local] || known[local] === MAYBE_AVAILABLE) continue;
      joined ??= known.slice();
      joined[local] = MAYBE_AVAILABLE;
    }
    return joined;
  }

  #requireAvailable(states: LocalStates, local: number, status: StatusCode, offset: number): void {
    if (states[local] === AVAILABLE) return;
    const where = states[local] === UNAVAILABLE ? 'no value' : 'a value on some paths only';
    throw this.#reject(status, offset, `expected local ${local} to hold a value, it holds ${where}`);
  }

  #checkReturn(states: LocalStates, offset: number): void {
    for (let local = 0; local < states.length; local++) {
      if (states[local] === UNAVAILABLE || this.#isDroppable[local]) continue;
      const message = `local ${local} still holds a value that cannot be dropped`;
      throw this.#reject(StatusCode.UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP, offset, message);
    }
  }

  #reject(status: StatusCode, offset: number, message: string): Rejection {
    return rejectIn(this.#body, status, offset, message);
  }
}
