import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { routeKey } from '#shared/domain/daily-limits.ts';
import { admitted, route, started } from '#shared/domain/operation/testing/given.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import type { EventStore, LogItem } from '#shared/platform/event-store/index.ts';
import { createDayUse } from './day-use.ts';

const created = new Date('2026-01-31T12:00:00.000Z');

/** In the log from position 6 on. */
const history = [admitted(), started()].map(({ type, data }, revision): LogItem => ({
  kind: 'event',
  event: {
    id: `${revision}`,
    type,
    data,
    metadata: { correlation_id: 'c', actor: 'a', schema_version: newestVersion(type) },
    stream: 'operation-6f1d5b1e-0000-8000-8000-000000000001',
    revision,
    position: BigInt(6 + revision),
    created,
  },
}));

it('counts an attempt once if the log delivers it after the read models (R7.17)', async () => {
  const isRead = Promise.withResolvers<void>();
  const subscribe: EventStore['subscribe'] = async function* ({ signal }) {
    await isRead.promise;
    yield history;
    yield [{ kind: 'caught_up' }];
    await once(signal, 'abort');
  };
  // The read models' position, without an event, is verified by reading from it.
  const readLog: EventStore['readLog'] = async () => ({ events: [], gap: false });
  const used = new Map([[routeKey(route()), { count: 1, amount: '100.00' }]]);
  let reads = 0;
  const dayUse = createDayUse({
    store: { subscribe, head: async () => 7n, readLog } as Partial<EventStore> as EventStore,
    read: async () => {
      reads += 1;
      if (reads === 3) isRead.resolve();
      return {
        open: [],
        ...(reads < 3 ? { at: { position: 5n }, used: new Map() } : { at: { position: 7n }, used }),
      };
    },
    logger,
    now: () => created.getTime(),
  });
  onTestFinished(() => dayUse.stop());
  const days = await dayUse.of('shop-1');
  expect(days?.usedBy(route(), { operationId: 'another' })).toEqual({ count: 1, amount: '100.00' });
});
