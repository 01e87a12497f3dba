import { ledgerReadModel } from './ledger/read-model.ts';
import { operationsReadModel } from './operations/read-model.ts';
import { operatorsReadModel } from './operators/read-model.ts';
import type { ReadModel } from './read-model.ts';
import { shopsReadModel } from './shops/read-model.ts';
import { statementsReadModel } from './statements/read-model.ts';
import { suspenseReadModel } from './suspense/read-model.ts';

/**
 * Every read model, in the order in which they are rebuilt and listed. For views, see
 * `views/registry.ts`.
 */
export const readModels: readonly ReadModel[] = [
  shopsReadModel,
  operationsReadModel,
  ledgerReadModel,
  suspenseReadModel,
  operatorsReadModel,
  statementsReadModel,
];
