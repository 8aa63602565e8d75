import { partsOfThread } from '../workers/readParts.ts';
import { serveQueueThread } from './serveQueueThread.ts';

await serveQueueThread(await partsOfThread());
