/**
 * The doors of the package and the names behind them. A name that is added, lost or renamed shows here first: whoever
 * changes the public surface changes this list in the same commit, on purpose.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Door {
  /** What exists at run time, sorted. */
  readonly values: readonly string[];
  /** What exists for the compiler only, sorted. */
  readonly types: readonly string[];
}

const DOORS: Readonly<Record<string, Door>> = {
  '.': {
    values: [
      'DEV_ACCOUNTS',
      'DEV_MNEMONIC',
      'DEV_SEQUENCER',
      'ERROR_CODES',
      'Engine',
      'EngineError',
      'GAS_COIN_TYPE',
      'addSources',
      'record',
      'replay',
      'toBech32',
      'toBitcoinAddress',
      'verifyStateProof',
    ],
    types: [
      'AccessOperation',
      'AccessPathInput',
      'Account',
      'AccumulatorValue',
      'ActionInput',
      'ActionValue',
      'AddressInput',
      'Balance',
      'BitcoinHashInput',
      'BitcoinStatus',
      'BlockHeaderValue',
      'BlockPlace',
      'BlockReference',
      'BlockValue',
      'CacheUsage',
      'CallOptions',
      'ChainTime',
      'ChainView',
      'ChangeKind',
      'Clock',
      'CommitLog',
      'ComparedMembers',
      'Controls',
      'DecodedStruct',
      'DecodedValue',
      'DevAccount',
      'DiffOptions',
      'DiffedState',
      'Durability',
      'EngineErrorOptions',
      'EngineOptions',
      'ErrorCode',
      'EventFilter',
      'EventProof',
      'EventValue',
      'ExecutionInfoValue',
      'ExplainedFailure',
      'FieldEdit',
      'FieldKeyInput',
      'FieldPage',
      'FieldPageOptions',
      'FieldValue',
      'FollowerStatus',
      'ForkOptions',
      'FunctionGas',
      'GasProfile',
      'HashInput',
      'HeadChange',
      'HeadValue',
      'HistoryOptions',
      'HistoryStatus',
      'IndexedEvent',
      'IndexedField',
      'IndexedObject',
      'IngestOptions',
      'Ingested',
      'InscriptionFilter',
      'InscriptionIdInput',
      'InscriptionsLeftOut',
      'IntegerInput',
      'LedgerTransactionValue',
      'Log',
      'LogAppends',
      'LogEntry',
      'LogHead',
      'LogRecord',
      'LogRole',
      'LogStatus',
      'MemberChange',
      'MinedBlockValue',
      'ModuleSource',
      'ModulesInput',
      'NextBlockOptions',
      'Notice',
      'ObjectEdit',
      'ObjectFilter',
      'ObjectIdInput',
      'ObjectMetaValue',
      'ObjectValue',
      'ObjectVersion',
      'OrderRange',
      'OrderedChangeSet',
      'OutPointInput',
      'OwnedInscription',
      'OwnedUtxo',
      'Page',
      'PageOptions',
      'PlainJson',
      'Position',
      'ProvenState',
      'PruneOptions',
      'PruneProgress',
      'ReadOptions',
      'Readable',
      'Receipt',
      'ReceiptChange',
      'ReceiptEvent',
      'RecordOptions',
      'Recording',
      'ReplayOptions',
      'RescanOptions',
      'RescanProgress',
      'RescanResult',
      'RootOrOrder',
      'SequenceInfoValue',
      'ServiceStatus',
      'SignedInput',
      'SimulatedCall',
      'SimulationInput',
      'Snapshot',
      'StackFrame',
      'StateChange',
      'StateChangeKind',
      'StateDiff',
      'StateProof',
      'StateProofStep',
      'Status',
      'StatusOf',
      'StructTagInput',
      'StructType',
      'TimeRange',
      'Trace',
      'TraceAccess',
      'TraceCall',
      'TraceEvent',
      'TraceFailure',
      'TraceOptions',
      'TraceTextOptions',
      'TraceValue',
      'TransactionFilter',
      'TransactionInput',
      'TransactionKind',
      'TransactionOptions',
      'TransactionProof',
      'TransactionValue',
      'TypeTagInput',
      'TypedCall',
      'Usage',
      'UtxoFilter',
      'ViewArgument',
      'ViewCall',
      'ViewOptions',
      'ViewResult',
      'ViewStatus',
      'ViewValue',
      'WithText',
    ],
  },
  './rpc': {
    values: ['RpcError', 'createRpc', 'forwardTo', 'serveHttp', 'servePort', 'serveStdio', 'stringifyJson'],
    types: [
      'Count',
      'DevEngine',
      'EmitterPort',
      'EventTargetPort',
      'ExactNumber',
      'Forms',
      'Forward',
      'GuardOptions',
      'HttpOptions',
      'HttpServer',
      'JsonInteger',
      'JsonObject',
      'JsonPage',
      'JsonPosition',
      'JsonValue',
      'ListItem',
      'Meter',
      'MethodName',
      'MethodParams',
      'MethodResult',
      'Metric',
      'MetricSample',
      'NamedParams',
      'Namespace',
      'PortOptions',
      'PortServer',
      'ProbeOptions',
      'RequestParams',
      'ResponderOptions',
      'Rpc',
      'RpcCall',
      'RpcContext',
      'RpcEngine',
      'RpcHandler',
      'RpcOptions',
      'RpcView',
      'StdioEnd',
      'StdioOptions',
      'StdioServer',
      'WebSocketOptions',
    ],
  },
  './rooch': {
    values: ['RoochRpcError', 'roochTransport'],
    types: [
      'RoochRequest',
      'RoochSseSubscription',
      'RoochSubscription',
      'RoochTransport',
      'RoochTransportOptions',
      'Unsubscribe',
    ],
  },
  './transaction': {
    values: [
      'accountNamedObjectId',
      'accountObjectId',
      'accumulatorInfo',
      'action',
      'annotate',
      'authenticator',
      'bitcoinSigner',
      'buildTransaction',
      'callFunction',
      'canonicalType',
      'childObjectId',
      'customObjectId',
      'decode',
      'deriveFieldKey',
      'displayType',
      'encode',
      'encodeTransaction',
      'event',
      'executionInfo',
      'formatAccessPath',
      'formatAddress',
      'formatAddressBech32',
      'formatAddressShort',
      'formatFieldKey',
      'formatObjectId',
      'fromHex',
      'keptStatus',
      'ledgerTransaction',
      'ledgerTransactionHash',
      'multisignSigner',
      'namedObjectId',
      'objectChange',
      'objectId',
      'objectMeta',
      'objectState',
      'parseAccessPath',
      'parseAddress',
      'parseFieldKey',
      'parseFunctionId',
      'parseObjectId',
      'parseStructTag',
      'parseTypeTag',
      'proofCodec',
      'publishModules',
      'resourceFieldKey',
      'sequenceInfo',
      'sessionAuthenticationKey',
      'sessionSigner',
      'signedTransaction',
      'stateChangeSet',
      'stringFieldKey',
      'toHex',
      'toHexPrefixed',
      'transactionData',
      'transactionEvent',
      'transactionHash',
      'typeTag',
      'verifyAuthenticator',
      'verifyProof',
    ],
    types: [
      'AccessPath',
      'AccumulatorInfo',
      'Action',
      'Address',
      'Authenticator',
      'BitcoinSigner',
      'BitcoinSignerOptions',
      'CallInput',
      'Codec',
      'Event',
      'ExecutionInfo',
      'FieldKey',
      'FunctionAction',
      'FunctionCall',
      'FunctionId',
      'KeptStatus',
      'Layout',
      'LayoutSource',
      'LedgerTransaction',
      'MessageForm',
      'ModuleAbi',
      'MoveValue',
      'ObjectChange',
      'ObjectId',
      'ObjectMeta',
      'ObjectState',
      'Proof',
      'SequenceInfo',
      'SessionScheme',
      'SessionSigner',
      'SignedTransaction',
      'Signer',
      'StateChangeSet',
      'StructLayout',
      'StructTag',
      'StructValue',
      'TransactionData',
      'TransactionEvent',
      'TransactionPlan',
      'TypeTag',
      'ValueChange',
      'VerifiedSigner',
    ],
  },
  './proof': {
    values: [
      'EngineError',
      'decodeProof',
      'encodeProof',
      'proofOfJson',
      'verifyEventProof',
      'verifyStateProof',
      'verifyTransactionProof',
    ],
    types: [
      'ChainProof',
      'EventProof',
      'ProvenEvent',
      'ProvenState',
      'ProvenTransaction',
      'StateProof',
      'StateProofStep',
      'TransactionKind',
      'TransactionProof',
      'TrustedAccumulator',
      'TrustedEvents',
    ],
  },
  './bitcoin': {
    values: [
      'BITCOIN_NETWORKS',
      'BitcoinNode',
      'Follower',
      'RegtestChain',
      'blockHeader',
      'cookieFile',
      'decodeBlock',
      'encodeBlock',
      'envelopesOf',
      'formatBitcoinAddress',
      'formatBitcoinHash',
      'formatInscriptionId',
      'formatOutPoint',
      'headerHash',
      'inscription',
      'nodeAddressOf',
      'parseBitcoinAddress',
      'parseBitcoinHash',
      'parseInscriptionId',
      'parseOutPoint',
      'reveal',
      'spend',
      'utxo',
    ],
    types: [
      'BitcoinBlock',
      'BitcoinNetwork',
      'BitcoinNodeOptions',
      'BitcoinTransaction',
      'BlockHeader',
      'DecodedBlock',
      'Envelope',
      'FollowedEngine',
      'FollowerOptions',
      'FollowerStatus',
      'Inscription',
      'InscriptionContent',
      'InscriptionId',
      'InscriptionRecord',
      'MineOptions',
      'MinedBlock',
      'OutPoint',
      'OutPointInput',
      'Payee',
      'PlannedInput',
      'PlannedOutput',
      'Utxo',
    ],
  },
  './compile': {
    values: ['compile', 'compileSources'],
    types: [
      'CompileOptions',
      'CompileSourcesOptions',
      'CompiledModule',
      'CompiledPackage',
      'CompiledSources',
      'ExpectedFailure',
      'SourceDiagnostic',
      'SourceLines',
      'SourcePlace',
      'UnitTest',
    ],
  },
  './testing': {
    values: ['PreparedChain', 'expectChain', 'fixture', 'matchers'],
    types: ['BalanceOf', 'ChainExpectation', 'MatchResult', 'PreparedChainOptions', 'TestChain'],
  },
  './vitest': {
    values: ['expect', 'test', 'testOn'],
    types: ['ChainFixtures', 'PreparedChainOptions'],
  },
  './store': {
    values: [
      'LevelStore',
      'MemoryStore',
      'MirrorStore',
      'OverlayStore',
      'beginBatch',
      'checkOperations',
      'checkPage',
      'checkRange',
      'dumpStore',
      'loadDump',
      'openDirectory',
      'storeCompliance',
    ],
    types: [
      'BatchOptions',
      'Checkpoint',
      'Database',
      'DirectoryOptions',
      'Durability',
      'KeyRange',
      'LargeBatch',
      'LevelStoreOptions',
      'LoadOptions',
      'Operation',
      'ReadableStore',
      'RevertibleStore',
      'Row',
      'Store',
      'StoreComplianceOptions',
      'StoreSupports',
      'StoreView',
    ],
  },
  './log': {
    values: ['logCompliance', 'openDirectoryLog', 'openPostgresLog', 'summaryOf'],
    types: [
      'CommitLog',
      'DirectoryLog',
      'DirectoryLogOptions',
      'LogComplianceOptions',
      'LogHead',
      'LogRecord',
      'PostgresConnection',
      'PostgresLogOptions',
      'ReadOptions',
      'RecordSummary',
    ],
  },
};

