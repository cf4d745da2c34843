/**
 * Turns for what has been read and not been handled yet.
 *
 * One read of a socket can hold thousands of tiny messages, and the event loop reads a busy socket several times in a
 * row. So a connection handles a few of them, leaves the rest in its socket, and waits here. The connections that wait
 * continue in order, a few in each round of the event loop, and sockets are read in between.
 * @module
 */
import type { Socket } from 'node:net';
import { READ_TURNS_A_ROUND } from '../config.ts';
import { assert } from '../error.ts';

/** The turns of a listener. */
export class ReadTurns {
  readonly #waiting: (() => void)[] = [];
  #isRoundAwaited = false;

  /** Calls `go` in a later round of the event loop, after those who have waited longer. */
  add(go: () => void): void {
    this.#waiting.push(go);
    this.#awaitRound();
  }

  #awaitRound(): void {
    if (this.#isRoundAwaited) return;
    this.#isRoundAwaited = true;
    setImmediate(() => {
      this.#isRoundAwaited = false;
      for (const go of this.#waiting.splice(0, READ_TURNS_A_ROUND)) go();
      if (this.#waiting.length > 0) this.#awaitRound();
    });
  }
}

/** What a parser of a socket's bytes needs to be given them in turns. */
export interface TurnOptions {
  readonly turns: ReadTurns;
  /** Handles the beginning of what was read; returns how many bytes of it the parser may have now. */
  readonly take: (read: Buffer) => number;
  /** Whether the parser wants more. */
  readonly wantsMore: () => boolean;
}

/**
 * Gives the only `data` listener of a socket what arrives in turns. The rest of a read goes back into the socket, so that
 * its order is kept whoever pauses and resumes the socket meanwhile.
 */
export function readInTurns(socket: Socket, { turns, take, wantsMore }: TurnOptions): void {
  const [parse] = socket.listeners('data') as ((this: Socket, read: Buffer) => void)[];
  assert(parse !== undefined, 'a socket is given in turns once it has a parser');
  let isWaiting = false;
  const leave = (rest: Buffer): void => {
    socket.pause();
    socket.unshift(rest);
  };
  const read = (bytes: Buffer): void => {
    if (isWaiting) {
      leave(bytes);
      return;
    }
    const taken = take(bytes);
    if (taken < bytes.length) {
      isWaiting = true;
      leave(bytes.subarray(taken));
      turns.add(() => {
        isWaiting = false;
        if (wantsMore()) socket.resume();
      });
    }
    parse.call(socket, taken < bytes.length ? bytes.subarray(0, taken) : bytes);
  };
  socket.removeListener('data', parse);
  // Whoever removes the parser's listener removes this one, as with the wrappers that `once` makes.
  socket.on('data', Object.assign(read, { listener: parse }));
}
