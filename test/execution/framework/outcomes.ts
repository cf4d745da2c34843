/**
 * What of two runs of one transaction must be equal: between the engines everything, between two frameworks what does
 * not depend on how functions are written.
 * @module
 */
import { toHex } from '../../../src/base/bytes/bytes.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { canonicalType, displayStruct } from '../../../src/move/type-tag.ts';
import { formatObjectId } from '../../../src/query/transaction-builder.ts';
import type { Result, Source, Step, TransactionResult } from './framework-world.ts';
import type { Transaction } from './random-call.ts';

/** What engines must agree on: values, status, location, gas, effects. Without gas there are no effects. */
export function outcomeOf(result: TransactionResult): unknown {
  const { results } = result;
  return isOutOfGas(result) ? { results } : { results, ...effectsOf(result) };
}

/** What frameworks must agree on: values, status, abort code and the module that failed, effects of what returned. */
export function outcomeWithoutCode(result: TransactionResult): unknown {
  const results = result.results.map(({ kind, text, referents }) => [kind, withoutOffset(kind, text), ...referents]);
  return hasFailed(result) ? { results } : { results, ...effectsOf(result) };
}

export function hasFailed({ results }: TransactionResult): boolean {
  return results.at(-1)?.kind === 'failed';
}

export function isOutOfGas({ results }: TransactionResult): boolean {
  return results.at(-1)?.text.startsWith('OUT_OF_GAS') === true;
}

function withoutOffset(kind: Result['kind'], text: string): string {
  return kind === 'failed' ? text.replace(/ at (\w+):\d+:\d+$/, ' in $1') : text;
}

function effectsOf({ touched, output }: TransactionResult): Record<string, unknown> {
  const { changeSet, events, context } = output;
  return {
    values: [...touched].map(([index, { type, bytes }]) => `${index} ${type} ${toHex(bytes)}`),
    changes: linesOf(changeSet.changes),
    globalSize: changeSet.globalSize,
    events: events.map(({ eventType, eventData, handle, eventIndex }) =>
      [displayStruct(eventType), toHex(eventData), formatObjectId(handle), eventIndex].join(' '),
    ),
    idsCreated: context.idsCreated,
    entries: context.entries.map(({ key, typeName, data }) => `${key} ${typeName} ${toHex(data)}`),
  };
}

/** One line for each object, followed by its fields. */
export function linesOf(changes: FieldChanges): string[] {
  return changes.flatMap(([, { meta, value, fields }]) => {
    const bytes = value === undefined || value.kind === 'delete' ? '' : toHex(value.value);
    const facts = [toHex(meta.owner), meta.flag, meta.size, meta.createdAt, meta.updatedAt, value?.kind, bytes];
    return [`${formatObjectId(meta.id)} ${displayStruct(meta.objectType)} ${facts.join(' ')}`, ...linesOf([...fields])];
  });
}

/** The steps of a transaction, to say what differed. */
export function describeSteps({ steps, settings, results }: Transaction): string {
  const lines = steps.map((step, index) => {
    const types = step.typeArguments.length === 0 ? '' : `<${step.typeArguments.map(canonicalType).join(', ')}>`;
    const sources = step.sources.map((source) => describeSource(source, settings.kept));
    const texts = results.map((result) => result.results[index]?.text.slice(0, 200) ?? 'nothing');
    return `${nameOfStep(step)}${types}(${sources.join(', ')})\n  ${texts.join('\n  ')}`;
  });
  return `sender ${toHex(settings.sender)}\n${lines.join('\n')}`;
}

export function nameOfStep({ module, function: name }: Pick<Step, 'module' | 'function'>): string {
  return `0x${toHex(module.address).replace(/^0+/, '')}::${module.name}::${name}`;
}

function describeSource(source: Source, kept: Transaction['settings']['kept']): string {
  if (source.kind === 'bytes') return `0x${toHex(source.bytes)}`;
  if (source.kind !== 'kept') return `${source.kind} ${formatObjectId(source.id)}`;
  const value = kept.get(source.index);
  return value === undefined ? `value ${source.index}` : `value ${source.index}: 0x${toHex(value.bytes)}`;
}
