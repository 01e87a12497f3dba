import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBatch, stringId, structuredId, type BatchChunk } from './support/raw-batch.ts';
import { collect, events, freshStream, sharedClient } from './support/store.ts';

const client = sharedClient();

const answerTo = async (
  chunk: Omit<BatchChunk, 'correlation' | 'isFinal'>,
): Promise<BatchAppendResp> => {
  const batch = openBatch();
  batch.send(chunk);
  return batch.response();
};

const detailOf = (response: BatchAppendResp): Uint8Array =>
  response.getError()?.getDetails()?.getValue_asU8() ?? new Uint8Array();

/** The error as code, message, type of the one detail, and the bytes of that detail in hex. */
const errorOf = (response: BatchAppendResp) => {
  const error = response.getError();
  const detail = error?.getDetails();
  return {
    code: error?.getCode(),
    message: error?.getMessage(),
    type: detail?.getTypeUrl(),
    bytes: Buffer.from(detailOf(response)).toString('hex'),
  };
};
const typeUrl = (name: string): string => `type.googleapis.com/event_store.client.${name}`;

describe('BatchAppend', () => {
  it('returns correlation, stream, revision and position, but no expected position', async () => {
    const stream = freshStream();
    const correlation = randomUUID();
    const batch = openBatch();
    batch.send({
      correlation: stringId(correlation),
      stream,
      expected: 'no_stream',
      proposals: [{}, {}],
    });
    const response = await batch.response();
    expect(response.getCorrelationId()?.getString()).toBe(correlation);
    expect(Buffer.from(response.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(
      stream,
    );
    expect(response.getExpectedStreamPositionCase()).toBe(0);
    expect(response.getSuccess()?.getCurrentRevision()).toBe('1');
    const position = response.getSuccess()?.getPosition();
    expect(Number(position?.getCommitPosition())).toBeGreaterThan(0);
    expect(position?.getPreparePosition()).toBe(position?.getCommitPosition());
  });

  it('returns a structured correlation id as structured', async () => {
    const correlation = structuredId(randomUUID());
    const batch = openBatch();
    batch.send({ correlation, stream: freshStream(), proposals: [{}] });
    const echoed = (await batch.response()).getCorrelationId();
    expect(echoed?.hasStructured()).toBe(true);
    expect(echoed?.getStructured()?.toObject()).toEqual(correlation.getStructured()?.toObject());
  });

  it('accepts an event id in the structured form', async () => {
    const stream = freshStream();
    const id = randomUUID();
    await answerTo({ stream, proposals: [{ id: structuredId(id) }] });
    const [read] = await collect(client.readStream(stream));
    expect(read?.event?.id).toBe(id);
  });

  it('reports a wrong expected version: current 1, expected 7', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, events(2));
    expect(errorOf(await answerTo({ stream, expected: 7n, proposals: [{}] }))).toEqual({
      code: 6,
      message: 'WrongExpectedVersion',
      type: typeUrl('WrongExpectedVersion'),
      bytes: '08011807',
    });
  });

  it('reports a wrong expected version: current 1, expected no stream', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, events(2));
    expect(errorOf(await answerTo({ stream, expected: 'no_stream', proposals: [{}] })).bytes).toBe(
      '08013200',
    );
  });

  it('reports a wrong expected version: no stream, although one was expected', async () => {
    const answer = await answerTo({
      stream: freshStream(),
      expected: 'stream_exists',
      proposals: [{}],
    });
    expect(errorOf(answer).bytes).toBe('12002a00');
  });

  it('reports a deleted stream by name', async () => {
    const stream = freshStream();
    await client.tombstoneStream(stream);
    const answer = await answerTo({ stream, proposals: [{}] });
    expect(errorOf(answer)).toMatchObject({
      code: 5,
      message: 'StreamDeleted',
      type: typeUrl('StreamDeleted'),
    });
    const detail = sharedPb.StreamDeleted.deserializeBinary(detailOf(answer));
    expect(Buffer.from(detail.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(
      stream,
    );
  });

  it('reports an exceeded append size with the limit', async () => {
    const answer = await answerTo({
      stream: freshStream(),
      proposals: [{ data: new Uint8Array(1_048_577) }],
    });
    expect(errorOf(answer)).toMatchObject({ code: 3, type: typeUrl('MaximumAppendSizeExceeded') });
    const detail = detailOf(answer);
    expect(sharedPb.MaximumAppendSizeExceeded.deserializeBinary(detail).getMaxappendsize()).toBe(
      1_048_576,
    );
  });

  it('reports a bad request for an event without a type', async () => {
    const metadata = { 'content-type': 'application/json' };
    const answer = await answerTo({ stream: freshStream(), proposals: [{ metadata }] });
    expect(errorOf(answer)).toMatchObject({ code: 3, type: typeUrl('BadRequest') });
    const detail = detailOf(answer);
    expect(sharedPb.BadRequest.deserializeBinary(detail).getMessage()).not.toBe('');
  });

  it('accepts an append without a deadline', async () => {
    const answer = await answerTo({ stream: freshStream(), proposals: [{}] });
    expect(answer.hasSuccess()).toBe(true);
  });

  it('times out a past deadline immediately, before the response to the next append', async () => {
    const batch = openBatch();
    const send = (chunk: Partial<BatchChunk>) =>
      batch.send({ stream: freshStream(), proposals: [{}], ...chunk });
    const late = freshStream();
    send({ stream: late, deadline: new Date(Date.now() - 5000) });
    send({});
    const next = await batch.response(2);
    expect(next.hasSuccess()).toBe(true);
    expect(errorOf(batch.responses[0]!)).toEqual({
      code: 4,
      message: 'Timeout',
      type: typeUrl('Timeout'),
      bytes: '',
    });
    await expect(collect(client.readStream(late))).rejects.toMatchObject({
      type: 'stream-not-found',
    });
  });
});

