/**
 * Limits and defaults that several parts share or that callers may change, each with its reason. A name ends with its unit
 * and bound. A limit that callers may change is an option of the same name; the others belong to consensus or to a format.
 * @module
 */

/** The highest Bitcoin block that the command line accepts: the range of a u32, enough for 80,000 years. */
export const BITCOIN_HEIGHT_MAX = 0xffff_ffff;

/** Milliseconds for which a server may send nothing while a dump is downloaded from it. */
export const DOWNLOAD_IDLE_MS_MAX = 60_000;

/**
 * Events that the result of ingesting a block holds, at 400 bytes each; a block with one owner per transaction has 20,000.
 * The events of further transactions are read from the ledger when they are asked for.
 */
export const INGESTED_EVENTS_MAX = 50_000;

/** The most blocks that can be required on top of a block before it is processed. Coinbases mature after 100. */
export const REORGANISATION_DEPTH_MAX = 1_000;

/** Parts of a value that are decoded for display, so that a large stored value cannot fill a reader's memory. */
export const VALUE_NODES_MAX = 1_000_000;

/** Version of the data format that this program writes; part of the head. */
export const DATA_FORMAT_VERSION = 4;

/** The oldest format that this program can continue. Since 2, each format has only added row forms to the one before. */
export const DATA_FORMAT_OLDEST = 2;

/** Commits that share one batch of the writer. This bounds the rows in flight and what a failed sync can undo. */
export const WRITER_GROUP_COMMITS_MAX = 256;

/** Estimated operations above which a commit does not share a batch, but is written alone, in pieces. */
export const COMMIT_SHARED_OPERATIONS_MAX = 100_000;

/** Orders beyond the bound at which pruning starts in the background: enough to be worth a batch of its own. */
export const PRUNE_ORDERS_MIN = 64;

/**
 * Operations in one piece of pruning, for which a commit may have to wait: 10 to 30 ms. A group of 256 commits leaves about
 * as many to prune, so pruning keeps up with the commits.
 */
export const PRUNE_PIECE_OPERATIONS = 4_096;

/** Ids that one query may name; the reference's limit. */
export const QUERY_IDS_MAX = 100;

/** Chain ids of the reference's networks; custom chains use any other u64. */
export const CHAIN_ID_MAIN = 1n;
export const CHAIN_ID_TEST = 2n;
export const CHAIN_ID_DEV = 3n;
export const CHAIN_ID_LOCAL = 4n;

/** Bytes of one row of a stored change set: only the largest transactions of a Bitcoin block need more than one. */
export const CHANGE_SET_PART_BYTES = 4_194_304;

/** Changes of a change set that is encoded in one go; a larger one is encoded piece by piece, a tenth slower. */
export const CHANGE_SET_CHANGES_AT_ONCE_MAX = 10_000;

/** Bytes of a log segment after which the next one begins. After a crash, one segment is read again, in a few seconds. */
export const LOG_SEGMENT_BYTES: number = 64 * 2 ** 20;

/** Milliseconds of silence from a log after which writes no longer wait for it: a failover takes about ten seconds. */
export const LOG_OUTAGE_MS_MAX = 60_000;

/** Requests that a reader forwards to its writer at a time, each on its own connection; further ones fail at once. */
export const FORWARDS_MAX = 256;

/** Milliseconds in which the writer must answer a forwarded request: several times what a failover of its log takes. */
export const FORWARD_MS_MAX = 30_000;

/** Bytes of the writer's answer to a forwarded request: more than a node's longest answer (RESPONSE_CHARACTERS_MAX). */
export const FORWARD_ANSWER_BYTES_MAX: number = 40 * 2 ** 20;

/** Bytes of a recording in memory: a quarter of a million transfers. A recording that is written elsewhere has no limit. */
export const RECORDING_BYTES_MAX: number = 256 * 2 ** 20;

/** Tree nodes held in memory at most: the tree of 100,000 objects has 139,000. */
export const TREE_CACHE_NODES_MAX = 200_000;

/** Estimated bytes of tree nodes held in memory at most: some 60,000 objects of 300 bytes and their branches. */
export const TREE_CACHE_BYTES_MAX = 67_108_864;

