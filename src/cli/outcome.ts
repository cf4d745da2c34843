/**
 * The outcome of a transaction in words, from the answers of executeRawTransaction and dryRunRawTransaction. Source of
 * their forms: crates/rooch-rpc-api/src/jsonrpc_types/execute_tx_response.rs of the reference.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { ABORT_NAMES } from '../execution/framework/abort-names.ts';
import { readResult } from './node-answer.ts';

export interface Outcome {
  readonly isExecuted: boolean;
  /** Lines for people. */
  readonly text: string;
}

/** Number of changes listed; publishing and first transfers have dozens. */
const CHANGES_SHOWN = 20;

interface StatusJson {
  readonly type: string;
  readonly location?: string;
  readonly abort_code?: string;
  readonly function?: number;
  readonly code_offset?: number;
}

interface ChangeJson {
  readonly metadata: { readonly id: string; readonly object_type: string };
  readonly value: Readonly<Record<string, unknown>> | null;
  readonly fields: readonly ChangeJson[];
}

interface ExecutedJson {
  readonly sequence_info: { readonly tx_order: string } | null;
  readonly execution_info: { readonly tx_hash: string; readonly gas_used: string; readonly status: StatusJson } | null;
  /** Where it failed. A reference node leaves this empty. */
  readonly error_info: SimulatedJson | null;
  readonly output: {
    readonly changeset: { readonly changes: readonly ChangeJson[] } | null;
    readonly events: readonly {
      readonly event_type: string;
      readonly event_data: string;
      readonly decoded_event_data: unknown;
    }[];
  } | null;
}

/** Why it failed, as far as the node says; the reference network gives only the message. */
interface FailureJson {
  readonly error_message: string;
  readonly failure?: {
    readonly abort_meaning: string | null;
    readonly call_stack:
      | readonly {
          readonly module: string;
          readonly function: string;
          readonly code_offset: number;
          readonly instruction: string | null;
          /** Present if the node knows the sources. */
          readonly source?: string;
        }[]
      | null;
  };
}

interface SimulatedJson {
  readonly raw_output: { readonly gas_used: string | number; readonly status: StatusJson };
  readonly vm_error_info: FailureJson;
}

/** @param answer to executeRawTransaction, JSON text */
export function executedText(answer: string): Outcome {
  return readResult('rooch_executeRawTransaction', answer, executed);
}

function executed(answer: ExecutedJson): Outcome {
  const { sequence_info: sequence, execution_info: info, error_info: error, output } = answer;
  if (sequence === null || info === null) {
    throw new EngineError('not-found', 'the chain went back before the transaction could be read');
  }
  const changes = linesOf(output?.changeset?.changes ?? []);
  const events = (output?.events ?? []).map(
    ({ event_type, event_data, decoded_event_data }) =>
      `${event_type} ${decoded_event_data === null ? event_data : shortTypes(JSON.stringify(plain(decoded_event_data)))}`,
  );
  const lines = [
    `${error?.vm_error_info.error_message ?? statusText(info.status)}; order ${sequence.tx_order}`,
    ...failureLines(error?.vm_error_info),
    `hash  ${info.tx_hash}`,
    `gas   ${info.gas_used}`,
    ...section('events', events, events.length),
    ...section('changes', changes, CHANGES_SHOWN),
  ];
  return { isExecuted: info.status.type === 'executed', text: `${lines.join('\n')}\n` };
}

/** @param answer to dryRunRawTransaction, JSON text */
export function simulatedText(answer: string): Outcome {
  return readResult('rooch_dryRunRawTransaction', answer, simulated);
}

function simulated({ raw_output: output, vm_error_info: failure }: SimulatedJson): Outcome {
  const isExecuted = output.status.type === 'executed';
  const what = isExecuted ? 'would be executed' : `would fail: ${failure.error_message || statusText(output.status)}`;
  return { isExecuted, text: `${[what, ...failureLines(failure), `gas   ${output.gas_used}`].join('\n')}\n` };
}

/** What an abort code means, and the calls that led there, the innermost first. */
function failureLines(info: FailureJson | undefined): string[] {
  const { abort_meaning: meaning, call_stack: stack } = info?.failure ?? {};
  const frames = (stack ?? []).map(({ module, function: name, code_offset: offset, instruction, source }) => {
    return `  at ${module}::${name}${source === undefined ? '' : `, ${source}`}, offset ${offset}${instruction === null ? '' : `: ${instruction}`}`;
  });
  return [...(meaning ? [meaning] : []), ...frames.reverse()];
}

function statusText(status: StatusJson): string {
  const { type, location = '', abort_code: code } = status;
  // Some forms write the whole address, without 0x.
  const place = location.replace(/^(?:0x)?0*([0-9a-f]+::)/, '0x$1');
  switch (type) {
    case 'executed':
      return 'executed';
    case 'outofgas':
      return 'out of gas';
    case 'moveabort': {
      const name = ABORT_NAMES[place]?.[Number(code)];
      return `aborted with code ${code}${name === undefined ? '' : ` (${name})`} in ${place}`;
    }
    case 'executionfailure':
      return `failed in ${place} at offset ${status.code_offset} of function ${status.function}`;
    default:
      return `failed (${type})`;
  }
}

function section(title: string, lines: readonly string[], shown: number): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > shown ? [`  ${lines.length - shown} more; --json shows them`] : [];
  return [`${title} (${lines.length})`, ...lines.slice(0, shown).map((line) => `  ${line}`), ...more];
}

const CHANGE_WORDS: Readonly<Record<string, string>> = { new: 'created', modify: 'modified', delete: 'removed' };

function linesOf(changes: readonly ChangeJson[]): string[] {
  return changes.flatMap(({ metadata, value, fields }) => {
    // If there is no value, its metadata or fields changed.
    const kind = value === null ? 'touched' : CHANGE_WORDS[Object.keys(value)[0] ?? ''];
    return [`${(kind ?? 'changed').padEnd(8)}  ${metadata.object_type}  ${metadata.id}`, ...linesOf(fields)];
  });
}

/** Shortens type names by the leading zeros of package addresses. */
function shortTypes(text: string): string {
  return text.replace(/0x0+([0-9a-f]+)::/g, '0x$1::');
}

/** A decoded value without the types of its structs. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { type, abilities, field, value: inner } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || typeof abilities !== 'number') {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  }
  if (!Array.isArray(field) || !Array.isArray(inner)) return plain(inner);
  return inner.map((row: readonly unknown[]) => Object.fromEntries(field.map((name, at) => [name, plain(row[at])])));
}
