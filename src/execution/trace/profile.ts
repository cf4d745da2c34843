/**
 * A gas profile in the format of speedscope (https://www.speedscope.app); its schema is
 * https://www.speedscope.app/file-format-schema.json.
 *
 * It is an evented profile: functions open and close over time, where time is gas. Calls of one function with different
 * type arguments share a frame. Gas used before any code ran, and gas of calls that are not kept, has separate frames.
 * @module
 */
import { PACKAGE_VERSION } from '../../base/config.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import type { TraceCall } from './call.ts';

interface ProfileEvent {
  /** A frame opens, or closes. */
  readonly type: 'O' | 'C';
  /** Its position in `shared.frames`. */
  readonly frame: number;
  /** Gas units since the beginning. */
  readonly at: number;
}

/** A speedscope file. */
export interface GasProfile {
  readonly $schema: 'https://www.speedscope.app/file-format-schema.json';
  readonly exporter: string;
  readonly name: string;
  readonly activeProfileIndex: 0;
  readonly shared: { readonly frames: readonly { readonly name: string }[] };
  readonly profiles: readonly [
    {
      readonly type: 'evented';
      readonly name: string;
      readonly unit: 'none';
      readonly startValue: 0;
      readonly endValue: number;
      readonly events: readonly ProfileEvent[];
    },
  ];
}

/** The input of a profile. */
interface Profiled {
  readonly name: string;
  readonly calls: readonly TraceCall[];
  readonly gasUsed: bigint;
  /** Gas that was used before metered code ran. */
  readonly gasBefore: bigint;
}

export function gasProfile({ name, calls, gasUsed, gasBefore }: Profiled): GasProfile {
  const writer = new ProfileWriter();
  // The chain's own code before the action is unmetered, and runs before the size is paid for.
  const paid = calls.findIndex((call) => call.gasBefore >= gasBefore);
  const first = paid < 0 ? calls.length : paid;
  for (const call of calls.slice(0, first)) writer.call(call);
  if (gasBefore > 0n) writer.span('the size of the transaction', 0, Number(gasBefore));
  for (const call of calls.slice(first)) writer.call(call);
  const { events, frames } = writer;
  const profile = { type: 'evented', name, unit: 'none', startValue: 0, endValue: Number(gasUsed), events } as const;
  return {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    exporter: `movelet@${PACKAGE_VERSION}`,
    name,
    activeProfileIndex: 0,
    shared: { frames },
    profiles: [profile],
  };
}

class ProfileWriter {
  readonly events: ProfileEvent[] = [];
  readonly frames: { readonly name: string }[] = [];
  readonly #indexes = new Map<string, number>();

  span(name: string, from: number, to: number): void {
    const frame = this.#frame(name);
    this.events.push({ type: 'O', frame, at: from }, { type: 'C', frame, at: to });
  }

  call(call: TraceCall): void {
    const frame = this.#frame(`${call.module}::${call.function}`);
    const from = Number(call.gasBefore);
    const to = from + Number(call.gasUsed);
    this.events.push({ type: 'O', frame, at: from });
    // Calls that are not kept came after those that are, except for a call that failed.
    const failed = call.calls.at(-1)?.isFailed === true ? call.calls.at(-1) : undefined;
    for (const inner of call.calls) if (inner !== failed) this.call(inner);
    if (call.omittedGas > 0n) {
      const end = failed === undefined ? to : Number(failed.gasBefore);
      this.span('calls that are not kept', end - Number(call.omittedGas), end);
    }
    if (failed !== undefined) this.call(failed);
    this.events.push({ type: 'C', frame, at: to });
  }

  #frame(name: string): number {
    return getOrInsert(this.#indexes, name, () => this.frames.push({ name }) - 1);
  }
}
