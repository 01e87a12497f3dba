import { setTimeout as delay } from 'node:timers/promises';
import type { OperationType } from '#shared/domain/operation-type.ts';
import { admit } from '#shared/domain/operation/decisions.ts';
import type { RequestBodyHash } from '#shared/domain/operation/admission/idempotency.ts';
import type { CreateOperation } from '#shared/domain/operation/admission/admit.ts';
import type { PlainRequest } from '#shared/domain/operation/events.ts';
import {
  noOperation,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { admitted, handleOperation } from '#shared/application/operations/handle-operation.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { CreatePorts, CreateSlot } from './ports.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { answerGraceMs, leftForStep, stepMs } from './deadlines.ts';
import type { CreateBody } from '#shared/application/create-body/body.ts';
import { readRequisites } from '#shared/application/create-body/destination.ts';
import { isRepeatedRequest, toStoredRequest } from './stored-request.ts';
import { describeDifference } from './body-difference.ts';
import { isRationed, routesNow } from './route-availability.ts';
import { beginsAttempt, tryRoutes } from './try-routes.ts';

export type CreateResult =
  | { outcome: 'created' | 'replayed'; operation: Operation }
  /** `difference`: a sentence, without values. */
  | { outcome: 'body_mismatch'; difference: string }
  /**
   * The log did not respond, or the first request is still in progress: repeat the request to get
   * the response.
   */
  | { outcome: 'undecided' };

type CreateRequest = {
  shop: Shop;
  type: OperationType;
  body: CreateBody;
  operationId: string;
  /** The path of the request. */
  endpoint: string;
  origin: Origin;
  slot: CreateSlot;
};

/** The API version in every path. */
const apiVersion = 'v1';

/**
 * Creates a payment or a payout: admits it under its key, then calls providers in turn until one
 * accepts or the acceptance wait is over (R7.2). Where the first provider accepts, a payment costs
 * two appends and one call; a payout one append more, and an entry in the ledger.
 */
export async function createOperation(
  dependencies: CreatePorts,
  request: CreateRequest,
): Promise<CreateResult> {
  const { store, acceptanceMs, personal } = dependencies;
  const { shop, type, body, operationId, origin, slot } = request;
  const deadlineMs = Date.now() + acceptanceMs;
  const client = { shopId: shop.shopId, clientId: body.client_id };
  const plain = plainRequest(type, body);
  const sealer = () =>
    atMost(leftForStep(deadlineMs), personal.sealer(client)).catch(() => undefined);
  const stored = await toStoredRequest({ operationId, body, plain }, sealer);
  if (!stored) return { outcome: 'undecided' };
  const routing = { shop, operationId, operation: { type, ...plain } };
  const { skip, release } = await routesNow(dependencies, routing);
  const create = { ...toCommand(request, deadlineMs), ...stored, skip };
  // Most keys are new, and an append that expects no stream proves it without a read. But a repeat
  // must not count against a daily limit, or use up the single trial call of a failing provider, so
  // in these two cases the operation is read first.
  const isNew = !slot.isRepeat && !isRationed(dependencies, routing);
  const admission = await handleOperation(
    {
      store,
      operationId,
      from: isNew ? noOperation : undefined,
      origin,
      deadlineMs: leftForStep(deadlineMs),
      seal: async (events) => {
        // The answer is sealed with it. Concurrent appends are committed together.
        if (beginsAttempt({ events })) void sealer();
        return events;
      },
    },
    (state) => admit(state, create),
  );
  if (admission.outcome !== 'done' || !beginsAttempt(admission.decision)) release();
  if (admission.outcome === 'undecided') return { outcome: 'undecided' };
  if (admission.outcome === 'refused' && admission.refusal.code === 'limit_unknown')
    return { outcome: 'undecided' };
  slot.created(admission.outcome === 'done');
  if (admission.outcome === 'refused') {
    // A repeat may wait for the first request as long as a provider may take.
    slot.release();
    const received = { type, body, bodyHash: stored.body, deadlineMs };
    if (admission.refusal.code === 'idempotency_body_mismatch')
      return mismatch(admission.state, received);
    return answerRepeat(dependencies, admitted(admission.state), received);
  }
  const created = await tryRoutes(dependencies, {
    operation: admitted(admission.state),
    admittedAt: admission.position ?? 0n,
    plain,
    shop,
    origin,
    deadlineMs,
    sealer,
    routesNow: () => routesNow(dependencies, routing),
    slot,
  });
  return created ? { outcome: 'created', operation: created } : { outcome: 'undecided' };
}

type ReceivedCreate = Pick<CreateRequest, 'type' | 'body'> & {
  bodyHash: RequestBodyHash;
  deadlineMs: number;
};

const mismatch = (existing: OperationState, received: ReceivedCreate): CreateResult => ({
  outcome: 'body_mismatch',
  difference: describeDifference(existing, received),
});

/** The answer to the first request, if the body is the same. */
async function answerRepeat(
  dependencies: CreatePorts,
  first: Operation,
  received: ReceivedCreate,
): Promise<CreateResult> {
  const { body, bodyHash, deadlineMs } = received;
  const repeats = await atMost(
    leftForStep(deadlineMs),
    isRepeatedRequest(dependencies.personal, first, { body, bodyHash }),
  ).catch(() => undefined);
  if (repeats === undefined) return { outcome: 'undecided' };
  if (!repeats) return mismatch(first, received);
  const replayed = await outcomeOfFirst(dependencies, first);
  return replayed ? { outcome: 'replayed', operation: replayed } : { outcome: 'undecided' };
}

/** Derived from the merchant's own id, so that both identifiers lead to the operation's stream. */
export const toOperationId = (
  shop: Shop,
  body: Pick<CreateBody, 'merchant_operation_id'>,
): string => operationIdFor(Buffer.from(shop.operationIdSecret, 'hex'), body.merchant_operation_id);

function toCommand(
  { shop, type, body, operationId, endpoint }: CreateRequest,
  deadlineMs: number,
): Omit<CreateOperation, 'request' | 'body' | 'skip'> {
  return {
    operationId,
    shopId: shop.shopId,
    merchantId: shop.merchantId,
    type,
    merchantOperationId: body.merchant_operation_id,
    endpoint,
    apiVersion,
    acceptUntil: new Date(deadlineMs).toISOString(),
    routes: shop.routes,
  };
}

/** The request as the provider gets it. */
function plainRequest(type: OperationType, body: CreateBody): PlainRequest {
  const destination = type === 'payout' ? readRequisites(body) : undefined;
  return {
    client_id: body.client_id,
    ...(body.client_ip !== undefined && { client_ip: body.client_ip }),
    method: body.method,
    amount: body.amount,
    currency: body.currency,
    ...(destination && { destination }),
  };
}

/**
 * A repeat waits for the first request, on any instance, and gets the same response. All repeats
 * share the reads of the log. If the log can't be read for a whole step, the wait ends.
 */
async function outcomeOfFirst(
  { current: reads }: CreatePorts,
  operation: Operation,
): Promise<Operation | undefined> {
  const acceptUntilMs = Date.parse(operation.acceptUntil);
  const giveUpMs = acceptUntilMs + answerGraceMs;
  let current = operation;
  let lastReadMs = Date.now();
  for (
    let pauseMs = 10;
    current.status === 'creating' && Date.now() < giveUpMs;
    pauseMs = longer(pauseMs)
  ) {
    await delay(pauseMs);
    // The state is unknown after a failed read: read again.
    const reading = reads.operation(operation.operationId).catch(() => undefined);
    const read = await atMost(leftForStep(acceptUntilMs), reading);
    if (read) lastReadMs = Date.now();
    else if (Date.now() - lastReadMs >= stepMs) break;
    current = read ?? current;
  }
  return current.status === 'creating' ? undefined : current;
}

const longer = (pauseMs: number) => Math.min(pauseMs * 2, 200);
