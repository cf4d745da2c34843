/**
 * What a compilation has to say about sources: errors and warnings, each with a code and the places that it is about.
 *
 * Codes and severities are those of the reference (`move-compiler/src/diagnostics/codes.rs`), the words are ours.
 * @module
 */
import type { Span } from './source-text.ts';

/**
 * How far a compilation goes on: a `blocking` error ends it after typing, any other after lowering; a warning never
 * does. A `defect` is the compiler's own.
 */
export type Severity = 'warning' | 'error' | 'blocking' | 'defect';

/** A kind of diagnostic. */
export interface DiagnosticKind {
  /** `E03001`: a letter for the severity, two digits for the category, three for the kind. */
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong, in general. */
  readonly title: string;
}

/** A place and what is to be said about it. */
export interface Label {
  readonly span: Span;
  readonly message: string;
}

export interface Diagnostic {
  readonly kind: DiagnosticKind;
  readonly primary: Label;
  /** Other places that explain the first. */
  readonly secondary: readonly Label[];
  /** Sentences without a place. */
  readonly notes: readonly string[];
  /** Whether it only follows from another one, and goes away with that. */
  readonly isFollowUp: boolean;
}

/** The most diagnostics that one compilation keeps; later ones are only counted. */
const DIAGNOSTICS_MAX = 1_000;

const RANK: Readonly<Record<Severity, number>> = { warning: 0, error: 1, blocking: 2, defect: 3 };

/** A diagnostic before it is added: what `Diagnostics#add` takes. */
export type Finding = Parameters<Diagnostics['add']>;

/** The diagnostics of one compilation, collected by all passes. */
export class Diagnostics {
  readonly #kept: Diagnostic[] = [];
  readonly #seen = new Set<string>();
  #worst = -1;
  #left = 0;

  /** Adds one. A second one of the same kind at the same place with the same message is dropped. */
  add(
    kind: DiagnosticKind,
    span: Span,
    message: string,
    secondary: readonly Label[] = [],
    notes: readonly string[] = [],
    isFollowUp = false,
  ): void {
    this.#worst = Math.max(this.#worst, RANK[kind.severity]);
    if (this.#kept.length >= DIAGNOSTICS_MAX) {
      this.#left++;
      return;
    }
    const identity = `${kind.code} ${span.source.index} ${span.start} ${span.end} ${message}`;
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    this.#kept.push({ kind, primary: { span, message }, secondary, notes, isFollowUp });
  }

  /** Adds those of another collection. */
  addAll(others: Diagnostics): void {
    for (const { kind, primary, secondary, notes, isFollowUp } of others.#kept) {
      this.add(kind, primary.span, primary.message, secondary, notes, isFollowUp);
    }
    this.#left += others.#left;
    this.#worst = Math.max(this.#worst, others.#worst);
  }

  /** Whether there is one of this severity or a worse one. */
  has(severity: Severity): boolean {
    return this.#worst >= RANK[severity];
  }

  /** How many were not kept. */
  get left(): number {
    return this.#left;
  }

  /** In the order of the sources. */
  sorted(): Diagnostic[] {
    const order = (left: Span, right: Span): number =>
      left.source.index - right.source.index || left.start - right.start || left.end - right.end;
    return this.#kept.toSorted((left, right) => order(left.primary.span, right.primary.span));
  }
}
