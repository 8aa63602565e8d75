import { InvalidInputError } from '../core/errors.ts';
import { isNode, nodeModule } from '../core/nodeModule.ts';
import type { Reply, Request } from '../inference/workers/messages.ts';
import { serveRuns, type WorkerPort } from '../inference/workers/serveRuns.ts';
import { modelFromJSON } from '../models/modelFromJSON.ts';
import type { OwnParts } from '../models/ownParts.ts';

/**
 * Makes a worker of fits out of the thread that calls it: the one line of a worker's file.
 *
 * @param own - factories of models, kernels, priors and other parts that do not come with the library, by name
 * @throws InvalidInputError when it is not called in a Web Worker or a thread of Node
 * @example
 * ```ts
 * serveFits({ kernels: { cauchy } });
 * ```
 */
export async function serveFits(own: OwnParts = {}): Promise<void> {
  serveRuns(isNode() ? await threadPort() : webPort(), (json) => modelFromJSON(json, own));
}

const elsewhere = 'serveFits makes a worker out of the thread it is called in: call it in the file of a worker.';

async function threadPort(): Promise<WorkerPort> {
  const { parentPort } = await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', elsewhere);
  if (parentPort === null) throw new InvalidInputError(elsewhere);
  return {
    post: (reply) => parentPort.postMessage(reply),
    listen: (onRequest) => {
      parentPort.on('message', onRequest);
    },
  };
}

function webPort(): WorkerPort {
  const scope = globalThis as unknown as {
    postMessage(reply: Reply): void;
    addEventListener(type: 'message', listener: (event: { data: Request }) => void): void;
  };
  if (typeof document !== 'undefined') throw new InvalidInputError(elsewhere);
  return {
    post: (reply) => scope.postMessage(reply),
    listen: (onRequest) => scope.addEventListener('message', ({ data }) => onRequest(data)),
  };
}
