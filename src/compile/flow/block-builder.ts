/**
 * Basic blocks of a body: statements whose control flow is jumps between blocks.
 *
 * Blocks are numbered in the order of the source. Source: the reference's `move-compiler/src/cfgir/translate.rs`.
 * @module
 */
import { assert } from '../../base/error.ts';
import {
  type BlockLabel,
  type Expression,
  type LoweredCommand,
  NO_OPERANDS,
  type Statement,
} from '../lower/lowered-tree.ts';
import type { Span } from '../text/source-text.ts';

export interface BasicBlocks {
  /** By label. The first is where the body starts. Each ends with a command that leaves it. */
  readonly blocks: LoweredCommand[][];
  /** The blocks at which loops start. */
  readonly loops: readonly Loop[];
}

export interface Loop {
  readonly start: BlockLabel;
  /** The block after the loop; `undefined` if there is none. */
  readonly end: BlockLabel | undefined;
  /** Whether it is a `loop`, which only ends by `break`, `return` or `abort`. */
  readonly isEndless: boolean;
}

/** The blocks of the statements. */
export function buildBlocks(statements: readonly Statement[]): BasicBlocks {
  const builder = new BlockBuilder();
  builder.add(builder.newLabel(), statements);
  return builder.finish();
}

/** Whether a command is the last of its block. */
export function isLast({ kind }: LoweredCommand): boolean {
  return kind === 'abort' || kind === 'return' || kind === 'jump' || kind === 'branch';
}

class BlockBuilder {
  #labels = 0;
  /** In the order of the source. */
  readonly #finished: { readonly label: BlockLabel; readonly commands: LoweredCommand[] }[] = [];
  readonly #loops = new Map<BlockLabel, { readonly end: BlockLabel; readonly isEndless: boolean }>();
  #loop: { readonly start: BlockLabel; readonly end: BlockLabel } | undefined;
  /** Where a block goes on that does not leave by itself. */
  #next: BlockLabel | undefined;

  newLabel(): BlockLabel {
    return this.#labels++;
  }

  /** Adds the blocks of statements, the first of which has the label. */
  add(label: BlockLabel, statements: readonly Statement[]): void {
    const open = this.#open(label, statements);
    const last = open.commands.at(-1);
    if (last === undefined) return;
    if (this.#next !== undefined && !isLast(last)) {
      open.commands.push(jump(statements.at(-1)!.span, this.#next));
    }
    this.#finished.push(open);
  }

  /** Adds all blocks but the last, which is returned. */
  #open(label: BlockLabel, statements: readonly Statement[]): { label: BlockLabel; commands: LoweredCommand[] } {
    const open = { label, commands: [] as LoweredCommand[] };
    const finish = (next: BlockLabel): void => {
      this.#finished.push({ ...open });
      open.label = next;
      open.commands = [];
    };
    for (const statement of statements) {
      const { span } = statement;
      switch (statement.kind) {
        case 'if': {
          const whenTrue = this.newLabel();
          const whenFalse = this.newLabel();
          const after = this.newLabel();
          open.commands.push(branch(span, statement.condition, whenTrue, whenFalse));
          finish(after);
          this.#within(after, this.#loop, () => {
            this.add(whenTrue, statement.consequent);
            this.add(whenFalse, statement.alternate);
          });
          break;
        }
        case 'while': {
          const start = this.newLabel();
          const body = this.newLabel();
          const end = this.newLabel();
          this.#loops.set(start, { end, isEndless: false });
          open.commands.push(jump(span, start));
          finish(start);
          if (statement.before.length > 0) {
            const last = this.#open(open.label, statement.before);
            open.label = last.label;
            open.commands = last.commands;
          }
          open.commands.push(branch(span, statement.condition, body, end));
          finish(end);
          this.#within(start, { start, end }, () => this.add(body, statement.body));
          break;
        }
        case 'loop': {
          const start = this.newLabel();
          const end = this.newLabel();
          this.#loops.set(start, { end, isEndless: true });
          open.commands.push(jump(span, start));
          finish(end);
          this.#within(start, { start, end }, () => this.add(start, statement.body));
          break;
        }
        default: {
          const command = this.#command(statement);
          open.commands.push(command);
          if (isLast(command)) finish(this.newLabel());
        }
      }
    }
    return open;
  }

  #within(
    next: BlockLabel,
    loop: { readonly start: BlockLabel; readonly end: BlockLabel } | undefined,
    add: () => void,
  ): void {
    const outer = { next: this.#next, loop: this.#loop };
    this.#next = next;
    this.#loop = loop;
    add();
    this.#next = outer.next;
    this.#loop = outer.loop;
  }

  #command(command: LoweredCommand): LoweredCommand {
    if (command.kind !== 'break' && command.kind !== 'continue') return command;
    assert(this.#loop !== undefined, `${command.kind} outside of a loop is refused before`);
    const target = command.kind === 'break' ? this.#loop.end : this.#loop.start;
    return { kind: 'jump', span: command.span, operands: NO_OPERANDS, target, isWritten: true };
  }

  finish(): BasicBlocks {
    const order = new Map(this.#finished.map(({ label }, at) => [label, at]));
    const labelOf = (label: BlockLabel): BlockLabel => {
      const at = order.get(label);
      assert(at !== undefined, 'every target of a jump is a block');
      return at;
    };
    return {
      blocks: this.#finished.map(({ commands }) => commands.map((command) => withTargets(command, labelOf))),
      loops: this.#finished.flatMap(({ label }) => {
        const loop = this.#loops.get(label);
        return loop === undefined
          ? []
          : [{ start: labelOf(label), end: order.get(loop.end), isEndless: loop.isEndless }];
      }),
    };
  }
}

/** The command with other labels. */
export function withTargets(command: LoweredCommand, labelOf: (label: BlockLabel) => BlockLabel): LoweredCommand {
  if (command.kind === 'jump') return { ...command, target: labelOf(command.target) };
  if (command.kind !== 'branch') return command;
  return { ...command, whenTrue: labelOf(command.whenTrue), whenFalse: labelOf(command.whenFalse) };
}

function jump(span: Span, target: BlockLabel): LoweredCommand {
  return { kind: 'jump', span, operands: NO_OPERANDS, target, isWritten: false };
}

function branch(span: Span, condition: Expression, whenTrue: BlockLabel, whenFalse: BlockLabel): LoweredCommand {
  return { kind: 'branch', span, operands: [condition], whenTrue, whenFalse };
}
