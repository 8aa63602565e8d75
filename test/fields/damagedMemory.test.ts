import { completeGraph, knnGraph, Matrix } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import { seededRandom } from '../../src/core/random.ts';
import { laplacianFactor } from '../../src/engine/sparse/index.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { edgeDistances } from '../../src/fields/density/edgeSquaredDistances.ts';
import { interiorPoint } from '../../src/fields/solvers/interiorPoint.ts';
import { penaltyPath } from '../../src/fields/solvers/penaltyPath.ts';
import type { SolverMemory } from '../../src/model/solver.ts';

const random = seededRandom(4);
const Y = Matrix.from(Array.from({ length: 40 }, () => [random.normal(), random.normal()]));
const graph = knnGraph(Y, 5);
const { size, sources, targets } = graph;
const field = { size, sources, targets, squaredDistances: edgeDistances(Y, graph), basePrecision: 1e-2, copies: 2 };
const bounded = { ...field, upper: 50 };
const zeros = new Float64Array(sources.length);
const fieldSteps = (memory?: SolverMemory) => interiorPoint(bounded, laplacianFactor(bounded), zeros, memory);

const whole = completeGraph(3);
const moments = {
  size: 3,
  sources: whole.sources,
  targets: whole.targets,
  variances: Float64Array.of(2, 1, 3),
  covariances: Float64Array.of(0.6, -0.3, 0.8),
  penalty: 0.01,
};
const diagonal = { diagonal: Float64Array.of(0.1, 3, 0.1), edges: new Float64Array(3) };
const pathSteps = (memory?: SolverMemory) => penaltyPath(moments, diagonal, memory);

/** What is remembered after so many steps; of the last one, if there are fewer. */
function remembered(steps: ReturnType<typeof fieldSteps> | ReturnType<typeof pathSteps>, count: number): SolverMemory {
  let memory: SolverMemory = {};
  for (let taken = 0; taken < count; ) {
    const step = steps.next();
    if (step.done) break;
    if (step.value === undefined) continue;
    memory = step.value.memory();
    taken++;
  }
  return memory;
}

const missing = undefined as unknown as number;
const nan = (entries: unknown) => (entries as Float64Array).map(() => Number.NaN);
const negative = (entries: unknown) => (entries as Float64Array).map(() => -1);
const short = (entries: unknown) => (entries as Float64Array).slice(1);
type Damage = readonly [name: string, damage: (entry: number | Float64Array) => number | Float64Array];

describe('a damaged memory is refused', () => {
  const inside = remembered(fieldSteps(), 8);
  const end = remembered(fieldSteps(), 1000);
  const onPath = remembered(pathSteps(), 2);

  it.each<Damage>([
    ['weights', nan],
    ['weights', negative],
    ['weights', (entries) => (entries as Float64Array).map(() => 51)],
    ['lower', short],
    ['upper', () => missing],
    ['upper', negative],
    ['edges', (entries) => (entries as Float64Array).map((e) => e + 0.5)],
    ['edges', (entries) => (entries as Float64Array).map((e) => e + 1)],
    ['edges', (entries) => (entries as Float64Array).slice().reverse()],
    ['taken', () => -1],
    ['smallest', () => Number.NaN],
    ['iterations', () => missing],
    ['iterations', () => 2.5],
    ['evaluations', () => 1],
  ])("by the interior-point method: '%s'", (name, damage) => {
    const refused = () => fieldSteps({ ...inside, [name]: damage(inside[name]!) }).next();
    expect(refused).toThrow(InvalidInputError);
    expect(refused).toThrow(`'${name}' in its memory is not what it leaves`);
  });

  it('by the method on the support', () => {
    const refused = () => fieldSteps({ ...end, support: short(end.support) }).next();
    expect(refused).toThrow("'support' in its memory is not what it leaves");
  });

  it.each<Damage>([
    ['penalty', () => missing],
    ['penalty', () => 0.001],
    ['diagonal', nan],
    ['diagonal', short],
    ['edges', () => 3],
    ['iterations', () => -1],
    ['evaluations', () => 0],
  ])("by the path of penalties: '%s'", (name, damage) => {
    const refused = () => withFloat64(() => remembered(pathSteps({ ...onPath, [name]: damage(onPath[name]!) }), 1));
    expect(refused).toThrow(InvalidInputError);
    expect(refused).toThrow(`'${name}' in its memory is not what it leaves`);
  });

  it('but not one that is whole', () => {
    expect(remembered(fieldSteps(inside), 1).iterations).toBe((inside.iterations as number) + 1);
    expect(remembered(pathSteps(onPath), 1).iterations).toBe((onPath.iterations as number) + 1);
  });
});
