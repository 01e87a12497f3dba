import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { appendHistories } from '../testing/append.ts';
import { createOperationsTables } from '../testing/operations-tables.ts';
import { useOwnEventStore } from '../testing/stores.ts';
import { decodeCursor, listOperations, type OperationFilter } from './query.ts';

const own = useOwnEventStore();
const { db, followTo } = await createOperationsTables(own);

describe('queries of operations', () => {
  const histories = Array.from({ length: 25 }, (_, index) =>
    paidHistory({
      operationId: randomUUID(),
      merchantOperationId: `order-${index}`,
      shopId: index % 5 === 0 ? 'shop-a' : 'shop-b',
      ...(index === 7 && { routes: [] }),
    }),
  );
  beforeAll(async () => followTo(await appendHistories(own.store, histories)));

  it('return every operation once, newest first, in pages', async () => {
    const seen: string[] = [];
    const times: number[] = [];
    let cursor: ReturnType<typeof decodeCursor>;
    for (let page = 0; page < 4; page += 1) {
      const { operations, nextCursor } = await listOperations(db, { cursor, limit: 7 });
      expect(operations).toHaveLength(page < 3 ? 7 : 4);
      seen.push(...operations.map(({ operation_id }) => operation_id));
      times.push(...operations.map(({ created_at }) => created_at.getTime()));
      expect(nextCursor === null).toBe(page === 3);
      cursor = nextCursor === null ? undefined : decodeCursor(nextCursor);
    }
    expect(new Set(seen)).toEqual(new Set(histories.map(({ create }) => create.operationId)));
    expect(times).toEqual(times.toSorted((left, right) => right - left));
  });

  it.each<[OperationFilter, number]>([
    [{ shopId: 'shop-a' }, 5],
    [{ shopId: 'shop-b', status: 'completed' }, 19],
    [{ status: 'declined' }, 1],
    [{ merchantOperationId: 'order-3' }, 1],
    [{ merchantOperationId: 'order-3', shopId: 'shop-a' }, 0],
    [{ merchantOperationId: 'order-3\u0000' }, 0],
    [{ type: 'payout' }, 0],
    [{ merchantId: 'merchant-1' }, 25],
  ])('filter by %o', async (filter, count) => {
    expect((await listOperations(db, { filter, limit: 100 })).operations).toHaveLength(count);
  });

  it('reject an invalid cursor', () => {
    expect(decodeCursor('nonsense')).toBeUndefined();
    expect(decodeCursor(Buffer.from('["2026-01-01","x"]').toString('base64url'))).toBeUndefined();
  });
});
