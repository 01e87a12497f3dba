import type { GrpcCall } from '../protocol/grpc-call.ts';
import type { From, LogPosition, WireReadRequest } from '../protocol/read-request.ts';
import { NODE_STREAM_ID } from '../storage/stored-event.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import type { EventFilter } from '../subscriptions/event-filter.ts';
import type { NodeContext } from './node-context.ts';
import { createPageSizer, sendSteps } from '../protocol/paced-sending.ts';
import type { ReadStep } from '../protocol/paced-sending.ts';
import { ALL_READ_FAILED } from './read-refusals.ts';

export type AllRead = {
  readonly request: WireReadRequest;
  readonly from: From<LogPosition>;
  readonly frameOf: (event: RecordedEvent) => Buffer;
  readonly matches: EventFilter | undefined;
};

const SEARCH_EVENTS = 256;

/**
 * Answers a read of $all. A position is before its record: so it is inclusive forwards, and
 * exclusive backwards. It has to be the start of a record, or after the end.
 */
export function readAll(
  context: NodeContext,
  call: GrpcCall,
  { request, from, frameOf, matches }: AllRead,
): void {
  const { backwards } = request;
  if (!isReadablePosition(context, from)) {
    call.end(ALL_READ_FAILED);
    return;
  }
  const pages = createPageSizer();
  let cursor = firstPosition(context, from);
  let remaining = request.count ?? 0;

  sendSteps(call, (): ReadStep => {
    const limit = matches === undefined ? Math.min(remaining, pages.limit()) : SEARCH_EVENTS;
    const { log } = context;
    const events = backwards ? log.allBackwards(cursor, limit) : log.allForwards(cursor, limit);
    const frames: Buffer[] = [];
    for (const event of events) {
      if (frames.length >= remaining) break;
      if (event.streamId <= NODE_STREAM_ID || matches?.(event) === false) continue;
      frames.push(frameOf(event));
    }
    pages.adjust(frames);
    remaining -= frames.length;
    const last = events.at(-1)?.position ?? cursor;
    cursor = backwards ? last : last + 1;
    return { frames, end: remaining === 0 || events.length < limit ? 'end' : undefined };
  });
}

/** True if a position is the start of a record, or after the last one. */
export function isReadablePosition({ log, logEnd }: NodeContext, from: From<LogPosition>): boolean {
  if (from.kind !== 'at' || from.at.commit === 0) return true;
  return from.at.commit >= logEnd() || log.hasRecordAt(from.at.commit);
}

function firstPosition(context: NodeContext, from: From<LogPosition>): number {
  switch (from.kind) {
    case 'at':
      return Math.min(from.at.commit, Number.MAX_SAFE_INTEGER - 1);
    case 'start':
      return 0;
    case 'end':
      return context.logEnd();
  }
}
