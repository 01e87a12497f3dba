import type { EventStoreDBClient } from '@eventstore/db-client';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { Client, ClientDuplexStream } from '@grpc/grpc-js';
import type { ClientParts } from '../reading/open.ts';
import { decodeReply, type AppendReply } from './decode.ts';

/** One long call that carries appends, and their replies in any order. */
export type AppendCall = {
  write(request: Buffer): unknown;
  /** No more appends are sent. */
  end(): unknown;
  on(event: 'data', listener: (reply: AppendReply) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
};

/**
 * Returns a function that resolves to the open call, or to a new one after that has ended. `begin`
 * gets each new call before anything can happen to it. @throws when there is no connection
 */
export type AppendCalls = (begin: (call: AppendCall) => void) => () => Promise<AppendCall>;

const { path } = streams.StreamsService.batchAppend;

/** Calls over the client's connection, as the client's own batched append makes them. */
export function createAppendCalls(client: EventStoreDBClient): AppendCalls {
  const parts = client as unknown as ClientParts<ClientDuplexStream<Buffer, AppendReply>>;
  return (begin) => {
    const open = (grpc: Client) => {
      const options = parts.callArguments({}, { deadline: Infinity });
      const asTheyAre = (bytes: Buffer) => bytes;
      const call = grpc.makeBidiStreamRequest(path, asTheyAre, decodeReply, ...options);
      begin(call);
      return call;
    };
    return parts.GRPCStreamCreator(streams.StreamsClient, 'appendToStream', open, new WeakMap());
  };
}
