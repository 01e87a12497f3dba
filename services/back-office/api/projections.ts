import { listProjections } from '#projections/status.ts';
import type { AdminApp } from './authentication.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from './dependencies.ts';

export function registerProjections(app: AdminApp, { store, db }: AdminDependencies): void {
  app.get('/admin/v1/projections', async (c) =>
    c.json({ projections: await fromDatabase(listProjections(db, store)) }),
  );
}
