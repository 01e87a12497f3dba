import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { createRequire } from 'node:module';
import type * as Monitoring from '@eventstore/db-client/generated/monitoring_pb.js';
import type * as Shared from '@eventstore/db-client/generated/shared_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { frame } from '../protocol/framing.ts';
import { startEventStoreNode, type NodeFault } from '../start.ts';

const require = createRequire(import.meta.url);
const streams = require('@eventstore/db-client/generated/streams_pb.js') as typeof Streams;
const shared = require('@eventstore/db-client/generated/shared_pb.js') as typeof Shared;
const monitoring = require('@eventstore/db-client/generated/monitoring_pb.js') as typeof Monitoring;

const folder = folderForFile();
const faults: NodeFault[] = [];
const node = forFile(() =>
  startEventStoreNode({ directory: folder, onFault: (fault) => faults.push(fault) }),
);
let session: ClientHttp2Session;

beforeAll(() => {
  session = connect(`http://${node.host}:${node.port}`);
});
afterAll(() => session.destroy());

const INTERNAL = '13';
const ID = '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b';
const empty = new shared.Empty();
const stream = new shared.StreamIdentifier().setStreamName(Buffer.from('order-größe-1'));
const id = new shared.UUID().setString(ID);

function proposed<
  T extends Streams.AppendReq.ProposedMessage | Streams.BatchAppendReq.ProposedMessage,
>(event: T): T {
  event.getMetadataMap().set('type', 'Happened').set('content-type', 'application/json');
  event.setId(id);
  event.setData(Buffer.from('{"a":1}'));
  return event;
}

const { AppendReq, BatchAppendReq, DeleteReq, ReadReq, TombstoneReq } = streams;
const position = new ReadReq.Options.Position().setCommitPosition('700').setPreparePosition('700');
const expression = new ReadReq.Options.FilterOptions.Expression()
  .setRegex('^order-.*$')
  .setPrefixList(['order']);
const readOptions = new ReadReq.Options()
  .setAll(new ReadReq.Options.AllOptions().setPosition(position))
  .setFilter(new ReadReq.Options.FilterOptions().setEventType(expression).setMax(32))
  .setUuidOption(new ReadReq.Options.UUIDOption().setString(empty))
  .setCount('10');
const options = new AppendReq.Options().setStreamIdentifier(stream).setRevision('7');
const batch = new BatchAppendReq()
  .setCorrelationId(id)
  .setOptions(new BatchAppendReq.Options().setStreamIdentifier(stream).setStreamPosition('7'))
  .setProposedMessagesList([proposed(new BatchAppendReq.ProposedMessage())])
  .setIsFinal(true);
const deletion = new DeleteReq.Options().setStreamIdentifier(stream).setRevision('7');
const tombstone = new TombstoneReq.Options().setStreamIdentifier(stream).setRevision('7');

const STREAMS = '/event_store.client.streams.Streams';
/** For each method a valid message. */
const requests = (
  [
    [`${STREAMS}/Append`, new AppendReq().setOptions(options)],
    [
      `${STREAMS}/Append`,
      new AppendReq().setProposedMessage(proposed(new AppendReq.ProposedMessage())),
    ],
    [`${STREAMS}/BatchAppend`, batch],
    [`${STREAMS}/Delete`, new DeleteReq().setOptions(deletion)],
    [`${STREAMS}/Tombstone`, new TombstoneReq().setOptions(tombstone)],
    [`${STREAMS}/Read`, new ReadReq().setOptions(readOptions)],
    [
      '/event_store.client.monitoring.Monitoring/Stats',
      new monitoring.StatsReq().setRefreshTimePeriodInMs('100000'),
    ],
  ] as const
).map(([path, message]) => [path, Buffer.from(message.serializeBinary())] as const);

/**
 * The status that ends a call of one message; `data` if it is answered and stays open, like a
 * subscription.
 */
function statusOf(path: string, message: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const call = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
    });
    const onHeaders = (headers: IncomingHttpHeaders): void => {
      const status = headers['grpc-status'];
      if (typeof status === 'string') resolve(status);
    };
    call.on('response', onHeaders).on('trailers', onHeaders);
    call.on('error', (error) => resolve(error.message));
    call.on('close', () => resolve('none'));
    call.on('data', () => {
      resolve('data');
      call.close();
    });
    call.end(frame(message));
  });
}

it.each(requests.filter(([path]) => !/Batch|Stats/.test(path)))(
  '%s rejects a message truncated anywhere',
  async (path, message) => {
    const cuts = Array.from({ length: message.length - 1 }, (_, index) => index + 1);
    const statuses = await Promise.all(cuts.map((cut) => statusOf(path, message.subarray(0, cut))));
    expect(new Set(statuses)).toEqual(new Set([INTERNAL]));
  },
);

it('rejects a chunk of a batch that is truncated within a field', async () => {
  const [path, message] = requests[2] as (typeof requests)[number];
  const statuses = await Promise.all(
    Array.from(message, (_, cut) => statusOf(path, message.subarray(0, cut))),
  );
  // A cut between two fields leaves a valid message.
  expect(statuses.flatMap((status, cut) => (status === INTERNAL ? [] : [cut]))).toHaveLength(4);
});

it('answers arbitrary bytes with a response or a status, without an internal fault', async () => {
  const changed = fc
    .tuple(
      fc.constantFrom(...requests),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
    )
    .map(([[path, message], changes]) => {
      const bytes = Buffer.from(message);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return [path, bytes] as const;
    });
  const random = fc
    .tuple(fc.constantFrom(...requests), fc.uint8Array({ maxLength: 200 }))
    .map(([[path], bytes]) => [path, Buffer.from(bytes)] as const);
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed, random), async ([path, message]) => {
      expect(await statusOf(path, message)).toMatch(/^(data|\d+)$/);
    }),
    { numRuns: 200 },
  );
  expect(faults).toEqual([]);
});
