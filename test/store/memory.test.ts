import { MemoryStore } from '../../src/store/index.ts';
import { compliance } from './compliance.ts';

compliance('memory', async () => new MemoryStore());
