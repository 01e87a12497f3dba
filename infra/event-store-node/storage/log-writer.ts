import { isClosedBy, logStream } from '#shared/domain/log/events.ts';
import { encodeRecord } from '../protocol/recorded-event.ts';
import type { RecordedPlace } from '../protocol/append-messages.ts';
import { randomUuid } from '../protocol/uuid.ts';
import { decideAppend } from '../streams/append-decision.ts';
import type { StreamFacts } from '../streams/append-decision.ts';
import { decideDelete } from '../streams/delete-decision.ts';
import {
  METADATA_TYPE,
  SOFT_DELETE_DATA,
  TOMBSTONE_TYPE,
  isMetastream,
  metastreamName,
  originalStreamName,
  undeletedMetadata,
} from '../streams/stream-metadata.ts';
import type {
  AppendWrite,
  DeleteRequest,
  WriteRequest,
  WriteResult,
} from '../streams/write-request.ts';
import type { EventLog } from './event-log.ts';
import { FIRST_POSITION, recordSize } from './record-size.ts';
import type { RecentIds } from './recent-ids.ts';
import { NODE_STREAM_ID, TOMBSTONE_REVISION } from './stored-event.ts';
import type { RecordedEvent } from './stored-event.ts';
import type { StreamDirectory, StreamState } from './stream-directory.ts';

/** An event on its way into the log. */
type NewEvent = {
  readonly id: Buffer;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly recorded?: RecordedPlace | undefined;
};

export type StreamEvent = { readonly stream: string; readonly event: RecordedEvent };

const EMPTY = Buffer.alloc(0);
const CLOSED: WriteResult = {
  kind: 'failed',
  message: 'The log is closed, because it moves to another store.',
};
const EMPTY_ID = Buffer.alloc(16);

type Parts = {
  readonly log: EventLog;
  readonly streams: StreamDirectory;
  readonly recentIds: RecentIds;
};

/**
 * Decides and inserts one write at a time. The caller must hold a transaction open for every call.
 */
export class LogWriter {
  readonly #log: EventLog;
  readonly #streams: StreamDirectory;
  readonly #recentIds: RecentIds;
  #end: number;
  #written: StreamEvent[] = [];
  /** Undefined until it is read. */
  #closed: boolean | undefined;

  constructor({ log, streams, recentIds }: Parts) {
    this.#log = log;
    this.#streams = streams;
    this.#recentIds = recentIds;
    this.#end = log.end() ?? FIRST_POSITION;
  }

  apply(request: WriteRequest): WriteResult {
    if (this.#refuses(request)) return CLOSED;
    return request.kind === 'append' ? this.#append(request) : this.#remove(request);
  }

  /** While the log moves to another store, it takes only copies and the event that ends this. */
  #refuses(request: WriteRequest): boolean {
    if (request.stream === logStream) return false;
    this.#closed ??= isClosedBy(this.#newestTypeOf(logStream));
    if (!this.#closed) return false;
    const writes = request.kind === 'append' ? request.events : [request];
    return writes.some(({ recorded }) => !recorded);
  }

  #newestTypeOf(name: string): string | undefined {
    const { id, head } = this.#streams.get(name);
    return head < 0 ? undefined : this.#log.streamBackwards(id, head, 1)[0]?.type;
  }

  /** Writes an event of the node's own, whatever the stream's revision. */
  insertNodeEvent(stream: string, type: string, data: Uint8Array): void {
    this.#insertNext(this.#streams.get(stream), nodeEvent(type, data));
  }

  /** The position after the newest record. */
  end(): number {
    return this.#end;
  }

  /** What was inserted since the last call, in the order of the log. */
  takeWritten(): readonly StreamEvent[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }

  /** Resets to the state of the database, after a rolled back transaction. */
  reset(): void {
    this.#written = [];
    this.#closed = undefined;
    this.#streams.reset();
    this.#recentIds.clear();
    this.#end = this.#log.end() ?? FIRST_POSITION;
    warmUp(this.#log, this.#recentIds, this.#end);
  }

  #insert(stream: StreamState, revision: number, content: NewEvent): RecordedEvent {
    this.#streams.ensureStored(stream);
    if (stream.name === logStream) this.#closed = undefined;
    const { id, type, contentType, data, metadata, recorded } = content;
    // A copy keeps the position that readers have saved; the order in this log is its own.
    this.#end = Math.max(this.#end, recorded?.position ?? 0);
    const position = this.#end;
    const createdMs = recorded?.createdMs ?? Date.now();
    const record = encodeRecord({
      stream: stream.name,
      revision,
      position,
      type,
      contentType,
      createdMs,
      metadata,
      data,
    });
    const size = recordSize({
      stream: stream.name,
      type,
      dataBytes: data.length,
      metadataBytes: metadata.length,
    });
    const event: RecordedEvent = {
      position,
      streamId: stream.id,
      revision,
      id,
      type,
      createdMs,
      record,
    };
    this.#log.insertEvent(event, size);
    this.#end += size;
    this.#recentIds.add(stream.id, id, { revision, position });
    this.#written.push({ stream: stream.name, event });
    return event;
  }

