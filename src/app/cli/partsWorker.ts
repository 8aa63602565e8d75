import { workerData } from 'node:worker_threads';
import { serveFits } from '../workers/index.ts';
import { readParts } from './ownParts.ts';

await serveFits(await readParts((workerData as { readonly parts: string }).parts));
