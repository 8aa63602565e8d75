import { seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { type EngineChoice, withEngine } from '../../src/engine/dense/index.ts';
import { sharedMemory } from '../../src/engine/memory.ts';
import { curvedField } from '../../src/fields/density/curvedField.ts';
import { denseWeightsSolver, firstWeights } from '../../src/fields/solvers/denseWeights.ts';
import { type FieldProblem, kktResidual, weightScale } from '../../src/fields/solvers/fieldProblem.ts';
import { lbfgs, lbfgsb, minimize } from '../../src/inference/index.ts';
import { scaledObjective } from '../../src/inference/minimize/scaledObjective.ts';
import { boundedNewton } from '../../src/inference/solvers/boundedNewton.ts';
import { denseCurvature } from '../../src/model/denseCurvature.ts';
import type { QuadraticModel } from '../../src/model/solver.ts';
import { expectClose } from '../tolerance.ts';
import { fieldMaximum, fieldObjective } from './fieldObjective.ts';

/** Every pair of points of the plane. */
function planeProblem(points: number, options: Partial<FieldProblem> = {}): FieldProblem {
  const { normal } = seededRandom(4);
  const Y = Array.from({ length: points }, () => [normal(), normal()]);
  const pairs = Y.flatMap((_, i) => Y.slice(i + 1).map((_, k) => [i, i + 1 + k] as const));
  return {
    size: points,
    sources: Int32Array.from(pairs, ([i]) => i),
    targets: Int32Array.from(pairs, ([, j]) => j),
    squaredDistances: Float64Array.from(pairs, ([i, j]) =>
      Y[i]!.reduce((sum, entry, d) => sum + (entry - Y[j]![d]!) ** 2, 0),
    ),
    basePrecision: 0.1,
    copies: 2,
    upper: 40,
    ...options,
  };
}

function residualAt(problem: FieldProblem, weights: Float64Array): number {
  const field = curvedField(problem);
  const { resistances } = field.evaluate(weights, problem.basePrecision);
  field.dispose();
  return kktResidual(problem, weights, resistances);
}

const problem = planeProblem(9);
const weights = Float64Array.from(problem.sources, (_, e) => (e % 4 === 0 ? 0.3 + 0.1 * (e % 3) : 0));
const some = Int32Array.of(2, 4, 5, 8, 11, 30);

describe('the curvature of a field', () => {
  const model = {
    variables: some,
    gradient: Float64Array.of(30, -0.2, -0.5, 0.1, -0.4, 0.2),
    lower: new Float64Array(6).fill(-0.1),
    upper: new Float64Array(6).fill(Infinity),
  };
  const engines: EngineChoice[] = ['wasm', 'typescript'];

  it.each(engines)('is the change of its gradient (%s)', (engine) => {
    withEngine(sharedMemory(), engine, () => {
      const objective = fieldObjective(problem);
      const descent = objective.curvature!(weights, model.gradient)!.quadratic(model);
      const all = Int32Array.from(some.keys());
      const H = new Float64Array(36);
      descent.fill(all, H);
      const gradientAt = (edge: number, change: number) => {
        const moved = weights.slice();
        moved[edge]! += change;
        return objective(moved).gradient;
      };
      some.forEach((edge, b) => {
        const [ahead, behind] = [gradientAt(edge, 1e-5), gradientAt(edge, -1e-5)];
        const unit = new Float64Array(6);
        const rounding = 1e-8 * descent.diagonal[b]!;
        unit[b] = 1;
        const column = descent.product(all, unit);
        some.forEach((other, a) => {
          const difference = (ahead[other]! - behind[other]!) / 2e-5;
          expect(Math.abs(column[a]! - difference)).toBeLessThan(rounding);
          expect(Math.abs(H[Math.max(a, b) * 6 + Math.min(a, b)]! - difference)).toBeLessThan(rounding);
          if (a === b) expectClose(descent.diagonal[a]!, column[a]!, 1e-12);
        });
      });
      descent.move(all, Float64Array.of(0.1, 0, 0.2, -0.05, 0, 0.3));
      const Hd = descent.product(all, descent.steps());
      expectClose(
        descent.slopes(all),
        model.gradient.map((g, a) => g + Hd[a]!),
        1e-12,
      );
      objective.dispose();
    });
  });

  it('is the same, and descended on alike, from its Hessian entry by entry', () => {
    const objective = fieldObjective(problem);
    const own = objective.curvature!(weights, model.gradient)!;
    const whole = denseCurvature(own.hessian(), weights.length);
    expect(whole.hessian()).toEqual(own.hessian());
    const [known, dense] = [own.quadratic(model), whole.quadratic(model)];
    const all = Int32Array.from(some.keys());
    const two = Int32Array.of(1, 4);
    expectClose(dense.diagonal, known.diagonal, 1e-13);
    expectClose(dense.product(two, Float64Array.of(2, -3)), known.product(two, Float64Array.of(2, -3)), 1e-13);
    const filled = [dense, known].map((descent) => {
      const target = new Float64Array(36);
      descent.fill(all, target);
      return target;
    });
    expectClose(filled[0], filled[1], 1e-13);
    for (const descent of [dense, known]) descent.move(two, Float64Array.of(0.3, -0.02));
    expectClose(dense.sweep(all), known.sweep(all), 1e-12);
    for (let sweep = 0; sweep < 20; sweep++) for (const descent of [dense, known]) descent.sweep(all);
    expectClose(dense.steps(), known.steps(), 1e-12);
    expectClose(dense.slopes(all), known.slopes(all), 1e-12);
    objective.dispose();
  });

  it('of scaled variables is its Hessian between their units', () => {
    const objective = fieldObjective(problem);
    const n = weights.length;
    const scale = Float64Array.from(weights, (_, e) => 0.5 + 0.3 * (e % 4));
    const box = { lower: new Float64Array(n), upper: new Float64Array(n).fill(Infinity) };
    const at = { x: weights.map((w, e) => w / scale[e]!), value: 0, gradient: new Float64Array(n) };
    const scaled = scaledObjective(objective, scale, box).curvature(at);
    const H = objective.curvature!(weights, at.gradient)!.hessian();
    const between = H.map((entry, k) => entry * scale[Math.floor(k / n)]! * scale[k % n]!);
    expectClose(scaled.hessian(), between, 1e-13);
    const all = Int32Array.from(some.keys());
    const [found, dense] = [scaled, denseCurvature(between, n)].map((curvature) => {
      const descent = curvature.quadratic(model);
      const filled = new Float64Array(36);
      descent.fill(all, filled);
      return { filled, diagonal: descent.diagonal, product: descent.product(all, Float64Array.from(all)) };
    });
    expectClose(found!.filled, dense!.filled, 1e-13);
    expectClose(found!.diagonal, dense!.diagonal, 1e-13);
    expectClose(found!.product, dense!.product, 1e-13);
    objective.dispose();
  });

  it('is descended on with the same bits by compiled code and TypeScript, to where no slope leads on', () => {
    const results = engines.map((engine) =>
      withEngine(sharedMemory(), 'wasm', () => {
        // One covariance for both: only the sweeps are on different engines.
        const objective = fieldObjective(problem);
        const descent = objective.curvature!(weights, model.gradient)!.quadratic(model);
        const all = Int32Array.from(some.keys());
        withEngine(sharedMemory(), engine, () => {
          for (let sweep = 0; sweep < 200; sweep++) descent.sweep(all);
        });
        const d = descent.steps();
        const slopes = descent.slopes(all);
        objective.dispose();
        return { d, slopes };
      }),
    );
    expect(results[0]!.d).toEqual(results[1]!.d);
    const { d, slopes } = results[0]!;
    expect(d.some((entry) => entry === -0.1)).toBe(true);
    d.forEach((entry, a) => {
      if (entry === -0.1) expect(slopes[a]!).toBeGreaterThan(0);
      else expect(Math.abs(slopes[a]!)).toBeLessThan(1e-12);
    });
  });

  describe('of more pairs than two for each point', () => {
    const every = Int32Array.from(problem.sources.keys());
    const whole = {
      variables: every,
      gradient: Float64Array.from(every, (e) => 0.4 - 0.13 * (e % 7)),
      lower: Float64Array.from(every, (e) => -weights[e]!),
      upper: new Float64Array(every.length).fill(0.8),
    };
    const some = every.filter((e) => e % 3 !== 1);

    it.each(engines)('is descended on as its Hessian entry by entry is (%s)', (engine) => {
      withEngine(sharedMemory(), engine, () => {
        const objective = fieldObjective(problem);
        const own = objective.curvature!(weights, whole.gradient)!;
        const dense = denseCurvature(own.hessian(), every.length).quadratic(whole);
        const known = own.quadratic(whole);
        const v = Float64Array.from(some, (e) => 0.2 * (e % 5) - 0.3);
        expect(some.length).toBeGreaterThan(2 * problem.size);
        expectClose(known.product(some, v), dense.product(some, v), 1e-13);
        for (const places of [every, some, every, some]) expectClose(known.sweep(places), dense.sweep(places), 1e-12);
        expectClose(known.slopes(every), dense.slopes(every), 1e-12);
        const to = Float64Array.from(every, (e) => 0.1 * (e % 4));
        for (const descent of [known, dense]) descent.move(every, to);
        expect(known.steps()).toEqual(to);
        expectClose(known.slopes(every), dense.slopes(every), 1e-12);
        expectClose(known.sweep(some), dense.sweep(some), 1e-12);
        expectClose(known.steps(), dense.steps(), 1e-12);
        objective.dispose();
      });
    });

    it('is descended on in turns with another', () => {
      const objective = fieldObjective(problem);
      const curvature = objective.curvature!(weights, whole.gradient)!;
      const alone = curvature.quadratic(whole);
      for (let sweep = 0; sweep < 4; sweep++) alone.sweep(every);
      const other = { ...whole, gradient: whole.gradient.map((g) => -g) };
      const both = [whole, other].map((model) => curvature.quadratic(model));
      for (let sweep = 0; sweep < 4; sweep++) for (const descent of both) descent.sweep(every);
      expectClose(both[0]!.slopes(every), alone.slopes(every), 1e-12);
      expectClose(both[0]!.steps(), alone.steps(), 1e-12);
      expect(both[1]!.steps()).not.toEqual(both[0]!.steps());
      objective.dispose();
    });

    it('has the same bits by compiled code and TypeScript', () => {
      const results = engines.map((engine) =>
        withEngine(sharedMemory(), 'wasm', () => {
          const objective = fieldObjective(problem);
          const descent = objective.curvature!(weights, whole.gradient)!.quadratic(whole);
          withEngine(sharedMemory(), engine, () => {
            for (let sweep = 0; sweep < 20; sweep++) descent.sweep(every);
          });
          const found = { d: descent.steps(), slopes: descent.slopes(every) };
          objective.dispose();
          return found;
        }),
      );
      expect(results[0]).toEqual(results[1]);
    });
  });

  it('stays what it is when the field is evaluated elsewhere', () => {
    const objective = fieldObjective(problem);
    const curvature = objective.curvature!(weights, model.gradient)!;
    const before = curvature.quadratic(model).diagonal;
    objective(weights.map((weight) => 2 * weight + 1));
    expect(curvature.quadratic(model).diagonal).toEqual(before);
    objective.dispose();
  });
});

describe('quadratic approximation', () => {
  it.each<[string, Partial<FieldProblem>]>([
    ['bounds that some weights are at', {}],
    ['no upper bound', { upper: Infinity }],
    ['a small base precision', { upper: Infinity, basePrecision: 1e-5 }],
    ['bounds that most weights are at', { upper: 0.05 }],
  ])('reaches the maximum that L-BFGS-B creeps up to, with %s', (_, options) => {
    const plane = planeProblem(30, options);
    const { x, value, iterations, status } = fieldMaximum(plane);
    expect(status).toBe('converged');
    expect(residualAt(plane, x)).toBeLessThan(1e-11);
    expect(iterations).toBeLessThan(15);
    const objective = fieldObjective(plane);
    const slow = minimize(objective, new Float64Array(x.length), lbfgsb(), {
      bounds: { lower: 0, upper: plane.upper },
      scale: plane.squaredDistances.map((distance) => weightScale(plane, distance)),
      tolerance: 1e-9,
      relativeDecrease: 0,
      maxIterations: 5000,
    });
    objective.dispose();
    expectClose(value, slow.value, 1e-12);
    expectClose(x, slow.x, 1e-6);
  });

  it.each([
    [4, 14],
    [0.4, 4],
  ])(
    'begins near the maximum where most weights are at their bound, which visits to pairs show (4C = %s)',
    (upper, mostVisits) => {
      const plane = planeProblem(100, { upper, basePrecision: 1 });
      const first = firstWeights(plane);
      let visits = 0;
      const objective = fieldObjective(plane);
      const counted = (weights: Float64Array, gradient: Float64Array) => {
        const curvature = objective.curvature!(weights, gradient)!;
        const quadratic = (model: QuadraticModel) => {
          const descent = curvature.quadratic(model);
          const sweep = (places: Int32Array) => {
            visits += places.length;
            return descent.sweep(places);
          };
          return { ...descent, sweep };
        };
        return { ...curvature, quadratic };
      };
      const scale = plane.squaredDistances.map((distance) => weightScale(plane, distance));
      const { x, iterations, status } = minimize(
        Object.assign((point: Float64Array) => objective(point), { curvature: counted }),
        new Float64Array(first.length),
        denseWeightsSolver(plane),
        { bounds: { lower: 0, upper }, scale, tolerance: 0, relativeDecrease: 0 },
      );
      objective.dispose();
      expect(status).toBe('converged');
      expect(residualAt(plane, x)).toBeLessThan(1e-11);
      const edges = x.filter((weight) => weight > 0).length;
      const bounded = (weight: number) => weight === upper;
      const wrong = x.filter((weight, e) => bounded(weight) !== bounded(first[e]! * scale[e]!)).length;
      expect(x.filter(bounded).length).toBeGreaterThan(edges / 2);
      expect(wrong).toBeLessThan(50);
      expect(iterations).toBeLessThan(8);
      expect(visits / edges).toBeLessThan(mostVisits);
    },
  );

  it('continues from each of its iterations, the last too, to the same end', () => {
    const plane = planeProblem(25);
    const start = plane.squaredDistances.map((distance, e) => (e % 9 === 0 ? 0.3 * weightScale(plane, distance) : 0));
    for (const from of [start, new Float64Array(start.length)]) {
      const whole = fieldMaximum(plane, from);
      expect(whole.iterations).toBeGreaterThan(3);
      for (let maxIterations = 0; maxIterations <= whole.iterations; maxIterations++) {
        const { state } = fieldMaximum(plane, from, { maxIterations });
        expect(fieldMaximum(plane, from, { state })).toEqual(whole);
      }
    }
  });

  it('halves a step to where the precision has no factor', () => {
    // Two pairs of points and a bridge, of four times the weight that is best: the whole step takes it to 0, where both pairs are
    // held by the base precision alone, which is nothing beside the weights.
    const bridged: FieldProblem = {
      size: 4,
      sources: Int32Array.of(0, 1, 2),
      targets: Int32Array.of(1, 2, 3),
      squaredDistances: Float64Array.of(1, 2, 1),
      basePrecision: 1e-30,
      copies: 3,
      upper: Infinity,
    };
    const { x } = fieldMaximum(bridged, Float64Array.of(3, 6, 3));
    // On a tree R_e = 1/w_e, so that w_e = c/φ_e.
    expectClose(x, [3, 1.5, 3], 1e-9);
  });

  it('is begun near the maximum with fewer steps', () => {
    const plane = planeProblem(60, { upper: Infinity });
    const cold = fieldMaximum(plane);
    const moved = planeProblem(60, { upper: Infinity, basePrecision: 0.11 });
    const warm = fieldMaximum(moved, cold.x);
    expect(warm.iterations).toBeLessThan(fieldMaximum(moved).iterations);
    expect(residualAt(moved, warm.x)).toBeLessThan(1e-11);
  });

  it.each([
    [0.05, 4],
    [0.4, 5],
  ])('takes no step for longer than it is from below the bound, which iterations show (4C = %s)', (upper, most) => {
    const plane = planeProblem(30, { upper });
    const scale = plane.squaredDistances.map((distance) => weightScale(plane, distance));
    const below = firstWeights(plane).map((weight, e) => 0.9 * Math.min(upper, weight * scale[e]!));
    const { x, iterations } = fieldMaximum(plane, below);
    expect(residualAt(plane, x)).toBeLessThan(1e-11);
    expect(iterations).toBeLessThanOrEqual(most);
  });

  it('names the method to use where the objective has no curvature', () => {
    const bowl = (x: Float64Array) => ({ value: x[0]! ** 2, gradient: [2 * x[0]!] });
    expect(() => minimize(bowl, [1], boundedNewton())).toThrow(/asks for the curvature.*Use lbfgs\(\)/);
    expect(minimize(bowl, [1], lbfgs()).status).toBe('converged');
  });
});

describe('quadratic approximation where rounding hides the remainder', () => {
  const ends = (wrong: number) => {
    const objective = ([x]: Float64Array) => ({
      value: 1e6 + 0.5 * x! * x! + (x === 1 ? 0 : wrong),
      gradient: [x! + (x! < 0 ? -2e-7 : 2e-7)],
    });
    const curvature = () => denseCurvature(Float64Array.of(1), 1);
    const exact = { tolerance: 0, relativeDecrease: 0 };
    return minimize(Object.assign(objective, { curvature }), [1], boundedNewton(), exact);
  };
  it('has converged where a step would gain less than that, and fails where it should gain more', () => {
    const solution = ends(0);
    expect(solution.status).toBe('converged');
    expect(solution.criterion).toContain('lost in rounding');
    expect(ends(100).status).toBe('failed');
  });
});
