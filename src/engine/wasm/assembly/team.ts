import { blockColumns, blockDepth, blockRows, packingEnd, productRecord, usePacking } from './workspace';

/**
 * Threads that share work: each is an instance of this module on the same memory. The leader, which the library calls, writes a task into a block of
 * that memory, divided into parts depending on the sizes of the matrices alone; every thread takes the next part until none is left. A part writes
 * entries that no other part writes, each summed in the order of a single thread, so that neither the number of threads nor their speed changes any
 * bit of the result.
 *
 * The arguments of a task are a record in the memory, which its parts read. The leader waits for threads that have joined a task, never for one that
 * has not woken yet. This code is part of the threaded build only.
 */

// Words of the block. Words written by different threads are on separate cache lines.
/** Number of the latest task; idle threads sleep on it. */
const ROUND: usize = 0;
/** Whether threads may join it. */
const OPEN: usize = 64;
/** Index of the next part. */
const NEXT: usize = 128;
/** Number of threads working on it, without the leader; the leader sleeps on it. */
const JOINED: usize = 192;
const LEADER_SLEEPS: usize = 196;
/** Number of idle threads that need to be woken. */
const ASLEEP: usize = 256;
const ENDED: usize = 320;
/** Set from outside if a thread could not finish a part. */
const FAILED: usize = 324;
const TASK: usize = 384;
const RECORD: usize = 448;

/** Number of reads of a word before a thread goes to sleep: some hundred microseconds, longer than the gaps within a factorization. */
const SPINS: i32 = 60000;
/**
 * Number of multiplications above which sharing a task pays: a hundred microseconds on one thread. A second thread saves half of it at most, and
 * waking it takes about as long.
 */
const LEAST: f64 = 1e6;
/** Number of parts of a task per thread: more parts balance the load better, but pack the same panels more often. */
const PARTS: i32 = 2;

@unmanaged
class Task {
  /** Index in the function table, which is the same in every instance. */
  perform: u32;
  parts: i32;
  record: usize;
  packing: usize;
  packingBytes: usize;
  rows: i32;
  columns: i32;
  depth: i32;
}

let block: usize = 0;
let threads: i32 = 1;
let number: i32 = 0;
let maySleep = false;
/** Whether this thread is working on a part, and must not share its work. */
let isInside = false;

/** Throws an exception that ends the task of a failed thread. Imported from a module named like this file. */
declare function threadFailed(): void;

/** Makes this instance the leader of a team of `count` threads, including itself; without a block it works alone. */
export function useTeam(teamBlock: usize, count: i32, leaderMaySleep: bool): void {
  block = teamBlock;
  threads = count;
  maySleep = leaderMaySleep;
  isInside = false;
}

/** Participates in all tasks of the team, as thread `ownNumber` from 1, and returns when the team ends. */
export function serveTeam(teamBlock: usize, ownNumber: i32): void {
  block = teamBlock;
  number = ownNumber;
  isInside = true;
  let round = 0;
  for (;;) {
    round = nextRound(round);
    if (atomic.load<i32>(block, ENDED) != 0) return;
    // Joining before looking: either this thread sees that the task is closed, or the leader sees this thread.
    atomic.add<i32>(block, 1, JOINED);
    if (atomic.load<i32>(block, OPEN) != 0) {
      const task = changetype<Task>(block + TASK);
      usePacking(task.packing + number * task.packingBytes, task.rows, task.columns, task.depth);
      takeParts(task);
    }
    if (atomic.sub<i32>(block, 1, JOINED) == 1 && atomic.load<i32>(block, LEADER_SLEEPS) != 0) {
      atomic.notify(block + JOINED, 1);
    }
  }
}

function nextRound(seen: i32): i32 {
  for (let spin = 0; spin < SPINS; spin++) {
    const round = atomic.load<i32>(block, ROUND);
    if (round != seen) return round;
  }
  atomic.add<i32>(block, 1, ASLEEP);
  while (atomic.load<i32>(block, ROUND) == seen) atomic.wait<i32>(block + ROUND, seen, -1);
  atomic.sub<i32>(block, 1, ASLEEP);
  return atomic.load<i32>(block, ROUND);
}

