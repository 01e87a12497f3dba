import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { randomUUID } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import { fill, streamIdentifier, type ExpectedState, type RawProposal } from './raw-append.ts';
import { rawClient } from './raw-target.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

/**
 * One message of the BatchAppend stream: with `stream` it opens an append, without it continues
 * one.
 */
export type BatchChunk = {
  correlation: sharedPb.UUID;
  stream?: string;
  expected?: ExpectedState;
  deadline?: Date;
  proposals?: RawProposal[];
  isFinal: boolean;
};

/** The BatchAppend stream of one test. By default a chunk is a whole append of its own. */
type OpenBatch = {
  send: (chunk: Partial<BatchChunk>) => void;
  responses: streamsPb.BatchAppendResp[];
  /** Waits for the `count`th response (from 1) and returns it. */
  response: (count?: number, timeoutMs?: number) => Promise<streamsPb.BatchAppendResp>;
};

export const stringId = (id: string): sharedPb.UUID => new sharedPb.UUID().setString(id);

/** The structured form of a uuid: two signed 64-bit halves. */
export const structuredId = (id: string): sharedPb.UUID => {
  const hex = id.replaceAll('-', '');
  const half = (from: number): string =>
    BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)).toString();
  return new sharedPb.UUID().setStructured(
    new sharedPb.UUID.Structured()
      .setMostSignificantBits(half(0))
      .setLeastSignificantBits(half(16)),
  );
};

const batchOptions = (stream: string, chunk: BatchChunk): streamsPb.BatchAppendReq.Options => {
  const options = new streamsPb.BatchAppendReq.Options().setStreamIdentifier(
    streamIdentifier(stream),
  );
  if (chunk.deadline) options.setDeadline(timestampPb.Timestamp.fromDate(chunk.deadline));
  const { expected = 'any' } = chunk;
  if (typeof expected === 'bigint') return options.setStreamPosition(expected.toString());
  if (expected === 'no_stream') return options.setNoStream(new emptyPb.Empty());
  if (expected === 'stream_exists') return options.setStreamExists(new emptyPb.Empty());
  return options.setAny(new emptyPb.Empty());
};

/** A chunk as a message of the protocol. */
export const batchRequest = (chunk: BatchChunk): streamsPb.BatchAppendReq => {
  const request = new streamsPb.BatchAppendReq()
    .setCorrelationId(chunk.correlation)
    .setIsFinal(chunk.isFinal)
    .setProposedMessagesList(
      (chunk.proposals ?? []).map((proposal) =>
        fill(new streamsPb.BatchAppendReq.ProposedMessage(), proposal),
      ),
    );
  if (chunk.stream !== undefined) request.setOptions(batchOptions(chunk.stream, chunk));
  return request;
};

/** Opens a BatchAppend stream; it is cancelled when the test ends. */
export const openBatch = (): OpenBatch => {
  const call = rawClient(StreamsClient).batchAppend({ deadline: Date.now() + 120_000 });
  onTestFinished(() => call.cancel());
  const responses: streamsPb.BatchAppendResp[] = [];
  let failure: Error | undefined;
  call.on('error', (error) => (failure = error));
  call.on('data', (response: streamsPb.BatchAppendResp) => responses.push(response));
  return {
    responses,
    send: (chunk) => {
      const correlation = stringId(randomUUID());
      call.write(batchRequest({ correlation, isFinal: true, ...chunk }));
    },
    response: (count = 1, timeoutMs = waitLimitMs) =>
      vi.waitFor(
        () => {
          const response = responses[count - 1];
          if (!response)
            throw failure ?? new Error(`${responses.length} of ${count} responses so far`);
          return response;
        },
        { timeout: timeoutMs, interval: 5 },
      ),
  };
};
