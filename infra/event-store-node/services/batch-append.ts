import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { readBatchAppendRequest } from '../protocol/batch-append-request.ts';
import type { BatchAppendOptions, BatchAppendRequest } from '../protocol/batch-append-request.ts';
import { findEventFault } from '../protocol/append-messages.ts';
import type { ProposedEvent } from '../protocol/append-messages.ts';
import type { GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import { GRPC } from '../protocol/grpc-status.ts';
import type { WireUuid } from '../protocol/uuid.ts';
import { encodeBatchFailure, encodeBatchSuccess } from '../protocol/write-responses.ts';
import type { BatchFailure } from '../protocol/write-responses.ts';
import { TOMBSTONE_TYPE } from '../streams/stream-metadata.ts';
import { MAX_APPEND_BYTES, WRITE_TIMEOUT_MS } from '../streams/write-request.ts';
import type { DeleteRequest } from '../streams/write-request.ts';
import { createReplies } from './batch-replies.ts';
import type { NodeContext } from './node-context.ts';

/** An append whose last part has not arrived yet. */
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

/** Streams.BatchAppend: one long-lived call; correlation ids identify the appends. */
export function batchAppend(context: NodeContext): GrpcMethod {
  return (call) => {
    const appends = new BatchAppend(context, call);
    call.onOver(() => appends.forget());
    return {
      onMessage: (message) => appends.take(message),
      onHalfClose: () => appends.halfClose(),
    };
  };
}

class BatchAppend {
  readonly #writes: NodeContext['writes'];
  readonly #call: GrpcCall;
  readonly #replies: ReturnType<typeof createReplies>;
  readonly #open = new Map<string, OpenAppend>();
  #openBytes = 0;
  #queued = 0;
  #halfClosed = false;

  constructor({ writes }: NodeContext, call: GrpcCall) {
    this.#writes = writes;
    this.#call = call;
    this.#replies = createReplies(call);
  }

  take(message: Buffer): void {
    const request = readBatchAppendRequest(new ProtoReader(message), Date.now());
    if (request.correlation === undefined) return;
    const append = this.#opened(request, request.correlation);
    if (append === undefined) return;
    if (append.expiresAtMs <= performance.now()) {
      this.#close(append);
      this.#fail(append, { kind: 'timeout' });
      return;
    }
    addEvents(append, request.events);
    const failure = findBatchFailure(append, request.events);
    if (failure !== undefined) {
      this.#close(append);
      this.#fail(append, failure);
    } else if (request.isFinal) {
      this.#close(append);
      this.#write(append);
    } else this.#keepOpen(append);
  }

  halfClose(): void {
    this.#halfClosed = true;
    this.#endWhenAnswered();
  }

  forget(): void {
    for (const append of this.#open.values()) clearTimeout(append.timer);
    this.#open.clear();
  }

  #fail(append: OpenAppend, failure: BatchFailure, form?: 'structured'): void {
    const { correlation, options } = append;
    this.#replies.send(encodeBatchFailure({ correlation, stream: options.stream, failure }, form));
    this.#endWhenAnswered();
  }

  /** A client that sends no more still gets the answers to its appends. */
  #endWhenAnswered(): void {
    if (this.#halfClosed && this.#queued === 0 && this.#open.size === 0) this.#replies.end();
  }

  #close(append: OpenAppend): void {
    clearTimeout(append.timer);
    if (this.#open.size > 0 && this.#open.delete(correlationKey(append.correlation)))
      this.#openBytes -= append.totalBytes;
  }

  /** The append of a part; undefined if there is none: such a part is ignored. */
  #opened(request: BatchAppendRequest, correlation: WireUuid): OpenAppend | undefined {
    const open = this.#open.size === 0 ? undefined : this.#open.get(correlationKey(correlation));
    if (request.options === undefined) {
      if (open !== undefined) this.#openBytes -= open.totalBytes;
      return open;
    }
    if (open !== undefined) this.#close(open);
    const { options } = request;
    const timeoutMs = Math.min(options.timeoutMs ?? WRITE_TIMEOUT_MS, WRITE_TIMEOUT_MS);
    const expiresAtMs = performance.now() + timeoutMs;
    return { correlation, options, expiresAtMs, events: [], dataBytes: 0, totalBytes: 0 };
  }

  #keepOpen(append: OpenAppend): void {
    this.#open.set(correlationKey(append.correlation), append);
    this.#openBytes += append.totalBytes;
    append.timer ??= setTimeout(() => {
      this.#close(append);
      this.#fail(append, { kind: 'timeout' }, 'structured');
    }, append.expiresAtMs - performance.now());
    if (this.#openBytes > MAX_OPEN_BYTES) {
      this.#call.end({ code: GRPC.resourceExhausted, message: 'Too many unfinished appends.' });
    }
  }

  #write(append: OpenAppend): void {
    const { options, events, expiresAtMs, totalBytes: bytes } = append;
    const { stream, expected } = options;
    this.#queued += 1;
    this.#writes.push({
      request: copiedTombstone(append) ?? { kind: 'append', stream, expected, events },
      bytes,
      // A copier does not wait for answers, so an expired copy would be retried after later ones.
      expiresAtMs: events.some(({ recorded }) => recorded) ? Number.POSITIVE_INFINITY : expiresAtMs,
      onResult: (result) => {
        this.#queued -= 1;
        if (result.kind === 'done') {
          this.#replies.send(encodeBatchSuccess(append.correlation, stream, result));
          this.#endWhenAnswered();
        } else this.#fail(append, result);
      },
    });
    if (this.#writes.isFull()) {
      this.#call.pause();
      this.#writes.onRoom(() => this.#call.resume());
    }
  }
}

/** The copy of a deletion is a deletion, wherever the other log has it. */
function copiedTombstone({ options, events }: OpenAppend): DeleteRequest | undefined {
  const [event] = events;
  if (events.length !== 1 || event?.type !== TOMBSTONE_TYPE || !event.recorded) return undefined;
  const { stream, expected } = options;
  return { kind: 'tombstone', stream, expected, recorded: event.recorded };
}

function addEvents(append: OpenAppend, events: readonly ProposedEvent[]): void {
  append.events = append.events.length === 0 ? events : [...append.events, ...events];
  for (const { data, metadata } of events) {
    append.dataBytes += data.length;
    append.totalBytes += data.length + metadata.length;
  }
}

function correlationKey(correlation: WireUuid): string {
  return correlation.bytes.toString('latin1');
}

function findBatchFailure(
  append: OpenAppend,
  added: readonly ProposedEvent[],
): BatchFailure | undefined {
  if (append.options.stream === '') {
    return {
      kind: 'bad_request',
      message: "Empty eventStreamId provided. (Parameter 'eventStreamId')",
    };
  }
  for (const event of added) {
    const fault = findEventFault(event);
    if (fault !== undefined) return { kind: 'bad_request', message: fault };
  }
  return append.dataBytes > MAX_APPEND_BYTES
    ? { kind: 'maximum_append_size_exceeded', maximumBytes: MAX_APPEND_BYTES }
    : undefined;
}
