import { readBatchAppendRequest } from '../protocol/batch-append-request.ts';
import type { BatchAppendOptions, BatchAppendRequest } from '../protocol/batch-append-request.ts';
import { faultOf } from '../protocol/append-messages.ts';
import type { ProposedEvent } from '../protocol/append-messages.ts';
import type { GrpcMethod } from '../protocol/grpc-call.ts';
import { GRPC } from '../protocol/grpc-status.ts';
import { ProtoReader } from '../protocol/proto-reader.ts';
import type { WireUuid } from '../protocol/uuid.ts';
import { encodeBatchFailure, encodeBatchSuccess } from '../protocol/write-responses.ts';
import type { BatchFailure } from '../protocol/write-responses.ts';
import { MAX_APPEND_BYTES, WRITE_TIMEOUT_MS } from '../streams/write-request.ts';
import type { WriteResult } from '../streams/write-request.ts';
import { createReplies } from './batch-replies.ts';
import type { NodeContext } from './node-context.ts';

/** An append whose last part hasn't come yet. */
type OpenAppend = {
  readonly correlation: WireUuid;
  readonly options: BatchAppendOptions;
  readonly expiresAtMs: number;
  events: readonly ProposedEvent[];
  dataBytes: number;
  totalBytes: number;
  timer?: NodeJS.Timeout;
};

/** Bytes of unfinished appends that one connection may have open. */
const MAX_OPEN_BYTES = 32 * 1024 * 1024;

/** Streams.BatchAppend: one long-lived call, appends told apart by their correlation ids. */
export function batchAppend(context: NodeContext): GrpcMethod {
  return (call) => {
    const open = new Map<string, OpenAppend>();
    let openBytes = 0;
    let queued = 0;
    let halfClosed = false;
    const replies = createReplies(call);

    function fail(append: OpenAppend, failure: BatchFailure, form?: 'structured'): void {
      const { correlation, options } = append;
      replies.send(encodeBatchFailure({ correlation, stream: options.stream, failure }, form));
      endWhenAnswered();
    }

    /** A client that has said everything still gets the answers that it is owed. */
    function endWhenAnswered(): void {
      if (halfClosed && queued === 0 && open.size === 0) replies.end();
    }

    function close(append: OpenAppend): void {
      clearTimeout(append.timer);
      if (open.size > 0 && open.delete(keyOf(append.correlation))) openBytes -= append.totalBytes;
    }

    function onMessage(message: Buffer): void {
      const request = readBatchAppendRequest(new ProtoReader(message), Date.now());
      if (request.correlation === undefined) return;
      const append = opened(request, request.correlation);
      if (append === undefined) return;
      if (append.expiresAtMs <= performance.now()) {
        close(append);
        fail(append, { kind: 'timeout' });
        return;
      }
      addEvents(append, request.events);
      const failure = failureOf(append, request.events);
      if (failure !== undefined) {
        close(append);
        fail(append, failure);
      } else if (request.isFinal) {
        close(append);
        write(append);
      } else keepOpen(append);
    }

    function addEvents(append: OpenAppend, events: readonly ProposedEvent[]): void {
      append.events = append.events.length === 0 ? events : [...append.events, ...events];
      for (const { data, metadata } of events) {
        append.dataBytes += data.length;
        append.totalBytes += data.length + metadata.length;
      }
    }

    /** The append that a part belongs to; undefined for a part of none, which is ignored. */
    function opened(request: BatchAppendRequest, correlation: WireUuid): OpenAppend | undefined {
      const known = open.size === 0 ? undefined : open.get(keyOf(correlation));
      if (request.options === undefined) {
        if (known !== undefined) openBytes -= known.totalBytes;
        return known;
      }
      if (known !== undefined) close(known);
      const { options } = request;
      const timeoutMs = Math.min(options.timeoutMs ?? WRITE_TIMEOUT_MS, WRITE_TIMEOUT_MS);
      const expiresAtMs = performance.now() + timeoutMs;
      return { correlation, options, expiresAtMs, events: [], dataBytes: 0, totalBytes: 0 };
    }

    function keepOpen(append: OpenAppend): void {
      open.set(keyOf(append.correlation), append);
      openBytes += append.totalBytes;
      append.timer ??= setTimeout(() => {
        close(append);
        fail(append, { kind: 'timeout' }, 'structured');
      }, append.expiresAtMs - performance.now());
      if (openBytes > MAX_OPEN_BYTES) {
        call.end({ code: GRPC.resourceExhausted, message: 'Too many unfinished appends.' });
      }
    }

    function write(append: OpenAppend): void {
      const { options, events, expiresAtMs, totalBytes: bytes } = append;
      const { stream, expected } = options;
      queued += 1;
      context.writes.push({
        request: { kind: 'append', stream, expected, events },
        bytes,
        expiresAtMs,
        onResult(result) {
          queued -= 1;
          if (result.kind === 'done') {
            replies.send(encodeBatchSuccess(append.correlation, stream, result));
            endWhenAnswered();
          } else fail(append, failureOfResult(result));
        },
      });
      if (context.writes.isFull()) {
        call.pause();
        context.writes.onRoom(call.resume);
      }
    }

    call.onOver(() => {
      for (const append of open.values()) clearTimeout(append.timer);
      open.clear();
    });

    return {
      onMessage,
      onHalfClose() {
        halfClosed = true;
        endWhenAnswered();
      },
    };
  };
}

function keyOf(correlation: WireUuid): string {
  return correlation.bytes.toString('latin1');
}

function failureOf(append: OpenAppend, added: readonly ProposedEvent[]): BatchFailure | undefined {
  if (append.options.stream === '') {
    return { kind: 'bad_request', message: "Empty eventStreamId provided. (Parameter 'eventStreamId')" };
  }
  for (const event of added) {
    const fault = faultOf(event);
    if (fault !== undefined) return { kind: 'bad_request', message: fault };
  }
  return append.dataBytes > MAX_APPEND_BYTES
    ? { kind: 'maximum_append_size_exceeded', maximumBytes: MAX_APPEND_BYTES }
    : undefined;
}

function failureOfResult(result: Exclude<WriteResult, { kind: 'done' }>): BatchFailure {
  switch (result.kind) {
    case 'wrong_expected_version':
      return result;
    case 'deleted':
      return { kind: 'stream_deleted', stream: result.stream };
    case 'timeout':
      return result;
    case 'failed':
      return { kind: 'internal', message: result.message };
  }
}