/** Performs parts 0 … parts − 1 of a task with this number of multiplications: by the team if that pays, otherwise one after the other. */
export function performParts(
  perform: (part: i32, record: usize) => void,
  parts: i32,
  record: usize,
  multiplications: f64,
): void {
  if (ASC_FEATURE_THREADS) {
    if (parts > 1 && isWorthSharing(multiplications)) {
      shareOut(perform, parts, record);
      return;
    }
  }
  for (let part = 0; part < parts; part++) perform(part, record);
}

/** Whether a task with this number of multiplications should be shared: there is a team, and the task is not part of a shared one. */
export function isWorthSharing(multiplications: f64): bool {
  return block != 0 && !isInside && multiplications >= LEAST;
}

/** Number of this thread; 0 for the leader and for a thread that works alone. */
export function threadNumber(): i32 {
  return number;
}

/**
 * Number of parts for a task with this number of multiplications, along an extent with at least `least` per part: the same number for each thread if
 * the extent is large enough, and one if the task is not worth sharing.
 */
export function partsAlong(extent: i32, least: i32, multiplications: f64): i32 {
  if (ASC_FEATURE_THREADS) {
    if (isWorthSharing(multiplications)) {
      const most = extent / least;
      return max(1, most < threads ? most : min(PARTS, most / threads) * threads);
    }
  }
  return 1;
}

/** Space for the record of a shared task without one; only a team has it. */
export function sharedRecord(): usize {
  return block + RECORD;
}

/** Lets the team perform all parts of a task, 0 … parts − 1, and returns when they are done. */
export function shareOut(perform: (part: i32, record: usize) => void, parts: i32, record: usize): void {
  const task = changetype<Task>(block + TASK);
  task.perform = perform.index;
  task.parts = parts;
  task.record = record;
  task.packing = productRecord;
  task.packingBytes = packingEnd() - productRecord;
  task.rows = blockRows;
  task.columns = blockColumns;
  task.depth = blockDepth;
  atomic.store<i32>(block, 0, NEXT);
  atomic.store<i32>(block, 1, OPEN);
  atomic.add<i32>(block, 1, ROUND);
  if (atomic.load<i32>(block, ASLEEP) > 0) atomic.notify(block + ROUND, threads - 1);
  isInside = true;
  takeParts(task);
  isInside = false;
  close();
}

function takeParts(task: Task): void {
  const perform = task.perform;
  const parts = task.parts;
  const record = task.record;
  for (;;) {
    const part = atomic.add<i32>(block, 1, NEXT);
    if (part >= parts) return;
    call_indirect<void>(perform, part, record);
  }
}

/** Stops threads from joining, and waits for those that have joined. */
function close(): void {
  atomic.store<i32>(block, 0, OPEN);
  let spin = 0;
  for (;;) {
    const joined = atomic.load<i32>(block, JOINED);
    if (joined == 0) break;
    if (maySleep && ++spin > SPINS) {
      atomic.store<i32>(block, 1, LEADER_SLEEPS);
      atomic.wait<i32>(block + JOINED, joined, -1);
      atomic.store<i32>(block, 0, LEADER_SLEEPS);
    }
  }
  if (atomic.load<i32>(block, FAILED) != 0) threadFailed();
}

/** First row (or column) of part `number` if `extent` rows are divided into `parts`: a multiple of `unit`, a power of two. */
export function startOf(number: i32, parts: i32, extent: i32, unit: i32): i32 {
  return number == parts ? extent : <i32>((<f64>number / <f64>parts) * extent) & ~(unit - 1);
}

/** `startOf` for a lower triangle, where row i has i entries, so that all parts have about the same number of entries. */
export function startInLower(number: i32, parts: i32, extent: i32, unit: i32): i32 {
  return number == parts ? extent : <i32>(sqrt(<f64>number / <f64>parts) * extent) & ~(unit - 1);
}

/** `startOf` for an upper triangle, where row i has extent − i entries. */
export function startInUpper(number: i32, parts: i32, extent: i32, unit: i32): i32 {
  return number == parts ? extent : <i32>((1.0 - sqrt(1.0 - <f64>number / <f64>parts)) * extent) & ~(unit - 1);
}
