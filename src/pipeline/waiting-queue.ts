/**
 * What waits for the writer, in the order in which it is served: turns, and actions that have the store to themselves.
 *
 * Nothing overtakes an action, and turns of one lane keep their order. The first entry is served in place, and leaves
 * the queue when it is over.
 * @module
 */
import type { HeadMessage } from './feed.ts';
import type { Step } from './step.ts';
import type { Turn } from './turn.ts';

/** Submitted work that is not done yet. */
export type Waiting = WaitingTurn | WaitingAction;

/** A turn, and its progress so far. */
export interface WaitingTurn {
  readonly kind: 'turn';
  readonly turn: Turn;
  /** Runs its inputs, in place of the engine's own step. */
  readonly step: Step | undefined;
  /** Whether it has supplied an input. */
  isBegun: boolean;
}

/** An action that has the store to itself, and what its caller is told. */
export interface WaitingAction {
  readonly kind: 'action';
  readonly run: () => HeadMessage | Promise<HeadMessage>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class WaitingQueue {
  /**
   * Finished entries stay in front until they are half of it: removing one of a thousand from the front of an array moves
   * all the others.
   */
  #waiting: (Waiting | undefined)[] = [];
  /** The place of the first. */
  #from = 0;

  get length(): number {
    return this.#waiting.length - this.#from;
  }

  /** What is served now, or next. */
  get first(): Waiting | undefined {
    return this.#waiting[this.#from];
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** The first is over. */
  removeFirst(): void {
    this.#waiting[this.#from++] = undefined;
    if (this.#from >= this.length) this.#replace(this.#all());
  }

  /** Moves a turn that has begun behind the others, as far as the next action or turn of its lane. */
  rotate(): void {
    const { first } = this;
    if (first?.kind !== 'turn' || !first.isBegun) return;
    const others = this.#waiting.slice(this.#from + 1) as Waiting[];
    const { lane } = first.turn;
    const end = others.findIndex(
      (waiting) => waiting.kind === 'action' || (lane !== undefined && waiting.turn.lane === lane),
    );
    others.splice(end === -1 ? others.length : end, 0, first);
    this.#replace(others);
  }

  /**
   * Ends the turns that have not begun.
   * @returns those that have
   */
  endUnbegun(error: unknown): readonly Turn[] {
    const waiting = this.#all();
    this.#replace([]);
    const begun: Turn[] = [];
    for (const each of waiting) {
      if (each.kind === 'turn' && !each.isBegun) {
        each.turn.end(error);
        continue;
      }
      this.#waiting.push(each);
      if (each.kind === 'turn') begun.push(each.turn);
    }
    return begun;
  }

  /** Ends everything. */
  endAll(error: unknown): void {
    const waiting = this.#all();
    this.#replace([]);
    for (const each of waiting) {
      if (each.kind === 'turn') each.turn.end(error);
      else each.reject(error);
    }
  }

  #all(): Waiting[] {
    return this.#waiting.slice(this.#from) as Waiting[];
  }

  #replace(waiting: Waiting[]): void {
    this.#waiting = waiting;
    this.#from = 0;
  }
}