/** Items of a page if the request sets no limit; the reference's number. */
export const PAGE_ITEMS_DEFAULT = 50;

/** The most items of a page under `chain_` and `btc_`: the interface has pages of 1000. */
export const PAGE_ITEMS_MAX_INTERFACE = 1000;

/** The most items of a page in the current forms; the reference's number. */
export const PAGE_ITEMS_MAX_CURRENT = 200;

/** Version of the package, as `rpc.discover` reports it; a test compares it with package.json. */
export const PACKAGE_VERSION = '0.1.0';

/** Levels of nesting in a JSON-RPC message: no parameter needs ten. */
export const JSON_DEPTH_MAX = 32;

/** Requests in one batch: a batch is one message and is answered by one. */
export const BATCH_REQUESTS_MAX = 100;

/**
 * Milliseconds for which requests are handled in a row before sockets are read and answers are sent: time for ten balances,
 * and a thirtieth of what a round of the event loop may take if no client is to wait longer than 100 ms.
 */
export const TURNS_MS = 2;

/** Fragments of one WebSocket message: a large message has a few dozen. */
export const WEBSOCKET_FRAGMENTS_MAX = 256;

/**
 * Milliseconds that a connection's first view is expected to take. If its views take longer, the next ones wait until the
 * connections with cheap requests are answered. A balance takes a hundredth of this.
 */
export const EXPENSIVE_TURN_MS = 1;

/**
 * A connection with cheap requests goes before an expensive request even if it has used up to this many milliseconds
 * more of the thread. Without this, new connections that asked for views were answered before a client whose first balance
 * had taken a few milliseconds on a busy machine.
 */
export const EXPENSIVE_BEHIND_MS = 1_000;

/** Characters of one answer, batch or not; a page of a thousand decoded objects stays below. */
export const RESPONSE_CHARACTERS_MAX: number = 16 * 1024 * 1024;

/** One request on any transport, in bytes of UTF-8: the reference's limit for an HTTP body. */
export const REQUEST_BYTES_MAX: number = 2 * 1024 * 1024;

/** One answer on any transport, in bytes of UTF-8: most have one byte per character; all-Chinese text has three. */
export const RESPONSE_BYTES_MAX: number = 24 * 1024 * 1024;

/** Requests of one connection, stream or port that are answered at a time; further ones stay unread or are refused. */
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

/** Time that a client has to receive a large answer, in milliseconds: 24 MiB at 4 Mbit/s. */
export const ANSWER_MS_MAX = 60_000;

/** Connections of one HTTP listener, WebSockets included. A browser opens six for each page. */
export const CONNECTIONS_MAX = 256;

/** Time for the headers of an HTTP request to arrive, in milliseconds; a client that sends them more slowly is cut off. */
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

/** Objects whose fields are indexed by value; the reference's number. */
export const FIELD_PARENTS_MAX = 200;

/** Session keys whose names in their accounts' tables are cached, at about 200 bytes each. */
export const SESSION_KEYS_KNOWN_MAX = 1_024;

/**
 * Microseconds of work that natives may do in one transaction, by measured cost. At the usual gas limit, the most expensive
 * native would run for a quarter of an hour, here as in the reference. This limit allows five hundred signature checks or
 * twenty-five proofs; real transactions use about a fiftieth of it.
 */
export const TRANSACTION_NATIVE_WORK_MAX = 1_500_000;

/**
 * Validator id in the ledger form of a call without a signature. Move code hands out ids from 0 upwards, so no contract can
 * register this one, and a transaction that arrives with it is refused.
 */
export const IMPERSONATION_VALIDATOR_ID = 0xffff_ffff_ffff_ffffn;

/** Validator id in the ledger form of a control (transaction/control.ts), for the same reason. */
export const CONTROL_VALIDATOR_ID = 0xffff_ffff_ffff_fffen;

/** The latest time that a control may set, in milliseconds: the end of the year 9999. Move code counts on from it. */
export const CHAIN_TIME_MS_MAX = 253_402_300_799_999n;

/** Milliseconds for which one view or dry run may hold the thread, while no other request is answered. */
export const VIEW_MS_MAX = 2_000;

