import { persistentSubscriptionToStreamSettingsFromDefaults } from '@eventstore/db-client';
import { MonitoringClient } from '@eventstore/db-client/generated/monitoring_grpc_pb.js';
import monitoringPb from '@eventstore/db-client/generated/monitoring_pb.js';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import usersPb from '@eventstore/db-client/generated/users_pb.js';
import { describe, expect, it } from 'vitest';
import { rawClient, parseTarget } from './support/raw-target.ts';
import { freshStream, isExternal, rejection, sharedClient, storeUrl } from './support/store.ts';

const client = sharedClient();
const unimplemented = 12;

describe.skipIf(isExternal)(
  'unsupported calls, which fail (skipped when EVENT_STORE_URL is set: a server may have them)',
  () => {
    it('include creating a persistent subscription', async () => {
      const settings = persistentSubscriptionToStreamSettingsFromDefaults();
      const error = await rejection(
        client.createPersistentSubscriptionToStream(freshStream(), 'group', settings),
      );
      expect(error['code']).toBe(unimplemented);
    });

    it('include subscribing to a persistent subscription', async () => {
      const subscription = client.subscribeToPersistentSubscriptionToStream(freshStream(), 'group');
      const error = await new Promise<Error & { code?: number }>((resolve) =>
        subscription.once('error', resolve),
      );
      expect(error.code).toBe(unimplemented);
    });

    it('include deleting a persistent subscription', async () => {
      const error = await rejection(
        client.deletePersistentSubscriptionToStream(freshStream(), 'group'),
      );
      expect(error['code']).toBe(unimplemented);
    });

    // The client requests these over HTTP if the server does not list them.
    it.each([
      ['info', () => client.getPersistentSubscriptionToStreamInfo(freshStream(), 'group')],
      ['list of a stream', () => client.listPersistentSubscriptionsToStream(freshStream())],
      ['list', () => client.listAllPersistentSubscriptions()],
      ['replay', () => client.replayParkedMessagesToStream(freshStream(), 'group')],
      ['restart', () => client.restartPersistentSubscriptionSubsystem()],
    ])('include persistent subscriptions: %s', async (_, call) => {
      const error = await rejection(call());
      expect(error).toMatchObject({ type: 'unknown', message: 'Not Implemented' });
    });

    it.each([
      ['POST', '/projections/continuous?name=p'],
      ['GET', '/projection/p/state'],
      ['GET', '/streams/s'],
      ['GET', '/users'],
      ['POST', '/admin/scavenge'],
    ])('include HTTP: %s %s', async (method, path) => {
      const response = await fetch(`http://${parseTarget(storeUrl())}${path}`, { method });
      expect(response.status).toBe(501);
      expect(await response.json()).toEqual({
        error: `${path.split('?')[0]} is not implemented by the event store node.`,
      });
    });

    it('include creating a projection', async () => {
      const error = await rejection(client.createProjection('p', 'fromAll()'));
      expect(error['code']).toBe(unimplemented);
    });

    it('include user details', async () => {
      const call = rawClient(UsersClient).details(new usersPb.DetailsReq());
      const error = await new Promise<Error & { code?: number }>((resolve) =>
        call.once('error', resolve),
      );
      expect(error.code).toBe(unimplemented);
    });
  },
);

describe('monitoring', () => {
  it('returns statistics, or is unimplemented', async () => {
    const call = rawClient(MonitoringClient).stats(
      new monitoringPb.StatsReq().setRefreshTimePeriodInMs('1000'),
    );
    const outcome = await new Promise<number>((resolve) => {
      call.once('data', (stats: monitoringPb.StatsResp) => {
        resolve(stats.getStatsMap().getLength() > 0 ? 0 : -1);
        call.cancel();
      });
      call.on('error', (error: Error & { code?: number }) => resolve(error.code ?? -1));
    });
    expect([0, unimplemented]).toContain(outcome);
  });
});
