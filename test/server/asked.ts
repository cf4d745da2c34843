/** What a node answers on the wire, with the result as the test that asks reads it. */
import type { Rpc, RpcContext } from '../../src/server/index.ts';

export interface Answer<Result = never> {
  readonly result: Result;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: {
      readonly code: string;
      readonly path?: string;
      readonly expected: string;
      readonly received: never;
    };
  };
}

export async function asked<Result = never>(
  rpc: Pick<Rpc, 'handle'>,
  method: string,
  params: readonly unknown[] = [],
  context?: RpcContext,
): Promise<Answer<Result>> {
  return JSON.parse((await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), context))!);
}
