import type { Kysely } from 'kysely';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { type WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { migrateConsole, type ConsoleDatabase } from '../console/session/tables.ts';
import { migrateSweepCheckpoints, type SweepCheckpointsDatabase } from './sweep-checkpoints.ts';

/** The service's own tables, and those of others that the admin API reads through their queries. */
export type AdminDatabase = WebhooksDatabase & ConsoleDatabase & SweepCheckpointsDatabase;
export type AdminDb = Kysely<AdminDatabase>;

export async function migrateAdmin(db: AdminDb): Promise<void> {
  await migrateWebhooks(db);
  await migrateConsole(db);
  await migrateSweepCheckpoints(db);
}
