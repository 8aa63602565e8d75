/**
 * The engines to measure: the WebAssembly one, the native one on each number of threads, and plain TypeScript where `n` is at most
 * `most`. `peer` is the name of the peer on as many threads; `use` makes ready for a measurement. With `shared` the WebAssembly engine
 * is among them on other numbers of threads too, which the caller starts: see `onThreads`. In the process of one contender it is alone.
 */
export function enginesFor({ native, threads, contender }, n, most, { shared = false } = {}) {
  const list = [1, ...(shared ? threads.filter((each) => each > 1) : [])].map((count) => {
    const name = count === 1 ? 'wasm' : `wasm ×${count}`;
    return { engine: 'wasm', name, threads: count, peer: peerName(count), use: () => undefined };
  });
  for (const count of native === undefined ? [] : native.canSetThreads ? threads : [undefined]) {
    const use = () => count && native.useThreads(count);
    list.push({ engine: 'native', name: `native ×${count ?? '?'}`, threads: count, peer: peerName(count ?? 1), use });
  }
  if (n <= most) {
    const use = () => undefined;
    list.push({ engine: 'typescript', name: 'typescript', threads: 1, peer: peerName(1), once: true, use });
  }
  return contender === undefined ? list : list.filter(({ name }) => name === contender);
}

/** Whether a contender of this name is one of our engines. */
export function isEngine(name) {
  return /^(wasm|native|typescript)( ×.)?$/.test(name);
}

/**
 * Measures with as many threads as the WebAssembly engine is to have: `start` starts them, `measure` receives a function that runs
 * synchronous work on them. Other engines, and one thread, need none.
 */
export async function onThreads({ engine, threads: count }, start, measure) {
  if (engine !== 'wasm' || count === 1) return measure((work) => work());
  const threads = await start(count);
  if (threads.count !== count) throw new Error(`There are no ${count} threads: ${threads.reason}`);
  try {
    return await measure((work) => threads.run(work));
  } finally {
    await threads.dispose();
  }
}

export function peerName(threads) {
  return `peers.py ×${threads}`;
}

export const keepingPeerName = (threads) => `${peerName(threads)}, memory kept`;

/**
 * peers.py as contenders, one for each number of threads; `read` makes a sample of its output. With `kept` there is another for each,
 * which keeps the memory that it frees.
 */
export function peerContenders({ peers, threads }, task, given, read = ({ ms }) => ({ ms }), { kept = false } = {}) {
  if (peers === undefined) return [];
  return [false, ...(kept ? [true] : [])].flatMap((keeps) =>
    threads.map((count) => ({
      name: keeps ? keepingPeerName(count) : peerName(count),
      threads: count,
      ...(keeps && { against: peerName(count) }),
      measure() {
        const printed = peers.measure(count, task, given, { keeps });
        return printed && read(printed);
      },
    })),
  );
}
