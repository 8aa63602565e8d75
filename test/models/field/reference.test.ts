import { alle, drill, type Fit, fit, lle, loadFit, meu, mpme } from 'latentfield';
import { checksum } from 'latentfield/core';
import { describe, expect, it } from 'vitest';
import { reference, sharedReference } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';
import { expectColumns } from '../spectral/columns.ts';

interface MpmeCase {
  N: number;
  lambda_: number;
  C: number | 'inf';
  distance: 'squared' | 'plain';
  objective: number;
  nnz: number;
  components: number;
  kpcaEigenvalues: number[];
  kpca: number[][];
  genEigenvalues: number[];
  genVectors: number[][];
  w?: number[];
  wSparse?: [number, number, number][];
  U?: number[][];
}
type MpmeReference = Record<'random20' | 'circle100', { Y: number[][]; cases: MpmeCase[] }>;

const mpmeReference = reference<MpmeReference>('mpme.json');
const cases = (['random20', 'circle100'] as const).flatMap((data) =>
  mpmeReference[data].cases.map((values) => ({
    data,
    lambda: values.lambda_,
    C: values.C,
    distance: values.distance,
    values,
  })),
);

/** [i, j, w] of positive weight, i < j, sorted. */
function referenceEdges({ N, w, wSparse }: MpmeCase): [number, number, number][] {
  const all = wSparse ?? [];
  if (w !== undefined) {
    for (let i = 1, e = 0; i < N; i++) for (let j = 0; j < i; j++, e++) if (w[e]! > 0) all.push([j, i, w[e]!]);
  }
  return [...all].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

function edgesOf(result: Fit): [number, number, number][] {
  const { sources, targets, weights } = result.graph!;
  return Array.from(sources, (i, e) => [i, targets[e]!, weights[e]!]);
}

describe.each(cases)('mpme of $data at λ = $lambda, C = $C, $distance distances', ({ data, values }) => {
  const options = {
    basePrecision: values.lambda_,
    slackPenalty: values.C === 'inf' ? Infinity : values.C,
    distances: values.distance,
  };
  const { Y } = mpmeReference[data];

  it('has the objective, support, weights and embedding of SciPy and Newton', async () => {
    const result = await fit(mpme(Y, options));
    // Most points alone: no neighborhood graph.
    expect(result.status).toBe(values.components > values.N / 2 ? 'degenerate' : 'converged');
    expectClose(result.objective, values.objective, 1e-12);
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-11);
    const wanted = referenceEdges(values);
    const got = edgesOf(result);
    expect(got.map(([i, j]) => [i, j])).toEqual(wanted.map(([i, j]) => [i, j]));
    expectClose(
      got.map(([, , w]) => w),
      wanted.map(([, , w]) => w),
      1e-9,
    );
    expectClose(result.eigenvalues, values.kpcaEigenvalues.slice(0, 2), 1e-10);
    expect(result.message).toContain(values.components === 1 ? 'is connected' : `${values.components} components`);
    const gaps = values.kpcaEigenvalues.slice(0, 2).map((value, c) => value - values.kpcaEigenvalues[c + 1]!);
    if (gaps.every((gap) => gap > 1e-6)) expectColumns(result.latents, values.kpca, 1e-8, 'kernel PCA');
    if (values.U !== undefined) expectClose(result.covariance!(), values.U, 1e-11, 'covariance');
    // The eigenmap of the same weights; fitting them again would give the same ones.
    const json = result.toJSON() as unknown as { model: { options: object }; checksums: Record<string, string> };
    const changed = { ...json.model.options, embedding: 'eigenmap' };
    const eigenmap = loadFit({
      ...json,
      model: { ...json.model, options: changed },
      checksums: { ...json.checksums, 'model.options': checksum(changed) },
    });
    expectClose(eigenmap.eigenvalues, values.genEigenvalues.slice(1, 3), 1e-10);
    const distinct = values.genEigenvalues.slice(1).every((value, c) => value - values.genEigenvalues[c]! > 1e-6);
    if (distinct && values.components === 1) {
      const columns = values.genVectors.map((row) => row.slice(1));
      // The last column has a gap to its follower that the file does not hold, so only the first is sure.
      expectColumns(eigenmap.latents, columns, 1e-6, 'eigenmap');
    }
  });
});

