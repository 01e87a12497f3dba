import { setImmediate as turn } from 'node:timers/promises';
import type { RowError } from '#shared/domain/payout-batch/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { cellName } from './cell-name.ts';
import { toSheetRow } from './sheet-row.ts';
import { sumByCurrency, mostErrors, type PayoutFileContent } from './read-file.ts';

/** Those of the operations that exist, as far as the lists know. @throws Problem not_ready */
export type FindExisting = (operationIds: readonly string[]) => Promise<ReadonlySet<string>>;

const idsInTurn = 50;

/** Those of the shop's names that an operation has. @throws Problem not_ready */
export async function findUsedNames(
  find: FindExisting,
  shop: Pick<Shop, 'operationIdSecret'>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const secret = Buffer.from(shop.operationIdSecret, 'hex');
  const byId = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (index % idsInTurn === 0) await turn();
    byId.set(operationIdFor(secret, name), name);
  }
  const existing = byId.size > 0 ? await find([...byId.keys()]) : new Set<string>();
  return new Set([...byId].flatMap(([id, name]) => (existing.has(id) ? [name] : [])));
}

function noneIfNotReady(error: unknown): ReadonlySet<string> {
  if (error instanceof Problem && error.code === 'not_ready') return new Set();
  throw error;
}

const usedName = { pointer: '/merchant_operation_id', code: 'operation_exists' } as const;

/**
 * The file with an error for each row whose name an operation has already (R24.15). While the lists
 * can't be read none is known; such a row is not paid a second time in any case.
 */
export async function refuseUsedNames(
  file: PayoutFileContent,
  find: FindExisting,
  shop: Pick<Shop, 'operationIdSecret'>,
): Promise<PayoutFileContent> {
  const names = file.bodies.map((body) => body.merchant_operation_id);
  const used = await findUsedNames(find, shop, names).catch(noneIfNotReady);
  if (used.size === 0) return file;
  const isUsed = (index: number) => used.has(names[index] ?? '');
  const more = file.numbers.flatMap((row, index): RowError[] =>
    isUsed(index)
      ? [{ ...usedName, row, cell: cellName({ row: toSheetRow(row), column: file.idColumn }) }]
      : [],
  );
  const errors = [...file.errors, ...more].toSorted((one, other) => one.row - other.row);
  const bodies = file.bodies.filter((_, index) => !isUsed(index));
  const numbers = file.numbers.filter((_, index) => !isUsed(index));
  const total = sumByCurrency(bodies);
  return { ...file, errors: errors.slice(0, mostErrors), bodies, numbers, total };
}
