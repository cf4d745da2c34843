/**
 * movelet trace: what a transaction of the past did, call by call.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { METHOD_NOT_FOUND } from '../base/json-rpc.ts';
import { type Arguments, type Command, command, UsageError } from './arguments.ts';
import { type AskedNode, NodeRefusal, OPENING_GROUP, onNode, PAST_OPTIONS, printAnswer, readResult } from './node.ts';

const METHOD = 'dev_trace';
const HASH_OR_ORDER = /^(?:\d{1,20}|(?:0x)?[0-9a-fA-F]{64})$/;

interface TraceJson {
  readonly text: string;
}

async function runTrace(args: Arguments): Promise<number> {
  const [transaction = ''] = args.positionals;
  if (!HASH_OR_ORDER.test(transaction)) {
    throw new UsageError(
      `ORDER|HASH: expected the order of a transaction, or a hash of 64 hex digits, got ${transaction}`,
    );
  }
  const answer = await onNode(args, (node) => traced(node, [transaction, { all: args.flag('all') }]), true);
  printAnswer(
    args,
    answer,
    readResult(METHOD, answer, (trace: TraceJson) => `${trace.text.trimEnd()}\n`),
  );
  return 0;
}

async function traced(node: AskedNode, params: readonly unknown[]): Promise<string> {
  try {
    return await node.ask(METHOD, JSON.stringify(params));
  } catch (error) {
    if (!(error instanceof NodeRefusal) || error.number !== METHOD_NOT_FOUND) throw error;
    throw new EngineError(
      'not-supported',
      'this node gives no traces: start it with --dev, or give --data DIR for a chain that no node has open',
      { cause: error },
    );
  }
}

export const traceCommand: Command = command({
  name: 'trace',
  summary: 'what a transaction did, call by call',
  usage: 'ORDER|HASH [--all] [--url URL | --data DIR]',
  example: '4',
  min: 1,
  help: `Runs the transaction again on the state before it. The first column is the gas of a call with all calls inside it. Each call
of the framework is one line, with what it read, wrote and emitted below it. A node must have the controls of a test node (--dev).`,
  options: {
    all: { help: 'the calls inside the framework too, and whole addresses and hashes' },
    json: { help: "print the node's answer" },
    ...PAST_OPTIONS,
  },
  more: [OPENING_GROUP],
  run: runTrace,
});
