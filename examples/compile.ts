/** A Move package, and a source that is a text, compiled and published. */
import { Engine } from 'movelet';
import { compile, compileSources } from 'movelet/compile';

const engine = await Engine.open();
const counter = await compile('examples/counter');
const { address } = counter.modules[0]!;
const { status } = await engine.publish(address, counter);
console.log(`published: ${status.kind}`);

const text = `module me::greeting {
  public entry fun greet() {
    if (1) return
  }
}`;
try {
  compileSources({ 'greeting.move': text }, { addresses: { me: address } });
} catch (error) {
  console.log((error as Error).message);
}
await engine.close();
