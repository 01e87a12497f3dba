import { sql, type Kysely } from 'kysely';
import { findRunningStack } from '#infra/stores/stack-file.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';

export type WebhookComparison = {
  equal: number;
  /** Recorded ones of events that the copy does not have. */
  newer: number;
  differences: string[];
};

type Row = { id: string; type: string; body: string };

const pageRows = 1_000;
const mostListed = 20;

/**
 * Compares the webhooks that the running gateway has recorded with the derived ones, by bytes.
 * Pings, and those of events that the copy does not have, were not derived.
 * @returns undefined if no database of a gateway is known
 */
export async function compareWebhooks(
  derived: Kysely<WebhooksDatabase>,
): Promise<WebhookComparison | undefined> {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const url = process.env['DATABASE_URL'] || findRunningStack(DATA_DIR)?.env['DATABASE_URL'];
  if (!url) return undefined;
  const live = connectDatabase<unknown>(url, { applicationName: 'gateway-drill' });
  const result: WebhookComparison = { equal: 0, newer: 0, differences: [] };
  try {
    for (let after = '0'; ;) {
      const { rows } = await sql<Row & { ordinal: string }>`
        select ordinal::text, message_id as id, type, body from webhooks.message
        where ordinal > ${after}::bigint and type <> 'ping'
        order by ordinal limit ${pageRows}`.execute(live);
      await comparePage(derived, rows, result);
      after = rows.at(-1)?.ordinal ?? after;
      if (rows.length < pageRows) return result;
    }
  } finally {
    await live.destroy();
  }
}

async function comparePage(
  derived: Kysely<WebhooksDatabase>,
  rows: readonly Row[],
  result: WebhookComparison,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const { rows: found } = await sql<{ id: string; body: string }>`
    select message_id as id, body from webhooks.message
    where message_id = any(${ids}::text[])`.execute(derived);
  const bodies = new Map(found.map(({ id, body }) => [id, body]));
  for (const { id, type, body } of rows) {
    const other = bodies.get(id);
    if (other === undefined) result.newer += 1;
    else if (other === body) result.equal += 1;
    else if (result.differences.length < mostListed)
      result.differences.push(`the webhook ${id} (${type}) has another body than the recorded one`);
  }
}
