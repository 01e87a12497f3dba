import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { newEvent } from './testing/new-event.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { beginsWithinMs } from './log-gate.ts';

type Append = grpc.ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;
type Read = grpc.ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** An empty store with this clock, which accepts all appends. */
async function startStore(date: string) {
  const server = new grpc.Server();
  const appends: streams.BatchAppendReq[] = [];
  const batchAppend = (call: Append) =>
    call.on('data', (request: streams.BatchAppendReq) => {
      appends.push(request);
      const reply = new streams.BatchAppendResp();
      reply.setCorrelationId(request.getCorrelationId());
      reply.setSuccess(new streams.BatchAppendResp.Success());
      call.write(reply);
    });
  const read = (call: Read) => {
    const headers = new grpc.Metadata();
    headers.set('date', date);
    call.sendMetadata(headers);
    const answer = new streams.ReadResp();
    answer.setStreamNotFound(new streams.ReadResp.StreamNotFound());
    call.write(answer);
    call.end();
  };
  const { batchAppend: appending, read: reading } = services.StreamsService;
  server.addService({ batchAppend: appending, read: reading }, { batchAppend, read });
  const bound = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
    error ? bound.reject(error) : bound.resolve(port),
  );
  const store = connectEventStore(`esdb://127.0.0.1:${await bound.promise}?tls=false`);
  onTestFinished(async () => {
    await store.close();
    server.forceShutdown();
  });
  return { store, appends };
}

it('sends appends with a deadline by the store’s clock, except to `log` (R17.14)', async () => {
  const date = 'Tue, 14 Nov 2023 22:13:20 GMT';
  const { store, appends } = await startStore(date);
  for (const stream of ['operation-1', 'log'])
    expect(
      await store.append({ stream, expectedRevision: -1, events: [newEvent()] }),
    ).toMatchObject({ outcome: 'appended' });
  expect(appends.map((each) => each.getOptions()?.getDeadline()?.toDate())).toEqual([
    new Date(Date.parse(date) + beginsWithinMs),
    undefined,
  ]);
});
