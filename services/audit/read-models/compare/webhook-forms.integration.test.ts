import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useDb } from '#projections/testing/stores.ts';
import { readFormTimes } from './webhook-forms.ts';

const dayMs = 86_400_000;

it('has an hour to read when the first message of each form was recorded (R18.5)', async () => {
  const { db } = await useDb();
  await sql`create schema webhooks`.execute(db);
  // A message that only a statement with that much time can read.
  await sql`create view webhooks.message as
    select 'id' as operation_id, to_timestamp(0) as occurred_at,
      '"decline_reason": null, "client_id": "c", "created_at": "t"' as body
    where current_setting('statement_timeout') = '1h'`.execute(db);
  const { mayBe } = await readFormTimes(db);
  expect(mayBe(1, dayMs)).toBe(true);
  expect(mayBe(1, dayMs + 1)).toBe(false);
});
