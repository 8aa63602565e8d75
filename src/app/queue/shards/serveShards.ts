import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import { type PlainError, plainError } from '../../../core/errors.ts';
import { matrixTensor } from '../../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../../engine/tensors/float64/scope.ts';
import { kernelFromJSON } from '../../../kernels/json.ts';
import { likelihoodFromJSON } from '../../../model/parameterJson.ts';
import type { OwnParts } from '../../../models/ownParts.ts';
import { type HeldShard, type ShardPoint, shardValues } from '../../../processes/variational/shards.ts';
import type { HeldRows } from './messages.ts';

/** Messages from a worker to its thread about a shard. */
export type ShardRequest =
  /** `turn` is notified with each message, for a thread that waits for slopes. */
  | ({ readonly kind: 'rows'; readonly turn: Int32Array } & HeldRows)
  | { readonly kind: 'evaluate'; readonly at: ShardPoint; readonly slopes: Float64Array | undefined }
  | { readonly kind: 'slopes'; readonly slopes: Float64Array };

/** Replies of the thread: sums or gradients. */
export type ShardReply =
  | { readonly kind: 'evaluated'; readonly values: readonly Float64Array[] }
  | ({ readonly kind: 'failedShard' } & PlainError);

/** Thrown if the next message is not the slopes at the point of the sums. */
class OtherMessage extends Error {
  constructor(readonly request: ShardRequest) {
    super();
  }
}

/**
 * Turns this thread into a thread of shards. Between the sums at a point and their slopes it waits inside the evaluation, so that intermediate
 * results are available for the gradients.
 */
export function serveShards(port: MessagePort, own: OwnParts): void {
  let held: HeldShard | Error | undefined;
  let turn: Int32Array | undefined;
  const say = (reply: ShardReply) => port.postMessage(reply);

  const nextRequest = (): ShardRequest => {
    for (;;) {
      const seen = Atomics.load(turn!, 0);
      const received = receiveMessageOnPort(port) as { message: ShardRequest } | undefined;
      if (received === undefined) Atomics.wait(turn!, 0, seen);
      else if (isOurs(received.message)) return received.message;
    }
  };
  const slopesAfter = (sums: Float64Array[]): Float64Array => {
    say({ kind: 'evaluated', values: sums });
    const request = nextRequest();
    if (request.kind === 'slopes') return request.slopes;
    throw new OtherMessage(request);
  };

  const answer = (request: ShardRequest) => {
    if (request.kind === 'rows') {
      turn = request.turn;
      if (held !== undefined && !(held instanceof Error)) held.observations.dispose();
      held = heldOr(request, own);
    } else if (request.kind === 'evaluate') {
      const { at, slopes } = request;
      if (held === undefined || held instanceof Error) throw held ?? new Error('This thread has no rows.');
      const rows = held;
      say({
        kind: 'evaluated',
        values: withFloat64(() => shardValues(rows, at, slopes ? () => slopes : slopesAfter)),
      });
    }
  };
  port.on('message', (first: ShardRequest) => {
    if (!isOurs(first)) return;
    for (let request: ShardRequest | undefined = first; request !== undefined; ) {
      try {
        answer(request);
        request = undefined;
      } catch (error) {
        if (error instanceof OtherMessage) request = error.request;
        else {
          request = undefined;
          say({ kind: 'failedShard', ...plainError(error) });
        }
      }
    }
  });
}

/** Shard, or the reason why it cannot be evaluated, such as a kernel unknown to this worker, which then answers the first question. */
function heldOr({ kernel, likelihood, rows, branches }: HeldRows, own: OwnParts): HeldShard | Error {
  try {
    return {
      kernel: kernelFromJSON(kernel, own.kernels, own.distributions),
      ...(likelihood && { likelihood: likelihoodFromJSON(likelihood, own.likelihoods, own.distributions) }),
      observations: withFloat64(() => tf.keep(matrixTensor(rows))),
      branches,
    };
  } catch (error) {
    return error as Error;
  }
}

const isOurs = ({ kind }: { readonly kind: string }) => kind === 'rows' || kind === 'evaluate' || kind === 'slopes';
