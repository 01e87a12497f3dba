import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { recordOvercharge } from '#shared/domain/late/overcharge.ts';
import { evolveLate, recordLate } from '#shared/domain/late/record.ts';
import { nothingLate } from '#shared/domain/late/state.ts';
import type { LateEvent } from '#shared/domain/late/events.ts';
import { isLateMoney, toSuspense } from '#shared/domain/late/suspense.ts';
import {
  operationStream,
  type OperationEvent,
  type OperationEventOf,
  type ReturnedMoney,
} from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { dueEntries } from '#shared/domain/operation/due-steps/ledger-entries.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import { lateReturns, type LateFact } from '#shared/domain/operation/reports/late-facts.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { whyReserved, whySettled } from '#shared/domain/operation/due-steps/ledger-entry-why.ts';
import { sampleHistories, type History } from '#shared/domain/operation/testing/histories.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { evidenceStream } from '#shared/domain/evidence/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { materialise } from '#shared/domain/evidence/materialise.ts';
import { hashBody, newId } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { createTestLedgers } from './ledgers.ts';
import { createLog, type TestLog } from './log.ts';
import { secretOf, setUpShops, testShops } from './shops.ts';

type GeneratedLogOptions = {
  seed: number;
  operations: number;
  /** The log to append to; a new one by default. */
  log?: Pick<TestLog, 'append'>;
  /** The histories of its operations; random ones by default. */
  lives?: Iterable<History>;
  /** The number of operations open at a time. */
  width?: number;
};

/**
 * A log made by the gateway's own decisions: concurrent operations with ledger entries, receipts
 * and late events.
 */
export function generateLog({
  seed,
  operations,
  lives,
  width = 40,
  ...given
}: GeneratedLogOptions): TestLog {
  const log = createLog();
  const append = (given.log ?? log).append;
  // Shops are older than the newest version, so events of older versions are of an older program.
  const appendFirst: TestLog['append'] = (event) =>
    append(event.type === 'ShopCreated' ? { ...event, schemaVersion: 1 } : event);
  setUpShops({ append: appendFirst }, testShops);
  const random = createRandom(seed).next;
  const books = createTestLedgers(append);
  const waiting = (lives ?? sampleHistories(operations, seed))[Symbol.iterator]();
  const running: Generator<void>[] = [];
  for (;;) {
    while (running.length < width) {
      const next = waiting.next();
      if (next.done === true) break;
      running.push(liveOne(withDerivedId(next.value), { append, books, random }));
    }
    if (running.length === 0) return log;
    const index = Math.floor(random() * running.length);
    if (running[index]?.next().done === true) running.splice(index, 1);
  }
}

type Context = {
  append: TestLog['append'];
  books: ReturnType<typeof createTestLedgers>;
  random(): number;
};

/** Its operation with the id derived from its shop. */
function withDerivedId({ create, events }: History): History {
  const operationId = operationIdFor(secretOf(create.shopId), create.merchantOperationId);
  const renamed = events.map((event) =>
    'operation_id' in event.data
      ? { ...event, data: { ...event.data, operation_id: operationId } }
      : event,
  ) as OperationEvent[];
  return { create: { ...create, operationId }, events: renamed };
}

function* liveOne(
  { create, events }: History,
  { append, books, random }: Context,
): Generator<void> {
  const { operationId, shopId } = create;
  const requested: { reservation: number; currency: string; amount: string }[] = [];
  const done: OperationEvent[] = [];
  let settled = false;
  const late = createLateRecorder();
  for (const event of events) {
    if (event.type === 'OperationAdmitted') {
      const stream = shopStream(shopId);
      append({ stream, type: 'RoutesReplaced', data: { routes: create.routes } });
    }
    if (event.type === 'ReservationRequested') requested.push(event.data);
    const current = requested.at(-1);
    const reserves =
      event.type === 'FundsReserved' || (event.type === 'OperationDeclined' && random() < 0.3);
    if (reserves && current && !done.some(({ type }) => type === 'OperationDeclined')) {
      const { reservations, ...operation } = fold(done) as Operation;
      const why = (reservation: number) => {
        const reservationState = reservations.find((each) => each.reservation === reservation);
        return whyReserved({ reservations, ...operation }, reservationState ?? { reservation });
      };
      for (const { reservation, currency } of requested.slice(0, -1))
        books.post(shopId, currency, {
          kind: 'release',
          operationId,
          reservation,
          why: why(reservation),
        });
      const { reservation, currency, amount } = current;
      books.post(shopId, currency, {
        kind: 'reserve',
        operationId,
        reservation,
        amount,
        why: why(reservation),
      });
    }
    append({ stream: operationStream(operationId), ...inFirstVersion(event) });
    done.push(event);
    yield;
    const state = fold(done);
    if (event.type === 'LegReturned' && state.phase === 'admitted')
      yield* excessReturns(state, event.data, { append, books, late });
    if (state.phase === 'admitted' && state.settled && !settled) {
      settled = true;
      postEnd(state, books, event.type);
      yield;
      for (const each of late.overcharge(state))
        append({ stream: lateStream(operationId), ...each });
      yield* afterwards(state, { append, books, random, late });
    }
  }
}

/** With personal data in clear, as it was before keys existed. */
function inFirstVersion(event: OperationEvent) {
  const { type, data } = event;
  const hashed = type === 'OperationAdmitted' && { body_hash: 'hash' };
  const schemaVersion = 'evidence' in data ? newestVersion(type) : 1;
  return { type, data: { ...data, ...hashed }, schemaVersion };
}

