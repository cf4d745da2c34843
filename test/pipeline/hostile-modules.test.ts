/**
 * Thirty modules of 1.6 kB, each of which keeps the verifier busy for almost as long as one module may: together they held
 * the thread for 38 s and took 2.5 GB while only the steps of each were bounded. Now their sum is, and what the verifier
 * keeps of one of them.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { TRANSACTION_NATIVE_WORK_MAX } from '../../src/base/config.ts';
import { Engine } from '../../src/index.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import { VALIDATION_NATIVE_WORK_MAX, validateSigned } from '../../src/pipeline/validate.ts';
import { type Action, parseAddress } from '../../src/query/transaction-builder.ts';
import { readModule, readScript } from '../../src/vm/binary/read.ts';
import { writeModule } from '../../src/vm/binary/write.ts';
import { StepMeter, VERIFY_STEPS_MAX } from '../../src/vm/verify/step-meter.ts';
import { verifyModule, verifyScript } from '../../src/vm/verify/verify.ts';
import { collectGarbage } from '../garbage.ts';
import { assembleModule, assembleScriptBytes } from '../vm/assemble.ts';
import { assembleFor } from './contract.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, StepChain } from './step-chain.ts';

const MODULES = 30;
const REFERENCES = 127;
const BLOCKS = 135;

/** Steps of the verifier in a microsecond of counted work, as in src/execution/runtime/native-work.ts. */
const STEPS_PER_WORK = 5;
/** Steps between two checks of what is left: STEPS_BETWEEN_CALLS, and one charge of a large borrow graph. */
const STEPS_BETWEEN = 100_000;

