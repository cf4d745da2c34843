/**
 * Limits and defaults that several parts share or that a caller may change, each with its reason. The unit and the bound
 * come last in the name. A limit that a caller may change is an option of the same name; the others are consensus or
 * format.
 * @module
 */

/** Height of a Bitcoin block that the command line accepts: the range of a u32, which is 80,000 years. */
export const BITCOIN_HEIGHT_MAX = 0xffff_ffff;

/** Milliseconds that a server may be silent while a dump is downloaded from it. */
export const DOWNLOAD_IDLE_MS_MAX = 60_000;

/**
 * Events that the result of ingesting a block holds, 400 bytes each; a block with one owner per transaction has 20,000.
 * Events of transactions beyond this are read from the ledger when they are asked for.
 */
export const INGESTED_EVENTS_MAX = 50_000;

/** The most blocks that can be required on top of a block before it is processed. Coinbases mature after 100. */
export const REORGANISATION_DEPTH_MAX = 1_000;

/** Parts of a value that is decoded for display, so that a large stored value cannot fill the memory of a reader. */
export const VALUE_NODES_MAX = 1_000_000;

/** Version of the data format that this program writes; part of the head. */
export const DATA_FORMAT_VERSION = 3;

/** The oldest format that it can continue. Since 2, each format has only added row forms to the one before. */
export const DATA_FORMAT_OLDEST = 2;

/** Commits that share one batch of the writer: bounds the rows in flight and what a failed sync can undo. */
export const WRITER_GROUP_COMMITS_MAX = 256;

/**
 * Commits of one turn that share a batch which is written while the turn goes on. Whatever is sent meanwhile comes
 * after the next batch, which is already executed, so the two together are the size of one batch.
 */
export const WRITER_BESIDE_COMMITS_MAX: number = WRITER_GROUP_COMMITS_MAX / 2;

/** Estimated operations of a commit above which it does not share a batch: it is written alone, in pieces. */
export const COMMIT_SHARED_OPERATIONS_MAX = 100_000;

/** Orders beyond the bound before pruning runs in the background: enough to be worth a batch of its own. */
export const PRUNE_ORDERS_MIN = 64;

/**
 * Operations of one piece of pruning, which a commit may have to wait for: 10 to 30 ms. A group of 256 commits leaves about
 * as many to prune, so pruning keeps up with the commits.
 */
export const PRUNE_PIECE_OPERATIONS = 4_096;

/** Modules whose sources the engines of a process know: enough for many packages, some 20 kB each. */
export const MODULE_SOURCES_MAX = 10_000;

/** Changed members of one object in a JSON-RPC answer; a list whose items all moved has one for each. */
export const CHANGE_MEMBERS_MAX = 1_000;

/** Fields that an answer over JSON-RPC lists with each version of their object. */
export const VERSION_FIELDS_MAX = 20;

/** Ids that one query may name; the reference's bound. */
export const QUERY_IDS_MAX = 100;

/** Chain ids of the reference's networks; custom chains use any other u64. */
export const CHAIN_ID_MAIN = 1n;
export const CHAIN_ID_TEST = 2n;
export const CHAIN_ID_DEV = 3n;
export const CHAIN_ID_LOCAL = 4n;

/** The most that each of the ten known accounts may have: the supply of a coin is a u256. */
export const ACCOUNT_BALANCE_MAX: bigint = ((1n << 256n) - 1n) / 10n;

/** Bytes of one row of a stored change set: only the largest transactions of a Bitcoin block need more than one. */
export const CHANGE_SET_PART_BYTES = 4_194_304;

/** Changes of a change set that is encoded in one go; a larger one is encoded piece by piece, a tenth slower. */
export const CHANGE_SET_CHANGES_AT_ONCE_MAX = 10_000;

/** Bytes of a log segment after which the next one begins: after a crash one segment is reread, in a few seconds. */
export const LOG_SEGMENT_BYTES: number = 64 * 2 ** 20;

/** Milliseconds of silence from a log after which writes no longer wait for it: a failover takes about ten seconds. */
export const LOG_OUTAGE_MS_MAX = 60_000;

/** Milliseconds that a request may wait for the order that it asks for: several polls of a reader. */
export const ORDER_WAIT_MS_MAX = 5_000;

/** Requests that may wait for an order at a time, over all connections; one more fails at once. */
export const ORDER_WAITS_MAX = 10_000;

