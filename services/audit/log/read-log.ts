import { EventStoreDBClient } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Client, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { decodeRead } from './decode-read.ts';
import type { LogEvent } from './log-event.ts';

/** What the client keeps for its own calls: connections, discovery of a new leader, credentials, an orderly end. */
type ClientParts = {
  GRPCStreamCreator(
    service: unknown,
    name: string,
    open: (client: Client) => ClientReadableStream<Buffer>,
  ): () => Promise<ClientReadableStream<Buffer>>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
};

/** The log with the bytes of its events as they are stored. */
export type RawLog = {
  /**
   * Batches of events after a position (0: from the start), in the log's order, to its present end.
   * @throws when the store does not answer
   */
  read(after: number): AsyncIterable<LogEvent[]>;
  /** The position of the newest event, 0 when there is none. @throws when the store does not answer */
  head(): Promise<number>;
  /** The event that stands at a position. @throws when the store does not answer */
  at(position: number): Promise<LogEvent | undefined>;
  close(): Promise<void>;
};

const { path } = streamsGrpc.StreamsService.read;
const maxBatch = 500;
/** Read ahead of whoever consumes; past it HTTP/2 holds the store back. */
const maxAhead = 2_000;
/** Without a word for so long the store counts as gone. */
const silenceMs = 30_000;
const allThatThereIs = Number.MAX_SAFE_INTEGER;

/** Connects as every other reader does, by connection string; the codec is the auditor's own. */
export function connectRawLog(connectionString: string): RawLog {
  const client = EventStoreDBClient.connectionString(connectionString);
  const parts = client as unknown as ClientParts;
  const open = (request: Buffer) =>
    parts.GRPCStreamCreator(streamsGrpc.StreamsClient, 'readAll', (grpc) =>
      grpc.makeServerStreamRequest<Buffer, Buffer>(
        path,
        (bytes) => bytes,
        (bytes) => bytes,
        request,
        ...parts.callArguments({}, { deadline: Infinity }),
      ),
    )();
  const one = async (request: Buffer) => {
    for await (const batch of batches(await open(request))) return batch[0];
    return undefined;
  };
  return {
    read: async function* (after) {
      const call = await open(readRequest({ from: after, count: allThatThereIs, backwards: false }));
      for await (const batch of batches(call)) {
        // A read from a position begins with the event that stands there.
        const fresh = batch[0] && batch[0].position <= after ? batch.slice(1) : batch;
        if (fresh.length > 0) yield fresh;
      }
    },
    head: async () => (await one(readRequest({ from: undefined, count: 1, backwards: true })))?.position ?? 0,
    at: (position) => one(readRequest({ from: position, count: 1, backwards: false })),
    close: () => client.dispose(),
  };
}

async function* batches(call: ClientReadableStream<Buffer>): AsyncGenerator<LogEvent[]> {
  let events: LogEvent[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  const end = (error?: unknown) => {
    ended ??= error === undefined ? {} : { error };
    wake.resolve();
  };
  call.on('data', (bytes: Buffer) => {
    try {
      const event = decodeRead(bytes);
      if (event) events.push(event);
    } catch (error) {
      end(error);
    }
    if (events.length >= maxAhead) call.pause();
    if (events.length >= maxBatch) wake.resolve();
  });
  call.on('error', end);
  call.on('end', () => end());
  try {
    for (;;) {
      if (events.length >= maxBatch || (ended && events.length > 0)) {
        const batch = events;
        events = [];
        if (call.isPaused()) call.resume();
        yield batch;
        continue;
      }
      if (ended?.error !== undefined) throw ended.error;
      if (ended) return;
      const silence = setTimeout(
        () => end(new Error(`the event store has not answered for ${silenceMs / 1000} s`)),
        silenceMs,
      );
      await wake.promise;
      clearTimeout(silence);
      wake = Promise.withResolvers<void>();
    }
  } finally {
    call.cancel();
  }
}

function readRequest(given: { from: number | undefined; count: number; backwards: boolean }): Buffer {
  const options = new streams.ReadReq.Options();
  const all = new streams.ReadReq.Options.AllOptions();
  if (given.from === undefined) all.setEnd(new shared.Empty());
  else if (given.from === 0) all.setStart(new shared.Empty());
  else {
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition(String(given.from));
    position.setPreparePosition(String(given.from));
    all.setPosition(position);
  }
  const uuid = new streams.ReadReq.Options.UUIDOption();
  uuid.setString(new shared.Empty());
  options.setAll(all);
  options.setResolveLinks(false);
  options.setCount(String(given.count));
  options.setUuidOption(uuid);
  options.setNoFilter(new shared.Empty());
  const { BACKWARDS, FORWARDS } = streams.ReadReq.Options.ReadDirection;
  options.setReadDirection(given.backwards ? BACKWARDS : FORWARDS);
  const request = new streams.ReadReq();
  request.setOptions(options);
  return Buffer.from(request.serializeBinary());
}
