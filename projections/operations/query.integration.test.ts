import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { paidHistory, type History } from '#shared/domain/operation/testing/histories.ts';
import { encodeCursor } from '../cursor.ts';
import { appendHistories } from '../testing/append.ts';
import { createOperationsTables } from '../testing/operations-tables.ts';
import { useOwnEventStore } from '../testing/stores.ts';
import { decodeOperationCursor, listOperations, type OperationFilter } from './query.ts';

const own = useOwnEventStore();
const { db, followTo } = await createOperationsTables(own);

/** The same with a million. */
const overpaid = ({ create, events }: History): History => ({
  create,
  events: events.map((event): OperationEvent =>
    event.type === 'OperationCompleted'
      ? { ...event, data: { ...event.data, actual_amount: '1000000.00' } }
      : event,
  ),
});

describe('queries of operations', () => {
  const histories = Array.from({ length: 25 }, (_, index) => {
    const history = paidHistory({
      operationId: randomUUID(),
      merchantOperationId: `order-${index}`,
      shopId: index % 5 === 0 ? 'shop-a' : 'shop-b',
      ...(index === 7 && { routes: [] }),
    });
    return index === 9 ? overpaid(history) : history;
  });
  beforeAll(async () => followTo(await appendHistories(own.store, histories)));

  it('return every operation once, newest first, in pages', async () => {
    const seen: string[] = [];
    const times: number[] = [];
    let cursor: ReturnType<typeof decodeOperationCursor>;
    for (let page = 0; page < 4; page += 1) {
      const { operations, nextCursor } = await listOperations(db, { cursor, limit: 7 });
      expect(operations).toHaveLength(page < 3 ? 7 : 4);
      seen.push(...operations.map(({ operation_id }) => operation_id));
      times.push(...operations.map(({ created_at }) => created_at.getTime()));
      expect(nextCursor === null).toBe(page === 3);
      cursor = nextCursor === null ? undefined : decodeOperationCursor(nextCursor);
    }
    expect(new Set(seen)).toEqual(new Set(histories.map(({ create }) => create.operationId)));
    expect(times).toEqual(times.toSorted((left, right) => right - left));
  });

  it('lead back through the same pages (R16.20)', async () => {
    const read = (text: string | null) =>
      listOperations(db, { cursor: decodeOperationCursor(text ?? ''), limit: 7 });
    const forth = [await read(null)];
    while (forth.at(-1)?.nextCursor) forth.push(await read(forth.at(-1)?.nextCursor ?? null));
    const back = [forth.at(-1)!];
    while (back.at(-1)?.previousCursor) back.push(await read(back.at(-1)?.previousCursor ?? null));
    const ids = (pages: typeof forth) =>
      pages.map(({ operations }) => operations.map(({ operation_id: id }) => id));
    expect(ids(back.toReversed())).toEqual(ids(forth));
    expect(back.map(({ nextCursor }) => nextCursor !== null)).toEqual([false, true, true, true]);
    expect(forth[0]?.previousCursor).toBeNull();
  });

  it.each<[OperationFilter, number]>([
    [{ shopId: 'shop-a' }, 5],
    [{ shopId: 'shop-b', status: 'completed' }, 19],
    [{ status: 'declined' }, 1],
    [{ merchantOperationId: 'order-3' }, 1],
    [{ merchantOperationId: 'order-3', shopId: 'shop-a' }, 0],
    [{ merchantOperationId: 'order-3\u0000' }, 0],
    [{ type: 'payout' }, 0],
    [{ attention: 'overpaid' }, 1],
    [{ attention: 'overpaid', shopId: 'shop-a' }, 0],
    [{ merchantId: 'merchant-1' }, 25],
    [{ operationIds: [histories[3]?.create.operationId ?? '', randomUUID()] }, 1],
    [{ operationIds: [] }, 0],
  ])('filter by %o', async (filter, count) => {
    expect((await listOperations(db, { filter, limit: 100 })).operations).toHaveLength(count);
  });

  it('reject an invalid cursor', () => {
    expect(decodeOperationCursor('nonsense')).toBeUndefined();
    const time = '2026-01-01T00:00:00.000Z';
    for (const cursor of [['2026-01-01', 'x'], [time, randomUUID(), 'older'], [time]])
      expect(decodeOperationCursor(encodeCursor(cursor))).toBeUndefined();
  });
});
