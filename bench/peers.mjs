import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const usual = fileURLToPath(new URL('../../shared/peers/peers.py', import.meta.url));

const VERSIONS = `
import json, platform, re, numpy, scipy, scipy.linalg
try:
    import sklearn; sk = sklearn.__version__
except ImportError: sk = None
maps = open('/proc/self/maps').read().split() if platform.system() == 'Linux' else []
blas = sorted({p.rsplit('/', 1)[-1] for p in maps if re.match(r'lib.*(blas|mkl_rt|blis)', p.rsplit('/', 1)[-1])})
print(json.dumps({'python': platform.python_version(), 'numpy': numpy.__version__, 'scipy': scipy.__version__, 'sklearn': sk, 'peerBlas': ', '.join(blas)}))
`;

const OBSERVATIONS = `
import sys, importlib.util
spec = importlib.util.spec_from_file_location('peers', sys.argv[1]); peers = importlib.util.module_from_spec(spec); spec.loader.exec_module(peers)
Y = peers.oil(int(sys.argv[2]))[0]
sys.stdout.buffer.write(Y.astype('<f8').tobytes())
`;

/** The peers: numpy, SciPy and OpenBLAS by peers.py; undefined, with the reason in `missing`, where they are not there. */
export function findPeers(missing) {
  const program = process.env.LATENTFIELD_PEERS ?? usual;
  const python = process.env.LATENTFIELD_PYTHON ?? '/usr/bin/python3';
  if (!existsSync(program)) {
    missing.peers = `There is no ${program}. Name the file of peers.py in LATENTFIELD_PEERS.`;
    return undefined;
  }
  const run = (given, threads = 1, encoding = 'utf8') => {
    const environment = { ...process.env, OPENBLAS_NUM_THREADS: String(threads) };
    return spawnSync(python, given, { env: environment, encoding, maxBuffer: 2 ** 30 });
  };
  const { status, stdout, stderr, error } = run(['-c', VERSIONS]);
  if (status !== 0) {
    const cause = error?.message ?? stderr.trim().split('\n').at(-1);
    missing.peers =
      `${python} cannot run numpy and SciPy (${cause}). Install them, on Debian with apt-get install python3-numpy python3-scipy ` +
      'python3-sklearn libopenblas0-pthread, or name another interpreter in LATENTFIELD_PYTHON.';
    return undefined;
  }
  return {
    versions: JSON.parse(stdout),
    /** What a task prints; undefined, with the reason in `missing`, when it fails. */
    measure(threads, task, ...given) {
      const words = [task, ...given.map(String)];
      const result = run([program, ...words], threads);
      if (result.status === 0) return JSON.parse(result.stdout);
      missing[`peers ${words.join(' ')}`] = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
      return undefined;
    },
    /** The n×12 centred observations that the peers use, by rows. */
    observations(n) {
      const { status, stdout: bytes } = run(['-c', OBSERVATIONS, program, String(n)], 1, 'buffer');
      if (status !== 0) throw new Error(`${program} gives no observations: its function oil failed for ${n} rows.`);
      return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    },
  };
}
