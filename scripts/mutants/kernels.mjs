const gpy = 'test/kernels/gpyKernels.test.ts';
const algebra = 'test/kernels/algebra.test.ts';

/** Covariances, and how they are combined. */
export default [
  {
    file: 'src/kernels/maternProfiles.ts',
    tests: ['test/kernels/fusedOperations.test.ts', gpy, 'test/numerics/wasm/radialOperations.test.ts'],
    faults: [
      ['s[i] = exp(-Math.sqrt(s[i]!));', 's[i] = exp(-s[i]!);'],
      ['r > 0 ? (-0.5 * exp(-r)) / r : 0', 'r > 0 ? (0.5 * exp(-r)) / r : 0'],
      ['s[i] = (1 + a) * exp(-a);', 's[i] = (1 - a) * exp(-a);'],
      ['s[i] = -1.5 * exp', 's[i] = -0.5 * exp'],
      ['(1 + a + (a * a) / 3)', '(1 + a + (a * a) / 2)'],
      ['(-5 / 6) * (1 + a)', '(-5 / 6) * (1 - a)'],
    ],
  },
  {
    file: 'src/kernels/rationalQuadratic.ts',
    tests: gpy,
    faults: [
      ['op.div(r2, op.mul(2, p.alpha))', 'op.div(r2, p.alpha)'],
      ['op.mul(op.neg(p.alpha)', 'op.mul(p.alpha'],
    ],
  },
  {
    file: 'src/kernels/periodic.ts',
    tests: [gpy, algebra],
    faults: [
      ['op.mul(-0.5, op.squaredDistances(left, right))', 'op.mul(-2, op.squaredDistances(left, right))'],
      ['op.mul(2 * Math.PI, op.div(X, period))', 'op.mul(Math.PI, op.div(X, period))'],
      ['op.div(op.sin(angle), lengthscale)', 'op.sin(angle)'],
    ],
  },
  {
    file: 'src/kernels/cosine.ts',
    tests: [gpy, algebra],
    faults: [
      ['op.concat([op.cos(phase), op.sin(phase)], 1)', 'op.concat([op.cos(phase), op.cos(phase)], 1)'],
      ['2 * Math.PI', 'Math.PI'],
    ],
  },
  {
    file: 'src/kernels/linear.ts',
    tests: [gpy, algebra],
    faults: [
      [
        'diagonal: (p, A) => weightedSquares(A, p.variance)',
        'diagonal: (p, A) => weightedSquares(A, op.square(p.variance))',
      ],
    ],
  },
  {
    file: 'src/kernels/polynomial.ts',
    tests: [gpy, algebra],
    faults: [
      ['op.pow(op.add(products, p.offset), degree)', 'op.pow(op.sub(products, p.offset), degree)'],
      ['degree >= 1', 'degree >= 0'],
      ['weightedProducts(A, B, p.scale)', 'weightedProducts(A, B, p.variance)'],
      ['  if (free) {', '  if (free && false) {'],
    ],
  },
  {
    file: 'src/kernels/mlp.ts',
    tests: [gpy, algebra],
    faults: [
      ['op.div(squares, op.add(squares, 1))', 'op.div(squares, op.add(squares, 2))'],
      ['2 / Math.PI', '1 / Math.PI'],
      ['op.asin(op.clip(ratio, -LARGEST, LARGEST))', 'op.asin(ratio)'],
      ['bias), 1));', 'bias), 0));'],
    ],
  },
  {
    file: 'src/kernels/offsets.ts',
    tests: algebra,
    faults: [
      ["if (type === 'constant') return op.add<Tensor2D>(K, variance);", ''],
      ['return gram ? op.addDiagonal(K, variance) : K;', 'return op.addDiagonal(K, variance);'],
      ['return gram ? op.addDiagonal(K, variance) : K;', 'return K;'],
    ],
  },
  {
    file: 'src/kernels/white.ts',
    tests: algebra,
    faults: [['A === B ? op.eye(A.shape[0])', 'A.shape[0] === B.shape[0] ? op.eye(A.shape[0])']],
  },
  {
    file: 'src/kernels/stationary.ts',
    tests: [algebra, gpy],
    faults: [
      ['lengthscale.size !== A.shape[1]', 'lengthscale.size > A.shape[1]'],
      [
        'A === B ? left : (op.div(B, lengthscale) as Tensor2D)',
        'A === B ? left : (op.mul(B, lengthscale) as Tensor2D)',
      ],
    ],
  },
  {
    file: 'src/kernels/algebra.ts',
    tests: [algebra, 'test/kernels/radialGramMatrix.test.ts'],
    faults: [
      [
        "op.mul(p['scale.variance']!, kernel.diagonal(child.own(p), A, inputs)) as Tensor1D",
        'kernel.diagonal(child.own(p), A, inputs)',
      ],
      [
        "form: Object.freeze({ type: 'add', children: Object.freeze(children) })",
        "form: Object.freeze({ type: 'multiply', children: Object.freeze(children) })",
      ],
      ['const other = A === B ? own : pick.tensor(B);', 'const other = own;'],
      ['return form.type === type ? form.children : [kernel];', 'return [kernel];'],
    ],
  },
  {
    file: 'src/kernels/thinPlateSpline.ts',
    tests: ['test/kernels/structure.test.ts', 'test/kernels/thinPlateSpline.test.ts'],
    faults: [
      [
        'op.concat([X, op.ones<Tensor2D>([X.shape[0], 1])], 1)',
        'op.concat([X, op.zeros<Tensor2D>([X.shape[0], 1])], 1)',
      ],
      ['rank: (columns) => centres.length + columns + 1', 'rank: (columns) => centres.length + columns'],
      ["constant: ThinPlateConstant = 'corrected'", "constant: ThinPlateConstant = 'printed'"],
    ],
  },
  {
    file: 'src/kernels/parse.ts',
    tests: algebra,
    faults: [
      ["if (taken('-')) return -number();", "if (taken('-')) return number();"],
      ['if (Object.hasOwn(result, key)) throw', 'if (false) throw'],
      ["if (peek().kind !== 'end') throw", 'if (false) throw'],
      ["while (taken('*')) kernels.push(factor());", "if (taken('*')) kernels.push(factor());"],
    ],
  },
];
