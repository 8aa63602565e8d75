import { isNode } from '../../core/host.ts';
import { partsOfThread } from './readParts.ts';
import { serveFits, serveModels } from './serveFits.ts';

// A thread that cannot load its parts answers with the reason.
// Without await: bundlers make classic scripts of workers, which have none at their top.
if (isNode()) {
  partsOfThread()
    .catch((reason: Error) => reason)
    .then(serveModels);
} else serveFits();
