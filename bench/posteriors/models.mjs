/**
 * Ten posteriors of the public posterior database in the language, the first of its parameters by the names of the database. The library is an argument,
 * built or not.
 *
 * @returns by name: `model` of the data, and `values(draws, parameter)`, chains × draws
 */
export function posteriorModels(library) {
  const { beta, bounded, defineDensity, defineKernel, defineModel, gamma, gaussianProcess, halfNormal, known } =
    library;
  const { latent, Matrix, normal, observed, ops: op, ordered, positive, real, standardNormal } = library;

  const halfCauchy = defineDensity({
    name: 'halfCauchy',
    parameters: { scale: positive(1) },
    entrywise: true,
    support: { above: 0 },
    logDensity: ({ scale }, { value: x }) =>
      op.sub(Math.log(2 / Math.PI), op.log(op.mul(scale, op.add(1, op.square(op.div(x, scale)))))),
  });
  /** log N(z·σ | 0, σ²) of each entry */
  const normalLog = (z, sigma) => op.sub(op.mul(-0.5, op.square(z)), op.add(op.log(sigma), Math.log(2 * Math.PI) / 2));

  /** y_n ~ N(x_nᵀβ, σ²). */
  const linear = defineDensity({
    name: 'linear',
    parameters: { beta: real(0), sigma: positive(1) },
    logDensity: (p, { value, given: [X] }) => {
      const mean = op.matMul(X, op.reshape(p.beta, [-1, 1]));
      return op.sum(normalLog(op.div(op.sub(value, mean), p.sigma), p.sigma), 1);
    },
  });
  /** y_n ~ N(α + β·x_n, σ²). */
  const line = defineDensity({
    name: 'line',
    parameters: { alpha: real(0), beta: real(0), sigma: positive(1) },
    logDensity: (p, { value, given: [x] }) => {
      const mean = op.add(p.alpha, op.mul(p.beta, x));
      return op.sum(normalLog(op.div(op.sub(value, mean), p.sigma), p.sigma), 1);
    },
  });
  /** y_n ~ N(μ + τ·z_n, s_n²) with known s_n. */
  const school = defineDensity({
    name: 'school',
    parameters: {
      mu: real(0, { prior: normal({ mean: 0, deviation: 5 }) }),
      tau: positive(1, { prior: halfCauchy({ scale: 5 }) }),
    },
    logDensity: (p, { value, given: [z, s] }) =>
      op.sum(normalLog(op.div(op.sub(value, op.add(p.mu, op.mul(p.tau, z))), s), s), 1),
  });
  /** y_t = μ + φ·y_{t−1} + θ·e_{t−1} + e_t with e_t ~ N(0, σ²), y₀ = μ and e₀ = 0: the errors solve (I + θS)e = r, S the shift by one row. */
  const arma = defineDensity({
    name: 'arma',
    parameters: {
      mu: real(0, { prior: normal({ mean: 0, deviation: 10 }) }),
      phi: real(0, { prior: normal({ mean: 0, deviation: 2 }) }),
      theta: real(0, { prior: normal({ mean: 0, deviation: 2 }) }),
      sigma: positive(1, { prior: halfCauchy({ scale: 2.5 }) }),
    },
    prepare: ({ rows }) => {
      const [identity, shift] = [Matrix.zeros(rows, rows), Matrix.zeros(rows, rows)];
      for (let t = 0; t < rows; t++) identity.data[t * rows + t] = 1;
      for (let t = 1; t < rows; t++) shift.data[t * rows + t - 1] = 1;
      return { identity: op.tensor(identity.data, [rows, rows]), shift: op.tensor(shift.data, [rows, rows]) };
    },
    logDensity: (p, { value }, { constants: { identity, shift } }) => {
      const before = op.concat([op.reshape(p.mu, [1, 1]), op.slice(value, [0, 0], [value.shape[0] - 1, 1])], 0);
      const rest = op.sub(value, op.add(p.mu, op.mul(p.phi, before)));
      const errors = op.triangularSolve(op.add(identity, op.mul(p.theta, shift)), rest);
      return op.sum(normalLog(op.div(errors, p.sigma), p.sigma));
    },
  });
  /** k(x, x') = α²·exp(−(x − x')²/(2ρ²)) */
  const exponentiated = defineKernel({
    name: 'exponentiated',
    parameters: {
      alpha: positive(1, { prior: halfNormal({ scale: 2 }) }),
      rho: positive(5, { prior: gamma({ shape: 25, rate: 4 }) }),
    },
    covariance: (p, A, B) =>
      op.mul(op.square(p.alpha), op.exp(op.mul(-0.5, op.squaredDistances(op.div(A, p.rho), op.div(B, p.rho))))),
  });
  /** y_n ~ θ·N(μ₁, σ₁²) + (1 − θ)·N(μ₂, σ₂²) with μ₁ < μ₂. */
  const pair = defineDensity({
    name: 'pair',
    parameters: {
      mu: ordered([-1, 1], { prior: normal({ mean: 0, deviation: 2 }) }),
      sigma: positive([1, 1], { prior: halfNormal({ scale: 2 }) }),
      theta: bounded(0, 1, 0.5, { prior: beta({ mean: 0.5, concentration: 10 }) }),
    },
    logDensity: (p, { value }) => {
      const [mu, sigma] = [op.reshape(p.mu, [1, 2]), op.reshape(p.sigma, [1, 2])];
      const theta = op.reshape(p.theta, [1, 1]);
      const weights = op.log(op.concat([theta, op.sub(1, theta)], 1));
      return op.logSumExp(op.add(weights, normalLog(op.div(op.sub(value, mu), sigma), sigma)), 1);
    },
  });

  const column = (entries) => Matrix.from(entries.map((entry) => [entry]));
  const regression = defineModel({
    name: 'regression',
    variables: ({ X, y, beta, sigma }) => {
      const x = known(X);
      return { x, y: observed(column(y), { density: linear({ beta, sigma }), given: x }) };
    },
  });
  const lines = defineModel({
    name: 'lines',
    variables: (data) => {
      const x = known(column(data.x));
      return { x, y: observed(column(data.y), { density: line({ alpha: data.alpha, beta: data.beta }), given: x }) };
    },
  });
  const schools = defineModel({
    name: 'schools',
    variables: ({ y, sigma }) => {
      const z = latent({ dim: 1, density: standardNormal() });
      const s = known(column(sigma));
      return { z, s, y: observed(column(y), { density: school(), given: [z, s] }) };
    },
  });
  const sequence = defineModel({
    name: 'sequence',
    variables: ({ y }) => ({ y: observed(column(y), { density: arma(), center: false }) }),
  });
  const curve = defineModel({
    name: 'curve',
    variables: (data) => {
      const x = known(column(data.x));
      const noise = positive(1, { prior: halfNormal({ scale: 1 }) });
      const density = gaussianProcess({ kernel: exponentiated(), noise });
      return { x, y: observed(column(data.y), { density, given: x, center: false }) };
    },
  });
  const pairs = defineModel({
    name: 'pairs',
    variables: ({ y }) => ({ y: observed(column(y), { density: pair(), center: false }) }),
  });

  const flat = (count) => real(new Array(count).fill(0));
  const wide = (count) => real(new Array(count).fill(0), { prior: normal({ mean: 0, deviation: 10 }) });
  const entryOf = (name) => Number(/\[(\d+)\]/.exec(name)?.[1]) - 1;
  /** Parameters of the density under the names of the database. */
  const plain = (draws, name) =>
    draws.values(name.includes('[') ? `y.${name.split('[')[0]}[${entryOf(name)}]` : `y.${name}`);
  const found = {
    'earnings-logearn_height': {
      model: ({ earn, height }) =>
        regression({ X: height.map((h) => [1, h]), y: earn.map(Math.log), beta: flat(2), sigma: positive(1) }),
    },
    'kidiq-kidscore_momiq': {
      model: ({ kid_score, mom_iq }) =>
        regression({
          ...{ X: mom_iq.map((iq) => [1, iq]), y: kid_score, beta: flat(2) },
          sigma: positive(10, { prior: halfCauchy({ scale: 2.5 }) }),
        }),
    },
    'sblrc-blr': {
      model: ({ X, y }) =>
        regression({ X, y, beta: wide(5), sigma: positive(1, { prior: halfNormal({ scale: 10 }) }) }),
    },
    'nes2000-nes': {
      model: (data) =>
        regression({
          X: data.partyid7.map((_, n) => [
            ...[1, data.real_ideo[n], data.race_adj[n]],
            ...[2, 3, 4].map((group) => (data.age_discrete[n] === group ? 1 : 0)),
            ...[data.educ1[n], data.gender[n], data.income[n]],
          ]),
          ...{ y: data.partyid7, beta: flat(9), sigma: positive(1) },
        }),
    },
    'arK-arK': {
      model: ({ y }) =>
        regression({
          ...{ X: y.slice(5).map((_, t) => [1, ...[1, 2, 3, 4, 5].map((k) => y[t + 5 - k])]), y: y.slice(5) },
          ...{ beta: wide(6), sigma: positive(1, { prior: halfCauchy({ scale: 2.5 }) }) },
        }),
      values: (draws, name) => {
        if (name === 'sigma') return draws.values('y.sigma');
        return draws.values(`y.beta[${name === 'alpha' ? 0 : entryOf(name) + 1}]`);
      },
    },
    'kilpisjarvi_mod-kilpisjarvi': {
      model: ({ x, y, pmualpha, pmubeta, psalpha, psbeta }) =>
        lines({
          ...{ x, y },
          alpha: real(0, { prior: normal({ mean: pmualpha, deviation: psalpha }) }),
          beta: real(0, { prior: normal({ mean: pmubeta, deviation: psbeta }) }),
        }),
    },
    'eight_schools-eight_schools_noncentered': {
      model: schools,
      values: (draws, name) => {
        if (!name.startsWith('theta')) return draws.values(`y.${name}`);
        const [mu, tau, z] = ['y.mu', 'y.tau', `z[${entryOf(name)}, 0]`].map((own) => draws.values(own));
        return new Matrix(
          mu.data.map((m, k) => m + tau.data[k] * z.data[k]),
          mu.rows,
          mu.columns,
        );
      },
    },
    'arma-arma11': { model: sequence },
    'gp_pois_regr-gp_regr': {
      model: curve,
      values: (draws, name) => draws.values(name === 'sigma' ? 'y.noise' : `y.kernel.exponentiated.${name}`),
    },
    'low_dim_gauss_mix-low_dim_gauss_mix': { model: pairs },
  };
  return Object.fromEntries(Object.entries(found).map(([name, own]) => [name, { values: plain, ...own }]));
}
