import { fit, Matrix, meu, seededRandom } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { describe, it } from 'vitest';
import { curvedField } from '../../src/fields/density/curvedField.ts';
import { fieldFactor } from '../../src/fields/density/fieldDensity.ts';
import { commonEntriesGraph } from '../../src/fields/observed/commonEntries.ts';
import { observedCurvature, observedField } from '../../src/fields/observed/observedField.ts';
import { expectClose } from '../tolerance.ts';

const NEIGHBORS = 5;

/** Pipe flow with two entries in five removed, in no two columns the same. */
function withHoles(points: number): Matrix {
  const Y = Matrix.from(pipeFlow({ points, seed: 5 }).observations);
  const random = seededRandom(2);
  return new Matrix(
    Y.data.map((entry) => (random.uniform() < 0.4 ? Number.NaN : entry)),
    Y.rows,
    Y.columns,
  );
}

const Y = withHoles(40);
const lambda = 1e-2;
const { graph, squaredDistances } = commonEntriesGraph(Y, NEIGHBORS);
const evaluateAt = observedField(Y, graph, fieldFactor(graph), lambda);
const slopes = (weights: Float64Array) => {
  const { resistances, expectedDistances } = evaluateAt(weights);
  return resistances.map((R, e) => 0.5 * (expectedDistances[e]! - Y.columns * R));
};

/** H among some variables, as the quadratic model has it. */
function hessianAt(weights: Float64Array, variables: Int32Array): Float64Array {
  const field = curvedField(graph);
  const complete = field.curvature(weights, lambda, Y.columns);
  const none = new Float64Array(variables.length);
  const model = { variables, gradient: none, lower: none.map(() => -1), upper: none.map(() => 1) };
  const descent = observedCurvature(complete, Y, graph, weights, lambda).quadratic(model);
  const places = variables.map((_, a) => a);
  const H = new Float64Array(variables.length * variables.length);
  descent.fill(places, H);
  field.dispose();
  return H;
}

describe('the curvature of observed entries', () => {
  it('is the change of the gradient about a maximum, and the curvature of EM where the density is not concave', async () => {
    const result = await fit(meu(Y, { neighbors: NEIGHBORS, basePrecision: lambda, missing: 'ignore' }));
    const weights = Float64Array.from(result.parameters['field.weights'] as number[]);
    const support = Int32Array.from(weights.keys()).filter((e) => weights[e]! > 0);
    const H = hessianAt(weights, support);
    const size = support.length;
    for (const a of [0, 1, Math.floor(size / 2), size - 1]) {
      const step = 1e-5 * weights[support[a]!]!;
      const moved = (by: number) => slopes(weights.with(support[a]!, weights[support[a]!]! + by));
      const [ahead, behind] = [moved(step), moved(-step)];
      const before = support.map((_, b) => b).slice(0, a + 1);
      const unit = (b: number) => Math.sqrt(H[a * (size + 1)]! * H[b * (size + 1)]!);
      const change = (b: number) => (ahead[support[b]!]! - behind[support[b]!]!) / (2 * step);
      const entries = Float64Array.from(before, (b) => H[a * size + b]! / unit(b));
      expectClose(
        entries,
        Float64Array.from(before, (b) => change(b) / unit(b)),
        1e-6,
      );
    }
    const all = Int32Array.from(weights.keys());
    // Where a fit begins.
    const far = squaredDistances.map((distance) => (Y.columns * (Y.rows - 1)) / (distance * weights.length));
    const field = curvedField(graph);
    const ofEm = field.curvature(far, lambda, Y.columns).hessian();
    field.dispose();
    const atStart = hessianAt(far, all);
    for (const e of all) expectClose(atStart[e * (all.length + 1)]!, ofEm[e * (all.length + 1)]!, 1e-12);
  });
});
