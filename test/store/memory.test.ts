import { MemoryStore } from '../../src/store/memory.ts';
import { compliance } from './compliance.ts';

compliance('memory', async () => new MemoryStore());
