/**
 * A strict reader of OpenMetrics 1.0 text, written from the specification (sections 4 and 5 of OpenMetrics.md: the rules
 * that say MUST, for the types that a node has). It shares no code with the writer.
 */

export interface ReadSample {
  /** With its suffix. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ReadFamily {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const DESCRIPTOR = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? ([^ ]+)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const TYPES = ['counter', 'gauge', 'histogram', 'info'];
/** What the names of a type's samples may end with. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  info: ['_info'],
};

interface OpenFamily {
  readonly name: string;
  readonly described: Map<string, string>;
  readonly samples: ReadSample[];
}

/** The families of an exposition. Throws with the line that breaks a rule. */
export function readOpenMetrics(text: string): ReadFamily[] {
  if (!text.endsWith('# EOF\n')) throw new Error('an exposition ends with # EOF and a line feed');
  const lines = text.slice(0, -'# EOF\n'.length).split('\n');
  if (lines.pop() !== '') throw new Error('each line ends with a line feed');
  const families: OpenFamily[] = [];
  for (const line of lines) {
    try {
      readLine(line, families);
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${line}`);
    }
  }
  const read = families.map(closed);
  assertApart(read);
  return read;
}

function readLine(line: string, families: OpenFamily[]): void {
  const descriptor = DESCRIPTOR.exec(line);
  if (descriptor !== null) {
    const [, word = '', name = '', text = ''] = descriptor;
    let family = families.at(-1);
    if (family?.name !== name) {
      if (families.some((other) => other.name === name)) throw new Error('families do not interleave');
      family = { name, described: new Map(), samples: [] };
      families.push(family);
    }
    if (family.samples.length > 0) throw new Error('descriptors stand before samples');
    if (family.described.has(word)) throw new Error('a descriptor stands once');
    family.described.set(word, word === 'HELP' ? unescaped(text) : text);
    return;
  }
  if (line.startsWith('#')) throw new Error('there are no comments');
  const [, name, labels, value = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error('neither descriptor nor sample');
  const family = families.at(-1);
  if (family === undefined || !name.startsWith(family.name)) throw new Error('a sample stands under its family');
  family.samples.push({ name, labels: readLabels(labels ?? ''), value: readNumber(value) });
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ''; ) {
    const [whole, name, value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || name === undefined || value === undefined) throw new Error('malformed labels');
    if (name in labels) throw new Error(`label ${name} stands twice`);
    labels[name] = unescaped(value);
    rest = rest.slice(whole.length);
    if (rest === '' && whole.endsWith(',')) throw new Error('labels end with a comma');
  }
  return labels;
}

function unescaped(text: string): string {
  const rest = text.replace(/\\[\\"n]/g, '');
  if (rest.includes('\\')) throw new Error('an unknown escape');
  return text.replace(/\\([\\"n])/g, (_, character) => (character === 'n' ? '\n' : String(character)));
}

function readNumber(text: string): number {
  if (/^\+?Inf$/.test(text)) return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  if (text === 'NaN') return Number.NaN;
  if (!NUMBER.test(text)) throw new Error(`${text} is not a number`);
  return Number(text);
}

function closed({ name, described, samples }: OpenFamily): ReadFamily {
  const type = described.get('TYPE') ?? 'unknown';
  const unit = described.get('UNIT') ?? '';
  const fail = (rule: string): never => {
    throw new Error(`${name}: ${rule}`);
  };
  if (!TYPES.includes(type)) fail(`unexpected type ${type}`);
  if (unit !== '' && !name.endsWith(`_${unit}`)) fail('a name ends with its unit');
  if (unit !== '' && type === 'info') fail('an info has no unit');
  const seen = new Set<string>();
  for (const sample of samples) {
    const suffix = sample.name.slice(name.length);
    if (!SUFFIXES[type]!.includes(suffix)) fail(`a ${type} has no sample ${sample.name}`);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (seen.has(key)) fail(`the same sample twice: ${key}`);
    seen.add(key);
    if (type === 'counter' && !(sample.value >= 0)) fail('a counter is not negative and a number');
    if (type === 'info' && sample.value !== 1) fail('an info has the value 1');
  }
  if (type === 'histogram') assertHistograms(samples, name, fail);
  return { name, type, unit, help: described.get('HELP') ?? '', samples };
}

function assertHistograms(samples: readonly ReadSample[], name: string, fail: (rule: string) => never): void {
  const groups = new Map<string, ReadSample[]>();
  let last: string | undefined;
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    if ((le !== undefined) !== (sample.name === `${name}_bucket`)) fail('buckets have le, and nothing else has');
    const key = JSON.stringify(Object.entries(labels).sort());
    if (key !== last && groups.has(key)) fail('the samples of one metric stand together');
    last = key;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => labels['le']!);
    for (const bound of bounds.slice(0, -1)) {
      // A bound is a canonical number: a whole one has a fraction.
      if (!/^\d+\.\d+(?:e[+-]\d+)?$/.test(bound)) fail(`le="${bound}" is not a canonical number`);
    }
    if (bounds.at(-1) !== '+Inf') fail('the last bucket is +Inf');
    for (const [index, { value }] of buckets.entries()) {
      if (index === 0) continue;
      if (value < buckets[index - 1]!.value) fail('buckets are cumulative');
      if (!(readNumber(bounds[index]!) > readNumber(bounds[index - 1]!))) fail('buckets ascend');
    }
    const count = group.filter((sample) => sample.name === `${name}_count`);
    const sum = group.filter((sample) => sample.name === `${name}_sum`);
    if (count.length !== 1 || sum.length !== 1) fail('a histogram has one count and one sum');
    if (count[0]!.value !== buckets.at(-1)!.value) fail('the count is that of the last bucket');
    if (!(sum[0]!.value >= 0)) fail('the sum of times is not negative');
  }
}

/** No name that a family's sample can have is another family, or the name of another family's sample. */
function assertApart(families: readonly ReadFamily[]): void {
  const taken = new Map<string, string>();
  for (const { name, type } of families) {
    for (const each of new Set([name, ...SUFFIXES[type]!.map((suffix) => name + suffix)])) {
      const other = taken.get(each);
      if (other !== undefined && other !== name) throw new Error(`${name} and ${other} both mean ${each}`);
      taken.set(each, name);
    }
  }
}
