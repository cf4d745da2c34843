/**
 * The fields of a struct: that their types may be fields, that they have the abilities that the struct's own ask for,
 * and where its type parameters are used.
 * Source: `struct_def` of the reference's `move-compiler/src/typing/translate.rs`.
 * @module
 */
import { abilityNames } from '../../move/ability.ts';
import type { StructDeclaration } from '../names/declaration.ts';
import { innerTypes, type ResolvedType, type TypeParameter } from '../names/type.ts';
import { abilitiesOf, abilityOfParts } from '../names/type-abilities.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Abilities, Declarations, Types, Unused } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { BodyChecker } from './body-checker.ts';
import { type Substitution, substitute } from './substitution.ts';
import { settledTypeText } from './type-text.ts';

export function checkStruct(struct: StructDeclaration, diagnostics: Diagnostics): void {
  const { fields, module, typeParameters } = struct;
  if (fields === undefined) return;
  const checker = new BodyChecker(module, diagnostics);
  /** Whether parameters have an ability is asked of their arguments. */
  const anything: Substitution = new Map(typeParameters.map((one) => [one, { kind: 'any', span: one.name.span }]));
  for (const { type } of fields.values()) {
    checker.require('base', type.span, checker.instantiate(type), 'a field');
    if (type.kind === 'function') {
      diagnostics.add(Types.functionType, type.span, 'only parameters of inline functions may be functions');
    }
    checkFieldAbilities(struct, type, substitute(type, anything), diagnostics);
  }
  checker.solve();
  if (module.isTarget)
    checkTypeParameters(
      struct,
      [...fields.values()].map(({ type }) => type),
      diagnostics,
    );
}

function checkFieldAbilities(
  struct: StructDeclaration,
  written: ResolvedType,
  type: ResolvedType,
  diagnostics: Diagnostics,
): void {
  const abilities = abilitiesOf(type);
  for (const [bit, name] of abilityNames(0xf).entries()) {
    const ability = 1 << bit;
    const required = abilityOfParts(ability);
    if ((struct.abilities & ability) === 0 || (abilities & required) !== 0) continue;
    const needed = abilityNames(required)[0];
    const message =
      `the field's type '${settledTypeText(written)}' does not have the ability '${needed}', ` +
      `which all fields of a struct with '${name}' need`;
    const span = struct.abilitySpans.get(name) ?? struct.name.span;
    diagnostics.add(Abilities.constraint, written.span, message, [
      { span, message: `'${struct.name.text}' has the ability '${name}'` },
    ]);
  }
}

/** Where phantom parameters stand must not matter; and what could be a phantom should be one. */
function checkTypeParameters(
  struct: StructDeclaration,
  fields: readonly ResolvedType[],
  diagnostics: Diagnostics,
): void {
  if (fields.some(hasError)) return;
  const used = new Set<TypeParameter>();
  const usedAsValue = new Set<TypeParameter>();
  const visit = (type: ResolvedType, isPhantom: boolean, where: string): void => {
    if (type.kind === 'parameter') {
      const { parameter } = type;
      used.add(parameter);
      if (isPhantom) return;
      usedAsValue.add(parameter);
      if (parameter.isPhantom) refusePhantom(parameter, type.span, where, diagnostics);
      return;
    }
    for (const [index, inner] of innerTypes(type).entries()) {
      const isPhantomArgument = type.kind === 'struct' && type.struct.typeParameters[index]?.isPhantom === true;
      visit(inner, isPhantomArgument, 'the argument of a parameter that is no phantom');
    }
  };
  for (const type of fields) visit(type, false, 'the type of a field');
  for (const parameter of struct.typeParameters) {
    if (parameter.isPhantom || usedAsValue.has(parameter)) continue;
    const { text, span } = parameter.name;
    if (used.has(parameter)) {
      diagnostics.add(Declarations.nonPhantom, span, `'${text}' is only an argument of phantoms: make it 'phantom'`);
    } else {
      diagnostics.add(Unused.typeParameter, span, `the type parameter '${text}' is not used: make it 'phantom'`);
    }
  }
}

function refusePhantom(parameter: TypeParameter, span: Span, where: string, diagnostics: Diagnostics): void {
  const { text, span: declared } = parameter.name;
  diagnostics.add(Declarations.phantomUse, span, `the phantom type parameter '${text}' cannot be ${where}`, [
    { span: declared, message: 'it is declared here' },
  ]);
}

function hasError(type: ResolvedType): boolean {
  return type.kind === 'error' || innerTypes(type).some(hasError);
}
