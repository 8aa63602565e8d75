import { InvalidInputError } from '../../core/errors.ts';
import { isNode, nodeModule } from '../../core/host.ts';
import { type ChainReply, type ChainRequest, serveChains } from '../../inference/sampling/drawInWorkers.ts';
import type { Reply, Request } from '../../inference/workers/messages.ts';
import { serveRuns } from '../../inference/workers/serveRuns.ts';
import { modelFromJSON } from '../../models/modelFromJSON.ts';
import type { OwnParts } from '../../models/ownParts.ts';
import { serveWholeFits, type WholeReply, type WholeRequest } from './wholeFits.ts';

type AnyRequest = Request | WholeRequest | ChainRequest;
type AnyReply = Reply | WholeReply | ChainReply;

interface Port {
  post(reply: AnyReply): void;
  listen(onRequest: (request: AnyRequest) => void): void;
}

/**
 * Turns the calling thread into a worker of fits: the single line of a worker's file.
 *
 * @param own - factories of custom models, kernels, priors and other parts, by name
 * @throws InvalidInputError unless it is called in a Web Worker or a thread of Node
 * @example
 * ```ts
 * serveFits({ kernels: { cauchy } });
 * ```
 */
export async function serveFits(own: OwnParts = {}): Promise<void> {
  await serveModels(own);
}

/** Serves fits; if the parts could not be read, every model is answered with the reason. */
export async function serveModels(own: OwnParts | Error): Promise<void> {
  const port = isNode() ? await threadPort() : webPort();
  const model = (json: Parameters<typeof modelFromJSON>[0]) => {
    if (own instanceof Error) throw own;
    return modelFromJSON(json, own);
  };
  const { post } = port;
  serveRuns({ post, listen: (on) => port.listen((request) => isOfRun(request) && on(request)) }, model);
  serveWholeFits(
    { post, listen: (on) => port.listen((request) => !isOfRun(request) && !isOfChain(request) && on(request)) },
    model,
  );
  serveChains({ post, listen: (on) => port.listen((request) => isOfChain(request) && on(request)) }, model);
}

const elsewhere = 'serveFits makes a worker out of the thread it is called in: call it in the file of a worker.';

const isOfRun = (request: AnyRequest): request is Request => ['open', 'run', 'stop'].includes(request.kind);
const isOfChain = (request: AnyRequest): request is ChainRequest => request.kind === 'chain';

async function threadPort(): Promise<Port> {
  const { parentPort } = await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', elsewhere);
  if (parentPort === null) throw new InvalidInputError(elsewhere);
  return {
    post: (reply) => parentPort.postMessage(reply),
    listen: (onRequest) => {
      parentPort.on('message', onRequest);
    },
  };
}

function webPort(): Port {
  const scope = globalThis as unknown as {
    postMessage(reply: AnyReply): void;
    addEventListener(type: 'message', listener: (event: { data: AnyRequest }) => void): void;
  };
  if (typeof document !== 'undefined') throw new InvalidInputError(elsewhere);
  return {
    post: (reply) => scope.postMessage(reply),
    listen: (onRequest) => scope.addEventListener('message', ({ data }) => onRequest(data)),
  };
}
