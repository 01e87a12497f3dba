import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { describe, expect, it } from 'vitest';
import { rawClient } from './support/raw-target.ts';
import { sharedClient } from './support/store.ts';

// What the client knows of its server is for the client's own use, so the types hide it.
const client = sharedClient() as unknown as {
  capabilities: Promise<{
    serverVersion: string;
    supports: (method: object, feature?: string) => boolean;
  }>;
};

const supportedMethods = async () => {
  const features = rawClient(ServerFeaturesClient);
  const answer = await new Promise<SupportedMethods>((resolve, reject) => {
    features.getSupportedMethods(new sharedPb.Empty(), (error, methods) =>
      error ? reject(error) : resolve(methods),
    );
  });
  return new Map(
    answer
      .getMethodsList()
      .map((method) => [
        `${method.getServiceName()}/${method.getMethodName()}`,
        method.getFeaturesList(),
      ]),
  );
};

describe('server features', () => {
  it('include a version of three parts or more', async () => {
    const { serverVersion } = await client.capabilities;
    expect(serverVersion).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('include batch appends and positions in reads', async () => {
    const capabilities = await client.capabilities;
    expect(capabilities.supports(StreamsService.batchAppend)).toBe(true);
    expect(capabilities.supports(StreamsService.batchAppend, 'deadline_duration')).toBe(true);
    expect(capabilities.supports(StreamsService.read, 'position')).toBe(true);
    expect(capabilities.supports(StreamsService.read, 'events')).toBe(true);
  });

  it.each([
    ['event_store.client.streams.streams/read', ['position', 'events']],
    ['event_store.client.streams.streams/append', []],
    ['event_store.client.streams.streams/delete', []],
    ['event_store.client.streams.streams/tombstone', []],
    ['event_store.client.streams.streams/batchappend', ['deadline_duration']],
    ['event_store.client.gossip.gossip/read', []],
    ['event_store.client.server_features.serverfeatures/getsupportedmethods', []],
  ])('list %s with %j', async (method, features) => {
    expect((await supportedMethods()).get(method)).toEqual(expect.arrayContaining(features));
  });

  it('are all in lower case', async () => {
    const names = [...(await supportedMethods()).keys()];
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual(names.map((name) => name.toLowerCase()));
  });
});
