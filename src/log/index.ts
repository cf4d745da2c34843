/**
 * The entry point `movelet/log`: the interface of the commit log, and a log in a directory.
 * @module
 */
export type { CommitLog, LogHead, LogRecord, ReadOptions } from './commit-log.ts';
export { type LogComplianceOptions, logCompliance } from './compliance/index.ts';
export { type DirectoryLog, type DirectoryLogOptions, openDirectoryLog } from './directory-log.ts';
export { openPostgresLog, type PostgresConnection, type PostgresLogOptions } from './postgres.ts';
export { type RecordSummary, summaryOf } from './record.ts';
