import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fromDist } from '../context.mjs';

const tests = new URL('../../test/', import.meta.url);
const unlimited = { tolerance: 0, relativeDecrease: 0, maxIterations: 20000 };

/**
 * Evaluations until the value is within 1e-8 of the minimum, on the test problems of the solvers, compared with SciPy's
 * L-BFGS-B (recorded in test/reference/solvers.json), and how far above the minimum Adam ends by the gradient. Nothing is timed; counts do
 * not vary.
 */
export async function solverEvaluations({ library }) {
  const { bounded, counted, unconstrained } = await testProblems();
  const { adam, lbfgs, lbfgsb, scg } = await fromDist('inference/index.js');
  const recorded = JSON.parse(readFileSync(new URL('reference/solvers.json', tests), 'utf8')).problems;

  function evaluations(problem, solver) {
    const run = counted(problem);
    const { lower, upper, scale } = problem;
    library.minimize((x) => run.objective(x), problem.start, solver, {
      ...unlimited,
      ...((lower ?? upper) !== undefined && {
        bounds: { ...(lower !== undefined && { lower }), ...(upper !== undefined && { upper }) },
      }),
      ...(scale && solver.name === 'adam' && { scale }),
    });
    return run.toMinimum;
  }

  /** How far above the minimum a solver ends that stops by its own tolerance. */
  function gap({ objective, start, scale, minimum }, solver) {
    const limits = { maxIterations: 20000, ...(scale && { scale }) };
    return library.minimize(objective, start, solver, limits).value - minimum;
  }

  const row = (problem, contender, count, details) => ({
    section: 'solvers',
    task: problem.name,
    n: problem.start.length,
    contender,
    ...(Number.isFinite(count) && { evaluations: count }),
    ...details,
  });
  const ours = (problem, make) => {
    const count = evaluations(problem, make());
    const details = {
      ...(Number.isFinite(count) && {
        against: 'SciPy L-BFGS-B',
        ratio: { median: Number((count / recorded[problem.name].toMinimum).toPrecision(4)) },
      }),
      ...(make === adam && { gap: gap(problem, make()) }),
    };
    return row(problem, make.name, count, details);
  };
  const all = (problem, solvers) => [
    ...solvers.map((make) => ours(problem, make)),
    row(problem, 'SciPy L-BFGS-B', recorded[problem.name].toMinimum),
  ];
  return [
    ...unconstrained.flatMap((problem) => all(problem, [lbfgs, lbfgsb, scg, adam])),
    ...bounded.flatMap((problem) => all(problem, [lbfgsb])),
  ];
}

/** The problems of the tests, which import nothing, with their types taken off. */
async function testProblems() {
  const typescript = createRequire(import.meta.url)('typescript');
  const source = readFileSync(new URL('inference/problems.ts', tests), 'utf8');
  const { outputText } = typescript.transpileModule(source, { compilerOptions: { module: 99, target: 9 } });
  return import(`data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`);
}
