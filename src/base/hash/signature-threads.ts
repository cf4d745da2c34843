/**
 * Threads that check signatures while the thread that needs the verdicts does something else.
 *
 * The caller of `hostVerify` is synchronous and may keep its thread for long, so a message could not reach it: verdicts
 * are in shared memory, where they are visible at once. Checks take the `SIGNATURES_WAITING_MAX` places of that memory
 * round after round; a thread writes the round of each check that holds into its place. If the expected round is found
 * there, the check holds; if anything else is, the caller checks for itself. So a verdict that comes too late, or was
 * overwritten by another, costs time and is never wrong: the rounds that 32 bits can name last for trillions of checks,
 * longer than any process, so none repeats while a check of it may still be expected.
 * @module
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { textOfBytes } from '../bytes/byte-text.ts';
import { SIGNATURE_KEYS_MAX, SIGNATURES_WAITING_MAX } from '../config.ts';
import { expectVerdict, KEY_HEADS, type SignatureCheck } from './host-signature.ts';

/** A check as it is sent to threads; bytes as Latin-1, which a message copies fastest. */
type Sent = readonly [
  place: number,
  round: number,
  algorithm: string | null,
  key: string,
  message: string,
  signature: string,
];

interface Settings {
  readonly verdicts: Int32Array;
  readonly keysMax: number;
}

type WorkerThreads = typeof import('node:worker_threads');

/** Called by the first check: few processes have such threads. */
function findWorkerThreads(): WorkerThreads | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (name: string) => WorkerThreads | undefined } };
  return host.process?.getBuiltinModule?.('node:worker_threads');
}

export class SignatureThreads {
  readonly #workers: Worker[] = [];
  readonly #count: number;
  readonly #verdicts = new Int32Array(new SharedArrayBuffer(4 * SIGNATURES_WAITING_MAX));
  /** The content of the next messages, by thread. */
  #outbox: Sent[][] = [];
  /** How many checks were asked for. */
  #asked = 0;
  #isClosed = false;

  /** Threads start with the first check. They do not keep a process alive. */
  constructor(count: number) {
    this.#count = count;
  }

  /** Has a check made; if there can be no thread, nothing happens, and the caller makes it. */
  check(check: SignatureCheck): void {
    const head = KEY_HEADS[check.curve].get(check.publicKey.length);
    if (this.#isClosed || head === undefined) return;
    if (this.#workers.length === 0) this.#begin(findWorkerThreads());
    if (this.#workers.length === 0) return;
    const number = this.#asked++;
    const place = number % SIGNATURES_WAITING_MAX;
    // Not from 0 on, which is in places that nothing was written to.
    const round = Math.floor(number / SIGNATURES_WAITING_MAX) + 1;
    expectVerdict(check, () => Atomics.load(this.#verdicts, place) === round);
    if (this.#outbox.length === 0) {
      this.#outbox = this.#workers.map(() => []);
      // Checks requested in one turn are sent together, before anything that waits for the end of the turn.
      queueMicrotask(() => this.#send());
    }
    const algorithm = check.curve === 'ed25519' ? null : 'sha256';
    const key = textOfBytes(head) + textOfBytes(check.publicKey);
    const sent: Sent = [place, round, algorithm, key, textOfBytes(check.message), textOfBytes(check.signature)];
    this.#outbox[number % this.#outbox.length]!.push(sent);
  }

  /** Ends the threads. Callers make the pending checks themselves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  #begin(host: WorkerThreads | undefined): void {
    if (host === undefined) return;
    const settings: Settings = { verdicts: this.#verdicts, keysMax: SIGNATURE_KEYS_MAX };
    const code = `(${serve})(require('node:worker_threads'), require('node:crypto'))`;
    for (let index = 0; index < this.#count; index++) {
      const worker = new host.Worker(code, { eval: true, workerData: settings, execArgv: [], env: {} });
      // A thread that ended makes no more checks, which only costs time.
      worker.on('error', () => {});
      worker.unref();
      this.#workers.push(worker);
    }
  }

  #send(): void {
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const [index, worker] of this.#workers.entries()) {
      const sent = outbox[index];
      if (sent !== undefined && sent.length > 0) worker.postMessage(sent);
    }
  }
}

/** Runs in its own thread, from its source text: it can use nothing but its arguments. */
function serve(
  { parentPort, workerData }: { readonly parentPort: MessagePort; readonly workerData: Settings },
  crypto: typeof import('node:crypto'),
): void {
  const { verdicts, keysMax } = workerData;
  const keys = new Map<string, import('node:crypto').KeyObject>();
  const keyOf = (text: string): import('node:crypto').KeyObject => {
    let key = keys.get(text);
    if (key === undefined) {
      if (keys.size >= keysMax) keys.clear();
      key = crypto.createPublicKey({ key: Buffer.from(text, 'latin1'), format: 'der', type: 'spki' });
      keys.set(text, key);
    }
    return key;
  };
  const holds = ([, , algorithm, key, message, signature]: Sent): boolean => {
    try {
      const options = { key: keyOf(key), dsaEncoding: 'ieee-p1363' } as const;
      return crypto.verify(algorithm, Buffer.from(message, 'latin1'), options, Buffer.from(signature, 'latin1'));
    } catch {
      // No point of the curve, or no such curve: the asker finds out for itself.
      return false;
    }
  };
  parentPort.on('message', (checks: readonly Sent[]) => {
    for (const check of checks) if (holds(check)) Atomics.store(verdicts, check[0], check[1]);
  });
}
