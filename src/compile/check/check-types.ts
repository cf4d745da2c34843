/**
 * Types of a whole program: structs, constants, functions and scripts.
 * Source: `move-compiler/src/typing/translate.rs` of the reference.
 * @module
 */
import type { ConstantDeclaration, FunctionDeclaration, ModuleDeclaration } from '../names/declaration.ts';
import type {
  ResolvedConstant,
  ResolvedFunction,
  ResolvedModule,
  ResolvedProgram,
  ResolvedScript,
} from '../names/resolved-tree.ts';
import type { ResolvedType } from '../names/type.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Types } from '../text/diagnostic-kind.ts';
import { BodyChecker, unitType } from './body-checker.ts';
import { checkConstantExpression } from './constant-expression.ts';
import { checkInstantiationCycles, checkRecursiveStructs } from './cycles.ts';
import { type CallInstantiation, Settler } from './settle.ts';
import { checkStruct } from './struct-check.ts';
import { settledTypeText } from './type-text.ts';
import type { TypedConstant, TypedFunction, TypedModule, TypedProgram, TypedScript } from './typed-tree.ts';

/** Gives all expressions their types. What does not fit is reported, and has an error in its place. */
export function checkTypes(program: ResolvedProgram, diagnostics: Diagnostics): TypedProgram {
  return {
    modules: program.modules.map((module) => checkModule(module, diagnostics)),
    scripts: program.scripts.map((script) => checkScript(script, diagnostics)),
    declarations: program.declarations,
  };
}

function checkModule({ declaration, constants, functions }: ResolvedModule, diagnostics: Diagnostics): TypedModule {
  for (const struct of declaration.structs.values()) checkStruct(struct, diagnostics);
  const calls: CallInstantiation[] = [];
  const typed: TypedModule = {
    declaration,
    constants: constants.map((constant) => checkConstant(constant, declaration, diagnostics)),
    functions: functions.map((one) => checkFunction(one, declaration, calls, diagnostics)),
  };
  checkRecursiveStructs(declaration, diagnostics);
  checkInstantiationCycles(declaration, calls, diagnostics);
  return typed;
}

function checkScript({ span, constants, function: main }: ResolvedScript, diagnostics: Diagnostics): TypedScript {
  return {
    span,
    constants: constants.map((constant) => checkConstant(constant, undefined, diagnostics)),
    function: checkFunction(main, undefined, [], diagnostics),
  };
}

function checkFunction(
  { declaration, body }: ResolvedFunction,
  module: ModuleDeclaration | undefined,
  calls: CallInstantiation[],
  diagnostics: Diagnostics,
): TypedFunction {
  const checker = new BodyChecker(module, diagnostics);
  const settler = new Settler(checker, declaration.isInline);
  checker.signature(declaration);
  if (module === undefined) {
    const { span } = declaration.name;
    checker.subtype(span, 'what a script returns', declaration.result, unitType(span));
  }
  refuseFunctionTypes(declaration, settler);
  const typed = body === undefined ? undefined : checker.body(body);
  checker.solve();
  const settled = typed === undefined ? undefined : settler.block(typed);
  for (const call of settler.instantiations) calls.push(call);
  return { declaration, body: settled };
}

/** In a signature, only the parameters of an inline function may be functions. */
function refuseFunctionTypes({ isInline, parameters, result }: FunctionDeclaration, settler: Settler): void {
  if (!isInline) {
    for (const { type } of parameters) settler.refuseFunction(type);
  }
  settler.refuseFunction(result);
}

function checkConstant(
  { declaration, value }: ResolvedConstant,
  module: ModuleDeclaration | undefined,
  diagnostics: Diagnostics,
): TypedConstant {
  checkConstantType(declaration, diagnostics);
  const checker = new BodyChecker(module, diagnostics);
  const typed = checker.constantValue(value, checker.instantiate(declaration.type));
  checker.solve();
  const settled = new Settler(checker, false).expression(typed);
  checkConstantExpression(settled, diagnostics);
  return { declaration, value: settled };
}

/** Numbers, `bool`, `address`, and vectors of what constants can be. */
function checkConstantType({ type: declared, name }: ConstantDeclaration, diagnostics: Diagnostics): void {
  let type: ResolvedType = declared;
  while (type.kind === 'vector') type = type.element;
  if (type.kind === 'error' || (type.kind === 'primitive' && type.name !== 'signer')) return;
  const message =
    `the constant '${name.text}' cannot have the type '${settledTypeText(declared)}': ` +
    'constants are numbers, bool, address, and vectors of them';
  diagnostics.add(Types.constantType, declared.span, message);
}
