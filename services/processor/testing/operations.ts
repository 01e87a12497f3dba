import { admit } from '#shared/domain/operation/admission/admit.ts';
import {
  recordAnswer,
  type AttemptAnswer,
  type ProviderAnswer,
} from '#shared/domain/operation/attempts/provider-answer.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { recordReservation } from '#shared/domain/operation/payout-funds/record.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { noOperation, type OperationState } from '#shared/domain/operation/state.ts';
import { create, route } from '#shared/domain/operation/testing/create.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import type { Origin } from '#shared/application/commands/origin.ts';

export { cancelled } from '#shared/domain/operation/testing/given.ts';

export const paymentRoute: Route = route({ commission: { percent: '1.00', fixed: '0.00' } });

/** A request of the client `c`. */
const request = { ...create().request, client_id: 'c' };

const payoutRoute: Route = { ...paymentRoute, type: 'payout' };

const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString();

type OperationOptions = {
  shopId?: string;
  /** The outcomes of the attempts so far, in order; the next attempt is in progress. */
  answers?: AttemptAnswer[];
  acceptInMs?: number;
  /** Appended after the attempts. */
  after?: OperationEvent[];
  routes?: Route[];
};

/** An acceptance; its payment window ends in `expiresInMs`, if passed. */
export const acceptance = (expiresInMs?: number): ProviderAnswer => ({
  outcome: 'accepted',
  providerReference: 'ref',
  requisites: { number: '2200000000000004' },
  ...(expiresInMs !== undefined && { expiresAt: isoIn(expiresInMs) }),
});

/**
 * Appends a payment of 100.00 in the state that `given` describes, made by the domain's decisions.
 */
export async function givenPayment(
  store: EventStore,
  given: OperationOptions = {},
): Promise<string> {
  const operationId = newId();
  const { routes = [paymentRoute, paymentRoute] } = given;
  let state: OperationState = noOperation;
  const events: OperationEvent[] = [];
  const take = (decision: object) => {
    if (!('events' in decision)) throw new Error(`refused: ${JSON.stringify(decision)}`);
    events.push(...(decision.events as OperationEvent[]));
    state = fold(decision.events as OperationEvent[], state);
  };
  take(
    admit(
      state,
      create({
        operationId,
        shopId: given.shopId ?? 'shop',
        merchantId: 'merchant',
        merchantOperationId: `order-${operationId}`,
        request,
        acceptUntil: isoIn(given.acceptInMs ?? 60_000),
        routes,
      }),
    ),
  );
  for (const [index, answer] of (given.answers ?? []).entries()) {
    take(recordAnswer(state, { attempt: index + 1, answer, routes, timeIsUp: false }));
  }
  await append(store, operationId, {
    events: [...events, ...(given.after ?? [])],
    expectedRevision: -1,
  });
  return operationId;
}

export async function append(
  store: EventStore,
  operationId: string,
  given: {
    events: OperationEvent[];
    expectedRevision: number;
    by?: Pick<Origin, 'actor' | 'keyId'>;
  },
): Promise<void> {
  const { events, expectedRevision, by = { actor: 'service:test' } } = given;
  const result = await store.append({
    stream: operationStream(operationId),
    expectedRevision,
    events: toNewEvents(events, { ...by, correlationId: operationId }),
  });
  if (result.outcome !== 'appended') throw new Error(`not appended: ${result.outcome}`);
}

/**
 * Appends a payout of 100.00 with 101.00 reserved in the ledger; with `answer` its provider was
 * called.
 */
export async function givenPayout(
  store: EventStore,
  given: { shopId: string; answer?: AttemptAnswer; acceptInMs?: number; routes?: Route[] },
): Promise<string> {
  const operationId = newId();
  const { shopId, routes = [payoutRoute] } = given;
  const admitted = eventsOf(
    admit(
      noOperation,
      create({
        operationId,
        shopId,
        merchantId: 'merchant',
        type: 'payout',
        merchantOperationId: `order-${operationId}`,
        request,
        acceptUntil: isoIn(given.acceptInMs ?? 60_000),
        routes,
      }),
    ),
  );
  await append(store, operationId, { events: admitted, expectedRevision: -1 });
  const ledgers = createLedgers({ store });
  const origin = { actor: 'service:test', correlationId: operationId };
  const about = { shopId, currency: 'RUB', operationId, reservation: 1, dueSince: 0n, origin };
  const posted = await ledgers.post({ kind: 'reserve', amount: '101.00', ...about });
  if (posted.outcome !== 'posted') throw new Error(`not reserved: ${posted.outcome}`);
  await ledgers.stop();
  const state = fold(admitted);
  const noted = eventsOf(
    recordReservation(state, { attempt: 1, answer: 'reserved', routes: [], timeIsUp: false }),
  );
  const answer = given.answer
    ? eventsOf(
        recordAnswer(fold(noted, state), {
          attempt: 1,
          answer: given.answer,
          routes,
          timeIsUp: false,
        }),
      )
    : [];
  await append(store, operationId, {
    events: [...noted, ...answer],
    expectedRevision: state.revision,
  });
  return operationId;
}

function eventsOf(decision: { events: OperationEvent[] } | { refusal: object }): OperationEvent[] {
  if ('refusal' in decision) throw new Error(`refused: ${JSON.stringify(decision)}`);
  return decision.events;
}
