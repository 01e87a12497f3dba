import type { GrpcCall } from '../protocol/grpc-call.ts';
import { streamDeletedStatus } from '../protocol/grpc-status.ts';
import type { From, WireReadRequest } from '../protocol/read-request.ts';
import {
  firstStreamPositionFrame,
  lastStreamPositionFrame,
  streamNotFoundFrame,
} from '../protocol/read-responses.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import type { NodeContext } from './node-context.ts';
import { createPageSizer, sendSteps } from '../protocol/paced-sending.ts';
import type { ReadStep } from '../protocol/paced-sending.ts';

export type StreamRead = {
  readonly request: WireReadRequest;
  readonly name: string;
  readonly from: From<number>;
  readonly frameOf: (event: RecordedEvent) => Buffer;
};

/** Answers a read of one stream: its events, or that it does not exist, or that it was deleted. */
export function readStream(context: NodeContext, call: GrpcCall, read: StreamRead): void {
  const { request, name } = read;
  const { backwards, compatibility } = request;
  const pages = createPageSizer();
  let next: number | undefined = firstRevision(read);
  let remaining = request.count ?? 0;
  let sent = 0;

  function lastWords(head: number): readonly Buffer[] {
    if (compatibility < 1) return [];
    const first = sent === 0 && !backwards ? [firstStreamPositionFrame(head + 1)] : [];
    return [...first, lastStreamPositionFrame(head)];
  }

  sendSteps(call, (): ReadStep => {
    const limit = Math.min(remaining, pages.limit());
    const page = context.reader.page(name, next ?? 0, { backwards, limit });
    if (page.kind === 'deleted') return { frames: [], end: streamDeletedStatus(name) };
    if (page.kind === 'not_found') return { frames: [streamNotFoundFrame(name)], end: 'end' };
    const frames = page.events.map(read.frameOf);
    pages.adjust(frames);
    remaining -= frames.length;
    sent += frames.length;
    next = page.next;
    if (next !== undefined && remaining > 0) return { frames };
    return { frames: [...frames, ...lastWords(page.head)], end: 'end' };
  });
}

function firstRevision({ from, request }: StreamRead): number {
  switch (from.kind) {
    case 'at':
      return from.at;
    case 'start':
      return 0;
    case 'end':
      return request.backwards ? Number.MAX_SAFE_INTEGER : 0;
  }
}
