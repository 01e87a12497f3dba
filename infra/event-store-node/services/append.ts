import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { findEventFault, readAppendRequest } from '../protocol/append-messages.ts';
import type { ProposedEvent, WriteTarget } from '../protocol/append-messages.ts';
import type { GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import {
  GRPC,
  HANDLER_THREW,
  maximumAppendSizeStatus,
  missingMetadataStatus,
} from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';
import { encodeAppendSuccess, encodeAppendWrongRevision } from '../protocol/write-responses.ts';
import { MAX_APPEND_BYTES, WRITE_TIMEOUT_MS } from '../streams/write-request.ts';
import type { WriteResult } from '../streams/write-request.ts';
import type { NodeContext } from './node-context.ts';
import { answerWith, failureStatus } from './answers.ts';

const TOO_MANY_WRITES: GrpcStatus = {
  code: GRPC.resourceExhausted,
  message: 'Too many writes are waiting; this one was not taken.',
};

/** Streams.Append: one call for each append; first the options, then one message for each event. */
export function append(context: NodeContext): GrpcMethod {
  return (call) => {
    let target: WriteTarget | undefined;
    const events: ProposedEvent[] = [];
    let dataBytes = 0;
    let bytes = 0;

    function onEvent(event: ProposedEvent): void {
      const status = checkProposedEvent(event);
      if (status !== undefined) {
        call.end(status);
        return;
      }
      events.push(event);
      dataBytes += event.data.length;
      bytes += event.data.length + event.metadata.length;
      if (dataBytes > MAX_APPEND_BYTES) call.end(maximumAppendSizeStatus(MAX_APPEND_BYTES));
    }

    return {
      onMessage(message) {
        const part = readAppendRequest(new ProtoReader(message));
        if (part.kind === 'options' && target === undefined) target = part.target;
        else if (part.kind === 'event' && target !== undefined) onEvent(part.event);
        else call.end(HANDLER_THREW);
      },
      onHalfClose() {
        if (target === undefined || target.stream === '') {
          call.end(HANDLER_THREW);
          return;
        }
        if (context.writes.isFull()) {
          call.end(TOO_MANY_WRITES);
          return;
        }
        context.writes.push({
          request: { kind: 'append', ...target, events },
          bytes,
          expiresAtMs: performance.now() + WRITE_TIMEOUT_MS,
          onResult: (result) => answer(call, result),
        });
      },
    };
  };
}

function checkProposedEvent(event: ProposedEvent): GrpcStatus | undefined {
  if (event.type === undefined) return missingMetadataStatus('type');
  if (event.contentType === undefined) return missingMetadataStatus('content-type');
  return findEventFault(event) === undefined ? undefined : HANDLER_THREW;
}

function answer(call: GrpcCall, result: WriteResult): void {
  if (result.kind === 'done') answerWith(call, encodeAppendSuccess(result));
  else if (result.kind === 'wrong_expected_version')
    answerWith(call, encodeAppendWrongRevision(result));
  else call.end(failureStatus(result));
}
