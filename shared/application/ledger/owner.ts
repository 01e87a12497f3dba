import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { asksForSame } from '#shared/domain/ledger/repeat.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { toNewEvents } from '#shared/application/operations/new-events.ts';
import { createAside } from './aside.ts';
import { decideBatch, type Verdict } from './batch.ts';
import { entryOf, takeUpAppended, type Memory, type Sizes } from './memory.ts';
import type { LedgerMetrics } from './metrics.ts';
import { takeBatch, waitFor, type Waiting } from './queue.ts';
import { catchUp, loadMemory, ReadFailed, readEvents, refresh } from './reading.ts';
import type { PostedEntry, PostRequest, PostResult } from './types.ts';

export type Owner = {
  post(request: PostRequest): Promise<PostResult>;
  /** Commands that wait to be decided, or for the ledger to be read back. */
  waiting(): number;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
  isIdle(): boolean;
};

export type OwnerOptions = {
  store: Pick<EventStore, 'append' | 'read'>;
  shopId: string;
  currency: string;
  /** Milliseconds of a clock that never goes back. */
  now: () => number;
  sizes: Sizes;
  /** Told of every write. */
  onBatch?: LedgerMetrics['onBatch'] | undefined;
};

type Decided = Exclude<Verdict, { kind: 'unexplored' }>;

const maxWaiting = 4_096;
const maxTries = 500;
const longestPauseMs = 8;
/** An owner that is always first would starve another process's: now and then it lets one write pass. */
const breatheEveryMs = 50;
const breathMs = 5;

/**
 * The one place of a process where entries of one ledger are made: queues commands, decides as many as wait on what it
 * holds of the books, and appends them in one write at the exact revision. What has to be read back for waits aside
 * meanwhile, and holds up nothing else. Correctness comes from that revision alone: another process's owner can make this
 * one slow, never wrong.
 */
