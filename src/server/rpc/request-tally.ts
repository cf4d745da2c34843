/**
 * Counts requests by method and outcome, with the time they took. Nothing is counted, and no clock is read, until
 * metrics are enabled.
 * @module
 */
import { METRIC_SECONDS } from '../../base/config.ts';
import { counter, gauge, type Metric, type MetricSample } from './metric.ts';

/** The requests of one method. */
interface MethodTally {
  /** By outcome: `ok`, the stable word of an error, or `notification` for a request without an answer. */
  readonly outcomes: Map<string, number>;
  /**
   * By index in METRIC_SECONDS: how many took at most that long, but longer than the previous boundary. The last entry
   * counts the rest.
   */
  readonly buckets: number[];
  /** Their total time in milliseconds. */
  ms: number;
}

export class RequestTally {
  readonly #methods = new Map<string, MethodTally>();
  #isOn = false;
  /** Number of requests waiting for their turn. */
  waiting = 0;

  /** Starts counting. */
  begin(): void {
    this.#isOn = true;
  }

  /** When a request arrived, for `count`; undefined while nothing is counted. Milliseconds. */
  arrival(): number | undefined {
    return this.#isOn ? performance.now() : undefined;
  }

  /**
   * Counts a request that is answered.
   * @param arrival the result of `arrival`; without it nothing is counted
   * @param method an existing method, or `unknown`: names invented by clients would take memory
   */
  count(arrival: number | undefined, method: string, outcome: string): void {
    if (arrival === undefined) return;
    let tally = this.#methods.get(method);
    if (tally === undefined) {
      tally = { outcomes: new Map(), buckets: new Array<number>(METRIC_SECONDS.length + 1).fill(0), ms: 0 };
      this.#methods.set(method, tally);
    }
    const ms = performance.now() - arrival;
    tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
    const longer = METRIC_SECONDS.findIndex((seconds) => ms <= seconds * 1_000);
    tally.buckets[longer === -1 ? METRIC_SECONDS.length : longer]!++;
    tally.ms += ms;
  }

  /** The counts so far. */
  metrics(): Metric[] {
    const methods = [...this.#methods].sort(([one], [other]) => (one < other ? -1 : 1));
    return [
      counter(
        'movelet_requests',
        'JSON-RPC requests that were answered, each of a batch.',
        methods.flatMap(([method, { outcomes }]) =>
          [...outcomes].map(([outcome, value]) => ({ labels: { method, outcome }, value })),
        ),
      ),
      {
        name: 'movelet_request_seconds',
        type: 'histogram',
        unit: 'seconds',
        help: 'Time from the arrival of a JSON-RPC request to its answer, waiting for its turn included.',
        samples: methods.flatMap(([method, tally]) => histogram({ method }, tally)),
      },
      gauge('movelet_waiting_requests', 'JSON-RPC requests that wait for their turn of the thread.', this.waiting),
    ];
  }
}

/** Each bucket of a histogram includes all shorter ones. */
function histogram(labels: Readonly<Record<string, string>>, { buckets, ms }: MethodTally): MetricSample[] {
  let count = 0;
  const samples = buckets.map((more, index): MetricSample => {
    count += more;
    return { suffix: '_bucket', labels: { ...labels, le: boundary(METRIC_SECONDS[index]) }, value: count };
  });
  return [...samples, { suffix: '_count', labels, value: count }, { suffix: '_sum', labels, value: ms / 1_000 }];
}

/** A boundary as OpenMetrics writes it: even whole numbers have a fraction. */
function boundary(seconds: number | undefined): string {
  if (seconds === undefined) return '+Inf';
  return Number.isInteger(seconds) ? `${seconds}.0` : `${seconds}`;
}
