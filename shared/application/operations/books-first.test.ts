import { describe, expect, it } from 'vitest';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { accepted, admitted, given, leg, started } from '#shared/domain/operation/testing/given.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { BookedOperations } from '#shared/application/ledger/booked-operations.ts';
import type { PostRequest } from '#shared/application/ledger/types.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { createBooksFirst } from './books-first.ts';

const endedAt = Date.parse('2026-01-31T12:00:00.000Z');
const minuteMs = 60_000;

/**
 * A completed payment, and the calls to its ledger when its end is shown at each of these times.
 */
function told(...timesMs: number[]) {
  const open = [admitted(), started(), accepted()];
  const report = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
  const history: OperationEvent[] = [...open, ...applyReport(given(...open).state, report).events];
  const operation = fold(history) as Operation;
  const events = history.map((event, revision): StoredEvent => ({
    ...event,
    id: `event-${revision}`,
    metadata: { correlation_id: 'c', actor: 'test', schema_version: 1 },
    stream: operationStream(operation.operationId),
    revision,
    position: BigInt(revision),
    created: new Date(endedAt),
  }));
  const posted: PostRequest[] = [];
  let [reads, nowMs] = [0, 0];
  const booksFirst = createBooksFirst({
    store: {
      read: async () => {
        reads += 1;
        return events;
      },
      recent: () => undefined,
    },
    ledgers: {
      stands: () => false,
      booked: new BookedOperations(),
      post: async (request) => {
        posted.push(request);
        return { outcome: 'undecided', cause: new Error('away') };
      },
    },
    logger: createLogger('test', 'silent'),
    actor: 'test',
    now: () => nowMs,
  });
  const ask = async () => {
    for (nowMs of timesMs) await booksFirst.post(operation);
    return { posted: posted.map(({ kind }) => kind), reads };
  };
  return ask();
}

describe('the books before an end is told', () => {
  it('are asked for again while they do not have it', async () => {
    expect(await told(endedAt, endedAt + minuteMs)).toEqual({
      posted: ['credit', 'credit'],
      reads: 2,
    });
  });

  it('are not read back to an end of long ago, and its stream is read once', async () => {
    const later = endedAt + 6 * minuteMs;
    expect(await told(later, later)).toEqual({ posted: [], reads: 1 });
  });
});
