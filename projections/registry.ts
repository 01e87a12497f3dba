import { operationsReadModel } from './operations/read-model.ts';
import type { ReadModel } from './read-model.ts';
import { shopsReadModel } from './shops/read-model.ts';
import { suspenseReadModel } from './suspense/read-model.ts';

/** Every read model, in the order in which they are rebuilt and listed. */
export const readModels: readonly ReadModel[] = [shopsReadModel, operationsReadModel, suspenseReadModel];