const times = (count: number, item: (index: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

const PARAMETERS = times(REFERENCES, (at) => `p${at}: &u8`, ', ');

/** A large borrow graph that many blocks join (GHSA-g8v8-fw4c-8h82). */
const BUSY = assembleModule(`module ${ALICE.address}::busy
    fun all(${PARAMETERS}): ${times(REFERENCES, () => '&u8', ', ')} { ${times(REFERENCES, (at) => `MoveLoc p${at};`)} Ret }
    fun f(${PARAMETERS}) { ${times(REFERENCES, (at) => `let l${at}: &u8`)}
      top: ${times(REFERENCES, (at) => `CopyLoc p${at};`)} Call all; ${times(REFERENCES, (at) => `StLoc l${at};`)}
      ${times(BLOCKS, () => 'LdTrue; BrTrue top;')} Ret }`);

/** Modules with names of their own: verifying the same one again would cost nothing. */
const busyModules = (prefix: string): Uint8Array[] =>
  Array.from({ length: MODULES }, (_, at) => {
    const identifiers = BUSY.identifiers.map((name) => (name === 'busy' ? `${prefix}${at}` : name));
    return writeModule({ ...BUSY, identifiers });
  });

const { charge } = StepMeter.prototype;

/** Steps that the verifier takes while `run` runs. Prints its processor time and the process's memory. */
async function stepsOf(title: string, run: () => unknown): Promise<number> {
  let taken = 0;
  StepMeter.prototype.charge = function (steps) {
    taken += steps;
    charge.call(this, steps);
  };
  const begun = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(begun);
  const megabytes = Math.round(process.memoryUsage.rss() / 1e6);
  console.info(`${title}: ${Math.round((user + system) / 1_000)} ms of processor time, then ${megabytes} MB resident`);
  return taken;
}

/** As `BUSY`, of one body: every block joins as many locals, all of which borrow one. */
const BUSY_SCRIPT = assembleScriptBytes(`script(n: u64) { let b: u8
    ${times(REFERENCES, (at) => `let l${at}: &u8`, '\n')}
    LdU8 1; StLoc b; ${times(REFERENCES, (at) => `ImmBorrowLoc b; StLoc l${at};`)}
    top: ${times(REFERENCES - 1, (at) => `CopyLoc l${at}; StLoc l${at + 1};`)}
    ${times(2_000, () => 'LdTrue; BrTrue top;')} Ret }`);

const script = (code: Uint8Array): Action => ({ kind: 'script', code, typeArguments: [], arguments: [] });

afterEach(() => {
  StepMeter.prototype.charge = charge;
});

describe('modules that keep the verifier busy, each below its bound', () => {
  it('would take much longer than a transaction may', () => {
    const meter = new StepMeter(VERIFY_STEPS_MAX);
    const [code, ...others] = busyModules('m');
    expect(verifyModule(readModule(code!), meter)).toEqual({ ok: true });
    expect(code!.length * (1 + others.length)).toBeLessThan(50_000);
    expect(meter.taken * MODULES).toBeGreaterThan(10 * TRANSACTION_NATIVE_WORK_MAX * STEPS_PER_WORK);
  });

  it('do not make the verifier keep much (270 MB before)', () => {
    const held: number[] = [];
    const meter = new StepMeter(VERIFY_STEPS_MAX, (taken) => {
      if (held.length > 0 && taken < 4_700_000) return;
      collectGarbage();
      held.push(process.memoryUsage().heapUsed);
    });
    expect(verifyModule(BUSY, meter)).toEqual({ ok: true });
    expect(held.length).toBeGreaterThan(1);
    expect(held.at(-1)! - held[0]!).toBeLessThan(32e6);
  });

  it('are refused in a transaction when all of them have taken what natives may', async () => {
    await using engine = await Engine.open();
    const modules = busyModules('t');
    const steps = await stepsOf('a transaction', async () => {
      const { status } = await engine.publish(ALICE.address, modules);
      expect(status).toMatchObject({ kind: 'miscellaneous-error' });
    });
    expect(steps).toBeLessThan(TRANSACTION_NATIVE_WORK_MAX * STEPS_PER_WORK + STEPS_BETWEEN);
    expect(steps).toBeGreaterThan(VERIFY_STEPS_MAX);
  });

  it('are refused in a dry run and in a view at the deadline', async () => {
    await using engine = await Engine.open({ viewMsMax: 50 });
    const call = { sender: ALICE.address, action: publishAction(busyModules('d')) };
    const late = expect.objectContaining({ code: 'deadline-exceeded' });
    const dry = await stepsOf('a dry run of 50 ms', () => expect(() => engine.simulate(call)).toThrow(late));
    expect(dry).toBeLessThan(VERIFY_STEPS_MAX);
    const viewed = assembleFor(
      ALICE,
      `module 0xa11ce::viewed
        public fun f(codes: vector<vector<u8>>) {
          let modules: vector<0x2::move_module::MoveModule>
          MoveLoc codes; Call 0x2::move_module::new_batch; StLoc modules
          ImmBorrowLoc modules; LdConst address ${ALICE.address}; Call 0x2::move_module::sort_and_verify_modules
          Pop; Pop; Pop; Ret
        }`,
    );
    expect((await engine.publish(ALICE.address, [viewed])).status).toEqual({ kind: 'executed' });
    const view = { function: `${ALICE.address}::viewed::f`, arguments: [busyModules('v')] };
    const seen = await stepsOf('a view of 50 ms', () => expect(() => engine.tryView(view)).toThrow(late));
    expect(seen).toBeLessThan(VERIFY_STEPS_MAX);
  });
});

/**
 * A script is verified before its transaction is ordered, and again when it runs. Neither was counted: one that was
 * refused in the end had held the thread for a second and paid nothing, whatever deadline there was.
 */
describe('a script that keeps the verifier busy', () => {
  const meter = new StepMeter(VERIFY_STEPS_MAX);

  it('takes longer than validation may, though less than one module', () => {
    expect(verifyScript(readScript(BUSY_SCRIPT), meter)).toEqual({ ok: true });
    expect(meter.taken).toBeGreaterThan(VALIDATION_NATIVE_WORK_MAX * STEPS_PER_WORK + STEPS_BETWEEN);
  });

  it('is refused when it has taken what validation may', async () => {
    const chain = await StepChain.open();
    const taken = await stepsOf('a refused script', () => {
      const signed = signBitcoin(ALICE, chain.data(parseAddress(ALICE.address), script(BUSY_SCRIPT)));
      expect(validateSigned(signed, chain.context)).toMatchObject({
        kind: 'refused',
        error: { message: expect.stringContaining('EXECUTION_LIMIT_REACHED') },
      });
    });
    expect(taken).toBeLessThan(VALIDATION_NATIVE_WORK_MAX * STEPS_PER_WORK + STEPS_BETWEEN);
  });

  it('is given up at the deadline of a dry run', async () => {
    await using engine = await Engine.open({ viewMsMax: 50 });
    const call = { sender: ALICE.address, action: script(BUSY_SCRIPT) };
    const late = expect.objectContaining({ code: 'deadline-exceeded' });
    const taken = await stepsOf('a dry run of 50 ms', () => expect(() => engine.simulate(call)).toThrow(late));
    expect(taken).toBeLessThan(meter.taken);
  });
});
