import { frame } from '../protocol/framing.ts';
import type { GrpcCall } from '../protocol/grpc-call.ts';
import { GRPC, streamDeletedStatus, type GrpcStatus } from '../protocol/grpc-status.ts';
import type { FailedWrite } from '../streams/write-request.ts';

/** Answers a call with its one message. */
export function answerWith(call: GrpcCall, message: Uint8Array): void {
  call.send(frame(message));
  call.end();
}

/** How the real server answers a write that failed, whatever it was. */
export function failureStatus(result: FailedWrite): GrpcStatus {
  switch (result.kind) {
    case 'deleted':
      return streamDeletedStatus(result.stream);
    case 'timeout':
      return { code: GRPC.aborted, message: 'Operation timed out: Commit phase timeout.' };
    case 'failed':
      return { code: GRPC.internal, message: result.message };
  }
}
