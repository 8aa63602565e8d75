import { createRequire } from 'node:module';

/** Version of the library, and of the messages between its coordinators and workers. */
export const VERSION = (createRequire(import.meta.url)('../../../package.json') as { version: string }).version;