describe('BatchAppend in chunks', () => {
  it('is one append per correlation, invisible before the final chunk', async () => {
    const stream = freshStream();
    const correlation = stringId(randomUUID());
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const batch = openBatch();
    batch.send({
      correlation,
      stream,
      expected: 'no_stream',
      proposals: [{ id: ids[0]! }],
      isFinal: false,
    });
    batch.send({ correlation, proposals: [{ id: ids[1]! }], isFinal: false });
    // Another append on the same call proves that the server has read the first chunks.
    batch.send({ stream: freshStream(), proposals: [{}] });
    await batch.response(1);
    await expect(collect(client.readStream(stream))).rejects.toMatchObject({
      type: 'stream-not-found',
    });
    batch.send({ correlation, proposals: [{ id: ids[2]! }] });
    const response = await batch.response(2);
    expect(response.getCorrelationId()?.getString()).toBe(correlation.getString());
    expect(response.getSuccess()?.getCurrentRevision()).toBe('2');
    const stored = await collect(client.readStream(stream));
    expect(stored.map((read) => read.event?.id)).toEqual(ids);
  });

  it('may interleave two appends', async () => {
    const [left, right] = [freshStream(), freshStream()];
    const [a, b] = [stringId(randomUUID()), stringId(randomUUID())];
    const batch = openBatch();
    batch.send({
      correlation: a,
      stream: left,
      expected: 'no_stream',
      proposals: [{}],
      isFinal: false,
    });
    batch.send({
      correlation: b,
      stream: right,
      expected: 'no_stream',
      proposals: [{}],
      isFinal: false,
    });
    batch.send({ correlation: b, proposals: [{}] });
    batch.send({ correlation: a, proposals: [{}, {}] });
    await batch.response(2);
    const revisions = new Map(
      batch.responses.map((response) => [
        response.getCorrelationId()?.getString(),
        response.getSuccess()?.getCurrentRevision(),
      ]),
    );
    expect(revisions).toEqual(
      new Map([
        [a.getString(), '2'],
        [b.getString(), '1'],
      ]),
    );
  });

  it('limits the size of the sum of the chunks', async () => {
    const correlation = stringId(randomUUID());
    const data = new Uint8Array(600_000);
    const batch = openBatch();
    batch.send({ correlation, stream: freshStream(), proposals: [{ data }], isFinal: false });
    batch.send({ correlation, proposals: [{ data }] });
    expect(errorOf(await batch.response()).type).toBe(typeUrl('MaximumAppendSizeExceeded'));
  });

  it('ignores a chunk of an unknown correlation', async () => {
    const batch = openBatch();
    batch.send({ proposals: [{}] });
    const withOptions = stringId(randomUUID());
    batch.send({ correlation: withOptions, stream: freshStream(), proposals: [{}] });
    const response = await batch.response();
    expect(response.getCorrelationId()?.getString()).toBe(withOptions.getString());
    expect(batch.responses).toHaveLength(1);
  });

  it('times out without the final chunk, and writes nothing', async () => {
    const stream = freshStream();
    const id = randomUUID();
    const batch = openBatch();
    const started = performance.now();
    batch.send({
      correlation: stringId(id),
      stream,
      deadline: new Date(Date.now() + 1000),
      proposals: [{}],
      isFinal: false,
    });
    const response = await batch.response();
    expect(performance.now() - started).toBeGreaterThan(500);
    expect(errorOf(response)).toMatchObject({ code: 4, type: typeUrl('Timeout') });
    // The real server always answers with a structured id here; the request's form is better for
    // clients.
    const correlation = response.getCorrelationId();
    const expected = correlation?.hasStructured() ? structuredId(id) : stringId(id);
    expect(correlation?.toObject()).toEqual(expected.toObject());
    await expect(collect(client.readStream(stream))).rejects.toMatchObject({
      type: 'stream-not-found',
    });
  });

  it('times out without the final chunk even if there is no deadline', async () => {
    const batch = openBatch();
    batch.send({ stream: freshStream(), proposals: [{}], isFinal: false });
    expect(errorOf(await batch.response()).code).toBe(4);
  });
});
