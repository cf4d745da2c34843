/**
 * What types must satisfy, noted while they are inferred and checked when they are known.
 * Source: `solve_constraints` of the reference's `move-compiler/src/typing/core.rs`.
 * @module
 */
import { type AbilitySet, abilityNames } from '../../move/ability.ts';
import type { ResolvedType, TypeParameter } from '../names/type.ts';
import { abilitiesOf, abilityOfParts, declaredAbilities, partsOfType } from '../names/type-abilities.ts';
import type { Diagnostics, Label } from '../text/diagnostic.ts';
import { Abilities, Types } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { type Inference, isNumber } from './inference.ts';

export type Constraint =
  /** `reason` says what needs the abilities; `parameter` is set if a type argument is meant. */
  | {
      readonly kind: 'abilities';
      readonly span: Span;
      readonly type: ResolvedType;
      readonly abilities: AbilitySet;
      readonly reason: string;
      readonly parameter?: TypeParameter;
    }
  | { readonly kind: 'number'; readonly span: Span; readonly type: ResolvedType; readonly operator: string }
  /** Neither a reference nor a tuple; or no tuple. `what` is the noun that has the type. */
  | { readonly kind: 'base' | 'single'; readonly span: Span; readonly type: ResolvedType; readonly what: string };

/** Reports each constraint that does not hold. */
export function solveConstraints(
  constraints: readonly Constraint[],
  inference: Inference,
  diagnostics: Diagnostics,
): void {
  inference.defaultNumbers();
  for (const constraint of constraints) {
    const type = inference.resolve(constraint.type);
    switch (constraint.kind) {
      case 'abilities':
        solveAbilities(constraint, type, inference, diagnostics);
        break;
      case 'number':
        if (isNumber(type) || type.kind === 'error' || type.kind === 'any' || type.kind === 'variable') break;
        diagnostics.add(
          Types.builtin,
          constraint.span,
          `'${constraint.operator}' takes integers, but this is '${inference.text(type)}'`,
          elsewhere([comesFrom(type, inference)], constraint.span),
        );
        break;
      default: {
        const isBase = constraint.kind === 'base';
        if (type.kind !== 'tuple' && (type.kind !== 'reference' || !isBase)) break;
        const expected = isBase ? 'neither a reference nor a tuple' : 'no tuple';
        diagnostics.add(
          isBase ? Types.baseType : Types.singleType,
          constraint.span,
          `${constraint.what} may be ${expected}, but this is '${inference.text(type)}'`,
          elsewhere([comesFrom(type, inference)], constraint.span),
        );
      }
    }
  }
}

function solveAbilities(
  constraint: Constraint & { readonly kind: 'abilities' },
  type: ResolvedType,
  inference: Inference,
  diagnostics: Diagnostics,
): void {
  const missing = constraint.abilities & ~abilitiesOf(type, inference.resolve);
  for (const [bit, name] of abilityNames(0xf).entries()) {
    const ability = 1 << bit;
    if ((missing & ability) === 0) continue;
    const text = inference.text(type);
    const labels: Label[] = [comesFrom(type, inference)];
    if ((declaredAbilities(type) & ability) === 0) {
      const declaration =
        type.kind === 'struct' ? type.struct.name : type.kind === 'parameter' ? type.parameter.name : undefined;
      if (declaration !== undefined) {
        labels.push({ span: declaration.span, message: `'${declaration.text}' is declared here without '${name}'` });
      }
    } else {
      const required = abilityOfParts(ability);
      const part = partsOfType(type).find((one) => (abilitiesOf(one, inference.resolve) & required) === 0);
      if (part !== undefined) {
        const message = `'${inference.text(part)}' does not have '${abilityNames(required)[0]}'`;
        labels.push({ span: inference.spanOf(part), message });
      }
    }
    if (constraint.parameter !== undefined) {
      const { span } = constraint.parameter.name;
      labels.push({ span, message: `'${constraint.parameter.name.text}' must have '${name}'` });
    }
    diagnostics.add(
      Abilities.constraint,
      constraint.span,
      `the type '${text}' does not have the ability '${name}', which ${constraint.reason}`,
      elsewhere(labels, constraint.span),
    );
  }
}

function comesFrom(type: ResolvedType, inference: Inference): Label {
  return { span: type.span, message: `the type '${inference.text(type)}' comes from here` };
}

/** The labels that are not at the place of the error itself. */
export function elsewhere(labels: readonly Label[], { source, start, end }: Span): Label[] {
  return labels.filter(({ span }) => span.source !== source || span.start !== start || span.end !== end);
}
