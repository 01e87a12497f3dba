import { lateStream } from '#shared/domain/late/events.ts';
import { evolveLate, nothingLate, recordLate } from '#shared/domain/late/record.ts';
import { operationStream, type Leg, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { entriesOwed } from '#shared/domain/operation/owed/ledger-entries.ts';
import { attemptOf, type Operation } from '#shared/domain/operation/state.ts';
import { whyReserved, whySettled } from '#shared/domain/operation/owed/ledger-entry-why.ts';
import { sampleHistories, type History } from '#shared/domain/operation/testing/histories.ts';
import { evidenceStream } from '#shared/domain/receipts/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { materialise } from '#shared/domain/receipts/materialise.ts';
import { hashBody, newId, operationIdFor } from '#shared/platform/ids.ts';
import { createTestBooks } from './books.ts';
import { createLog, type TestLog } from './log.ts';
import { secretOf, setUpShops, testShops } from './shops.ts';

export type GeneratedLogOptions = {
  seed: number;
  operations: number;
  /** Where it is written, one of its own unless another is given. */
  log?: Pick<TestLog, 'append'>;
  /** The lives of its operations, where not random ones. */
  lives?: Iterable<History>;
  /** How many go on at a time. */
  width?: number;
};

/**
 * A log as the gateway's own decisions make it: lives of operations side by side, with books,
 * receipts and late facts.
 */
export function generateLog({ seed, operations, lives, width = 40, ...given }: GeneratedLogOptions): TestLog {
  const log = createLog();
  const append = (given.log ?? log).append;
  setUpShops({ append }, testShops);
  const random = randomOf(seed);
  const books = createTestBooks(append);
  const waiting = (lives ?? sampleHistories(operations, seed))[Symbol.iterator]();
  const running: Generator<void>[] = [];
  for (;;) {
    while (running.length < width) {
      const next = waiting.next();
      if (next.done === true) break;
      running.push(liveOne(named(next.value), { append, books, random }));
    }
    if (running.length === 0) return log;
    const index = Math.floor(random() * running.length);
    if (running[index]?.next().done === true) running.splice(index, 1);
  }
}

type Context = {
  append: TestLog['append'];
  books: ReturnType<typeof createTestBooks>;
  random(): number;
};

/** Its operation under the id that its shop gives it. */
function named({ create, events }: History): History {
  const operationId = operationIdFor(secretOf(create.shopId), create.merchantOperationId);
  const renamed = events.map((event) =>
    'operation_id' in event.data ? { ...event, data: { ...event.data, operation_id: operationId } } : event,
  ) as OperationEvent[];
  return { create: { ...create, operationId }, events: renamed };
}

function* liveOne({ create, events }: History, { append, books, random }: Context): Generator<void> {
  const { operationId, shopId } = create;
  const requested: { reservation: number; currency: string; amount: string }[] = [];
  const done: OperationEvent[] = [];
  let settled = false;
  for (const event of events) {
    if (event.type === 'ReservationRequested') requested.push(event.data);
    const current = requested.at(-1);
    const reserves = event.type === 'FundsReserved' || (event.type === 'OperationDeclined' && random() < 0.3);
    if (reserves && current && !done.some(({ type }) => type === 'OperationDeclined')) {
      const { reservations, ...operation } = fold(done) as Operation;
      const why = (reservation: number) => {
        const found = reservations.find((each) => each.reservation === reservation);
        return whyReserved({ reservations, ...operation }, found ?? { reservation });
      };
      for (const { reservation, currency } of requested.slice(0, -1))
        books.post(shopId, currency, { kind: 'release', operationId, reservation, why: why(reservation) });
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
    if (state.phase === 'admitted' && state.settled && !settled) {
      settled = true;
      postEnd(state, books, event.type);
      yield;
      yield* afterwards(state, { append, books, random });
    }
  }
}

/** With what is personal in clear, as it was before there were keys. */
function inFirstVersion(event: OperationEvent) {
  const { type, data } = event;
  const hashed = type === 'OperationAdmitted' && { body_hash: 'hash' };
  const schemaVersion = 'evidence' in data ? newestVersion(type) : 1;
  return { type, data: { ...data, ...hashed }, schemaVersion };
}

function postEnd(operation: Operation, books: Context['books'], endType: string): void {
  const { operationId, shopId } = operation;
  for (const entry of entriesOwed(operation)) {
    const { kind, currency } = entry;
    const why = whySettled(operation, entry, endType);
    if (kind === 'credit') books.post(shopId, currency, { operationId, why, ...entry });
    else if (kind === 'capture') books.post(shopId, currency, { operationId, why, ...entry });
    else books.post(shopId, currency, { operationId, why, ...entry });
  }
}

/** What its provider was asked for, and what comes too late. */
function* afterwards(operation: Operation, { append, books, random }: Context): Generator<void> {
  const { operationId, shopId, type } = operation;
  const isAsked = operation.settled?.recorded_amount !== undefined && operation.evidence === undefined;
  if (isAsked && random() < 0.8) {
    const shown = operation.legs.map((leg) => ({ ...leg, synthetic: false }));
    const uuidOf = (text: string) => {
      const hex = hashBody(text);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    };
    const evidence = materialise(operation, shown, { uuidOf, awaits: () => true });
    if (evidence)
      append({ stream: evidenceStream(operationId), type: 'EvidenceMaterialised', data: evidence });
    yield;
  }
  if (random() > 0.2 || operation.attempts.length === 0) return;
  const leg = {
    leg_id: newId(),
    amount: '12.34',
    completed_at: '2026-02-01T00:00:00.000Z',
    file: false,
  };
  const facts = [{ kind: 'late_money', leg } as const, { kind: 'late_status', status: 'completed' } as const];
  let state = nothingLate;
  let excess: Leg | undefined;
  const report = { attempt: 1, status: 'completed', legs: [leg] } as const;
  for (const event of recordLate(state, { operation, report, facts }).events) {
    append({ stream: lateStream(operationId), ...event });
    state = evolveLate(state, event);
    if (event.type === 'LateMoneyReceived') excess = event.data.leg;
    yield;
  }
  // What an operator approved before is confirmed by it; only what is more is late.
  const { amount } = excess ?? {};
  if (amount === undefined) return;
  const provider = attemptOf(operation, 1)?.route.provider;
  const why = { cause: 'LateMoneyReceived', ...(provider !== undefined && { provider }) };
  const late = { operationId, legId: leg.leg_id, operationType: type, amount, why };
  const { currency } = operation.request;
  books.post(shopId, currency, { kind: 'suspense', ...late });
  yield;
  if (random() < 0.5)
    books.post(shopId, currency, { kind: 'resolution', ...late, resolution: 'return', note: 'seen' });
}

/** mulberry32: the same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
