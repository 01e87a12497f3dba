import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import type { CallHandler, GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import { GRPC } from '../protocol/grpc-status.ts';

/**
 * A method whose request is one message. `answer` is called with it once the client sends no more.
 */
export function singleRequest(answer: (call: GrpcCall, request: ProtoReader) => void): GrpcMethod {
  return (call): CallHandler => {
    let request: Buffer | undefined;
    return {
      onMessage(message) {
        request ??= message;
      },
      onHalfClose() {
        if (request === undefined)
          call.end({ code: GRPC.internal, message: 'The request is missing.' });
        else answer(call, new ProtoReader(request));
      },
    };
  };
}