/** Requests that a reader forwards to its writer at a time; one more fails at once. Each holds a connection. */
export const FORWARDS_MAX = 256;

/** Milliseconds in which the writer must answer a forwarded request: several times what a failover of its log takes. */
export const FORWARD_MS_MAX = 30_000;

/** Bytes of the writer's answer to a forwarded request: above a node's longest answer, RESPONSE_CHARACTERS_MAX. */
export const FORWARD_ANSWER_BYTES_MAX: number = 40 * 2 ** 20;

/** Bytes of a recording in memory: a quarter of a million transfers. One that is written elsewhere has no bound. */
export const RECORDING_BYTES_MAX: number = 256 * 2 ** 20;

/** Faults that a chaos remembers, so that a list nobody reads stops growing. */
export const CHAOS_EVENTS_MAX = 10_000;

/** Runs that failed tests leave in a folder: more than anyone will look at. */
export const REPLAY_FILES_MAX = 100;

/** Tree nodes held in memory at most: the tree of 100,000 objects has 139,000. */
export const TREE_CACHE_NODES_MAX = 200_000;

/** Estimated bytes of tree nodes held in memory at most: some 60,000 objects of 300 bytes and their branches. */
export const TREE_CACHE_BYTES_MAX = 67_108_864;

/** Items of a page if the request sets no limit; the reference's number. */
export const PAGE_ITEMS_DEFAULT = 50;

/** Items of a page at most under `chain_` and `btc_`: the interface has pages of 1000. */
export const PAGE_ITEMS_MAX_INTERFACE = 1000;

/** Items of a page at most in the current forms; the reference's number. */
export const PAGE_ITEMS_MAX_CURRENT = 200;

/** Pages of more than PAGE_ITEMS_DEFAULT items built at once: the largest take some 15 MB each meanwhile. */
export const LONG_PAGES_AT_ONCE = 2;

/** Milliseconds after which another such page is started beside one that is still scanning. */
export const LONG_PAGE_MS = 2_000;

/** Such pages at once, however long they take. */
export const LONG_PAGES_MAX = 16;

/** Such pages that may wait: half of the requests that a listener holds. */
export const LONG_PAGES_WAITING_MAX = 4_096;

/** Transactions whose change sets one request looks for; the reference's number. */
export const CHECKED_CHANGE_SETS_MAX = 2_000;

/** Transaction hashes in one request. */
export const QUERY_HASHES_MAX = 1000;

/** Characters of a module's listing over JSON-RPC: ten times that of the framework's largest module. */
export const DISASSEMBLY_CHARACTERS_MAX: number = 2 * 2 ** 20;

/**
 * Parts of the decoded values in one answer: as many as one value may have. A part takes a microsecond and up to a hundred
 * bytes, so that an answer of this many is made in a second.
 */
export const ANSWER_PARTS_MAX: number = VALUE_NODES_MAX;

/** Structs inside one object that queryObjectStates decodes; the reference's number. */
export const DECODED_STRUCTS_MAX = 200;

/** Version of the package, as `rpc.discover` reports it; a test compares it with package.json. */
export const PACKAGE_VERSION = '0.1.0';

/** Levels of nesting in a JSON-RPC message: no parameter of ours needs ten. */
export const JSON_DEPTH_MAX = 32;

/**
 * Objects and arrays of a JSON-RPC message: each may be as short as two characters but takes twenty times as much in
 * memory. A batch of the largest queries has a few thousand.
 */
export const JSON_LISTS_MAX = 20_000;

/**
 * Integers of a JSON-RPC message that a double cannot hold: each becomes an object and takes a microsecond, so that twenty
 * thousand of them took five times as long as the rest of the message. As texts they count like any other value.
 */
export const JSON_LONG_INTEGERS_MAX = 5_000;

/**
 * Members of all objects of a JSON-RPC message: one object with a hundred thousand of them takes 50 ms to read, five times
 * as long as anything else of its size.
 */
export const JSON_MEMBERS_MAX = 20_000;

/**
 * Commas of a JSON-RPC message, that is, values in arrays and members of objects beyond the first of each: a million numbers
 * take 25 ms to read, and texts are ten times as slow. A long byte string is one value, as hexadecimal text.
 */
export const JSON_VALUES_MAX = 100_000;

