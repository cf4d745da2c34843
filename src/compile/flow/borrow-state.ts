/**
 * What is known about references at one point of a body, and what is wrong with a use of one.
 *
 * The rules are those of the bytecode verifier, asked of variables instead of the stack, so that an error can say which
 * reference is in the way. Source: the reference's `move-compiler/src/cfgir/borrows/state.rs`.
 * @module
 */

import { BorrowGraph, type BorrowLabel } from '../../vm/verify/borrow-graph.ts';
import type { StepMeter } from '../../vm/verify/step-meter.ts';
import { singleTypes, type Variable } from '../lower/lowered-tree.ts';
import type { StructDeclaration } from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';
import type { DiagnosticKind, Finding, Label } from '../text/diagnostic.ts';
import { References } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';

/** The number of a reference; `undefined` for a value that is none. */
export type ReferenceNumber = number | undefined;

/** A borrow that is in the way. */
interface Borrow {
  readonly borrower: number;
  readonly label: BorrowLabel | undefined;
}

/** Numbers of what references lead through, the same for all states of a body. */
export class BorrowLabels {
  readonly #numbers: ReadonlyMap<Variable, number>;
  readonly #fields = new Map<string, number>();
  readonly #resources = new Map<string, number>();

  constructor(variables: readonly Variable[]) {
    this.#numbers = new Map(variables.map((variable, index) => [variable, index]));
  }

  variable(variable: Variable): BorrowLabel {
    return this.#numbers.get(variable)!;
  }

  resource(struct: StructDeclaration): BorrowLabel {
    return 0x1_0000 + numberOf(this.#resources, struct.name.text);
  }

  field(name: string): BorrowLabel {
    return 0x2_0000 + numberOf(this.#fields, name);
  }

  fieldName(label: BorrowLabel): string | undefined {
    return [...this.#fields.keys()][label - 0x2_0000];
  }
}

function numberOf(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name) ?? numbers.size;
  numbers.set(name, known);
  return known;
}

/** What is the same for all states of a body. */
interface BorrowContext {
  readonly variables: readonly Variable[];
  readonly labels: BorrowLabels;
  readonly meter: StepMeter;
}

function rootGraph({ variables, meter }: BorrowContext): BorrowGraph {
  const graph = new BorrowGraph(meter);
  graph.add(variables.length, true);
  return graph;
}

export class BorrowState {
  readonly #context: BorrowContext;
  /** By variable. */
  #held: ReferenceNumber[];
  #graph: BorrowGraph;
  /** Where each reference was made. */
  #origins: Map<number, Span>;
  #next: number;
  /** Whether each reference has the number of the variable that holds it. */
  #isCanonical = true;
  /** What was wrong so far. */
  findings: Finding[] = [];

  private constructor(context: BorrowContext, held: ReferenceNumber[], graph: BorrowGraph, origins: Map<number, Span>) {
    this.#context = context;
    this.#held = held;
    this.#graph = graph;
    this.#origins = origins;
    this.#next = this.#root + 1;
  }

  /** The state in which a body starts. */
  static initial(variables: readonly Variable[], labels: BorrowLabels, meter: StepMeter): BorrowState {
    const context = { variables, labels, meter };
    const held: ReferenceNumber[] = variables.map(() => undefined);
    const state = new BorrowState(context, held, rootGraph(context), new Map());
    for (const [index, { isParameter, type, span }] of variables.entries()) {
      if (isParameter) held[index] = state.#referenceOf(type, span);
    }
    state.canonicalize();
    return state;
  }

  /** A copy of a canonical state. */
  clone(): BorrowState {
    return new BorrowState(this.#context, this.#held.slice(), this.#graph.clone(), new Map(this.#origins));
  }

  /** What locals and resources are borrowed from. */
  get #root(): number {
    return this.#context.variables.length;
  }

  #new(isMutable: boolean, origin: Span): number {
    const id = this.#next++;
    this.#isCanonical = false;
    this.#graph.add(id, isMutable);
    this.#origins.set(id, origin);
    return id;
  }

  #referenceOf(type: ResolvedType, origin: Span): ReferenceNumber {
    return type.kind === 'reference' ? this.#new(type.isMutable, origin) : undefined;
  }

