import type { GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import { HANDLER_THREW } from '../protocol/grpc-status.ts';
import type { FilterOptions, WireReadRequest } from '../protocol/read-request.ts';
import { readReadRequest } from '../protocol/read-request.ts';
import { eventFrame } from '../protocol/read-responses.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import type { FilterPlan } from '../subscriptions/all-source.ts';
import { createAllSource } from '../subscriptions/all-source.ts';
import { PAGE_EVENTS, createCheckpoints } from '../subscriptions/checkpoints.ts';
import { createEventFilter } from '../subscriptions/event-filter.ts';
import type { EventFilter } from '../subscriptions/event-filter.ts';
import { runSubscription } from '../subscriptions/run-subscription.ts';
import { createStreamSource } from '../subscriptions/stream-source.ts';
import type { NodeContext } from './node-context.ts';
import { isReadablePosition, readAll } from './read-all.ts';
import type { AllRead } from './read-all.ts';
import { ALL_READ_FAILED, refusalOfRead } from './read-refusals.ts';
import { readStream } from './read-stream.ts';
import type { StreamRead } from './read-stream.ts';
import { singleRequest } from './single-request.ts';

/** Streams.Read: reads and subscriptions, of a stream and of $all. */
export function read(context: NodeContext): GrpcMethod {
  return singleRequest((call, reader) => {
    const request = readReadRequest(reader);
    const refusal = request === undefined ? HANDLER_THREW : refusalOfRead(request);
    if (refusal === undefined && request !== undefined) serve(context, call, request);
    else call.end(refusal);
  });
}

function serve(context: NodeContext, call: GrpcCall, request: WireReadRequest): void {
  const { uuidForm = 'string', resolveLinks } = request;
  const toFrame = (event: RecordedEvent): Buffer =>
    eventFrame(context.reader.resolve(event, resolveLinks), uuidForm);
  if (request.all !== undefined) {
    const matches = request.filter && createEventFilter(request.filter);
    const allRead: AllRead = { request, from: request.all.from, frameOf: toFrame, matches };
    if (request.subscription) subscribeToAll(context, call, allRead);
    else readAll(context, call, allRead);
  } else if (request.stream !== undefined) {
    const streamRead: StreamRead = { request, ...request.stream, frameOf: toFrame };
    if (request.subscription) subscribeToStream(context, call, streamRead);
    else readStream(context, call, streamRead);
  }
}

function subscribeToAll(context: NodeContext, call: GrpcCall, allRead: AllRead): void {
  const { from, frameOf: toFrame, matches, request } = allRead;
  if (!isReadablePosition(context, from)) {
    call.end(ALL_READ_FAILED);
    return;
  }
  const source = createAllSource({
    from,
    filtering: toFilterPlan(request.filter, matches),
    records: context.log.allForwards,
    logEnd: context.logEnd,
    frameOf: toFrame,
    listen: context.live.listenToAll,
  });
  runSubscription(call, source, context.maxEventsBehind);
}

function subscribeToStream(context: NodeContext, call: GrpcCall, streamRead: StreamRead): void {
  const { name: stream, from, frameOf: toFrame } = streamRead;
  const source = createStreamSource({
    stream,
    from,
    reader: context.reader,
    frameOf: toFrame,
    listen: (listener) => context.live.listenToStream(stream, listener),
  });
  runSubscription(call, source, context.maxEventsBehind);
}

function toFilterPlan(
  options: FilterOptions | undefined,
  matches: EventFilter | undefined,
): FilterPlan | undefined {
  if (options === undefined || matches === undefined) return undefined;
  const window = options.maxSearchWindow ?? PAGE_EVENTS;
  const checkpoints = createCheckpoints(window * options.checkpointIntervalMultiplier);
  return { matches, window, checkpoints };
}