function postEnd(operation: Operation, books: Context['books'], endType: string): void {
  const { operationId, shopId } = operation;
  for (const entry of dueEntries(operation)) {
    const { kind, currency } = entry;
    const why = whySettled(operation, entry, endType);
    if (kind === 'credit') books.post(shopId, currency, { operationId, why, ...entry });
    else if (kind === 'capture') books.post(shopId, currency, { operationId, why, ...entry });
    else books.post(shopId, currency, { operationId, why, ...entry });
  }
}

/** The evidence of the operation, and its late events. */
function* afterwards(
  operation: Operation,
  { append, books, random, late }: After,
): Generator<void> {
  const { operationId } = operation;
  const needsEvidence =
    operation.settled?.recorded_amount !== undefined && operation.evidence === undefined;
  if (needsEvidence && random() < 0.8) {
    const legs = operation.legs.map((leg) => ({ ...leg, synthetic: false }));
    const uuidOf = (text: string) => {
      const hex = hashBody(text);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    };
    const evidence = materialise(operation, legs, { uuidOf, awaits: () => true });
    if (evidence)
      append({ stream: evidenceStream(operationId), type: 'EvidenceMaterialised', data: evidence });
    yield;
  }
  yield* lateMoney(operation, { append, books, random, late });
  if (random() < 0.3) yield* returnsAfterEnd(operation, { append, books, random, late });
}

/** The state of an operation's late events. */
function createLateRecorder() {
  let state = nothingLate;
  return {
    overcharge: (operation: Operation) => {
      const { events } = recordOvercharge(state, operation);
      state = events.reduce(evolveLate, state);
      return events;
    },
    take: (operation: Operation, report: ProviderReport, facts: readonly LateFact[]) => {
      const { events } = recordLate(state, { operation, report, facts });
      state = events.reduce(evolveLate, state);
      return events;
    },
  };
}

type After = Context & { late: ReturnType<typeof createLateRecorder> };

function* lateMoney(operation: Operation, context: After): Generator<void> {
  if (context.random() > 0.2 || operation.attempts.length === 0) return;
  const leg = {
    leg_id: newId(),
    amount: '12.34',
    completed_at: '2026-02-01T00:00:00.000Z',
    file: false,
  };
  const facts = [
    { kind: 'late_money', leg } as const,
    { kind: 'late_status', status: 'completed' } as const,
  ];
  const report = { attempt: 1, status: 'completed', legs: [leg] } as const;
  // It confirms money that an operator has approved; only the excess is late.
  yield* appendLateEvents(operation, context.late.take(operation, report, facts), context);
}

/** Returns a leg after the terminal status, sometimes repeatedly, so more than was received. */
function* returnsAfterEnd(operation: Operation, context: After): Generator<void> {
  const { accepted, legs } = operation;
  const [leg] = legs.filter(({ synthetic, amount }) => !synthetic && amount !== '0.00');
  if (!leg || !accepted) return;
  const { leg_id: of_leg_id, amount, completed_at } = leg;
  const { attempt } = accepted;
  const returns: ReturnedMoney[] = [];
  do {
    returns.push({ leg_id: newId(), of_leg_id, amount, completed_at });
    const report = { attempt, status: 'open', legs, returns } as const;
    yield* appendLateEvents(
      operation,
      context.late.take(operation, report, applyReport(operation, report).late),
      context,
    );
  } while (context.random() < 0.3);
  // The provider withdraws some of them, and corrects the amounts of the others.
  const signedReport = [...returns, ...operation.returns.map(asReturned)]
    .filter(() => context.random() < 0.7)
    .map((each) => ({ ...each, amount: '98.76' }));
  const report = {
    attempt,
    version: 2_000_000,
    status: 'open',
    legs,
    returns: signedReport,
  } as const;
  yield* appendLateEvents(
    operation,
    context.late.take(operation, report, lateReturns(operation, report)),
    context,
  );
}

const asReturned = ({ legId, ofLegId, amount }: Operation['returns'][number]): ReturnedMoney => ({
  leg_id: legId,
  of_leg_id: ofLegId,
  amount,
  completed_at: '2026-02-01T00:00:00.000Z',
});

/** Raises a return of an open operation far above its leg: the excess is a late event. */
function* excessReturns(
  operation: Operation,
  { attempt, returned }: OperationEventOf<'LegReturned'>['data'],
  context: Omit<After, 'random'>,
): Generator<void> {
  const earlierReturns = operation.returns
    .map(asReturned)
    .filter(({ leg_id: id }) => id !== returned.leg_id);
  const returns = [...earlierReturns, { ...returned, amount: '123456.78' }];
  const report = {
    attempt,
    version: 1_000_000,
    status: 'open',
    legs: operation.legs,
    returns,
  } as const;
  const events = context.late.take(operation, report, lateReturns(operation, report));
  yield* appendLateEvents(operation, events, { ...context, random: () => 0 });
}

/** Appends late events and their ledger entries. */
function* appendLateEvents(
  operation: Operation,
  events: readonly LateEvent[],
  { append, books, random }: Context,
): Generator<void> {
  const { operationId, shopId, type } = operation;
  for (const event of events) {
    append({ stream: lateStream(operationId), ...event });
    yield;
    if (!isLateMoney(event)) continue;
    const { currency, provider } = event.data;
    const why = { cause: event.type, provider };
    const late = { operationId, ...toSuspense(event, type), why };
    books.post(shopId, currency, { kind: 'suspense', ...late });
    yield;
    if (random() < 0.5)
      books.post(shopId, currency, {
        kind: 'resolution',
        ...late,
        resolution: 'return',
        note: 'seen',
      });
  }
}
