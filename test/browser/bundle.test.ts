// @module-tag long
import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { fit, gplvm } from '../../src/index.ts';
import { NEEDS_CHROMIUM, startChromium } from '../app/plot/chromium.ts';
import { servedPages } from './servedPages.ts';

const isBuilt = existsSync(new URL('../../dist/browser/latentfield.js', import.meta.url));
const why = NEEDS_CHROMIUM || (isBuilt ? '' : ' (dist/browser is not built: npm run build)');

/** No strings as code; WebAssembly, workers and scripts from the same place, and nothing else. */
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'none'; img-src data: blob:";

const Y = pipeFlow({ points: 60, seed: 3 }).observations.toArrays();
const OPTIONS = { maxIterations: 25, seed: 1 };
const model = () => gplvm(Y, { latentDim: 2 });

// What runs in a page: the bundle has the types of the library.
type Library = typeof import('../../src/index.ts') & {
  readonly plot: typeof import('../../src/app/plot/index.ts');
  readonly fitInWorker: typeof import('../../src/app/workers/index.ts')['fitInWorker'];
};

describe.skipIf(why !== '')(`the library in a page${why}`, () => {
  let browser: Browser;
  let page: Page;
  let pages: Awaited<ReturnType<typeof servedPages>>;
  const problems: string[] = [];

  beforeAll(async () => {
    pages = await servedPages();
    browser = await startChromium();
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => problems.push(message.text()));
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });
  const open = (policy: string) => page.goto(pages.page(policy));

  it('fits, draws and makes a PNG from one file, under a strict policy, with the objective of Node', async () => {
    const expected = await fit(model(), { ...OPTIONS, engine: 'wasm' });
    await open(STRICT);
    const found = await page.evaluate(
      async ([rows, options]) => {
        const { fit, gplvm, plot } = await (globalThis as unknown as { library: () => Promise<Library> }).library();
        const result = await fit(gplvm(rows, { latentDim: 2 }), options);
        const svg = await plot.latentPlot({
          latents: result.latents,
          color: rows.map(([first]) => first!),
          image: [3, 4],
          observations: rows,
        });
        const png = await plot.svgToPng(svg);
        let strings = 'are code';
        try {
          new Function('return 1')();
        } catch {
          strings = 'are no code';
        }
        return {
          strings,
          objective: result.objective,
          engine: result.diagnostics.engine,
          points: svg.match(/<g class="points".*?<\/g>/)![0].match(/<path/g)!.length,
          png: Array.from(png.slice(1, 4), (code) => String.fromCharCode(code)).join(''),
        };
      },
      [Y, OPTIONS] as const,
    );
    expect(found.engine).toBe('wasm');
    // Logarithms and exponentials of hosts differ in their last bits.
    expect(Math.abs(found.objective / expected.objective - 1)).toBeLessThan(1e-9);
    expect(found).toMatchObject({ points: 60, png: 'PNG', strings: 'are no code' });
    // That of the trial alone.
    expect(problems.filter((problem) => !problem.includes('new Function'))).toHaveLength(0);
  });

  it('fits in a worker: steps, pause, resume, stop, the same bits', async () => {
    await open(STRICT);
    const found = await page.evaluate(
      async ([rows, options]) => {
        const { fit, fitInWorker, gplvm } = await (
          globalThis as unknown as { library: () => Promise<Library> }
        ).library();
        const objectives: number[] = [];
        const run = fitInWorker(gplvm(rows, { latentDim: 2 }), {
          ...options,
          onStep: ({ objective, latents }) => {
            objectives.push(objective);
            if (latents.rows !== 60) throw new Error('no latents');
            if (objectives.length === 2) run.pause();
          },
        });
        const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
        while (objectives.length < 2) await pause(20);
        await pause(300);
        const held = objectives.length;
        await pause(400);
        const stillHeld = objectives.length;
        run.resume();
        const result = await run.result;
        const here = await fit(gplvm(rows, { latentDim: 2 }), options);
        const stopped = fitInWorker(gplvm(rows, { latentDim: 2 }), {
          maxIterations: 1e6,
          tolerance: 0,
          relativeDecrease: 0,
          onStep: () => stopped.stop(),
        });
        const start = () => new Worker('/nowhere.js', { type: 'module' });
        const lost = fitInWorker(gplvm(rows, { latentDim: 2 }), { worker: start }).result.catch(
          (error: Error) => error.message,
        );
        const wrong = fitInWorker(gplvm(rows, { latentDim: 2 }), { maxIterations: -1 }).result.catch(
          (error: Error) => `${error.name}: ${error.message}`,
        );
        return {
          held,
          stillHeld,
          objectives,
          objective: result.objective,
          mean: result.predict([[0, 0]]).mean.toArrays(),
          trace: result.trace.length,
          here: { objective: here.objective, mean: here.predict([[0, 0]]).mean.toArrays(), trace: here.trace.length },
          status: (await stopped.result).status,
          error: await wrong,
          lost: await lost,
        };
      },
      [Y, OPTIONS] as const,
    );
    expect(found.stillHeld).toBe(found.held);
    expect(found.objectives).toEqual([...found.objectives].sort((a, b) => a - b));
    expect(found.objectives.length).toBeGreaterThan(2);
    expect({ objective: found.objective, mean: found.mean, trace: found.trace }).toEqual(found.here);
    expect(found.status).toBe('stopped');
    expect(found.lost).toMatch(
      /^The worker of the fit was lost: its file could not be loaded: .* Serve latentfield\/worker\.js, .* with its address\.$/,
    );
    expect(found.error).toMatch(/^InvalidInputError: Option 'maxIterations'/);
  });

  it('reports which file of a worker is missing, or which policy forbids it, and the remedy', async () => {
    const lost = () =>
      page.evaluate(
        async ([rows, options]) => {
          const { fit, fitInWorker, gplvm } = await (
            globalThis as unknown as { library: () => Promise<Library> }
          ).library();
          const messageOf = (result: Promise<unknown>) => result.then(String, (error: Error) => error.message);
          const whole = fitInWorker(gplvm(rows, { latentDim: 2 }), options).result;
          const shared = fit(gplvm(rows, { latentDim: 2 }), { ...options, restarts: 1, workers: 2 });
          return [await messageOf(whole), await messageOf(shared)];
        },
        [Y, OPTIONS] as const,
      );
    const file = new URL('/dist/browser/worker.js', pages.page('')).href;
    await page.route('**/worker.js', (route) => route.fulfill({ status: 404 }));
    await open(STRICT);
    for (const message of await lost()) {
      expect(message).toContain(
        ` was lost: its file, ${file}, could not be loaded: it does not exist, or is not a script.`,
      );
      expect(message).toContain('Serve latentfield/worker.js, one file for all workers, and start workers of your own');
    }
    await page.unroute('**/worker.js');
    const told = problems.splice(0).filter((problem) => !/404/.test(problem));
    expect(told).toEqual([]);
    await open(STRICT.replace("worker-src 'self'", "worker-src 'none'"));
    for (const message of await lost()) {
      expect(message).toContain(` was lost: the content security policy forbids its file, ${file}, by worker-src.`);
      expect(message).toContain("such as by worker-src 'self'");
    }
    // The browser says so too.
    expect(problems.splice(0).every((problem) => /worker-src/.test(problem))).toBe(true);
  });

  it('shares restarts among workers', async () => {
    const options = { maxIterations: 10, restarts: 2, seed: 1 };
    await open(STRICT);
    const found = await page.evaluate(
      async ([rows, given]) => {
        const { fit, gplvm } = await (globalThis as unknown as { library: () => Promise<Library> }).library();
        const alone = await fit(gplvm(rows, { latentDim: 2 }), given);
        const shared = await fit(gplvm(rows, { latentDim: 2 }), { ...given, workers: 2 });
        return { alone: alone.diagnostics.restarts, shared: shared.diagnostics.restarts };
      },
      [Y, options] as const,
    );
    expect(found.shared).toHaveLength(3);
    expect(found.shared).toEqual(found.alone);
  });

  it('runs without WebAssembly where a policy forbids it, and names the policy', async () => {
    const expected = await fit(model(), { ...OPTIONS, engine: 'typescript' });
    await open("default-src 'none'; script-src 'self'");
    const found = await page.evaluate(
      async ([rows, options]) => {
        const { fit, gplvm } = await (globalThis as unknown as { library: () => Promise<Library> }).library();
        const { objective, diagnostics } = await fit(gplvm(rows, { latentDim: 2 }), options);
        return { objective, ...diagnostics };
      },
      [Y, OPTIONS] as const,
    );
    expect(found.engine).toBe('typescript');
    expect(found.engineReason).toContain("content security policy without 'wasm-unsafe-eval'");
    expect(found.objective).toBeCloseTo(expected.objective, 6);
  });
});