  #insertNext(stream: StreamState, content: NewEvent): RecordedEvent {
    const event = this.#insert(stream, stream.head + 1, content);
    stream.head += 1;
    return event;
  }

  #insertMetadata(stream: string, data: Uint8Array): RecordedEvent {
    const metastream = metastreamName(stream);
    const event = this.#insertNext(this.#streams.get(metastream), nodeEvent(METADATA_TYPE, data));
    this.#streams.metadataChanged(metastream);
    return event;
  }

  /** An append without events moves the end of the log but adds no event, as on the real server. */
  #insertEmpty(): number {
    const position = this.#end;
    const size = recordSize({ stream: '', type: '', dataBytes: 0, metadataBytes: 0 });
    this.#log.insertEvent(
      {
        position,
        streamId: NODE_STREAM_ID,
        revision: position,
        id: EMPTY_ID,
        type: '',
        createdMs: Date.now(),
        record: EMPTY,
      },
      size,
    );
    this.#end += size;
    return position;
  }

  #factsOf(stream: StreamState): StreamFacts {
    return {
      head: stream.head,
      tombstoned: this.#streams.isTombstoned(stream),
      softDeleted: this.#streams.metadataOf(stream).softDeleted,
      hasMetadata: () => this.#streams.hasMetadata(stream),
      recent: (id) => this.#recentIds.find(stream.id, id),
      eventAt: (revision) => this.#log.idAt(stream.id, revision),
    };
  }

  #append(request: AppendWrite): WriteResult {
    const stream = this.#streams.get(request.stream);
    const facts = this.#factsOf(stream);
    const ids = request.events.map((event) => event.id);
    const decision = decideAppend(facts, request.expected, ids);
    switch (decision.kind) {
      case 'deleted':
        return { kind: 'deleted', stream: request.stream };
      case 'wrong_expected_version':
        return { ...decision, expected: request.expected };
      case 'idempotent':
        return { ...decision, kind: 'done' };
      case 'write':
        return { kind: 'done', ...this.#writeEvents(stream, facts, request) };
    }
  }

  #writeEvents(stream: StreamState, facts: StreamFacts, request: AppendWrite) {
    const original = isMetastream(stream.name)
      ? this.#streams.get(originalStreamName(stream.name))
      : undefined;
    const undeletesOriginal =
      original !== undefined && this.#streams.metadataOf(original).softDeleted;
    let position: number | undefined;
    for (const event of request.events) {
      const { id, type = '', contentType = '', data, metadata, recorded } = event;
      // A copy, because the id is a view of a chunk of the connection, and the record lives longer.
      position = this.#insertNext(stream, {
        id: Buffer.from(id),
        type,
        contentType,
        data,
        metadata,
        recorded,
      }).position;
    }
    const revision = stream.head;
    if (original !== undefined) this.#streams.metadataChanged(stream.name);
    if (facts.softDeleted) this.#undelete(stream.name, facts.head + 1);
    else if (undeletesOriginal) this.#undelete(original.name, original.head + 1);
    return { revision, position: position ?? this.#insertEmpty() };
  }

  /**
   * A write to a soft-deleted stream, or to its metadata, brings it back, readable from `revision`
   * on.
   */
  #undelete(stream: string, revision: number): void {
    const metadata = this.#streams.newestJsonOf(metastreamName(stream));
    const restored = metadata === undefined ? undefined : undeletedMetadata(metadata, revision);
    if (restored !== undefined) this.#insertMetadata(stream, restored);
  }

  #remove(request: DeleteRequest): WriteResult {
    const stream = this.#streams.get(request.stream);
    const decision = decideDelete(this.#factsOf(stream), request.expected, request.kind);
    switch (decision.kind) {
      case 'deleted':
        return { kind: 'deleted', stream: request.stream };
      case 'wrong_expected_version':
        return { ...decision, expected: request.expected };
      case 'write': {
        const event =
          request.kind === 'soft'
            ? this.#insertMetadata(stream.name, SOFT_DELETE_DATA)
            : this.#insertTombstone(stream, request.recorded);
        return { kind: 'done', revision: stream.head, position: event.position };
      }
    }
  }

  #insertTombstone(stream: StreamState, recorded?: RecordedPlace): RecordedEvent {
    const content = {
      ...nodeEvent(TOMBSTONE_TYPE, EMPTY),
      recorded,
      contentType: 'application/octet-stream',
    };
    const event = this.#insert(stream, TOMBSTONE_REVISION, content);
    this.#log.markTombstoned(stream.name);
    stream.tombstoned = true;
    return event;
  }
}

const WARM_UP_EVENTS = 20_000;

/**
 * Reads the ids of the newest events into memory, so that a retry is recognised after a restart,
 * too.
 */
export function warmUp(log: EventLog, recentIds: RecentIds, end: number): void {
  for (const { streamId, id, revision, position } of log
    .idsBefore(end, WARM_UP_EVENTS)
    .toReversed()) {
    recentIds.add(streamId, id, { revision, position });
  }
}

function nodeEvent(type: string, data: Uint8Array): NewEvent {
  const id = randomUuid();
  return { id, type, contentType: 'application/json', data, metadata: EMPTY };
}
