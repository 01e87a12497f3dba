import { unimplemented } from '../protocol/grpc-call.ts';
import type { GrpcMethod } from '../protocol/grpc-call.ts';
import { append } from './append.ts';
import { batchAppend } from './batch-append.ts';
import { deleteStream } from './delete.ts';
import { gossip } from './gossip.ts';
import { monitoringStats } from './monitoring.ts';
import type { NodeContext } from './node-context.ts';
import { read } from './read.ts';
import { serverFeatures } from './server-features.ts';

/** The methods that the node serves, by path; anything else is answered as unimplemented. */
export function createMethods(context: NodeContext): (path: string) => GrpcMethod {
  const methods = new Map<string, GrpcMethod>([
    ['/event_store.client.streams.Streams/Read', read(context)],
    ['/event_store.client.streams.Streams/Append', append(context)],
    ['/event_store.client.streams.Streams/BatchAppend', batchAppend(context)],
    ['/event_store.client.streams.Streams/Delete', deleteStream(context, 'soft')],
    ['/event_store.client.streams.Streams/Tombstone', deleteStream(context, 'tombstone')],
    ['/event_store.client.server_features.ServerFeatures/GetSupportedMethods', serverFeatures()],
    ['/event_store.client.gossip.Gossip/Read', gossip(context)],
    ['/event_store.client.monitoring.Monitoring/Stats', monitoringStats(context)],
  ]);
  return (path) => methods.get(path) ?? unimplemented(path);
}
