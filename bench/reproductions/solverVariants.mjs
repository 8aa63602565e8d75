import { fromDist } from '../context.mjs';

const { moreThuente } = await fromDist('inference/solvers/moreThuente.js');
const { correctionPairs } = await fromDist('inference/solvers/correctionPairs.js');
const { inverseDiagonal } = await fromDist('inference/solvers/inverseDiagonal.js');

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/**
 * L-BFGS with the parts that the study varies: number of pairs, 'scalar' or 'diagonal' matrix under them, constants of the line
 * search, length of the first step. The library's own is `{ history: 40 }`.
 */
export function variant({ history = 10, matrix = 'scalar', wolfe = {}, firstLength = 1 } = {}) {
  return {
    name: 'variant',
    bounded: false,
    stochastic: false,
    begin: (iterate) => ({ iterate, memory: {}, steps: descend(iterate) }),
  };

  function* descend(iterate) {
    const size = iterate.x.length;
    const memory = {};
    const pairs = correctionPairs(memory, history, size, 'variant');
    const diagonal = inverseDiagonal(memory, pairs, 'variant');
    const search = moreThuente(wolfe);
    const point = new Float64Array(size);
    for (;;) {
      let accepted;
      for (let steepest = pairs.count === 0; accepted === undefined; steepest = true) {
        const direction = steepest ? iterate.gradient.map((g) => -g) : quasiNewton(iterate.gradient, pairs, diagonal);
        const slope = dot(direction, iterate.gradient);
        const first = steepest ? Math.min(1, firstLength / Math.sqrt(dot(direction, direction))) : 1;
        if (slope < 0) accepted = yield* along(iterate, direction, slope, first);
        if (steepest && accepted === undefined) return { status: 'failed', reason: 'no lower value was found' };
        if (steepest) {
          pairs.clear();
          diagonal.clear();
        }
      }
      const slot = pairs.add(iterate, accepted);
      if (slot >= 0) diagonal.learn(slot);
      iterate.x.set(accepted.x);
      iterate.gradient.set(accepted.gradient);
      iterate.value = accepted.value;
      yield { kind: 'iteration', comparable: true };
    }

    function* along(from, direction, slope, first) {
      search.begin(from.value, slope, first, 1e20);
      let best;
      for (;;) {
        for (let i = 0; i < size; i++) point[i] = from.x[i] + search.step * direction[i];
        const { value, gradient } = yield { kind: 'evaluate', point };
        const verdict = Number.isNaN(value) ? search.retreat() : search.advance(value, dot(gradient, direction));
        if (verdict === 'found' || value < (best?.value ?? from.value)) {
          best = { x: point.slice(), value, gradient: gradient.slice() };
        }
        if (verdict !== 'evaluate') return best;
      }
    }
  }

  /** −H·gradient by the two-loop recursion. */
  function quasiNewton(gradient, pairs, diagonal) {
    const direction = gradient.map((g) => -g);
    const rows = Array.from({ length: pairs.count }, (_, k) => {
      const slot = pairs.slot(k);
      const part = (all) => all.subarray(slot * pairs.size, (slot + 1) * pairs.size);
      return { s: part(pairs.steps), y: part(pairs.changes), curvature: pairs.curvatures[slot], weight: 0 };
    });
    for (const row of rows.toReversed()) {
      row.weight = dot(row.s, direction) / row.curvature;
      for (let i = 0; i < direction.length; i++) direction[i] -= row.weight * row.y[i];
    }
    for (let i = 0; i < direction.length; i++) {
      direction[i] *= matrix === 'diagonal' ? diagonal.entries[i] : pairs.inverseScale;
    }
    for (const { s, y, curvature, weight } of rows) {
      const correction = weight - dot(y, direction) / curvature;
      for (let i = 0; i < direction.length; i++) direction[i] += correction * s[i];
    }
    return direction;
  }
}
