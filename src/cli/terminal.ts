import { colouredDiagnostics } from '../compile/text/diagnostic-text.ts';

/** Compiler output, coloured if standard error is a terminal with colours; NO_COLOR is respected. */
export function forTerminal(text: string): string {
  return process.stderr.isTTY && process.stderr.hasColors() ? colouredDiagnostics(text) : text;
}
