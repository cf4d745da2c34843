/**
 * The options of `serveHttp`.
 * @module
 */
import { A_BOOLEAN, arrayOf, bound, type Expectation, TEXT, wholeNumber } from '../../base/argument.ts';
import type { GuardOptions } from './guard.ts';
import type { ProbeOptions } from './probes.ts';
import { RESPONDER_OPTIONS, type ResponderOptions } from './responder.ts';
import type { WebSocketOptions } from './websocket.ts';

/** Options of `serveHttp`. Bounds default to the constant of the same name in config.ts. */
export interface HttpOptions extends GuardOptions, ProbeOptions, ResponderOptions, WebSocketOptions {
  /** Address or name to listen on. Default `127.0.0.1`: this machine only. `0.0.0.0` listens on every IPv4 address. */
  readonly host?: string | undefined;
  /** TCP port; 0 picks a free one. Default 6767. */
  readonly port?: number | undefined;
  /**
   * Whether the controls of a test node may be used even if other machines can reach the listener: because it binds a
   * non-loopback address or has names in `hosts`. Default false. Unless `createRpc` enables them, they are off
   * altogether.
   */
  readonly devExposed?: boolean | undefined;
  /** Whether `GET /` serves the web client. Default true. */
  readonly page?: boolean | undefined;
  readonly connectionsMax?: number | undefined;
  /** Unanswered requests on one connection. */
  readonly pipelinedRequestsMax?: number | undefined;
  /** Bytes of all requests that the listener holds at once. */
  readonly inFlightBytesMax?: number | undefined;
  /** Unsent bytes of answers and notifications on all connections. */
  readonly allUnsentBytesMax?: number | undefined;
  readonly headersMsMax?: number | undefined;
  readonly requestMsMax?: number | undefined;
  readonly sendMsMax?: number | undefined;
  readonly idleMsMax?: number | undefined;
}

/** The valid values of each option. */
export const HTTP_OPTIONS: { readonly [name in keyof HttpOptions]-?: Expectation } = {
  ...RESPONDER_OPTIONS,
  host: ['the address or name to listen on', (value) => typeof value === 'string' && value !== ''],
  port: wholeNumber(0, 65_535),
  hosts: arrayOf(TEXT),
  cors: arrayOf(TEXT),
  devExposed: A_BOOLEAN,
  page: A_BOOLEAN,
  metrics: A_BOOLEAN,
  health: A_BOOLEAN,
  connectionsMax: bound(0),
  pipelinedRequestsMax: bound(0),
  inFlightBytesMax: bound(0),
  inFlightRequestsMax: bound(0),
  allUnsentBytesMax: bound(0),
  unsentBytesMax: bound(0),
  requestBytesMax: bound(0),
  headersMsMax: bound(0),
  requestMsMax: bound(0),
  sendMsMax: bound(0),
  idleMsMax: bound(0),
  answerMsMax: bound(0),
  closeMsMax: bound(0),
  pingIntervalMs: bound(0),
};
