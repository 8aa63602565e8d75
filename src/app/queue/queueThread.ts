import { serveQueueThread } from './serveQueueThread.ts';

await serveQueueThread();
