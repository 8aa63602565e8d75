import { existsSync, readFileSync } from 'node:fs';

const EVALUATIONS = 500;
const folder = new URL('../../../shared/reference/', import.meta.url);

/**
 * The log densities of models of oil flow after 500 evaluations, compared with the ends of SciPy's and GPy's L-BFGS-B from the same starts
 * (../shared/reference). Nothing is timed.
 */
export async function optima({ library, missing, short }) {
  const [scipy, gpy] = ['optimizers.json', 'gpy-fit-oil300.json'].map((name) => {
    const file = new URL(name, folder);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  });
  if (scipy === undefined || gpy === undefined) {
    missing.optimum = 'The reference fits of oil flow, ../shared/reference, are not there.';
    return [];
  }
  const { add, bias, fit, latentVariableModel, rbf, thinPlateSpline } = library;
  const endOf = (run) => scipy.runs.find((entry) => entry.run === run && entry.prior === 0).objective;
  const held = Math.exp(-2);
  const problems = [
    {
      task: 'TPSLVM',
      peer: 'SciPy L-BFGS-B',
      expected: endOf('tps L-BFGS-B float64'),
      model: { observations: scipy.Y, kernel: thinPlateSpline(), noise: 1 },
    },
    {
      task: 'GPLVM',
      peer: 'SciPy L-BFGS-B',
      expected: endOf('rbf L-BFGS-B float64'),
      model: { observations: scipy.Y, kernel: add(rbf(), bias({ variance: held })), noise: held },
    },
    {
      task: 'GPLVM',
      peer: 'GPy L-BFGS-B',
      expected: gpy.ll_final,
      model: {
        observations: gpy.Y,
        init: gpy.X0,
        kernel: add(rbf(), bias({ variance: 0.1 })),
        noise: 0.1,
      },
    },
  ];
  const limits = { maxEvaluations: short ? 20 : EVALUATIONS, tolerance: 0, relativeDecrease: 0, engine: 'wasm' };
  const rows = [];
  for (const { task, peer, expected, model } of problems) {
    const n = model.observations.length;
    const row = { section: 'optimum', task, n };
    const { objective, diagnostics } = await fit(latentVariableModel({ latentDim: 2, ...model }), limits);
    rows.push({ ...row, contender: 'wasm', evaluations: diagnostics.evaluations, value: objective });
    rows.push({ ...row, contender: peer, value: expected });
  }
  return rows;
}
