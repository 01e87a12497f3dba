import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { newId } from '#shared/platform/ids.ts';
import { appendHistories } from '../testing/append.ts';
import { followOperations, useDb, useOwnEventStore } from '../testing/stores.ts';

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
  const projections = await followOperations({ db, store: own.store }, end);
  onTestFinished(() => projections.stop());
  const { rows } = await sql<{ epoch: string }>`
    select extract(epoch from completed_at)::bigint as epoch
    from gateway.legs where operation_id = ${operationId}`.execute(db);
  const epoch = String(Date.parse('0000-06-01T12:00:00.000Z') / 1_000);
  expect(rows).toEqual([{ epoch }, { epoch }]);
});
