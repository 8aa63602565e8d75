import { isNode } from '../../core/host.ts';
import { partsOfThread } from './readParts.ts';
import { serveFits, serveModels } from './serveFits.ts';

// A thread that cannot load its parts answers with the reason.
if (isNode()) serveModels(await partsOfThread().catch((reason: Error) => reason));
else serveFits();
