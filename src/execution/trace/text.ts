/**
 * A trace as indented text, one line per call: its gas with all calls inside it, its arguments and its results.
 *
 * Natives that access objects, emit events or print are shown as what they do. In the short form, each call of the
 * libraries `0x1` and `0x2` is one line, followed by what it accessed and emitted, and addresses and hashes are cut in
 * the middle. The chain's own code before and after the action costs nothing and is the same in every transaction: one
 * line each.
 * @module
 */

import type { DecodedValue } from '../../chain/value/decoded.ts';
import { displayType } from '../../move/type-tag.ts';
import { type TraceCall, walkCalls } from './call.ts';
import { accessOf, eventOf, printOf, type TraceAccess } from './effects.ts';
import { type TraceValue, valueText } from './kept-value.ts';

/** Characters of a value in the text of a trace. */
const TRACE_TEXT_CHARACTERS_MAX = 160;

/** How a trace is written. */
export interface TraceTextOptions {
  /** Whether to show the inner calls of the libraries too, and addresses and hashes in full. Default: false. */
  readonly all?: boolean | undefined;
}

/** A line: its depth, its gas, what happened. */
interface Line {
  readonly depth: number;
  readonly gas: bigint | undefined;
  readonly text: string;
}

/** The lines of calls and of all calls inside them. */
export function callLines(calls: readonly TraceCall[], { all = false }: TraceTextOptions): string[] {
  const writer = new LineWriter(all);
  for (const call of calls) writer.call(call);
  const width = writer.lines.reduce((most, { gas }) => Math.max(most, String(gas ?? '').length), 0);
  return writer.lines.map(
    ({ depth, gas, text }) => `${String(gas ?? '').padStart(width)}  ${'  '.repeat(depth)}${text}`,
  );
}

class LineWriter {
  readonly lines: Line[] = [];
  readonly #all: boolean;

  constructor(all: boolean) {
    this.#all = all;
  }

  call(call: TraceCall, depth = 0): void {
    if (isUnmetered(call)) {
      const count = [...walkCalls(call.calls)].length + call.omittedCalls;
      this.#add(depth, undefined, `${call.module}::${call.function}()  unmetered, ${count} calls`);
      return;
    }
    const failed = call.isFailed ? '  failed' : '';
    this.#add(depth, call.gasUsed, `${this.#effect(call) ?? this.#callText(call)}${failed}`);
    const isFolded = !this.#all && isLibrary(call);
    for (const inner of call.calls) {
      if (isFolded) this.#effects(inner, depth + 1);
      else this.call(inner, depth + 1);
    }
    const { omittedCalls, omittedGas } = call;
    if (omittedCalls > 0) this.#add(depth + 1, omittedGas, `${omittedCalls} calls that are not kept`);
  }

  /** What a folded call accessed and emitted; if it failed, everything that it called. */
  #effects(call: TraceCall, depth: number): void {
    if (call.isFailed) {
      this.call(call, depth);
      return;
    }
    const text = this.#effect(call);
    if (text !== undefined) this.#add(depth, call.gasUsed, text);
    for (const inner of call.calls) this.#effects(inner, depth);
  }

  #add(depth: number, gas: bigint | undefined, text: string): void {
    this.lines.push({ depth, gas, text: this.#all ? text : shortened(text) });
  }

  #callText(call: TraceCall): string {
    const { typeArguments, results } = call;
    const types = typeArguments.length === 0 ? '' : `<${typeArguments.map(displayType).join(', ')}>`;
    const given = call.arguments.map((value) => this.#value(value)).join(', ');
    const back = results?.map((value) => this.#value(value)).join(', ') ?? '';
    return `${call.module}::${call.function}${types}(${given})${back === '' ? '' : ` -> ${back}`}`;
  }

  #effect(call: TraceCall): string | undefined {
    const access = accessOf(call);
    if (access !== undefined) return this.#accessText(access, call);
    const event = eventOf(call);
    if (event !== undefined) return `emit ${displayType(event.data.type)} ${this.#value(event.data)}`;
    const printed = printOf(call);
    return printed && `print ${this.#value(printed)}`;
  }

  #accessText({ kind, operation, object, key, name }: TraceAccess, call: TraceCall): string {
    const field = name === undefined ? key && `, field ${key}` : `, field ${this.#text(name)}`;
    const found = operation === 'contains' ? ` -> ${call.results?.map((value) => this.#value(value)) ?? ''}` : '';
    return `${kind} (${operation}) object ${object}${field ?? ''}${found}`;
  }

  #value({ value, bytes }: TraceValue): string {
    return bytes === undefined ? '(not kept)' : this.#text(value!);
  }

  #text(value: DecodedValue): string {
    const json = valueText(value);
    const text = this.#all ? json : shortened(json);
    return text.length <= TRACE_TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TRACE_TEXT_CHARACTERS_MAX)}...`;
  }
}

/** Calls from outside other than the action cost nothing. */
function isUnmetered({ module, gasUsed, isFailed }: TraceCall): boolean {
  return module === '0x3::transaction_validator' && gasUsed === 0n && !isFailed;
}

function isLibrary({ module }: TraceCall): boolean {
  return module.startsWith('0x1::') || module.startsWith('0x2::');
}

/** `0x3` for a system address written in full, `0x12f107..488b` for a long one. */
function shortened(text: string): string {
  return text.replaceAll(/0x([0-9a-f]{16,})/g, (whole, digits: string) => {
    const significant = digits.replace(/^0+/, '');
    if (digits.length === 64 && significant.length <= 4) return `0x${significant === '' ? '0' : significant}`;
    return `${whole.slice(0, 8)}..${whole.slice(-4)}`;
  });
}
