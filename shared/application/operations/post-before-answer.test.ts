import { describe, expect, it } from 'vitest';
import { storedEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { decideEntry } from '#shared/domain/ledger/decide.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { noEntry } from '#shared/domain/ledger/position.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { accepted, admitted, given, leg, started } from '#shared/domain/operation/testing/given.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { BookedOperations } from '#shared/application/ledger/booked-operations.ts';
import { LedgerInconsistent } from '#shared/application/ledger/memory.ts';
import type { PostRequest, PostResult } from '#shared/application/ledger/types.ts';
import {
  createEntryPoster,
  ensureEntriesPosted,
  ensureAllEntriesPosted,
} from './post-before-answer.ts';

const endedAt = new Date('2026-01-31T12:00:00.000Z');
const open = [admitted(), started(), accepted()];
const report = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
const history: OperationEvent[] = [...open, ...applyReport(given(...open).state, report).events];
const operation = fold(history) as Operation;
const { operationId, shopId } = operation;

const stored = (event: Pick<StoredEvent, 'type' | 'data' | 'stream'>, at: number): StoredEvent =>
  storedEvent({ ...event, revision: at, created: endedAt });
const events = history.map((event, at) =>
  stored({ ...event, stream: operationStream(operationId) }, at),
);

/** The entry that this process would post for the terminal status. */
function entryIn(currency: string, recorded = '100.00', at = events.length): StoredEvent {
  const decided = decideEntry(
    { shopId, currency, position: noEntry, find: () => undefined },
    { kind: 'credit', operationId, recorded, commission: '2.50' },
  );
  if (!('entry' in decided)) throw new Error('the entry was refused');
  return stored(
    { type: 'EntryPosted', data: decided.entry, stream: ledgerStream(shopId, currency) },
    at,
  );
}

/**
 * Posts the operation’s entries `times` times. `after`: the log after the terminal event;
 * `received`: the process has just received the operation’s events; `explored`: the ledger in memory
 * goes back to them.
 */
async function postBeforeAnswer(
  times: number,
  {
    after = [],
    received = false,
    explored = false,
  }: { after?: StoredEvent[]; received?: boolean; explored?: boolean } = {},
  post: () => PostResult = () => ({ outcome: 'undecided', cause: new Error('no answer') }),
) {
  const calls: string[] = [];
  const entryPoster = createEntryPoster({
    store: {
      read: async () => {
        calls.push('read the operation');
        return events;
      },
      recent: () => (received ? events : undefined),
      readLog: async ({ after: from, maxCount }) => {
        calls.push(`read the log after ${from}`);
        const later = after.filter(({ position }) => position > from).slice(0, maxCount);
        return { events: later.map((event) => ({ ...event, read: () => event })), gap: false };
      },
    },
    ledgers: {
      isPosted: () => false,
      isExplored: () => explored,
      booked: new BookedOperations(),
      post: async ({ kind }: PostRequest) => {
        calls.push(`post the ${kind}`);
        return post();
      },
    },
    logger,
    actor: 'test',
  });
  const mayBeShown: boolean[] = [];
  for (let time = 0; time < times; time += 1) mayBeShown.push(await entryPoster.post(operation));
  return { calls, mayBeShown };
}

const terminalPosition = BigInt(events.length - 1);
const reads = ['read the operation', `read the log after ${terminalPosition}`];

describe('ledger entries of a terminal operation', () => {
  it('are posted before the status is returned, at any age of the operation (R12.12)', async () => {
    const calls = [...reads, 'post the credit', ...reads, 'post the credit'];
    expect(await postBeforeAnswer(2)).toEqual({ calls, mayBeShown: [false, false] });
  });

  it('are found in the log once, without a search of the ledger', async () => {
    expect(await postBeforeAnswer(2, { after: [entryIn('RUB')] })).toEqual({
      calls: reads,
      mayBeShown: [true, true],
    });
  });

  it.each([
    [31, 1],
    [32, 2],
    [96, 3],
    [255, 3],
  ])('are found in the log after %i other events, in %i reads', async (others, pages) => {
    const entry = entryIn('RUB', '100.00', events.length + others);
    const other = entryIn('USD');
    const after = Array.from({ length: others }, (_, index) => ({
      ...other,
      position: BigInt(events.length + index),
    }));
    const { calls, mayBeShown } = await postBeforeAnswer(1, { after: [...after, entry] });
    expect([calls.length, mayBeShown]).toEqual([1 + pages, [true]]);
  });

  it('are not matched by another ledger or another amount', async () => {
    const after = [entryIn('USD'), entryIn('RUB', '90.00')];
    const { calls } = await postBeforeAnswer(1, { after });
    expect(calls).toEqual([...reads, 'post the credit']);
  });

  it('are posted without a read if the terminal event was just received', async () => {
    const { calls } = await postBeforeAnswer(1, { received: true });
    expect(calls).toEqual(['post the credit']);
  });

  it('are posted without a search of the log if the ledger in memory decides', async () => {
    const { calls } = await postBeforeAnswer(1, { explored: true });
    expect(calls).toEqual(['read the operation', 'post the credit']);
  });

  it('do not block the status if the ledger is inconsistent', async () => {
    const broken = () => {
      throw new LedgerInconsistent({ stream: 'ledger', revision: 0, violations: ['reserved < 0'] });
    };
    const { mayBeShown } = await postBeforeAnswer(1, {}, broken);
    expect(mayBeShown).toEqual([true]);
  });
});

const ledger = (posted: boolean) => ({ post: async () => posted });
const notReady = { code: 'not_ready' };

it('returns 503 until the entries of a terminal status are posted (R12.12)', async () => {
  await expect(ensureEntriesPosted(ledger(false), operation)).rejects.toMatchObject(notReady);
  await expect(ensureEntriesPosted(ledger(true), operation)).resolves.toBeUndefined();
});

it('returns 503 for a list with such an operation or an unreadable one', async () => {
  const read = async (id: string) => {
    if (id === 'failed') throw new Error('no answer');
    return operation;
  };
  await expect(ensureAllEntriesPosted(ledger(false), ['a'], read)).rejects.toMatchObject(notReady);
  await expect(ensureAllEntriesPosted(ledger(true), ['a', 'failed'], read)).rejects.toMatchObject(
    notReady,
  );
  await expect(ensureAllEntriesPosted(ledger(true), ['a', 'b'], read)).resolves.toBeUndefined();
});

it('processes at most eight operations at a time', async () => {
  let [atOnce, most, posts] = [0, 0, 0];
  const post = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    posts += 1;
    return true;
  };
  const ids = Array.from({ length: 100 }, (_, at) => String(at));
  await ensureAllEntriesPosted({ post }, ids, async () => operation);
  expect({ most, posts }).toEqual({ most: 8, posts: 100 });
});
