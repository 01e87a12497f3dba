import { persistentSubscriptionToStreamSettingsFromDefaults } from '@eventstore/db-client';
import { MonitoringClient } from '@eventstore/db-client/generated/monitoring_grpc_pb.js';
import monitoringPb from '@eventstore/db-client/generated/monitoring_pb.js';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import usersPb from '@eventstore/db-client/generated/users_pb.js';
import { describe, expect, it } from 'vitest';
import { rawClient } from './support/raw-target.ts';
import { freshStream, isExternal, rejection, sharedClient } from './support/store.ts';

const client = sharedClient();
const unimplemented = 12;

describe.skipIf(isExternal)(
  'what the node leaves out, loudly (skipped when EVENT_STORE_URL is set: a server may have it)',
  () => {
    it('persistent subscriptions: create', async () => {
      const settings = persistentSubscriptionToStreamSettingsFromDefaults();
      const error = await rejection(
        client.createPersistentSubscriptionToStream(freshStream(), 'group', settings),
      );
      expect(error['code']).toBe(unimplemented);
    });

    it('persistent subscriptions: subscribe', async () => {
      const subscription = client.subscribeToPersistentSubscriptionToStream(freshStream(), 'group');
      const error = await new Promise<Error & { code?: number }>((resolve) =>
        subscription.once('error', resolve),
      );
      expect(error.code).toBe(unimplemented);
    });

    it('persistent subscriptions: delete', async () => {
      const error = await rejection(client.deletePersistentSubscriptionToStream(freshStream(), 'group'));
      expect(error['code']).toBe(unimplemented);
    });

    it('projections: create', async () => {
      const error = await rejection(client.createProjection('p', 'fromAll()'));
      expect(error['code']).toBe(unimplemented);
    });

    it('users: details', async () => {
      const call = rawClient(UsersClient).details(new usersPb.DetailsReq());
      const error = await new Promise<Error & { code?: number }>((resolve) => call.once('error', resolve));
      expect(error.code).toBe(unimplemented);
    });
  },
);

describe('monitoring', () => {
  it('gives statistics, or says that it has none', async () => {
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
