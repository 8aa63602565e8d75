import { workerData } from 'node:worker_threads';
import { serveQueueThread } from '../queue/index.ts';
import { readParts } from './ownParts.ts';

await serveQueueThread(await readParts((workerData as { readonly parts?: string }).parts));
