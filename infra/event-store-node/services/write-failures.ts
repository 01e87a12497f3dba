import { GRPC, streamDeletedStatus, type GrpcStatus } from '../protocol/grpc-status.ts';
import type { WriteResult } from '../streams/write-request.ts';

type Failure = Exclude<WriteResult, { kind: 'done' | 'wrong_expected_version' }>;

/** How the real server answers a write that failed, whatever it was. */
export function failureStatus(result: Failure): GrpcStatus {
  switch (result.kind) {
    case 'deleted':
      return streamDeletedStatus(result.stream);
    case 'timeout':
      return { code: GRPC.aborted, message: 'Operation timed out: Commit phase timeout.' };
    case 'failed':
      return { code: GRPC.internal, message: result.message };
  }
}