/** Messages of this many characters and more are read after cheap requests are answered: 2 MB take up to 50 ms. */
export const LARGE_MESSAGE_CHARACTERS = 65_536;

/** Requests of one batch: a batch is one message and answers as one. */
export const BATCH_REQUESTS_MAX = 100;

/**
 * Milliseconds of requests in a row before sockets are read and answers go out: time for ten balances, and a thirtieth of
 * what a round of the event loop may take if nobody is to wait longer than 100 ms.
 */
export const TURNS_MS = 2;

/** Fragments of one WebSocket message: a large one has some tens. */
export const WEBSOCKET_FRAGMENTS_MAX = 256;

/**
 * Milliseconds that a connection's first view is expected to take. If its views take longer, the next ones wait until the
 * connections with cheap requests are answered. A balance takes a hundredth of this.
 */
export const EXPENSIVE_TURN_MS = 1;

/**
 * A connection with cheap requests goes before an expensive request even if it has used up to this many milliseconds
 * more of the thread. Without this, new connections that asked for views went before a client whose first balance had
 * taken some milliseconds on a busy machine.
 */
export const EXPENSIVE_BEHIND_MS = 1_000;

/** Characters of one answer, batch or not; a page of a thousand decoded objects stays below. */
export const RESPONSE_CHARACTERS_MAX: number = 16 * 1024 * 1024;

/** Characters from which a worker thread encodes an answer as bytes, which are transferred instead of copied. */
export const ENCODED_ANSWER_CHARACTERS = 262_144;

/** Characters of answers that all batches together have gathered and not sent: two of the longest. */
export const BATCHES_CHARACTERS_MAX: number = 2 * RESPONSE_CHARACTERS_MAX;

/** Characters of a batch that do not count: a hundred balances, and more. */
export const BATCH_CHARACTERS_FREE: number = 32 * 1024;

/** Problems that a verification lists: the first ones are telling enough. */
export const VERIFY_PROBLEMS_MAX = 100;

/** One request on any transport, in bytes of UTF-8: the reference's limit for an HTTP body. */
export const REQUEST_BYTES_MAX: number = 2 * 1024 * 1024;

/** One answer on any transport, in bytes of UTF-8: most have one byte per character; all-Chinese text has three. */
export const RESPONSE_BYTES_MAX: number = 24 * 1024 * 1024;

/** Requests of one connection, stream or port answered at the same time; further ones stay unread, or are refused. */
export const IN_FLIGHT_REQUESTS_MAX = 64;

/** Requests on one HTTP connection whose answers have not been sent: more than one read of a socket can hold. */
export const PIPELINED_REQUESTS_MAX = 1_024;

/** Requests on one message port that have not been answered. A port cannot be paused, so one more is refused. */
export const PORT_REQUESTS_MAX = 1_024;

/**
 * Request bytes that one HTTP listener (WebSockets included), one stream or one port holds at once: 8 requests of the
 * largest size. A parsed request takes up to eight times its bytes (JSON_VALUES_MAX), so this is a large part of what a
 * listener may hold (docs/limits.md).
 */
export const IN_FLIGHT_BYTES_MAX: number = 16 * 1024 * 1024;

/** Answers and notifications that wait for a slow reader of one connection, in bytes. */
export const UNSENT_BYTES_MAX: number = 16 * 1024 * 1024;

/**
 * The same for all connections of one HTTP listener together: two of the largest answers, or thousands of ordinary
 * ones. A conversation over stdio has as much to itself.
 */
export const ALL_UNSENT_BYTES_MAX: number = 64 * 1024 * 1024;

/** Time that a client has for the whole of a large answer, in milliseconds: 24 MiB at 4 Mbit/s. */
export const ANSWER_MS_MAX = 60_000;

/** Connections of one HTTP listener, WebSockets included. A browser opens six for each page. */
export const CONNECTIONS_MAX = 256;

/** Time for the headers of an HTTP request to arrive, in milliseconds; a client that drips them is cut off. */
export const HEADERS_MS_MAX = 10_000;

/** Time for a whole HTTP request to arrive, in milliseconds: 2 MiB at 560 kbit/s. */
export const REQUEST_MS_MAX = 30_000;

/** Time that an HTTP client may leave its answer unread, in milliseconds. */
export const SEND_MS_MAX = 30_000;

/** Time that a kept-alive HTTP connection stays open without a request, in milliseconds. */
export const IDLE_MS_MAX = 65_000;

