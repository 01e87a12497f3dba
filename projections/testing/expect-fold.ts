import type { Kysely } from 'kysely';
import { expect } from 'vitest';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import type { History } from '#shared/domain/operation/testing/histories.ts';
import { viewOperation, type OperationView } from '#shared/domain/operation/view.ts';
import type { EventStore } from '#shared/event-store/index.ts';
import type { OperationsDatabase } from '../operations/query.ts';
import { viewOperationRow } from '../operations/view.ts';

/** The operation object without what only the stream holds. */
export function withoutRequisites(view: OperationView | undefined) {
  if (!view) return undefined;
  const { number: _, name: __, bankname: ___, bankname_details: ____, ...rest } = view;
  return rest;
}

/** Every row is what its stream folds to, and there is one for each history and no other. */
export async function expectRowsToEqualFold(
  db: Kysely<unknown>,
  store: EventStore,
  histories: readonly History[],
): Promise<void> {
  const rows = await (db as unknown as Kysely<OperationsDatabase>)
    .selectFrom('gateway.operations')
    .selectAll()
    .execute();
  const byId = new Map(rows.map((row) => [row.operation_id, row]));
  expect(byId.size).toBe(histories.length);
  const compare = async ({ create }: History) => {
    const row = byId.get(create.operationId);
    if (!row) throw new Error(`no row for ${create.operationId}`);
    const events = await store.read(operationStream(create.operationId));
    const state = fold(events.map(decodeOperationEvent));
    if (state.phase !== 'admitted') throw new Error('a history begins with an admission');
    expect(viewOperationRow(row)).toEqual(withoutRequisites(viewOperation(state)));
    expect(row).toMatchObject({
      status: state.status,
      revision: state.revision,
      position: String(events.at(-1)?.position),
      updated_at: events.at(-1)?.created,
    });
  };
  for (let from = 0; from < histories.length; from += 50) {
    await Promise.all(histories.slice(from, from + 50).map(compare));
  }
}
