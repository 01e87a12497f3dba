import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { newId } from '#shared/platform/ids.ts';
import { appendHistories } from '../testing/append.ts';
import {
  hasReached,
  hasTable,
  useDb,
  useOwnEventStore,
  useProjections,
} from '../testing/stores.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { operationsReadModel } from './read-model.ts';

const own = useOwnEventStore();

it('read models accept a provider’s time in the year 0', async () => {
  const operationId = newId();
  const { create, events } = paidHistory({ operationId });
  const atYear0 = JSON.parse(
    JSON.stringify(events).replaceAll(
      /"(completed_at|expires_at)":"[^"]*"/g,
      '"$1":"0000-06-01T12:00:00.000Z"',
    ),
  ) as typeof events;
  const end = await appendHistories(own.store, [{ create, events: atYear0 }]);
  const { db } = await useDb();
  useProjections({ db, store: own.store, models: [operationsReadModel, suspenseReadModel] });
  await waitUntil('caught up', () => hasReached(db, end), { timeoutMs: 20_000 });
  await waitUntil('the suspense table exists', () => hasTable(db, 'suspense'), {
    timeoutMs: 20_000,
  });
  const { rows } = await sql<{ epoch: string }>`
    select extract(epoch from completed_at)::bigint as epoch
    from gateway.legs where operation_id = ${operationId}`.execute(db);
  const epoch = String(Date.parse('0000-06-01T12:00:00.000Z') / 1_000);
  expect(rows).toEqual([{ epoch }, { epoch }]);
});