/** Time between pings on a WebSocket, in milliseconds; a peer that leaves one unanswered is considered gone. */
export const PING_INTERVAL_MS = 30_000;

/** Time that closing a transport waits for answers in flight, in milliseconds. */
export const CLOSE_MS_MAX = 5_000;

/** A header block of Content-Length framing on stdio, in bytes. Two short lines are usual. */
export const FRAME_HEADER_BYTES_MAX: number = 8 * 1024;

/** Type names from requests whose parsed form is kept. */
export const READ_TAGS_MAX = 256;

/** Characters of a type name that is kept this way: white space can make any type as long as a request. */
export const READ_TAG_CHARACTERS_MAX = 512;

/** Objects whose fields are indexed by value; the reference's number. */
export const FIELD_PARENTS_MAX = 200;

/** Session keys whose names in their accounts' tables are kept at hand, some 200 bytes each. */
export const SESSION_KEYS_KNOWN_MAX = 1_024;

/**
 * Microseconds of work that natives may do in one transaction, by measured cost. At the usual gas limit, the most expensive
 * of them would run for a quarter of an hour, here as in the reference. This is five hundred signature checks, or twenty-five
 * proofs; real transactions use about a fiftieth of it.
 */
export const TRANSACTION_NATIVE_WORK_MAX = 1_500_000;

/**
 * Validator id in the ledger form of a call that nobody signed. Move code hands out ids from 0 upwards, so no contract
 * can register this one, and a transaction that arrives with it is refused.
 */
export const IMPERSONATION_VALIDATOR_ID = 0xffff_ffff_ffff_ffffn;

/** Validator id in the ledger form of a control (transaction/control.ts), for the same reason. */
export const CONTROL_VALIDATOR_ID = 0xffff_ffff_ffff_fffen;

/** Milliseconds that a control may set the chain's time to: the end of the year 9999. Move code counts on from it. */
export const CHAIN_TIME_MS_MAX = 253_402_300_799_999n;

/** Milliseconds that one view or dry run may hold the thread; no one else is answered meanwhile. */
export const VIEW_MS_MAX = 2_000;

/** The most that `viewMsMax` may be set to: an hour, for people who are the only users of their node. */
export const VIEW_MS_BOUND = 3_600_000;

/** Fixtures that an engine and its forks keep: each is a fork with the rows that its preparation wrote. */
export const FIXTURES_MAX = 1_000;

/** Characters of a fixture's key. */
export const FIXTURE_KEY_CHARACTERS_MAX = 4_096;

/** Worker threads that answer views: more than any machine today can use. */
export const WORKERS_MAX = 64;

/** Calls that wait for a worker thread: two for each connection that a listener may have. */
export const WORKER_CALLS_WAITING_MAX = 512;

/** MiB of JavaScript objects that a worker thread may hold: a view with the largest answer gets by with 96. */
export const WORKER_HEAP_MB_MAX = 256;

/**
 * MiB of that for the young generation. With V8's own 48, a thread that makes and drops large values takes 60 MB more.
 */
export const WORKER_YOUNG_MB_MAX = 16;

/**
 * As WORKER_HEAP_MB_MAX, for the thread that executes transactions: those that keep all that the default gas limit buys
 * stay below 200, and those that prepare as much code as they may below 256. One that needs more holds up the engine's
 * thread.
 */
export const STEP_HEAP_MB_MAX = 320;

/** Milliseconds without a call after which a worker thread ends; the next call starts another. */
export const WORKER_IDLE_MS_MAX = 60_000;

/**
 * Milliseconds that a view or a dry run may hold the engine's thread if worker threads start by themselves: one that
 * takes longer is restarted on such a thread. Nearly all take less than one; a quarter of the wait that a well-behaved
 * client may see.
 */
export const BRIEF_MS_MAX = 25;

/**
 * Milliseconds that a transaction may hold the engine's thread if a worker thread can run it: one that takes longer is
 * restarted there. A transfer takes one; the first transaction of a process, whose code is not translated yet, some
 * forty.
 */
export const STEP_MS_MAX = 50;

/**
 * The same if no worker threads were asked for (`createRpc` without `workers`): a program that has the engine to itself
 * should not pay 40 MB and 0.2 s for a transaction that is slow only because its code is new or the machine is busy.
 */
