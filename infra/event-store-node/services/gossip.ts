import {
  bytesField,
  encodeMessage,
  stringField,
  varintField,
} from '#shared/platform/protobuf/writer.ts';
import type { GrpcMethod } from '../protocol/grpc-call.ts';
import { encodeUuid } from '../protocol/uuid.ts';
import type { NodeContext } from './node-context.ts';
import { answerWith } from './answers.ts';
import { singleRequest } from './single-request.ts';

const LEADER = 8;

/** Gossip.Read: a cluster of one, which is the leader. */
export function gossip(context: NodeContext): GrpcMethod {
  return singleRequest((call) => {
    const { host, port } = context.advertised;
    const member = encodeMessage(
      bytesField(1, encodeUuid(context.instanceId, 'structured')),
      varintField(2, BigInt(Date.now()) * 10_000n),
      varintField(3, LEADER),
      varintField(4, 1),
      bytesField(5, encodeMessage(stringField(1, host), varintField(2, port))),
    );
    answerWith(call, bytesField(1, member));
  });
}
