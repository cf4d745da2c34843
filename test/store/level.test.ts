import { LevelStore, MirrorStore, openDirectory } from '../../src/store/index.ts';
import { compliance } from './compliance.ts';
import { temporaryDirectories } from './temporary.ts';
import { TestLevel } from './test-level.ts';

const directory = temporaryDirectories();

compliance('level on classic-level', () => openDirectory(directory(), { durability: 'os' }));
compliance('level on another abstract-level database', () => LevelStore.over(new TestLevel({ getSync: true })));
compliance('mirror over an asynchronous database', () => MirrorStore.over(new TestLevel({ getSync: false })));
compliance('overlay on level', async () => {
  const base = await openDirectory(directory(), { durability: 'os' });
  const keys = Array.from({ length: 40 }, (_, index) => Uint8Array.of(index % 3, index));
  await base.batch(keys.map((key) => ({ type: 'put', key, value: key })));
  const overlay = base.fork();
  await overlay.batch(keys.map((key) => ({ type: 'delete', key })));
  const close = overlay.close.bind(overlay);
  overlay.close = async () => {
    await close();
    await base.close();
  };
  return overlay;
});