export const STEP_MS_MAX_IN_PROCESS = 500;

/** Bytes of arguments, or of a transaction, read in a millisecond; vectors of empty vectors take longest. */
export const ARGUMENT_BYTES_PER_MS = 2_000;

/** Bytes of tree nodes that a worker thread keeps: all framework modules take a tenth of it. */
export const WORKER_TREE_CACHE_BYTES_MAX: number = 32 * 2 ** 20;

/** Milliseconds beyond twice `viewMsMax` after which a worker thread is killed: a native exceeded its counted cost. */
export const WORKER_MARGIN_MS = 2_000;

/** Gas units that one view function may use; the reference's number. */
export const VIEW_GAS_MAX = 5_000_000_000n;

/** Arguments and type arguments of one call over JSON-RPC: the module format has functions of at most 255 parameters. */
export const VIEW_ARGUMENTS_MAX = 255;

/** Transactions of a block mined over JSON-RPC: a request of 2 MiB cannot hold more. */
export const MINED_TRANSACTIONS_MAX = 20_000;

/** Modules of one package over JSON-RPC: a request of 2 MiB cannot hold more. */
export const DEV_PUBLISH_MODULES_MAX = 1_000;

/** Gas units that a transaction built here asks for by default, as the reference's clients do. */
export const MAX_GAS_AMOUNT_DEFAULT = 1_000_000_000n;

/** Subscriptions on one connection; the reference's number. */
export const CONNECTION_SUBSCRIPTIONS_MAX = 100;

/** Subscriptions of one JSON-RPC adapter, over all connections: each looks at every commit. */
export const SUBSCRIPTIONS_MAX = 1_000;

/** Transactions that a subscription may fall behind the head once it has caught up: three full Bitcoin blocks. */
export const SUBSCRIPTION_LAG_ORDERS_MAX = 10_000n;

/**
 * Items that subscriptions are sent, all together, before the submitters of the transactions are answered: one of each
 * transaction that becomes readable at once.
 */
export const SUBSCRIPTION_ITEMS_AT_ONCE: number = WRITER_GROUP_COMMITS_MAX;

/** Milliseconds that a subscription sends in a row beyond that: half of what all connections do in a row (`TURNS_MS`). */
export const SUBSCRIPTION_TURN_MS = 1;

/** Items of a transaction that subscriptions read at once. */
export const SUBSCRIPTION_PAGE_ITEMS = 64;

/** Bytes of items that are kept for the next subscription: a few thousand events. */
export const SUBSCRIPTION_PAGES_BYTES_MAX: number = 4 * 1024 * 1024;

/** Milliseconds after which a subscription checks again whether its connection can take more. */
export const SUBSCRIPTION_WAIT_MS = 10;

/**
 * Snapshots that clients of one chain may go back to; the most recently used ones are kept. A snapshot followed by a
 * transfer was measured to hold 0.1 MB more than the chain alone.
 */
export const SNAPSHOTS_MAX = 1_000;

/** Forks that clients of one adapter may have at once: measured at 40 kB each, 0.2 MB with a transfer of its own. */
export const FORKS_MAX = 1_000;

/** Milliseconds after which a fork that nobody queries or listens to is removed: as long as a test may wait for a person. */
export const FORK_IDLE_MS_MAX = 600_000;

/** Milliseconds between two checks for idle forks, at most. */
export const FORK_SWEEP_MS = 10_000;

/** Milliseconds between the comments that keep a stream of server-sent events alive; the reference's number. */
export const SSE_COMMENT_MS = 15_000;

/** Calls that a trace keeps: the first ones. Later ones are only counted, with their gas. */
export const TRACE_CALLS_MAX = 10_000;

/** Bytes of a value that a trace keeps: an argument, a result, an event, a print. */
export const TRACE_VALUE_BYTES_MAX = 1_024;

/**
 * Bytes of all values that a trace keeps, each counted with 128 more for the object that holds it. With TRACE_CALLS_MAX
 * calls a trace takes less than 16 MiB of memory, whatever was executed (test/execution/trace/recorder.test.ts).
 */
export const TRACE_BYTES_MAX: number = 8 * 2 ** 20;

/** Milliseconds for running a failed execution again to find its call stack, when no trace was asked for. */
export const CALL_STACK_MS_MAX = 1_000;

/** Values that one execution may print: any after them are left out. */
export const PRINTS_MAX = 100;
