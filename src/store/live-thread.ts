/**
 * Identifies a running thread of a process in a form that another process can check later.
 *
 * Process numbers are reused after a process has ended, so its start time is recorded too; and a number means nothing
 * on another machine, in another container or after a reboot, so the scope in which it is valid is recorded as well.
 * Linux has all of that for threads, in /proc; elsewhere the process stands for its threads.
 *
 * @module
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface LiveThread {
  readonly pid: number;
  /** The system's number of the thread; 0, for all threads of the process, if there is none. */
  readonly tid: number;
  /** Linux: clock ticks since boot; elsewhere milliseconds since 1970, to about a second. */
  readonly started: number;
  /** The scope of process numbers: boot id and process namespace, or the name of the machine. */
  readonly place: string;
}

/** 'unknown': cannot be determined from here. */
export type Life = 'alive' | 'ended' | 'unknown';

/** Two readings of the start time of one process differ by less than this. */
const CLOCK_TOLERANCE_MS = 5_000;

/** The calling thread. */
export function thisThread(): LiveThread {
  const { pid } = process;
  try {
    const tid = Number(readlinkSync('/proc/thread-self').split('/').pop());
    const started = startOf(pid, tid);
    const run = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const namespace = readlinkSync('/proc/self/ns/pid');
    if (started !== undefined) return { pid, tid, started, place: `${run} ${namespace}` };
  } catch {
    // Without /proc, or parts of it, use the general form below.
  }
  return { pid, tid: 0, started: Math.round(Date.now() - process.uptime() * 1000), place: hostname() };
}

/** Whether a recorded thread is still running, as far as `own` can tell. */
export function lifeOf(other: LiveThread, own: LiveThread): Life {
  if (other.place !== own.place) return 'unknown';
  if (other.tid !== 0) {
    const started = startOf(other.pid, other.tid);
    if (started !== undefined) return started === other.started ? 'alive' : 'ended';
    // Its process may be hidden, but not from itself.
    return other.pid === own.pid ? 'ended' : lifeOfProcess(other.pid);
  }
  if (other.pid !== own.pid) return lifeOfProcess(other.pid);
  return Math.abs(other.started - own.started) < CLOCK_TOLERANCE_MS ? 'alive' : 'ended';
}

/** The process with that number may be a different one by now. */
function lifeOfProcess(pid: number): Life {
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch (error) {
    return (error as { code?: unknown }).code === 'ESRCH' ? 'ended' : 'unknown';
  }
}

/**
 * Start of a thread in clock ticks, the 22nd field of its stat; undefined if no such thread can be seen.
 *
 * 0 if its process has ended and can only be seen because its parent has not taken note of that (a zombie). Some never
 * do: in a container whose first program waits for no children, killed ones stay as long as the container.
 */
function startOf(pid: number, tid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'latin1');
    // The second field is the name, in parentheses, with any characters in it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // The first thread may be over before the others.
    if (fields[0] === 'Z' && tid === pid && readdirSync(`/proc/${pid}/task`).length === 1) return 0;
    const started = Number(fields[19]);
    return Number.isSafeInteger(started) ? started : undefined;
  } catch {
    return undefined;
  }
}
