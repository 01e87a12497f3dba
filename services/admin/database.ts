import type { Kysely } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { ConsoleDatabase } from './console/session/tables.ts';
import type { MarksDatabase } from './marks.ts';

export { fromDatabase } from '#shared/platform/database/from-database.ts';

/** The service's own tables, and those of others that the admin API reads through their queries. */
export type AdminDatabase = WebhooksDatabase & ConsoleDatabase & MarksDatabase;
export type AdminDb = Kysely<AdminDatabase>;
