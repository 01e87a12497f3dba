import { setImmediate as turn } from 'node:timers/promises';
import type { RowError } from '#shared/domain/payout-batch/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { CreateBody } from '../create-body/body.ts';
import { wouldRepeatPayout } from '../operations/create/stored-request.ts';
import { operationIdFor } from '../operations/operation-id.ts';
import { readOperation } from '../operations/streams.ts';
import type { PersonalData } from '../personal-data/personal-data.ts';
import { cellName } from './cell-name.ts';
import { toSheetRow } from './sheet-row.ts';
import { sumByCurrency, mostErrors, type PayoutFileContent } from './read-file.ts';

/** Those of the operations that exist, as far as the lists know. @throws Problem not_ready */
export type FindExisting = (operationIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** The id of the operation that has a name, by that. */
export type UsedNames = ReadonlyMap<string, string>;

const idsInTurn = 50;

/** The operations that have one of the shop's names, by name. @throws Problem not_ready */
export async function findUsedNames(
  find: FindExisting,
  shop: Pick<Shop, 'operationIdSecret'>,
  names: readonly string[],
): Promise<UsedNames> {
  const secret = Buffer.from(shop.operationIdSecret, 'hex');
  const byId = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (index % idsInTurn === 0) await turn();
    byId.set(operationIdFor(secret, name), name);
  }
  const existing = byId.size > 0 ? await find([...byId.keys()]) : new Set<string>();
  return new Map([...byId].flatMap(([id, name]) => (existing.has(id) ? [[name, id]] : [])));
}

function noneIfNotReady(error: unknown): UsedNames {
  if (error instanceof Problem && error.code === 'not_ready') return new Map();
  throw error;
}

const readsAtOnce = 16;

type ComparingPorts = {
  store: Pick<EventStore, 'read'>;
  personal: Pick<PersonalData, 'bodyHashUnder'>;
};

/**
 * Whether a row is the same request as the payout that has its name, so that its create would be a
 * repeat (R4.1).
 * @throws when the log or a key can't be read
 */
export async function repeatsOperation(
  { store, personal }: ComparingPorts,
  operationId: string,
  body: CreateBody,
): Promise<boolean> {
  const operation = await readOperation(store, operationId);
  return operation !== undefined && wouldRepeatPayout(personal, operation, body);
}

/** The names of rows whose operation has another body. */
async function findOthers(
  ports: ComparingPorts,
  bodies: readonly CreateBody[],
  used: UsedNames,
): Promise<ReadonlySet<string>> {
  const others = new Set<string>();
  const rows = bodies.values();
  let failed = false;
  const lane = async () => {
    for (const body of rows) {
      if (failed) return;
      const name = body.merchant_operation_id;
      const operationId = used.get(name);
      if (operationId === undefined) continue;
      if (!(await repeatsOperation(ports, operationId, body))) others.add(name);
      await turn();
    }
  };
  const stopAll = (cause: unknown) => {
    failed = true;
    throw cause;
  };
  // All have ended before the caller learns of a failure: the shop's next file begins then.
  const lanes = Array.from({ length: readsAtOnce }, () => lane().catch(stopAll));
  const failure = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return others;
}

const usedName = { pointer: '/merchant_operation_id', code: 'operation_exists' } as const;

/**
 * The file with an error for each row whose name an operation with another body has (R24.15): a row
 * with other errors is never the same request. While the lists can't be read none is known; such a
 * row is not paid a second time in any case.
 * @throws when the log or a key can't be read
 */
export async function refuseUsedNames(
  { find, ...ports }: ComparingPorts & { find: FindExisting },
  file: PayoutFileContent,
  shop: Pick<Shop, 'operationIdSecret'>,
): Promise<PayoutFileContent> {
  const { bodies, numbers, faultyRows } = file;
  const names = [...bodies, ...faultyRows].map((row) => row.merchant_operation_id);
  const used = await findUsedNames(find, shop, names).catch(noneIfNotReady);
  const others = await findOthers(ports, bodies, used);
  const isOther = (index: number) => others.has(names[index] ?? '');
  const refused = [
    ...numbers.flatMap((row, index) => (isOther(index) ? [{ row, name: names[index] ?? '' }] : [])),
    ...faultyRows
      .map(({ row, merchant_operation_id: name }) => ({ row, name }))
      .filter(({ name }) => used.has(name)),
  ];
  if (refused.length === 0) return file;
  const more = refused.map(({ row, name }): RowError => {
    const cell = cellName({ row: toSheetRow(row), column: file.idColumn });
    return { ...usedName, row, cell, operation_id: used.get(name) };
  });
  // Before the other errors of its row: the ID is usually the first column.
  const errors = [...more, ...file.errors].toSorted((one, other) => one.row - other.row);
  const valid = bodies.filter((_, index) => !isOther(index));
  return {
    ...file,
    errors: errors.slice(0, mostErrors),
    bodies: valid,
    numbers: numbers.filter((_, index) => !isOther(index)),
    total: sumByCurrency(valid),
  };
}
