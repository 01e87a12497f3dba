import type { OpenOperation } from '#projections/operations/day-use.ts';
import { decodeTrusted } from '#shared/domain/decode.ts';
import { routeKey, utcDay } from '#shared/domain/daily-limits.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import type { Route } from '#shared/domain/routing.ts';
import { LRUCache } from 'lru-cache';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** The change of a route's daily use by an event. */
export type DayUseChange = {
  operationId: string;
  shopId: string;
  key: string;
  day: string;
  amount: string;
  times: 1 | -1;
  position: bigint;
};

type StartedAttempt = Omit<DayUseChange, 'times' | 'position'>;
type Open = {
  shopId: string;
  type: string;
  method: string;
  currency: string;
  amount: string;
  /** Attempts that may turn out to be refused. */
  attempts: Map<number, StartedAttempt>;
  /** The operation starts no further attempt. */
  ended: boolean;
};

const toProviderAccount = ({ provider, account }: Pick<Route, 'provider' | 'account'>) => ({
  provider,
  account,
});

type Bounds = {
  /**
   * Operations with open attempts that are remembered; attempts of a forgotten operation stay
   * counted.
   */
  maxOpen: number;
  /** Larger than the number of operations with events while the read models are behind. */
  maxMet: number;
};
const bounds: Bounds = { maxOpen: 50_000, maxMet: 20_000 };

/** After one of these events an operation starts no further attempt. */
const ends: ReadonlySet<string> = new Set([
  'AttemptAccepted',
  'OperationCompleted',
  'OperationPartiallyCompleted',
  'OperationDeclined',
  'OperationExpired',
  'OperationCancelled',
]);
const counted: ReadonlySet<string> = new Set([
  'OperationAdmitted',
  'AttemptStarted',
  'AttemptAccepted',
  'AttemptRefused',
  'AttemptWithdrawn',
]);

export type Changes = {
  of(event: StoredEvent): DayUseChange | undefined;
  /**
   * Adds operations that began before the log was followed, in their state at a position. It skips
   * those with a later event, because the log has shown a newer state.
   */
  addOpen(operations: readonly OpenOperation[], position: bigint): void;
};

/**
 * Derives from the log's events, in order, how much routes take each day: an attempt counts from
 * its start until it is known that its provider did not take it.
 */
export function createChanges({ maxOpen, maxMet } = bounds): Changes {
  const open = new LRUCache<string, Open>({ max: maxOpen });
  /** The position of the newest event of each operation. */
  const newestPositions = new LRUCache<string, bigint>({ max: maxMet });

  const addOpen = (operation: OpenOperation, position: bigint) => {
    const { operationId } = operation;
    if (open.has(operationId) || (newestPositions.get(operationId) ?? -1n) > position) return;
    open.set(operationId, toOpen(operation));
  };

  const forgetIfSettled = (operationId: string, { attempts, ended }: Open) => {
    if (ended && attempts.size === 0) open.delete(operationId);
  };
  const end = (operationId: string, operation: Open) => {
    operation.ended = true;
    forgetIfSettled(operationId, operation);
  };

  const toChange = (stored: StoredEvent): DayUseChange | undefined => {
    const { stream, type, position } = stored;
    const operationId = stream.slice(stream.indexOf('-') + 1);
    const operation = open.get(operationId);
    newestPositions.set(operationId, position);
    if (ends.has(type) && operation) end(operationId, operation);
    if (!counted.has(type) || (!operation && type !== 'OperationAdmitted')) return undefined;
    // Nothing is decided on its operation any more, and the others are still counted.
    const event = decodeTrusted(() => decodeOperationEvent(stored));
    if (event?.type === 'OperationAdmitted') {
      const { shop_id: shopId, type: kind, request } = event.data;
      const { method, currency, amount } = request;
      const of = { shopId, type: kind, method, currency, amount };
      open.set(operationId, { ...of, attempts: new Map(), ended: false });
      return undefined;
    }
    if (!event || !operation) return undefined;
    const { shopId, amount, attempts } = operation;
    if (event.type === 'AttemptStarted') {
      const key = routeKey({ ...operation, ...toProviderAccount(event.data.route) });
      const day = utcDay(stored.created.toISOString());
      const started = { operationId, shopId, key, day, amount };
      attempts.set(event.data.attempt, started);
      return { ...started, times: 1, position };
    }
    if (!('attempt' in event.data)) return undefined;
    const started = attempts.get(event.data.attempt);
    attempts.delete(event.data.attempt);
    forgetIfSettled(operationId, operation);
    if (event.type === 'AttemptAccepted') return undefined;
    return started && { ...started, times: -1, position };
  };

  return {
    of: toChange,
    addOpen: (operations, position) => operations.forEach((each) => addOpen(each, position)),
  };
}

/** Only attempts that may turn out to be refused can still be subtracted from the count. */
function toOpen({ operationId, attempts, ...of }: OpenOperation): Open {
  const { shopId, amount } = of;
  const undecided = attempts.filter(
    ({ outcome }) => outcome === 'started' || outcome === 'unresolved',
  );
  const startedAttempts = undecided.map(
    ({ attempt, started_at: startedAt, ...route }): [number, StartedAttempt] => {
      const key = routeKey({ ...of, ...toProviderAccount(route) });
      return [attempt, { operationId, shopId, key, day: utcDay(startedAt), amount }];
    },
  );
  const ended = attempts.some(({ outcome }) => outcome === 'accepted');
  return { ...of, attempts: new Map(startedAttempts), ended };
}
