/**
 * A bound on the code that one execution may have prepared: function instances created, bodies resolved.
 *
 * Gas does not cover it. A generic function that calls two others with new types doubles the instances with each level,
 * and each instance of a long body takes milliseconds to prepare for a call that returns at once: a transaction could
 * keep the thread busy for an hour. So there is a bound. But what is already prepared differs from engine to engine, so
 * the bound is enforced in two steps:
 *
 * 1. An execution counts what it prepares itself. Nearly all stay far below `preparedMax`, and nothing else happens.
 * 2. One that exceeds that is run again from the start, interpreted, on a machine that starts empty and drops nothing.
 *   There the count depends only on the execution. Above `exactMax` it fails, with a status that is kept.
 *
 * A machine never keeps more than `keptMax`. So whatever needs more than `exactMax`, which exceeds the sum of the other
 * two, reaches the second step on every engine, and all engines agree on what fails. Cached results of pure functions
 * count what their calls would have prepared (`result-cache.ts`), and a function that others are inlined in is kept with
 * their units (`translate/inliner.ts`).
 *
 * A unit is about one instruction: half a microsecond to resolve, some five to translate.
 * @module
 */
import type { Instruction } from '../binary/module.ts';
import { OPCODES } from '../binary/opcode.ts';
import type { SignatureToken } from '../binary/signature-token.ts';
import type { Deadline } from '../deadline.ts';
import { refuse } from '../failure.ts';
import { StatusCode } from '../status.ts';
import type { LoadedFunction } from './loaded-module.ts';

/** The first step found too much: discard what ran, and run everything again on an exact machine. */
export class TooMuchPrepared extends Error {}

export class Preparation {
  /** Whether the count depends only on the execution. */
  readonly #isExact: boolean;
  #left = Number.POSITIVE_INFINITY;
  /** Whether running code is counted: unmetered code belongs to the chain. */
  isCounting = true;
  /** Identifies an execution. */
  execution = 0;
  /** Of an execution that is no consensus. */
  deadline: Deadline | undefined;

  constructor(isExact: boolean) {
    this.#isExact = isExact;
  }

  /** Begins an execution that may prepare `unitsMax`; returns what the surrounding one has left, for `resume`. */
  begin(unitsMax: number): number {
    const left = this.#left;
    this.#left = unitsMax;
    this.execution++;
    return left;
  }

  resume(left: number): void {
    this.#left = left;
    this.execution++;
  }

  /**
   * @throws {TooMuchPrepared | ThrownFailure} EXECUTION_LIMIT_REACHED on an exact machine
   * @throws {EngineError} `deadline-exceeded`
   */
  spend(units: number): void {
    this.deadline?.check();
    if (!this.isCounting) return;
    this.#left -= units;
    if (this.#left >= 0) return;
    if (!this.#isExact) throw new TooMuchPrepared();
    throw refuse(StatusCode.EXECUTION_LIMIT_REACHED, 'the code calls too many functions at too many types');
  }
}

/** Units of an instance before its body is resolved, besides those of its signature. */
const INSTANCE_UNITS = 20;

const nodesOf = (tokens: readonly SignatureToken[]): number =>
  tokens.reduce((sum, token) => sum + 1 + nodesOf(token.arguments), 0);

/** Units of making an instance of a function. */
export function instanceUnits(loaded: LoadedFunction): number {
  loaded.instanceUnits ??= INSTANCE_UNITS + nodesOf(loaded.parameters) + nodesOf(loaded.returns);
  return loaded.instanceUnits;
}

/** Units of resolving the body of an instance: its instructions, and the types that they name. */
export function bodyUnits(loaded: LoadedFunction): number {
  loaded.bodyUnits ??= countBody(loaded);
  return loaded.bodyUnits;
}

function countBody({ module: { binary }, code, locals }: LoadedFunction): number {
  if (code === undefined) return 0;
  // By signature: a body uses few of those that a module has.
  const counted: number[] = [];
  const nodesOfSignature = (index: number): number => {
    counted[index] ??= nodesOf(binary.signatures[index]!);
    return counted[index];
  };
  const named = ({ op, operand }: Instruction): number | undefined => {
    switch (OPCODES[op]!.operand) {
      case 'signature':
      case 'signatureAndCount':
        return operand;
      case 'functionInstantiation':
        return binary.functionInstantiations[operand]!.typeArguments;
      case 'structInstantiation':
        return binary.kind === 'module' ? binary.structInstantiations[operand]!.typeArguments : undefined;
      case 'fieldInstantiation':
        return binary.kind === 'module' ? binary.fieldInstantiations[operand]!.typeArguments : undefined;
      default:
        return undefined;
    }
  };
  return code.instructions.reduce((sum, instruction) => {
    const signature = named(instruction);
    return sum + 1 + (signature === undefined ? 0 : nodesOfSignature(signature));
  }, nodesOf(locals));
}
