/**
 * The methods of an adapter by name, the error for an unknown name, and the document that describes them all.
 * @module
 */
import { PACKAGE_VERSION } from '../../base/config.ts';
import { METHOD_NOT_FOUND } from '../../base/json-rpc.ts';
import { type RpcError, rpcError } from './error.ts';
import type { JsonValue } from './json.ts';
import { isDevMethod, methodTable, type NamedMethod, type Namespace } from './methods.ts';
import { nearestName } from './nearest.ts';
import { openRpcDocument } from './openrpc.ts';
import type { RpcLimits } from './options.ts';

/** The method that describes all others. */
export const DISCOVER = 'rpc.discover';

const DEV_HINT = 'start the node with --dev, or make the adapter by createRpc(engine, { dev: true })';

export class MethodCatalogue {
  readonly #methods: ReadonlyMap<string, NamedMethod>;
  readonly #limits: RpcLimits;

  /** @param isDev whether the controls of a test node are among them */
  constructor(namespaces: readonly Namespace[], isDev: boolean, limits: RpcLimits) {
    this.#methods = methodTable(namespaces, isDev);
    this.#limits = limits;
  }

  /** All but `rpc.discover`. */
  values(): Iterable<NamedMethod> {
    return this.#methods.values();
  }

  get(name: string): NamedMethod | undefined {
    return this.#methods.get(name);
  }

  /** The error for an unknown name; undefined if the method exists. */
  unknown(name: string): RpcError | undefined {
    if (name === DISCOVER || this.#methods.has(name)) return undefined;
    if (isDevMethod(name))
      return rpcError(METHOD_NOT_FOUND, `${name} is off: ${DEV_HINT}`, 'method-not-found', { hint: DEV_HINT });
    const names = [...this.#methods.keys(), DISCOVER];
    const nearest = names.find((one) => one.endsWith(`_${name}`)) ?? nearestName(name, names);
    const hint = nearest === undefined ? 'rpc.discover lists the methods' : `did you mean ${nearest}?`;
    const shown = name.length <= 80 ? name : `${name.slice(0, 80)}...`;
    return rpcError(METHOD_NOT_FOUND, `Method not found: ${shown}; ${hint}`, 'method-not-found', { hint });
  }

  /** What `rpc.discover` answers. */
  document(): JsonValue {
    return openRpcDocument(this.#methods.values(), { packageVersion: PACKAGE_VERSION, limits: { ...this.#limits } });
  }
}