export function createOwner({ store, shopId, currency, now, sizes, onBatch }: OwnerOptions): Owner {
  const stream = ledgerStream(shopId, currency);
  const queue: Waiting[] = [];
  let memory: Memory | undefined;
  let running: Promise<void> | undefined;
  let breathedAt = 0;

  const sourceUntil = (deadline: number) => ({
    store,
    stream,
    sizes,
    deadlineMs: Math.max(1, deadline - now()),
  });
  const aside = createAside({
    memory: () => memory,
    source: sourceUntil,
    putBack: (commands) => {
      queue.unshift(...commands);
      running ??= run();
    },
    now,
  });

  const run = async () => {
    breathedAt = now();
    try {
      for (;;) {
        // Whatever else arrives in this turn of the event loop joins the batch.
        await turn();
        if (queue.length === 0) return;
        await settle(aside.hold(takeBatch(queue)));
        if (queue.length > 0 && now() - breathedAt > breatheEveryMs) {
          await delay(breathMs);
          breathedAt = now();
        }
      }
    } finally {
      running = undefined;
    }
  };

  const settle = async (batch: Waiting[]) => {
    try {
      for (let attempt = 0, behind: number | undefined; attempt < maxTries; attempt += 1) {
        // Nothing is posted for who gave up waiting.
        batch = batch.filter(({ answered }) => !answered);
        if (batch.length === 0) return;
        const left = await decideAndAppend(batch, behind);
        if (!left) return;
        ({ batch, behind } = left);
        if (attempt > 0) await delay(Math.random() * Math.min(2 ** attempt, longestPauseMs));
      }
      give(batch, { outcome: 'undecided', cause: new Error('every try met a conflict') });
    } catch (error) {
      memory = undefined;
      if (error instanceof ReadFailed) return give(batch, { outcome: 'undecided', cause: error });
      for (const waiting of batch) if (!waiting.answered) waiting.fail(error);
    }
  };

  /** One try. After a conflict it returns what is left to decide and the revision that the store named. */
  const decideAndAppend = async (batch: Waiting[], behind: number | undefined) => {
    const deadline = Math.max(...batch.map((waiting) => waiting.deadline));
    const source = sourceUntil(deadline);
    const mayBeBehind = memory !== undefined && behind === undefined;
    if (!memory) memory = await loadMemory(source);
    else if (behind !== undefined) memory = await catchUp(source, memory, behind);
    const requests = batch.map(({ request }) => request);
    let { verdicts, entries } = decideBatch(memory, requests);
    if (
      mayBeBehind &&
      entries.length === 0 &&
      verdicts.some((verdict, at) => mayChange(verdict, requests[at]))
    ) {
      memory = await refresh(sourceUntil(deadline), memory);
      ({ verdicts, entries } = decideBatch(memory, requests));
    }
    // Before anything is waited for: what comes back meanwhile must come back behind these.
    const decided: { waiting: Waiting; verdict: Decided }[] = [];
    for (const [index, verdict] of verdicts.entries()) {
      const waiting = batch[index] as Waiting;
      if (verdict.kind === 'unexplored') aside.add(waiting);
      else decided.push({ waiting, verdict });
    }
    if (entries.length > 0) {
      const expectedRevision = memory.position.revision;
      const events = decided.flatMap(({ waiting, verdict }) => {
        if (verdict.kind !== 'entry') return [];
        return toNewEvents([{ type: 'EntryPosted', data: verdict.entry }], waiting.request.origin);
      });
      const { deadlineMs } = sourceUntil(deadline);
      const appended = await store.append({ stream, expectedRevision, events, deadlineMs });
      onBatch?.(appended.outcome, events.length);
      if (appended.outcome === 'conflict')
        return { batch: decided.map(({ waiting }) => waiting), behind: appended.actualRevision };
      if (appended.outcome === 'unknown') {
        // It may be in the log, or come into it yet: the next command reads, and this one is not decided again.
        memory = undefined;
        give(
          decided.map(({ waiting }) => waiting),
          { outcome: 'undecided', cause: appended.cause },
        );
        return undefined;
      }
      takeUpAppended(memory, entries, appended.position);
    }
    for (const { waiting, verdict } of decided) answer(waiting, verdict);
    return undefined;
  };

  const answer = (waiting: Waiting, verdict: Decided) => {
    if (waiting.answered) return;
    switch (verdict.kind) {
      case 'entry':
        return waiting.answer({ outcome: 'posted', repeated: false, ...placed(verdict) });
      case 'repeat': {
        const first = verdict.entry ? Promise.resolve(verdict.entry) : readEntry(verdict.revision, waiting);
        first.then(
          (entry) => answerRepeat(waiting, { entry, revision: verdict.revision }),
          (error: unknown) =>
            error instanceof ReadFailed
              ? give([waiting], { outcome: 'undecided', cause: error })
              : waiting.fail(error),
        );
        return undefined;
      }
      case 'refused':
        return waiting.answer({ outcome: 'refused', code: verdict.code, balance: verdict.balance });
      case 'failed':
        return waiting.fail(verdict.error);
    }
  };

  const readEntry = async (revision: number, { deadline }: Waiting): Promise<Entry> => {
    const [event] = await readEvents(sourceUntil(deadline), { fromRevision: revision, maxCount: 1 });
    if (!event) throw new Error(`${stream} has no revision ${revision} any more`);
    return entryOf(event);
  };

  return {
    post: (request) => {
      const waiting = waitFor(request, now);
      if (queue.length + aside.count() >= maxWaiting) {
        waiting.answer({
          outcome: 'undecided',
          cause: new Error(`${maxWaiting} commands wait for ${stream}`),
        });
      } else {
        queue.push(waiting);
        running ??= run();
      }
      return waiting.result;
    },
    waiting: () => queue.length + aside.count(),
    idle: async () => {
      for (let busy = running ?? aside.reading(); busy; busy = running ?? aside.reading()) await busy;
    },
    isIdle: () => (running ?? aside.reading()) === undefined,
  };
}

function answerRepeat(waiting: Waiting, first: PostedEntry): void {
  const { request } = waiting;
  if (waiting.answered) return;
  if (asksForSame(first.entry, request)) waiting.answer({ outcome: 'posted', repeated: true, ...first });
  else if (request.kind === 'adjustment') waiting.answer({ outcome: 'refused', code: 'adjustment_conflict' });
  else if (request.kind === 'resolution') waiting.answer({ outcome: 'refused', code: 'resolution_conflict' });
  else waiting.fail(new Error(`a second, different ${request.kind}: revision ${first.revision} stands`));
}

/**
 * What may be otherwise once other processes' entries are known: funds come and go, and a reserve that stands may have
 * been closed. An append at the exact revision would have shown it.
 */
function mayChange(verdict: Verdict, request: PostRequest | undefined): boolean {
  switch (verdict.kind) {
    case 'failed':
      return true;
    case 'refused':
      return verdict.code === 'insufficient_funds';
    case 'repeat':
      return request?.kind === 'reserve';
    case 'entry':
    case 'unexplored':
      return false;
  }
}

function placed({ entry, revision }: PostedEntry): PostedEntry {
  return { entry, revision };
}

function give(batch: readonly Waiting[], result: PostResult): void {
  for (const waiting of batch) if (!waiting.answered) waiting.answer(result);
}
