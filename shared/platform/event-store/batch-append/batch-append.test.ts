import { EventStoreDBClient } from '@eventstore/db-client';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { newEvent } from '../testing/new-event.ts';
import { createBatchAppend } from './batch-append.ts';
import { createAppendCalls } from './call.ts';
import { encodeAppend } from './encode.ts';

type Call = grpc.ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

/**
 * A store that ends its first call without an error, as a server does when another one takes over,
 * and then accepts all appends.
 */
async function startStore(): Promise<EventStoreDBClient> {
  const server = new grpc.Server();
  let calls = 0;
  const batchAppend = (call: Call) => {
    calls += 1;
    const first = calls === 1;
    call.on('data', (request: streams.BatchAppendReq) => {
      if (first) return void call.end();
      const reply = new streams.BatchAppendResp();
      reply.setCorrelationId(request.getCorrelationId());
      reply.setSuccess(new streams.BatchAppendResp.Success());
      call.write(reply);
    });
  };
  const { batchAppend: definition } = services.StreamsService;
  server.addService({ batchAppend: definition }, { batchAppend });
  const bound = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
    error ? bound.reject(error) : bound.resolve(port),
  );
  const client = EventStoreDBClient.connectionString(
    `esdb://127.0.0.1:${await bound.promise}?tls=false`,
  );
  onTestFinished(async () => {
    await client.dispose();
    server.forceShutdown();
  });
  return client;
}

it('opens another call after the store ended one without an error', async () => {
  const append = createBatchAppend(createAppendCalls(await startStore()), encodeAppend);
  const once = () => append({ stream: 's', expectedRevision: -1, events: [newEvent()] });
  await expect(once()).rejects.toThrow('the event store ended the call');
  // The call ends a few turns of the event loop later. Until then an append is retried.
  const again = async (tries: number): Promise<unknown> =>
    once().catch(async (error: unknown) => {
      if (tries === 0) throw error;
      await delay(10);
      return again(tries - 1);
    });
  expect(await again(100)).toMatchObject({ revision: 0, position: 0n });
});
