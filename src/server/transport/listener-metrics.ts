/**
 * The metrics of an HTTP listener.
 * @module
 */
import type { Metric } from '../rpc/metric.ts';
import type { Budgets } from './budget.ts';
import type { Connection } from './connection.ts';

/**
 * The metrics of a listener, added up on request.
 * @param streams number of open event streams, each of which has a connection
 */
export function listenerMetrics(
  connections: Iterable<Connection>,
  streams: number,
  { requestBytes, unsentBytes }: Budgets,
): Metric[] {
  let http = -streams;
  let webSockets = 0;
  const held = { requestBytes: 0, requests: 0, unsentBytes: 0 };
  for (const connection of connections) {
    if (connection.upgraded) webSockets++;
    else http++;
    held.requestBytes += connection.requestBytes.held;
    held.requests += connection.requests;
    held.unsentBytes += connection.unsentBytes.held;
  }
  return [
    gauge('movelet_connections', 'Open connections of the listener.', [
      { labels: { kind: 'http' }, value: http },
      { labels: { kind: 'websocket' }, value: webSockets },
      { labels: { kind: 'event_stream' }, value: streams },
    ]),
    ...budget(
      'movelet_request_memory',
      'requests that arrive, wait or are at work',
      held.requestBytes,
      requestBytes.max,
    ),
    ...budget(
      'movelet_unsent_memory',
      'answers and notifications that are not sent',
      held.unsentBytes,
      unsentBytes.max,
    ),
    gauge('movelet_requests_in_flight', 'Requests that the listener has taken and not answered.', [
      { value: held.requests },
    ]),
  ];
}

function budget(name: string, what: string, used: number, max: number): Metric[] {
  return [
    { ...gauge(`${name}_bytes`, `Bytes of ${what}.`, [{ value: used }]), unit: 'bytes' },
    { ...gauge(`${name}_limit_bytes`, `The bound of ${name}_bytes.`, [{ value: max }]), unit: 'bytes' },
  ];
}

function gauge(name: string, help: string, samples: Metric['samples']): Metric {
  return { name, type: 'gauge', help, samples };
}
