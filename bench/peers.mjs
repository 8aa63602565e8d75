import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OWN = fileURLToPath(new URL('peers/mpme.py', import.meta.url));
const NEIGHBORS = fileURLToPath(new URL('peers/neighbors.py', import.meta.url));
const GPLVM = fileURLToPath(new URL('peers/gplvm.py', import.meta.url));
const usual = fileURLToPath(new URL('../../shared/peers/peers.py', import.meta.url));

/**
 * Has the GNU C library keep the memory that numpy frees, as ours is kept. Otherwise much of it goes back to the system after each operation, and its pages are
 * made again: on some virtual machines that takes longer than the arithmetic.
 */
const KEEPING = { MALLOC_MMAP_THRESHOLD_: String(2 ** 32), MALLOC_TRIM_THRESHOLD_: String(2 ** 34) };

const VERSIONS = `
import json, platform, re, numpy, scipy, scipy.linalg
try:
    import sklearn; sk = sklearn.__version__
except ImportError: sk = None
maps = open('/proc/self/maps').read().split() if platform.system() == 'Linux' else []
blas = sorted({p.rsplit('/', 1)[-1] for p in maps if re.match(r'lib.*(blas|mkl_rt|blis)', p.rsplit('/', 1)[-1])})
print(json.dumps({'python': platform.python_version(), 'numpy': numpy.__version__, 'scipy': scipy.__version__, 'sklearn': sk, 'peerBlas': ', '.join(blas)}))
`;

const LOAD = `
import sys, importlib.util, numpy as np
spec = importlib.util.spec_from_file_location('peers', sys.argv[1]); peers = importlib.util.module_from_spec(spec); spec.loader.exec_module(peers)
def write(Y): sys.stdout.buffer.write(np.ascontiguousarray(Y).astype('<f8').tobytes())
`;

const POINTS = `${LOAD}
Y = getattr(peers, sys.argv[2])(int(sys.argv[3]))
write(Y[0] if isinstance(Y, tuple) else Y)
`;

const EMBEDDING = `${LOAD}
from sklearn import manifold
m = dict(isomap=lambda: manifold.Isomap(n_neighbors=10, n_components=2), lle=lambda: manifold.LocallyLinearEmbedding(n_neighbors=10, n_components=2),
         eigenmaps=lambda: manifold.SpectralEmbedding(n_components=2, n_neighbors=10, affinity='nearest_neighbors'))[sys.argv[2]]
write(m().fit_transform(peers.swiss(int(sys.argv[3]))))
`;

/** The peers: numpy, SciPy and OpenBLAS by peers.py; undefined, with the reason in `missing`, where they are not there. */
export function findPeers(missing) {
  const program = process.env.LATENTFIELD_PEERS ?? usual;
  const python = process.env.LATENTFIELD_PYTHON ?? '/usr/bin/python3';
  if (!existsSync(program)) {
    missing.peers = `There is no ${program}. Name the file of peers.py in LATENTFIELD_PEERS.`;
    return undefined;
  }
  const run = (given, threads = 1, encoding = 'utf8', input = undefined, more = {}) => {
    const count = String(threads);
    const environment = { ...process.env, OPENBLAS_NUM_THREADS: count, OMP_NUM_THREADS: count, ...more };
    return spawnSync(python, given, { env: environment, encoding, input, maxBuffer: 2 ** 30 });
  };
  const { status, stdout, stderr, error } = run(['-c', VERSIONS]);
  if (status !== 0) {
    const cause = error?.message ?? stderr.trim().split('\n').at(-1);
    missing.peers =
      `${python} cannot run numpy and SciPy (${cause}). Install them, on Debian with apt-get install python3-numpy python3-scipy ` +
      'python3-sklearn libopenblas0-pthread, or name another interpreter in LATENTFIELD_PYTHON.';
    return undefined;
  }
  const numbers = (script, what, n) => {
    const { status, stdout: bytes } = run(['-c', script, program, what, String(n)], 1, 'buffer');
    if (status !== 0) throw new Error(`${program} gives no ${what} of ${n} rows.`);
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  };
  return {
    versions: JSON.parse(stdout),
    /** Output of a task; undefined, with the reason in `missing`, when it fails. One that `keeps` memory avoids page faults. */
    measure(threads, task, given, { keeps = false } = {}) {
      const words = [task, ...given.map(String)];
      const result = run([program, ...words], threads, 'utf8', undefined, keeps ? KEEPING : {});
      if (result.status === 0) return JSON.parse(result.stdout);
      missing[`peers ${words.join(' ')}`] = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
      return undefined;
    },
    /** One evaluation of the GPLVM of n points at another lengthscale; undefined, with the reason in `missing`, when it fails. */
    gplvm(threads, n, lengthscale) {
      const result = run([GPLVM, program, String(n), String(lengthscale)], threads);
      if (result.status === 0) return JSON.parse(result.stdout);
      missing[`peers gplvm ${n}, lengthscale ${lengthscale}`] =
        result.error?.message ?? result.stderr.trim().split('\n').at(-1);
      return undefined;
    },
    /** Result of MPME of these observations by SciPy's L-BFGS-B; undefined, with the reason in `missing`, when it fails. */
    mpme(threads, { data, rows, columns }, copies, basePrecision) {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const result = run([OWN, rows, columns, copies, basePrecision].map(String), threads, 'utf8', bytes);
      if (result.status === 0) return JSON.parse(result.stdout);
      missing[`peers mpme ${rows}`] = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
      return undefined;
    },
    /** The exact neighbors by scikit-learn's brute force; undefined, with the reason in `missing`, when it fails. */
    neighbors(threads, { data, rows, columns }, k) {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const result = run([NEIGHBORS, rows, columns, k].map(String), threads, 'utf8', bytes);
      if (result.status === 0) return JSON.parse(result.stdout);
      missing[`peers neighbors ${rows}`] = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
      return undefined;
    },
    /** The points that the peers use, by rows: the centered observations of 'oil' (n×12), 'circle' (n×2) or 'swiss' (n×3). */
    points: (kind, n) => numbers(POINTS, kind, n),
    /** Where scikit-learn puts the n points of the Swiss roll, n×2; the same models as those that the task of this name times. */
    embedding: (task, n) => numbers(EMBEDDING, task, n),
  };
}
