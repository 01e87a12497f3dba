import { listOperationsOfClient } from '#projections/operations/of-client.ts';
import { listProjections } from '#projections/status.ts';
import type { ErasureModels } from '#shared/application/personal-data/client-operations.ts';
import type { AdminDependencies } from '../dependencies.ts';

/** The read models, as an erasure reads them. */
export const createErasureModels = ({
  store,
  db,
}: Pick<AdminDependencies, 'store' | 'db'>): ErasureModels => ({
  listOperations: (client) => listOperationsOfClient(db, client),
  areBehind: async () => {
    const models = await listProjections(db, store);
    return models.find(({ name }) => name === 'operations')?.lag_events !== 0;
  },
});
