import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { rawClient, parseTarget } from './support/raw-target.ts';
import { collect, connect, event, freshStream, rejection, storeUrl } from './support/store.ts';

const target = parseTarget(storeUrl());
const port = target.split(':')[1];

describe('gossip', () => {
  it('returns one live leader with its reachable address', async () => {
    const gossip = rawClient(GossipClient);
    const info = await new Promise<gossipPb.ClusterInfo>((resolve, reject) => {
      gossip.read(new sharedPb.Empty(), (error, answer) =>
        error ? reject(error) : resolve(answer),
      );
    });
    const [member, ...others] = info.getMembersList();
    expect(others).toEqual([]);
    expect(member?.getIsAlive()).toBe(true);
    expect(member?.getState()).toBe(gossipPb.MemberInfo.VNodeState.LEADER);
    expect(member?.getInstanceId()?.hasStructured()).toBe(true);
    expect(member?.getHttpEndPoint()?.getAddress()).not.toBe('');
    expect(String(member?.getHttpEndPoint()?.getPort())).toBe(port);
    // Ticks since the Unix epoch or since year 1: in either case far beyond milliseconds.
    expect(Number(member?.getTimeStamp())).toBeGreaterThan(1e15);
  });
});

describe('connection strings', () => {
  it.each([
    ['one host', `esdb://${target}?tls=false`],
    ['the name localhost', `esdb://localhost:${port}?tls=false`],
    [
      'user and password, which an insecure server ignores',
      `esdb://admin:wrong@${target}?tls=false`,
    ],
    ['discovery', `esdb+discover://${target}?tls=false`],
    ['discovery by localhost', `esdb+discover://localhost:${port}?tls=false`],
    ['a list of hosts with one missing', `esdb://${target},127.0.0.1:1?tls=false`],
    [
      'discovery of a follower, answered by a single leader',
      `esdb+discover://${target}?tls=false&nodePreference=follower`,
    ],
  ])('allow appends, reads and subscriptions: %s', async (_, url) => {
    const client = connect(url);
    const stream = freshStream();
    const sent = event();
    await client.appendToStream(stream, sent, { expectedRevision: NO_STREAM });
    const [read] = await collect(client.readStream(stream));
    expect(read?.event?.id).toBe(sent.id);
    for await (const { event: recorded } of client.subscribeToStream(stream)) {
      expect(recorded?.id).toBe(sent.id);
      break;
    }
  });
});

describe('requiresLeader', () => {
  it('is satisfied by a single node', async () => {
    const client = connect();
    const stream = freshStream();
    await client.appendToStream(stream, event(), { requiresLeader: true });
    expect(await collect(client.readStream(stream, { requiresLeader: true }))).toHaveLength(1);
  });
});

describe('a client without a server', () => {
  const unreachable = 'esdb://127.0.0.1:1?tls=false&defaultDeadline=2000';

  it('fails reads as unavailable, code 14', async () => {
    const error = await rejection(collect(connect(unreachable).readStream(freshStream())));
    expect(error).toMatchObject({ type: 'unavailable', code: 14 });
  });

  // The client requests the server's features before its first append, and returns the error of
  // that call unchanged.
  it('fails appends with code 14 and no type', async () => {
    const error = await rejection(connect(unreachable).appendToStream(freshStream(), event()));
    expect(error['code']).toBe(14);
    expect(error['type']).toBeUndefined();
  });
});
