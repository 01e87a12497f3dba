import type { EventStoreDBClient } from '@eventstore/db-client';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Client, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { decodeAnswer, type ReadAnswer } from './decode.ts';
import { encodeRead, type ReadQuestion } from './encode.ts';

/** Answers come as `data` events; it ends or fails as the store says. */
export type ReadCall = {
  on(event: 'data', listener: (answer: ReadAnswer) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  /** The headers of the response. */
  on(event: 'metadata', listener: (headers: Pick<Metadata, 'get'>) => void): unknown;
  on(event: 'end', listener: (nothing: unknown) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
  cancel(): void;
};

/** Begins a read or a subscription. @throws when there is no connection */
export type OpenRead = (question: ReadQuestion) => Promise<ReadCall>;

/**
 * The client's private members for its own calls: connections, discovery of a new leader,
 * credentials, a clean end.
 */
export type ClientParts<Call> = {
  GRPCStreamCreator(
    service: unknown,
    name: string,
    open: (client: Client) => Call,
    cache?: WeakMap<Client, Call>,
  ): () => Promise<Call>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
};

const { path } = streams.StreamsService.read;

/**
 * Reads over the client's connection, as the client's own reads do, with a codec of the gateway's
 * own.
 */
export function createReads(client: EventStoreDBClient): OpenRead {
  const internals = client as unknown as ClientParts<ClientReadableStream<ReadAnswer>>;
  return (question) => {
    const request = encodeRead(question);
    return internals.GRPCStreamCreator(streams.StreamsClient, 'read', (grpc) =>
      grpc.makeServerStreamRequest<Buffer, ReadAnswer>(
        path,
        (bytes) => bytes,
        decodeAnswer,
        request,
        ...internals.callArguments({}, { deadline: Infinity }),
      ),
    )();
  };
}
