/**
 * Adds line breaks to JSON text without changing a digit.
 * @module
 */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Indents valid JSON by two spaces per level. */
export function prettyJson(text: string): string {
  let result = '';
  let depth = 0;
  let previous = '';
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth--;
    if (isClosing && previous !== '{' && previous !== '[') result += newLine();
    else if (!isClosing && (previous === '{' || previous === '[' || previous === ',')) result += newLine();
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return result;
}
