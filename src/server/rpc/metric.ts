/**
 * Metrics as data, independent of the format in which they are written.
 * Source: the data model of OpenMetrics 1.0 (https://github.com/prometheus/OpenMetrics, section 4).
 * @module
 */

/** One number. */
export interface MetricSample {
  /** What follows the metric's name: `_total`, `_bucket`, `_sum`, `_count`, `_info`; nothing for a gauge. */
  readonly suffix?: '_total' | '_bucket' | '_sum' | '_count' | '_info';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Numbers of one kind. */
export interface Metric {
  /** Ends with its unit, if it has one. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  readonly unit?: 'bytes' | 'seconds';
  /** One sentence for people. */
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

/** A metric of one number. */
export function gauge(name: string, help: string, value: number, unit?: Metric['unit']): Metric {
  return { name, type: 'gauge', help, samples: [{ value }], ...(unit && { unit }) };
}

/** A metric of numbers that only grow, one for each set of labels. */
export function counter(
  name: string,
  help: string,
  samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[],
): Metric {
  return { name, type: 'counter', help, samples: samples.map((sample) => ({ suffix: '_total', ...sample })) };
}
