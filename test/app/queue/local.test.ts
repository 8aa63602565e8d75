import { afterEach, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { localTransport, queuePool, RefusedJob, serveQueue } from '../../../src/app/queue/index.ts';
import { packed } from '../../../src/app/queue/requests.ts';
import { openSession } from '../../../src/app/queue/session.ts';
import type { Start } from '../../../src/inference/fit/run.ts';
import { fit, type NodeThread } from '../../../src/inference/index.ts';
import type { Request } from '../../../src/inference/workers/messages.ts';
import { serveRuns } from '../../../src/inference/workers/serveRuns.ts';
import { gplvm, modelFromJSON } from '../../../src/models/index.ts';
import { threadStarter } from './workers.ts';

const { observations } = pipeFlow({ points: 20, seed: 1 });
const model = () => gplvm(observations, { latentDim: 1 });
const options = { maxIterations: 3, restarts: 3, seed: 1 };

afterEach(() => {
  vi.useRealTimers();
});

it('fits without a server by the same code', async () => {
  const transport = localTransport();
  const worker = await serveQueue(transport, { threads: 2, start: await threadStarter() });
  const alone = await fit(model(), options);
  const spread = await fit(model(), { ...options, workers: queuePool({ transport }) });
  expect([spread.latents, spread.trace, spread.message]).toEqual([alone.latents, alone.trace, alone.message]);
  await worker.close();
});

it('does children before their parent, tries again what fails, and no more what was refused', async () => {
  const transport = localTransport();
  const done: string[] = [];
  await transport.serve('q', {
    concurrency: 2,
    problem: () => undefined,
    async run({ id }) {
      done.push(id);
      if (id === 'refused') throw new RefusedJob('no');
      if (id === 'flaky' && done.filter((name) => name === id).length < 3) throw new Error('once more');
      if (id === 'broken') throw new Error('broken');
    },
  });
  const children = ['flaky', 'refused', 'broken'].map((id) => ({ id, body: '' }));
  const ended = new Promise<void>((resolve) => {
    void transport.watch('q', {
      completed: (id) => id === 'parent' && resolve(),
      failed: () => undefined,
      advanced: () => undefined,
      lost: () => undefined,
    });
  });
  await transport.add('q', [{ id: 'parent', body: '', children }]);
  await ended;
  expect(done.at(-1)).toBe('parent');
  const times = (wanted: string) => done.filter((id) => id === wanted).length;
  expect([times('flaky'), times('refused'), times('broken'), times('parent')]).toEqual([3, 1, 3, 1]);
  expect(await transport.stateOf('q', 'broken')).toEqual({ kind: 'failed', reason: 'broken' });
});

it('waits as long as one worker serves the queue, and gives up once it has left', async () => {
  vi.useFakeTimers();
  const transport = localTransport();
  const only = await transport.serve('q', { concurrency: 0, problem: () => undefined, run: async () => undefined });
  const session = await openSession({ queue: 'q', patience: 2 }, transport);
  const fail = vi.fn();
  await session.add([{ id: 'job', body: '' }], ['job'], () => ({ look: async () => false, fail }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fail).not.toHaveBeenCalled();
  await only.close();
  await vi.advanceTimersByTimeAsync(2000);
  expect(fail).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ code: 'queueLost', message: expect.stringContaining('for 2 seconds') }),
  );
  await session.close();
});

it('continues from a saved state where another worker takes a start over, to the bits of a fit without interruption', async () => {
  const given = {
    maxIterations: 20,
    tolerance: 0,
    relativeDecrease: 0,
    checkpoint: () => undefined,
    checkpointInterval: 0,
  };
  const alone = await fit(model(), given);
  const transport = localTransport();
  const begun: Start[] = [];
  /** A thread of a worker that is none: it runs in this one. */
  const start = (): NodeThread => {
    let listener: ((message: unknown) => void) | undefined;
    let receive: (request: Request) => void;
    const post = (reply: unknown) => listener?.(structuredClone(reply));
    const listen = (onRequest: typeof receive) => {
      receive = onRequest;
    };
    serveRuns({ post, listen }, (json) => modelFromJSON(json, {}));
    return {
      postMessage(request) {
        if ((request as Request).kind === 'run') begun.push((request as { start: Start }).start);
        receive(structuredClone(request) as Request);
      },
      on(event: string, heard: (message: never) => void) {
        if (event === 'message') listener = heard as typeof listener;
      },
      terminate() {
        listener = undefined;
      },
    };
  };
  const workers = [await serveQueue(transport, { start })];
  const saved: string[] = [];
  const { put } = transport.blobs;
  transport.blobs.put = async (key, bytes) => {
    await put(key, bytes);
    if (!key.startsWith('state/') || saved.push(new TextDecoder().decode(bytes)) !== 5) return;
    void workers[0]!.close();
    workers.push(await serveQueue(transport, { start }));
  };
  const spread = await fit(model(), { ...given, workers: queuePool({ transport }) });
  expect(begun.map(({ state }) => state === undefined)).toEqual([true, false]);
  expect(saved).toContain(packed(begun[1]!.state));
  expect(begun[1]!.state!.iterations).toBeGreaterThan(0);
  expect([spread.latents, spread.trace]).toEqual([alone.latents, alone.trace]);
  await Promise.all(workers.map((worker) => worker.close()));
});
