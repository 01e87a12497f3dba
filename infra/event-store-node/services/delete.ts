import { readDeleteRequest } from '../protocol/append-messages.ts';
import { frame } from '../protocol/framing.ts';
import type { GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import { GRPC, HANDLER_THREW } from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';
import { encodeDeleted } from '../protocol/write-responses.ts';
import { legacyNumberOf } from '../streams/expected-revision.ts';
import { WRITE_TIMEOUT_MS } from '../streams/write-request.ts';
import type { DeleteRequest, WriteResult } from '../streams/write-request.ts';
import type { NodeContext } from './node-context.ts';
import { singleRequest } from './single-request.ts';
import { failureStatus } from './write-failures.ts';

/** Streams.Delete (soft) and Streams.Tombstone. */
export function deleteStream(context: NodeContext, kind: DeleteRequest['kind']): GrpcMethod {
  return singleRequest((call, reader) => {
    const target = readDeleteRequest(reader);
    if (target === undefined || target.stream === '') {
      call.end(HANDLER_THREW);
      return;
    }
    context.writes.push({
      request: { kind, ...target },
      bytes: 0,
      expiresAtMs: performance.now() + WRITE_TIMEOUT_MS,
      onResult: (result) => answer(call, target.stream, result),
    });
  });
}

function answer(call: GrpcCall, stream: string, result: WriteResult): void {
  switch (result.kind) {
    case 'done':
      call.send(frame(encodeDeleted(result.position)));
      call.end();
      return;
    case 'wrong_expected_version':
      call.end(wrongExpectedVersionStatus(stream, result));
      return;
    case 'deleted':
    case 'timeout':
    case 'failed':
      call.end(failureStatus(result));
  }
}

type WrongVersion = Extract<WriteResult, { kind: 'wrong_expected_version' }>;

function wrongExpectedVersionStatus(
  stream: string,
  { expected, actual }: WrongVersion,
): GrpcStatus {
  const expectedVersion = String(legacyNumberOf(expected));
  return {
    code: GRPC.failedPrecondition,
    message:
      'Delete failed due to WrongExpectedVersion. ' +
      `Stream: ${stream}, Expected version: ${expectedVersion}, Actual version: ${actual}`,
    trailers: {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': expectedVersion,
      'actual-version': String(actual),
    },
  };
}