interface MeuCase {
  Y: number[][];
  k: number;
  edges: [number, number][];
  meu: { lambda_: number[]; objective: number; eigenvaluesHKH: number[]; X: number[][] };
  lleGeneral: { smallestEigenvaluesL: number[]; bottomEigenvectors: number[][] };
  lle: { smallestEigenvaluesL: number[]; bottomEigenvectors: number[][] };
  drill: {
    structure: 'kNN' | 'full';
    rho: number;
    objective: number;
    nnzOffDiag: number;
    eigenvaluesHKH: number[];
    X: number[][];
    theta: [number, number, number][];
  }[];
  alle: { k: number; pseudoLogLik: number; eigenvaluesHKH: number[]; X: number[][]; M: number[][] };
}
const shared = sharedReference<Record<'run1' | 'wifi', MeuCase>>('meu.json');
const meuCases = [
  { data: 'swiss30', tags: [], values: reference<{ swiss30: MeuCase }>('meu-swiss30.json').swiss30 },
  ...(shared === undefined
    ? []
    : [
        { data: 'run1', tags: 'long', values: shared.run1 },
        { data: 'robot', tags: 'long', values: shared.wifi },
      ]),
];

for (const { data, values, tags } of meuCases)
  describe(data, { tags }, () => {
    const { Y, k } = values;

    it('meu has the objective, weights and embedding of SciPy and Newton', async () => {
      const result = await fit(meu(Y, { neighbors: k, basePrecision: 1e-4 }));
      const constant = -0.5e-4 * Y.flat().reduce((sum, entry) => sum + entry * entry, 0);
      expectClose(result.objective + constant, values.meu.objective, 1e-12);
      expect(result.diagnostics.kktResidual).toBeLessThan(1e-11);
      const wanted = values.edges
        .map(([i, j], e) => [i, j, values.meu.lambda_[e]!] as const)
        .filter(([, , weight]) => weight > 0);
      const got = edgesOf(result);
      expect(got.map(([i, j]) => [i, j])).toEqual(wanted.map(([i, j]) => [i, j]));
      expectClose(
        got.map(([, , w]) => w),
        wanted.map(([, , w]) => w),
        1e-8,
      );
      expectClose(result.eigenvalues, values.meu.eigenvaluesHKH, 1e-9);
      expectColumns(result.latents, values.meu.X, 1e-8);
    });

    it('alle has the likelihood and embedding of numpy', async () => {
      const result = await fit(alle(Y, { neighbors: values.alle.k, basePrecision: 1e-4 }));
      expectClose(result.objective, values.alle.pseudoLogLik, 1e-10);
      expectClose(result.eigenvalues, values.alle.eigenvaluesHKH, 1e-6);
      expectColumns(result.latents, values.alle.X, 1e-6);
      const { M } = values.alle;
      const L = M.map((row) => M.map((other) => row.reduce((sum, entry, c) => sum + entry * other[c]!, 0)));
      const precision = result.precision!();
      for (let i = 0; i < precision.rows; i++) precision.data[i * (precision.rows + 1)]! -= 1e-4;
      expectClose(precision, L, 1e-10, 'precision');
    });

    // The two of the robot take up to a minute; `npm run reproduce -- drill-glasso` compares them.
    const quick = data === 'robot' ? [] : values.drill;
    it.each(quick)(
      'drill on $structure pairs at ρ = $rho has the precision and embedding of R and scikit-learn',
      async (wanted) => {
        const neighbors = wanted.structure === 'full' ? 'all' : k;
        const result = await fit(drill(Y, { neighbors, penalty: wanted.rho }));
        expect(result.status).toBe('converged');
        expectClose(result.objective, wanted.objective, 1e-10);
        expect(result.diagnostics.kktResidual).toBeLessThan(1e-9);
        expect(result.graph!.sources.length).toBe(wanted.nnzOffDiag);
        const precision = result.precision!();
        expectClose(
          wanted.theta.map(([i, j]) => precision.at(i, j)),
          wanted.theta.map(([, , value]) => value),
          1e-8,
        );
        expectClose(result.eigenvalues, wanted.eigenvaluesHKH, 1e-7);
        expectColumns(result.latents, wanted.X, 1e-6);
      },
    );

    // The robot's graph has several components: its null space is not one vector.
    const connected = data === 'robot' ? [] : [false, true];
    it.each(connected)('lle (generalized: %s) has the eigenvectors of numpy', async (generalized) => {
      const { smallestEigenvaluesL, bottomEigenvectors } = generalized ? values.lleGeneral : values.lle;
      const result = await fit(lle(Y, { neighbors: k, regularization: 'auto', generalized }));
      expectClose(result.eigenvalues, smallestEigenvaluesL.slice(1, 3), 1e-7);
      expectColumns(result.latents, bottomEigenvectors, 1e-6, `generalized ${generalized}`);
    });
  });
