import { readDeleteRequest } from '../protocol/append-messages.ts';
import type { GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import { GRPC, HANDLER_THREW } from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';
import { encodeDeleted } from '../protocol/write-responses.ts';
import { toLegacyNumber } from '../streams/expected-revision.ts';
import { WRITE_TIMEOUT_MS } from '../streams/write-request.ts';
import type { DeleteRequest, WriteResult, WrongRevision } from '../streams/write-request.ts';
import type { NodeContext } from './node-context.ts';
import { singleRequest } from './single-request.ts';
import { answerWith, failureStatus } from './answers.ts';

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
  if (result.kind === 'done') answerWith(call, encodeDeleted(result.position));
  else
    call.end(
      result.kind === 'wrong_expected_version'
        ? wrongExpectedVersionStatus(stream, result)
        : failureStatus(result),
    );
}

function wrongExpectedVersionStatus(
  stream: string,
  { expected, actual }: WrongRevision,
): GrpcStatus {
  const expectedVersion = String(toLegacyNumber(expected));
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
