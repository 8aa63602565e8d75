// Lets a plain Node process, or a thread of one, run the library from its TypeScript sources.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