/** What one of the two kinds of modules gets. */
interface Target {
  readonly types: string;
  readonly default: string;
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly require: Target; readonly default: Target }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

const root = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Manifest;
const doors = Object.entries(manifest.exports).flatMap(([door, target]) =>
  typeof target === 'string' ? [] : [{ door, ...target }],
);

/** The names that a module exports, by its text or its declarations. */
function exportedNames(text: string): { values: string[]; types: string[] } {
  const values: string[] = [];
  const types: string[] = [];
  for (const [, keyword, list] of text.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const item of list!.split(',').map((name) => name.trim())) {
      const [, type, name] = /^(type )?(?:\S+ as )?(\S+)$/.exec(item) ?? [];
      if (name !== undefined) ((keyword ?? type) ? types : values).push(name);
    }
  }
  for (const [, word, name] of text.matchAll(
    /^export (?:declare )?(?:abstract |async )?(const|class|function|let|interface|type) (\w+)/gm,
  )) {
    (word === 'interface' || word === 'type' ? types : values).push(name!);
  }
  expect(text, 'a door names what it exports').not.toMatch(/^export \*|^export default/m);
  return { values: [...new Set(values)].sort(), types: [...new Set(types)].sort() };
}

describe('the doors of the package', () => {
  it('are the listed ones', () => {
    expect(doors.map(({ door }) => door).sort()).toEqual(Object.keys(DOORS).sort());
  });

  it.each(doors)('$door gives its names and no others', async ({ door, require: script, default: file }) => {
    const { types } = script;
    for (const path of [types, script.default, file.types, file.default]) {
      expect(existsSync(new URL(path, root)), `${path} is missing: run npm run build`).toBe(true);
    }
    const { values: expectedValues, types: expectedTypes } = DOORS[door] ?? { values: [], types: [] };

    const source = exportedNames(
      readFileSync(new URL(types.replace('./dist/declarations/', './src/').replace('.d.ts', '.ts'), root), 'utf8'),
    );
    const declared = exportedNames(readFileSync(new URL(types, root), 'utf8'));
    expect(declared, 'dist is older than src: run npm run build').toEqual(source);

    // Resolved as a user's program resolves it, by the package's own name.
    const name = door.replace('.', 'movelet');
    const require = createRequire(import.meta.url);
    expect(require.resolve(name)).toBe(fileURLToPath(new URL(script.default, root)));
    const resolved = import.meta.resolve(name);
    expect(resolved).toBe(new URL(file.default, root).href);
    const loaded = (await import(/* @vite-ignore */ resolved)) as Record<string, unknown>;
    expect(Object.keys(require(name) as object)).toEqual(Object.keys(loaded));
    expect(Object.keys(loaded).sort()).toEqual([...expectedValues].sort());
    expect(declared).toEqual({ values: [...expectedValues].sort(), types: [...expectedTypes].sort() });
  });

  it.each(doors)(
    '$door has the declarations of its kind of module beside its code',
    ({ door, require, default: file }) => {
      // The compiler looks for the nearest of these to know what a file is.
      const typeOf = (path: URL): unknown => {
        const nearest = new URL('package.json', path);
        if (!existsSync(nearest)) return typeOf(new URL('..', path));
        return (JSON.parse(readFileSync(nearest, 'utf8')) as { readonly type: unknown }).type;
      };
      const [types, doorTypes] = [new URL(require.types, root), new URL(file.types, root)];
      expect(typeOf(types)).toBe('commonjs');
      expect(typeOf(doorTypes)).toBe('module');
      expect(file.types).toBe(file.default.replace(/\.js$/, '.d.ts'));
      // One set of classes for both: a second declaration of a class is another one for the compiler.
      const passedOn = readFileSync(doorTypes, 'utf8');
      if (door === './vitest') expect(exportedNames(passedOn)).toEqual(exportedNames(readFileSync(types, 'utf8')));
      else {
        const [, from] = /^export \* from '(.*)\.js';\n$/.exec(passedOn) ?? [];
        expect(new URL(`${from}.d.ts`, doorTypes)).toEqual(types);
      }
    },
  );

  it('share their code: what one throws is the EngineError of the other', async () => {
    const load = (door: string): Promise<Record<string, unknown>> =>
      import(/* @vite-ignore */ import.meta.resolve(door));
    const { EngineError } = (await load('movelet')) as { EngineError: new () => Error };
    const { parseAddress } = (await load('movelet/transaction')) as { parseAddress: (text: string) => unknown };
    expect(() => parseAddress('no address')).toThrow(EngineError);
  });

  it('have a command and files that the package ships', () => {
    for (const target of Object.values(manifest.bin)) expect(target).toMatch(/^\.\/dist\//);
    const paths = doors.flatMap((door) => [door.require, door.default]).flatMap((target) => Object.values(target));
    for (const path of paths) expect(path).toMatch(/^\.\/dist\//);
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'src/execution/framework/move']));
  });
});

describe('the reading of names', () => {
  it.each([
    ["export { A, type B, c as D, type e as F } from './x.ts';", { values: ['A', 'D'], types: ['B', 'F'] }],
    ["export {\n  A,\n  B,\n} from './x.ts';", { values: ['A', 'B'], types: [] }],
    ["export type { A } from './x.ts';", { values: [], types: ['A'] }],
    ['export declare class A {}\nexport interface B {}', { values: ['A'], types: ['B'] }],
    [
      'export declare function f(): void;\nexport declare const c: number;\nexport type T = 1;',
      { values: ['c', 'f'], types: ['T'] },
    ],
    ['const hidden = 1;', { values: [], types: [] }],
  ])('%j', (text, expected) => {
    expect(exportedNames(text)).toEqual(expected);
  });

  it('refuses a door that does not name what it gives', () => {
    expect(() => exportedNames("export * from './x.ts';")).toThrow();
    expect(() => exportedNames('export default 1;')).toThrow();
  });
});
