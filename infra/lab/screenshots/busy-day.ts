import { sql } from 'kysely';
import {
  setUpBusyGateway,
  type BusyGateway,
} from '#services/back-office/console/testing/busy-gateway.ts';
import type { TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';

const days = new WeakMap<TestStack, Promise<BusyGateway>>();

/** A day at a gateway, shared by all pages of a stack. */
export function busyDay(stack: TestStack): Promise<BusyGateway> {
  const known = days.get(stack) ?? makeDay(stack);
  days.set(stack, known);
  return known;
}

async function makeDay(stack: TestStack): Promise<BusyGateway> {
  const gateway = await setUpBusyGateway(stack, 14);
  await spreadOverTheDay(stack.env['DATABASE_URL'] ?? '');
  return gateway;
}

/**
 * Charts need a day: the read model's rows of a minute are spread over hours. The log is unchanged.
 */
async function spreadOverTheDay(url: string): Promise<void> {
  const db = connectDatabase<unknown>(url, { applicationName: 'screenshots' });
  try {
    await sql`
      with moved as (
        select operation_id, make_interval(mins => (1400 * power(percent_rank() over (order by created_at desc), 1.4))::int) as by,
          1 + (row_number() over (order by created_at desc)) % 7 as slow
        from gateway.operations
      )
      update gateway.operations o set created_at = o.created_at - m.by, accepted_at = o.accepted_at - m.by,
        ended_at = o.created_at - m.by + (o.ended_at - o.created_at) * m.slow * 40
      from moved m where m.operation_id = o.operation_id and o.status <> 'manual_check'`.execute(
      db,
    );
  } finally {
    await db.destroy();
  }
}
