/**
 * Chains: scripts of transactions that create, change, hand over, refill and delete objects of every indexed kind at
 * every depth, and emit events on several handles.
 *
 * A script is numbers; what they mean depends on the chain that it is played on ("the third object that there is"), so
 * that any part of it may be left out when a failing one is shrunk.
 */
import fc from 'fast-check';

export type ActionKind =
  | 'create'
  | 'create-child'
  | 'create-utxo'
  | 'create-inscription'
  | 'create-coin'
  | 'add-field'
  | 'modify'
  | 'transfer'
  | 'touch'
  | 'delete'
  | 'reset';

export interface ScriptAction {
  readonly kind: ActionKind;
  /** Which of the objects that there are. */
  readonly pick: number;
  /** Which of the owners, types and field names that the player knows. */
  readonly owner: number;
  readonly type: number;
  readonly value: Uint8Array;
}

export interface ScriptEvent {
  readonly type: number;
  readonly handle: number;
  readonly data: Uint8Array;
}

export interface ScriptStep {
  readonly kind: 'l2-transaction' | 'l1-block' | 'l1-transaction';
  readonly sender: number;
  /** Milliseconds by which the clock moves; a negative number sets it back, and the chain must not follow. */
  readonly advance: number;
  readonly actions: readonly ScriptAction[];
  readonly events: readonly ScriptEvent[];
  /** Whether the next step is submitted without waiting for this one. */
  readonly isQueued: boolean;
}

const number = fc.nat({ max: 30 });
const value = fc.uint8Array({ maxLength: 5 }).map((bytes) => Uint8Array.from(bytes));

const action: fc.Arbitrary<ScriptAction> = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<ActionKind>('create', 'create-child', 'create-utxo') },
    { weight: 2, arbitrary: fc.constantFrom<ActionKind>('create-inscription', 'create-coin', 'add-field', 'modify') },
    { weight: 2, arbitrary: fc.constantFrom<ActionKind>('transfer', 'touch', 'delete', 'reset') },
  ),
  pick: number,
  owner: number,
  type: number,
  value,
});

export const scriptStepArbitrary: fc.Arbitrary<ScriptStep> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant<ScriptStep['kind']>('l2-transaction') },
    { weight: 1, arbitrary: fc.constantFrom<ScriptStep['kind']>('l1-block', 'l1-transaction') },
  ),
  sender: number,
  advance: fc.integer({ min: -2, max: 4 }),
  actions: fc.array(action, { maxLength: 7 }),
  events: fc.array(fc.record({ type: number, handle: number, data: value }), { maxLength: 6 }),
  isQueued: fc.boolean(),
});

/** Scripts of up to `steps` transactions. */
export function scriptArbitrary(steps: number): fc.Arbitrary<readonly ScriptStep[]> {
  return fc.array(scriptStepArbitrary, { minLength: 1, maxLength: steps });
}
