/** A Move package, compiled and published if a compiler is installed. */
import { Engine, EngineError } from 'movelet';
import { compile } from 'movelet/compile';

const engine = await Engine.open();
try {
  const { modules, compiler } = await compile('examples/counter', { log: ({ message }) => console.log(message) });
  const [{ address } = { address: '0x42' }] = modules;
  const { status } = await engine.publish(
    address,
    modules.map(({ bytes }) => bytes),
  );
  console.log(`compiled by ${compiler.name}, published: ${status.kind}`);
} catch (error) {
  // Without a compiler, the error says how to get one.
  if (!(error instanceof EngineError) || error.code !== 'compile-failed') throw error;
  console.log(error.message);
}
await engine.close();
