/**
 * Draws from the posterior of a Gaussian process of 30 points, from the start: the library, the model, 4 chains, their summary. In Node, one JSON
 * line is printed; a page imports `drawStory` with the library.
 *
 *   node bench/drawStory.mjs WARMUP DRAWS SEED < {"inputs": […], "observations": […]}
 */
export async function drawStory(library, { inputs, observations }, { warmup, draws, seed }) {
  const { samplePosterior, fixedAt, gamma, latentVariableModel, positive, rbf } = library;
  const prior = gamma({ shape: 2, rate: 2 });
  const model = latentVariableModel({
    observations: observations.map((y) => [y]),
    latentDim: 1,
    posterior: fixedAt(inputs.map((t) => [t])),
    kernel: rbf({ variance: positive(1, { prior }), lengthscale: positive(1, { prior }) }),
    noise: positive(0.1, { prior }),
    center: false,
  });
  const start = performance.now();
  const used = globalThis.process?.cpuUsage?.();
  const result = await samplePosterior(model, { chains: 4, warmup, draws, seed });
  const ms = performance.now() - start;
  const { user, system } = used === undefined ? {} : process.cpuUsage(used);
  const rows = Object.values(result.summary());
  const steps = result.toInferenceData().sample_stats.n_steps.flat();
  return {
    ms,
    drawCpuSeconds: used && (user + system) / 1e6,
    least: Math.min(...rows.flatMap(({ essBulk, essTail }) => [essBulk, essTail])),
    means: rows.map(({ mean }) => mean),
    gradients: result.diagnostics.evaluations,
    afterWarmup: steps.reduce((sum, entry) => sum + entry, 0),
    divergences: result.divergences.length,
  };
}

if (globalThis.process?.argv[1]?.endsWith('drawStory.mjs')) {
  const [warmup, draws, seed] = process.argv.slice(2).map(Number);
  let text = '';
  for await (const part of process.stdin) text += part;
  const story = await drawStory(await import('latentfield'), JSON.parse(text), { warmup, draws, seed });
  const { user, system } = process.cpuUsage();
  // From the start of the process: loading is in it.
  console.log(JSON.stringify({ ...story, wholeMs: performance.now(), cpuSeconds: (user + system) / 1e6 }));
}
