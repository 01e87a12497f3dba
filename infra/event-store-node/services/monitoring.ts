import type { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { bytesField, encodeMessage, stringField } from '#shared/platform/protobuf/writer.ts';
import { frame } from '../protocol/framing.ts';
import type { GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import type { NodeContext } from './node-context.ts';
import { singleRequest } from './single-request.ts';

const DEFAULT_PERIOD_MS = 30_000;
const MIN_PERIOD_MS = 100;
const MAX_PERIOD_MS = 3_600_000;

/**
 * Monitoring.Stats: the process's own figures, at once and then each period, until the client
 * leaves.
 */
export function monitoringStats(context: NodeContext): GrpcMethod {
  return singleRequest((call, reader) => {
    sendStats(context, call);
    const timer = setInterval(() => sendStats(context, call), readPeriodMs(reader));
    timer.unref();
    call.onOver(() => clearInterval(timer));
  });
}

/** StatsReq.refresh_time_period_in_ms. */
function readPeriodMs(reader: ProtoReader): number {
  const periodMs = reader.only(32, (field) => field.varint()) ?? DEFAULT_PERIOD_MS;
  return Math.min(MAX_PERIOD_MS, Math.max(MIN_PERIOD_MS, periodMs));
}

function sendStats(context: NodeContext, call: GrpcCall): void {
  const stats = {
    'proc-id': process.pid,
    'proc-mem': process.memoryUsage.rss(),
    'proc-upTime': process.uptime(),
    'es-writer-lastPosition': context.logEnd(),
  };
  const entries = Object.entries(stats).map(([key, value]) =>
    bytesField(1, encodeMessage(stringField(1, key), stringField(2, String(value)))),
  );
  call.send(frame(encodeMessage(...entries)));
}
