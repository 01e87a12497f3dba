import { GRPC, HANDLER_THREW } from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';
import type { WireReadRequest } from '../protocol/read-request.ts';

const STREAM_READ_FAILED: GrpcStatus = {
  code: GRPC.unknown,
  message: 'Unexpected ReadStreamResult: Error',
};

export const ALL_READ_FAILED: GrpcStatus = {
  code: GRPC.unknown,
  message: 'Unexpected ReadAllResult: Error',
};

/** Why a read request is invalid, whatever the log holds; undefined if it is valid. */
export function refusalOfRead(request: WireReadRequest): GrpcStatus | undefined {
  const { stream, all, backwards, count, subscription, filter, noFilter } = request;
  const options = [
    all !== undefined ? 'All' : stream !== undefined ? 'Stream' : 'None',
    subscription ? 'Subscription' : count !== undefined ? 'Count' : 'None',
    backwards ? 'Backwards' : 'Forwards',
    filter !== undefined ? 'Filter' : noFilter ? 'NoFilter' : 'None',
  ];
  const impossible =
    options.includes('None') ||
    (subscription && backwards) ||
    (all === undefined && filter !== undefined);
  if (impossible) {
    const message = `The combination of (${options.join(', ')}) is invalid.`;
    return { code: GRPC.invalidArgument, message };
  }
  // The real server never answers such a request; no client can rely on that.
  if (request.uuidForm === undefined) {
    return { code: GRPC.invalidArgument, message: 'The uuid_option is missing.' };
  }
  if (filter?.checkpointIntervalMultiplier === 0 || filter?.maxSearchWindow === 0) {
    const message = "A filter's search window and checkpoint interval must be greater than 0.";
    return { code: GRPC.invalidArgument, message };
  }
  if (all?.from.kind === 'at' && all.from.at.prepare > all.from.at.commit) return HANDLER_THREW;
  if (all === undefined && stream?.name === '') return HANDLER_THREW;
  if (subscription || all !== undefined) return undefined;
  const forwardsFromEnd = stream?.from.kind === 'end' && !backwards;
  return count === 0 || forwardsFromEnd ? STREAM_READ_FAILED : undefined;
}
