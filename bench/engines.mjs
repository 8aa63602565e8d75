/**
 * The engines to measure: the WebAssembly one, the native one on each number of threads, and plain TypeScript where `n` is at most
 * `most`. `peer` is the name of the peer on as many threads; `use` makes ready for a measurement.
 */
export function enginesFor({ native, threads }, n, most) {
  const list = [{ engine: 'wasm', name: 'wasm', threads: 1, peer: peerName(1), use: () => undefined }];
  for (const count of native === undefined ? [] : native.canSetThreads ? threads : [undefined]) {
    const use = () => count && native.useThreads(count);
    list.push({ engine: 'native', name: `native ×${count ?? '?'}`, threads: count, peer: peerName(count ?? 1), use });
  }
  if (n <= most) {
    const use = () => undefined;
    list.push({ engine: 'typescript', name: 'typescript', threads: 1, peer: peerName(1), once: true, use });
  }
  return list;
}

export function peerName(threads) {
  return `peers.py ×${threads}`;
}

/** peers.py as contenders, one for each number of threads; `read` makes a sample of what it printed. */
export function peerContenders({ peers, threads }, task, given, read = ({ ms }) => ({ ms })) {
  if (peers === undefined) return [];
  return threads.map((count) => ({
    name: peerName(count),
    threads: count,
    measure() {
      const printed = peers.measure(count, task, ...given);
      return printed && read(printed);
    },
  }));
}
