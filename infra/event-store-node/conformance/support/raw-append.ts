import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import { toCallEnd, rawClient, type CallEnd } from './raw-target.ts';

export type ExpectedState = 'any' | 'no_stream' | 'stream_exists' | bigint;

/** A proposed event on the wire: with a random id by default, without one for null. */
export type RawProposal = {
  id?: string | sharedPb.UUID | null;
  metadata?: Record<string, string>;
  data?: Uint8Array;
  customMetadata?: Uint8Array;
};

/** The metadata every event needs. */
export const jsonMetadata = { type: 'tested', 'content-type': 'application/json' };

export const streamIdentifier = (stream: string): sharedPb.StreamIdentifier =>
  new sharedPb.StreamIdentifier().setStreamName(new TextEncoder().encode(stream));

/** Fills a proposed message of either append call. */
export const fill = <
  M extends streamsPb.AppendReq.ProposedMessage | streamsPb.BatchAppendReq.ProposedMessage,
>(
  message: M,
  proposal: RawProposal,
): M => {
  const { id = randomUUID() } = proposal;
  if (id !== null) message.setId(typeof id === 'string' ? new sharedPb.UUID().setString(id) : id);
  for (const [key, value] of Object.entries(proposal.metadata ?? jsonMetadata)) {
    message.getMetadataMap().set(key, value);
  }
  message.setData(proposal.data ?? new TextEncoder().encode('{}'));
  if (proposal.customMetadata) message.setCustomMetadata(proposal.customMetadata);
  return message;
};

const appendOptions = (stream: string, expected: ExpectedState): streamsPb.AppendReq.Options => {
  const options = new streamsPb.AppendReq.Options().setStreamIdentifier(streamIdentifier(stream));
  if (typeof expected === 'bigint') return options.setRevision(expected.toString());
  if (expected === 'no_stream') return options.setNoStream(new sharedPb.Empty());
  if (expected === 'stream_exists') return options.setStreamExists(new sharedPb.Empty());
  return options.setAny(new sharedPb.Empty());
};

/** One call of Append: options first (unless `options` is false), then the events. */
export const rawAppend = (append: {
  stream: string;
  expected?: ExpectedState;
  proposals?: RawProposal[];
  options?: false;
}): Promise<{ response: streamsPb.AppendResp | undefined; ending: CallEnd | undefined }> => {
  const client = rawClient(StreamsClient);
  return new Promise((resolve) => {
    const call = client.append({ deadline: Date.now() + 10_000 }, (error, response) =>
      resolve({
        response: error ? undefined : response,
        ending: error ? toCallEnd(error) : undefined,
      }),
    );
    // The callback has reported it already.
    call.on('error', () => undefined);
    if (append.options !== false) {
      call.write(
        new streamsPb.AppendReq().setOptions(
          appendOptions(append.stream, append.expected ?? 'any'),
        ),
      );
    }
    for (const proposal of append.proposals ?? []) {
      const message = fill(new streamsPb.AppendReq.ProposedMessage(), proposal);
      call.write(new streamsPb.AppendReq().setProposedMessage(message));
    }
    call.end();
  });
};