/** The most that `viewMsMax` may be set to: an hour, for someone who is the only user of a node. */
export const VIEW_MS_BOUND = 3_600_000;

/** Worker threads that answer views: more than any of today's machines can use. */
export const WORKERS_MAX = 64;

/**
 * Milliseconds for which a transaction may hold the engine's thread if a worker thread can run it instead: a longer one is
 * restarted there. A transfer takes 1 ms; the first transaction of a process, whose code is not translated yet, about 40 ms.
 */
export const STEP_MS_MAX = 50;

/** Bytes of arguments or of a transaction that are read in a millisecond; vectors of empty vectors take longest. */
export const ARGUMENT_BYTES_PER_MS = 2_000;

/** Gas units that one view function may use; the reference's number. */
export const VIEW_GAS_MAX = 5_000_000_000n;

/** Gas units that a transaction built here asks for by default, as the reference's clients do. */
export const MAX_GAS_AMOUNT_DEFAULT = 1_000_000_000n;

/** Subscriptions on one connection; the reference's number. */
export const CONNECTION_SUBSCRIPTIONS_MAX = 100;

/** Subscriptions of one JSON-RPC adapter over all connections: each of them looks at every commit. */
export const SUBSCRIPTIONS_MAX = 1_000;

/** Transactions by which a subscription may fall behind once it has caught up: three full Bitcoin blocks. */
export const SUBSCRIPTION_LAG_ORDERS_MAX = 10_000n;

/**
 * Items that are sent to all subscriptions together before the submitters of the transactions are answered: one for each
 * transaction of a group that becomes readable at once.
 */
export const SUBSCRIPTION_ITEMS_AT_ONCE: number = WRITER_GROUP_COMMITS_MAX;

/** Milliseconds for which a subscription sends in a row beyond that: half of TURNS_MS. */
export const SUBSCRIPTION_TURN_MS = 1;

/** Items of a transaction that subscriptions read at a time. */
export const SUBSCRIPTION_PAGE_ITEMS = 64;

/** Milliseconds after which a subscription checks again whether its connection can take more. */
export const SUBSCRIPTION_WAIT_MS = 10;

/**
 * Snapshots to which clients of one chain may go back; the most recently used ones are kept. One followed by a transfer was
 * measured to hold 0.1 MB more than the chain alone.
 */
export const SNAPSHOTS_MAX = 1_000;

/** Forks that clients of one adapter may have at once: measured at 40 kB each, 0.2 MB with a transfer of its own. */
export const FORKS_MAX = 1_000;

/** Milliseconds after which a fork without queries or listeners is removed: a test may wait that long for a person. */
export const FORK_IDLE_MS_MAX = 600_000;

/** Milliseconds between the comments that keep a stream of server-sent events alive; the reference's number. */
export const SSE_COMMENT_MS = 15_000;

/** Bytes of each value that a trace keeps: an argument, a result, an event, a print. */
export const TRACE_VALUE_BYTES_MAX = 1_024;

/** Milliseconds for running a failed execution again to find its call stack if no trace was asked for. */
export const CALL_STACK_MS_MAX = 1_000;

/**
 * Bytes of the record of inscriptions that each transaction of a block passes to the next. Every transaction rewrites it, so
 * further inscriptions that are paid as fees are set aside until the coinbase is processed.
 */
export const INSCRIPTION_UPDATER_BYTES_MAX: number = 2 ** 16;

/** A transaction with fewer does not count towards the block's limit: a single inscription without much content. */
export const COUNTED_INSCRIPTION_BYTES_MIN: number = 2 ** 10;

/**
 * Bytes of inscriptions that one transaction may create and move. A transaction makes one root, so all of them are in memory
 * at once. This is more than a standard transaction can create.
 */
export const TRANSACTION_INSCRIPTION_BYTES_MAX: number = 56 * 2 ** 20;

/**
 * The same for all transactions of a block that create and move more than COUNTED_INSCRIPTION_BYTES_MIN each. The size of a
 * block alone would let it create many times as many, and move the same ones from each of its transactions to the next.
 */
export const BLOCK_INSCRIPTION_BYTES_MAX: number = 92 * 2 ** 20;
