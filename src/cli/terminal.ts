import { colouredDiagnostics } from '../compile/text/diagnostic-text.ts';

/** What the compiler says, in colour if standard error is a terminal that shows it; NO_COLOR is respected. */
export function forTerminal(text: string): string {
  return process.stderr.isTTY && process.stderr.hasColors() ? colouredDiagnostics(text) : text;
}
