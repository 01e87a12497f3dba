import { bytesField, encodeMessage, stringField } from '#shared/platform/protobuf/writer.ts';
import type { GrpcMethod } from '../protocol/grpc-call.ts';
import { answerWith } from './answers.ts';
import { singleRequest } from './single-request.ts';

/** The version of the real server that the node imitates. */
export const SERVER_VERSION = '23.10.8';

type Method = readonly [service: string, method: string, features: readonly string[]];

// Methods that are not served are not listed: clients read this list first, and report what is
// missing. Three features are the node's own: with `as_recorded` it takes the time and position of an
// event of another log, and with `recorded_deletions` of a deletion; `closable`: after LogClosed it
// takes nothing else.
const METHODS: readonly Method[] = [
  ['event_store.client.streams.streams', 'read', ['position', 'events']],
  ['event_store.client.streams.streams', 'append', []],
  ['event_store.client.streams.streams', 'delete', []],
  ['event_store.client.streams.streams', 'tombstone', []],
  [
    'event_store.client.streams.streams',
    'batchappend',
    ['deadline_duration', 'as_recorded', 'recorded_deletions', 'closable'],
  ],
  ['event_store.client.gossip.gossip', 'read', []],
  ['event_store.client.monitoring.monitoring', 'stats', []],
  ['event_store.client.server_features.serverfeatures', 'getsupportedmethods', []],
];

/** ServerFeatures.GetSupportedMethods. */
export function serverFeatures(): GrpcMethod {
  const methods = METHODS.map(([service, method, features]) =>
    bytesField(
      1,
      encodeMessage(
        stringField(1, method),
        stringField(2, service),
        ...features.map((feature) => stringField(3, feature)),
      ),
    ),
  );
  const response = encodeMessage(...methods, stringField(2, SERVER_VERSION));
  return singleRequest((call) => answerWith(call, response));
}
