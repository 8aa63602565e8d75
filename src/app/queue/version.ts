import { createRequire } from 'node:module';

/** Version of the library, and of what its coordinators and workers say to each other. */
export const VERSION = (createRequire(import.meta.url)('../../../package.json') as { version: string }).version;