  #report(
    kind: DiagnosticKind,
    span: Span,
    message: string,
    borrows: readonly Borrow[],
    notes: readonly string[] = [],
  ): void {
    if (borrows.length === 0) return;
    const secondary = borrows.flatMap(({ borrower, label }): Label[] => {
      const origin = this.#origins.get(borrower);
      if (origin === undefined) return [];
      const adverb = this.#graph.isMutable(borrower) ? 'mutably ' : '';
      const field = label === undefined ? undefined : this.#context.labels.fieldName(label);
      const what = field === undefined ? 'it' : `its field ${field}`;
      return [{ span: origin, message: `${what} is still ${adverb}borrowed by this reference` }];
    });
    this.findings.push([kind, span, message, secondary, notes]);
  }

  #mutable(borrows: readonly Borrow[]): Borrow[] {
    return borrows.filter(({ borrower }) => this.#graph.isMutable(borrower));
  }

  /** Borrows of a local or resource. */
  #borrowsThrough(label: BorrowLabel): Borrow[] {
    const borrows = this.#graph.borrowsOf(this.#root).filter((borrow) => borrow.label === label);
    return borrows.map(({ borrower }) => ({ borrower, label: undefined }));
  }

  /** Borrows that keep a mutable reference, or one field of what it leads to, from being read. */
  #borrowsInTheWayOfReading(id: number, field: BorrowLabel | undefined): Borrow[] {
    if (!this.#graph.isMutable(id)) return [];
    const borrows = this.#mutable(this.#graph.borrowsOf(id));
    return field === undefined ? borrows : borrows.filter(({ label }) => label === undefined || label === field);
  }

  release(reference: ReferenceNumber): void {
    if (reference === undefined) return;
    this.#graph.release(reference);
    this.#origins.delete(reference);
  }

  assign(span: Span, variable: Variable, value: ReferenceNumber): void {
    const index = this.#context.labels.variable(variable);
    const old = this.#held[index];
    this.#held[index] = value;
    if (value !== undefined) this.#isCanonical = false;
    if (old !== undefined) {
      this.release(old);
      return;
    }
    const message = `${shown(variable)} cannot be assigned to while it is borrowed`;
    this.#report(References.dangling, span, message, this.#borrowsThrough(index));
  }

  move(span: Span, variable: Variable, isLastUse: boolean): ReferenceNumber {
    const index = this.#context.labels.variable(variable);
    const old = this.#held[index];
    this.#held[index] = undefined;
    if (old !== undefined) return old;
    const borrows = this.#borrowsThrough(index);
    const name = shown(variable);
    if (!isLastUse) {
      this.#report(References.dangling, span, `${name} cannot be moved while it is borrowed`, borrows);
      return undefined;
    }
    this.#report(
      References.ambiguous,
      span,
      `this may move ${name} or copy it, while it is borrowed; write 'move ${name}' or 'copy ${name}'`,
      borrows,
      ['a move would take away what the reference leads to, and the last use of a variable is not copied by itself'],
    );
    return undefined;
  }

  copy(span: Span, variable: Variable): ReferenceNumber {
    const index = this.#context.labels.variable(variable);
    const held = this.#held[index];
    if (held !== undefined) {
      const copy = this.#new(this.#graph.isMutable(held), span);
      this.#graph.addStrong(held, undefined, copy);
      return copy;
    }
    const message = `${shown(variable)} cannot be copied while it is mutably borrowed`;
    this.#report(References.ownership, span, message, this.#mutable(this.#borrowsThrough(index)));
    return undefined;
  }

  borrowLocal(span: Span, variable: Variable, isMutable: boolean): ReferenceNumber {
    const index = this.#context.labels.variable(variable);
    if (!isMutable) {
      const message = `${shown(variable)} cannot be borrowed while it is mutably borrowed`;
      this.#report(References.transparency, span, message, this.#mutable(this.#borrowsThrough(index)));
    }
    const id = this.#new(isMutable, span);
    this.#graph.addStrong(this.#root, index, id);
    return id;
  }

  freeze(span: Span, reference: ReferenceNumber): ReferenceNumber {
    if (reference === undefined) return undefined;
    const message = 'this mutable reference cannot be frozen while it is mutably borrowed';
    this.#report(References.ownership, span, message, this.#borrowsInTheWayOfReading(reference, undefined));
    const frozen = this.#new(false, span);
    this.#graph.addStrong(reference, undefined, frozen);
    this.release(reference);
    return frozen;
  }

  dereference(span: Span, reference: ReferenceNumber): void {
    if (reference === undefined) return;
    const message = 'this reference cannot be read while it is mutably borrowed';
    this.#report(References.ownership, span, message, this.#borrowsInTheWayOfReading(reference, undefined));
    this.release(reference);
  }

  mutate(span: Span, reference: ReferenceNumber): void {
    if (reference === undefined) return;
    const message = 'this reference cannot be written to while it is borrowed';
    this.#report(References.dangling, span, message, this.#graph.borrowsOf(reference));
    this.release(reference);
  }

  borrowField(span: Span, reference: ReferenceNumber, field: string, isMutable: boolean): ReferenceNumber {
    if (reference === undefined) return undefined;
    const label = this.#context.labels.field(field);
    if (isMutable) {
      const borrows = this.#graph.borrowsOf(reference).filter((borrow) => borrow.label === undefined);
      this.#report(References.ownership, span, `field ${field} cannot be mutably borrowed here`, borrows);
    } else {
      const borrows = this.#borrowsInTheWayOfReading(reference, label);
      this.#report(References.transparency, span, `field ${field} cannot be borrowed here`, borrows);
    }
    const id = this.#new(isMutable, span);
    this.#graph.addStrong(reference, label, id);
    this.release(reference);
    return id;
  }

  borrowResource(span: Span, struct: StructDeclaration, isMutable: boolean): ReferenceNumber {
    const label = this.#context.labels.resource(struct);
    const borrows = this.#borrowsThrough(label);
    const kind = isMutable ? References.ownership : References.transparency;
    const inTheWay = isMutable ? borrows : this.#mutable(borrows);
    this.#report(kind, span, `the resource ${struct.name.text} cannot be borrowed here`, inTheWay);
    const id = this.#new(isMutable, span);
    this.#graph.addWeak(this.#root, label, id);
    return id;
  }

  /** `move_from`, or a call of a function that may do that. */
  takeResource(span: Span, struct: StructDeclaration): void {
    const message = `the resource ${struct.name.text} cannot be taken while it is borrowed`;
    this.#report(References.dangling, span, message, this.#borrowsThrough(this.#context.labels.resource(struct)));
  }

  /** Returned references may borrow from all that are passed, mutable ones from mutable ones. */
  call(
    span: Span,
    values: readonly ReferenceNumber[],
    resources: Iterable<StructDeclaration>,
    result: ResolvedType,
  ): ReferenceNumber[] {
    for (const struct of resources) this.takeResource(span, struct);
    const passed = [...new Set(values.filter((value) => value !== undefined))];
    const mutable = passed.filter((id) => this.#graph.isMutable(id));
    for (const id of mutable) {
      const message = 'a mutable reference cannot be passed while it is borrowed';
      this.#report(References.transfer, span, message, this.#graph.borrowsOf(id));
    }
    passed.sort((left, right) => left - right);
    mutable.sort((left, right) => left - right);
    const types = singleTypes(result);
    const returned = types.map((type) => this.#referenceOf(type, span));
    for (const id of returned) {
      if (id === undefined) continue;
      for (const parent of this.#graph.isMutable(id) ? mutable : passed) this.#graph.addWeak(parent, undefined, id);
    }
    for (const id of passed) this.release(id);
    return returned;
  }

  /** Leaves the function with these values. */
  leave(span: Span, values: readonly ReferenceNumber[], acquired: Iterable<StructDeclaration>): void {
    for (const held of this.#held) this.release(held);
    for (const [index, variable] of this.#context.variables.entries()) {
      if (this.#held[index] !== undefined) continue;
      const message = `${shown(variable)} is still borrowed by what is returned`;
      this.#report(References.return, span, message, this.#borrowsThrough(index));
    }
    for (const struct of acquired) {
      const message = `the resource ${struct.name.text} is still borrowed by what is returned`;
      this.#report(References.return, span, message, this.#borrowsThrough(this.#context.labels.resource(struct)));
    }
    for (const id of values) {
      if (id === undefined || !this.#graph.isMutable(id)) continue;
      const message = 'a mutable reference cannot be returned while it is borrowed';
      this.#report(References.transfer, span, message, this.#graph.borrowsOf(id));
    }
    this.forget();
  }

  /** Nothing runs after this: no reference is left. */
  forget(): void {
    this.#held.fill(undefined);
    this.#graph = rootGraph(this.#context);
    this.#origins.clear();
    this.#next = this.#root + 1;
    this.#isCanonical = true;
  }

  /** Numbers references by the variables that hold them; there must be no others. */
  canonicalize(): void {
    if (this.#isCanonical) return;
    this.#isCanonical = true;
    const renamed = new Map<number, number>();
    const origins = new Map<number, Span>();
    for (const [index, id] of this.#held.entries()) {
      if (id === undefined) continue;
      const origin = this.#origins.get(id);
      if (origin !== undefined) origins.set(index, origin);
      if (id !== index) renamed.set(id, index);
      this.#held[index] = index;
    }
    this.#origins = origins;
    if (renamed.size > 0) this.#graph.rename(renamed);
    this.#next = this.#root + 1;
  }

  /** What holds on both ways; `undefined` if that is this state. Both are canonical. */
  join(arriving: BorrowState): BorrowState | undefined {
    const joined = this.clone();
    const other = arriving.clone();
    let isChanged = false;
    for (const [index, id] of this.#held.entries()) {
      if (id === other.#held[index]) continue;
      joined.release(id);
      other.release(other.#held[index]);
      joined.#held[index] = undefined;
      isChanged ||= id !== undefined;
    }
    joined.#graph = joined.#graph.join(other.#graph);
    for (const [id, origin] of other.#origins) if (!joined.#origins.has(id)) joined.#origins.set(id, origin);
    return isChanged || !this.#graph.covers(joined.#graph) ? joined : undefined;
  }
}

function shown({ shownName }: Variable): string {
  return shownName ?? 'a temporary value';
}
