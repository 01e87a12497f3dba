import { sql, type Kysely } from 'kysely';
import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { readForScrape } from '#shared/platform/metrics/reading.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';

type Counts = { pending: number; exhausted: number; oldest_s: number };

/**
 * The backlog in the table of messages, read from the database, so it is the same on every
 * instance.
 */
export function registerMessageFigures(registry: Metrics, db: Kysely<WebhooksDatabase>): void {
  const read = readForScrape(async () => {
    // By indexes that contain only those.
    const { rows } = await sql<Counts>`
      select count(*)::float8 as pending,
        coalesce(extract(epoch from now() - min(occurred_at)), 0)::float8 as oldest_s,
        (select count(*)::float8 from webhooks.message where status = 'exhausted') as exhausted
      from webhooks.message where status = 'pending'`.execute(db);
    return rows[0];
  });
  const registers = [registry];
  const messages: Gauge = new Gauge({
    name: 'gateway_webhook_messages',
    help: 'Undelivered webhooks, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      const counts = await read();
      messages.reset();
      if (!counts) return;
      messages.set({ status: 'pending' }, counts.pending);
      messages.set({ status: 'exhausted' }, counts.exhausted);
    },
  });
  const oldest: Gauge = new Gauge({
    name: 'gateway_webhook_oldest_pending_age_seconds',
    help: 'Age of the event whose webhook has been pending longest; 0: none is pending',
    registers,
    async collect() {
      oldest.set((await read())?.oldest_s ?? Number.NaN);
    },
  });
}
