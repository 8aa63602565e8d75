import type { MessagePort } from 'node:worker_threads';
import type { Matrix } from '../../core/matrix.ts';
import { type KernelJSON, kernelFromJSON } from '../../kernels/json.ts';
import { type ShardPoint, type ShardRows, shardGradients, shardSums } from '../../mapping/variational/shards.ts';
import type { OwnParts } from '../../models/ownParts.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { matrixTensor } from '../../tensors/matrixTensor.ts';

/** What a worker says to its thread about a shard. */
export type ShardRequest =
  | { readonly kind: 'rows'; readonly kernel: KernelJSON; readonly rows: Pick<Matrix, 'data' | 'rows' | 'columns'> }
  | { readonly kind: 'evaluate'; readonly at: ShardPoint; readonly slopes: Float64Array | undefined };

/** What the thread says: the sums, or the gradients. */
export type ShardReply =
  | { readonly kind: 'evaluated'; readonly values: readonly Float64Array[] }
  | { readonly kind: 'failedShard'; readonly name: string; readonly message: string };

/** Makes a thread of shards out of this one. */
export function serveShards(port: MessagePort, own: OwnParts): void {
  let held: { kernel: ShardRows['kernel']; rows: Matrix } | undefined;
  const evaluated = (at: ShardPoint, slopes: Float64Array | undefined) =>
    withFloat64(() => {
      const rows: ShardRows = { kernel: held!.kernel, observations: matrixTensor(held!.rows) };
      return slopes === undefined ? [shardSums(rows, at)] : shardGradients(rows, at, slopes);
    });
  port.on('message', (request: ShardRequest) => {
    if (request.kind !== 'rows' && request.kind !== 'evaluate') return;
    try {
      if (request.kind === 'rows') {
        held = { kernel: kernelFromJSON(request.kernel, own.kernels), rows: request.rows as Matrix };
      } else {
        const values = evaluated(request.at, request.slopes);
        port.postMessage({ kind: 'evaluated', values } satisfies ShardReply);
      }
    } catch (error) {
      const { name, message } = error as Error;
      port.postMessage({ kind: 'failedShard', name, message } satisfies ShardReply);
    }
  });
}
