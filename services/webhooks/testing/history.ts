import { setTimeout as delay } from 'node:timers/promises';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { admit } from '#shared/domain/operation/admission/admit.ts';
import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { recordReservation } from '#shared/domain/operation/payout-funds/record.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { OperationState } from '#shared/domain/operation/state.ts';
import { create, route } from '#shared/domain/operation/testing/create.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { handleCommand } from '#shared/platform/event-store/handle-command.ts';
import {
  appendAtHead,
  foldStored,
  type EventMetadata,
  type EventStore,
  type NewEvent,
} from '#shared/platform/event-store/index.ts';
import { lateFactsFold, operations } from '#shared/application/operations/streams.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { recordLate } from '#shared/domain/late/record.ts';
import { newId } from '#shared/platform/ids.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';

const metadata = (type: string): EventMetadata => ({
  correlation_id: newId(),
  actor: 'operator:test',
  schema_version: newestVersion(type),
});
const toNew = <E extends { type: string; data: object }>(event: E) => ({
  id: newId(),
  metadata: metadata(event.type),
  ...event,
});

type TestShop = { shopId: string; secret: string };

/** Appends set-up events to a shop's stream, and announces them as the admin service does. */
export async function changeShop(
  store: EventStore,
  shopId: string,
  events: ShopEvent[],
): Promise<void> {
  const stamped = events.map(toNew);
  const stream = shopStream(shopId);
  const result = await appendAtHead(store, stream, stamped);
  if (result.outcome !== 'done') throw new Error('the shop could not be changed');
  const [head] = await store.read(stream, { direction: 'backwards', maxCount: 1 });
  const change = { shop_id: shopId, shop_revision: head?.revision ?? 0 };
  if ((await announceSetupChange(store, change, metadata('SetupChanged'))) !== 'announced')
    throw new Error('not announced');
}

/** A shop, with a webhook if a URL is given. */
export async function createShop(
  store: EventStore,
  { url, enabled = true }: { url?: string; enabled?: boolean } = {},
): Promise<TestShop> {
  const shopId = newId();
  const secret = newWebhookSecret();
  await changeShop(store, shopId, [
    {
      type: 'ShopCreated',
      data: {
        shop_id: shopId,
        merchant_id: newId(),
        operation_id_secret: '00'.repeat(32),
        settings: shopSettings(),
      },
    },
    ...(url === undefined ? [] : configured(url, secret, enabled)),
  ]);
  return { shopId, secret };
}

export const configured = (url: string, secret: string, enabled = true): ShopEvent[] => [
  { type: 'WebhookConfigured', data: { url, enabled } },
  { type: 'WebhookSecretIssued', data: { secret } },
];

type TestOperation = { operationId: string; merchantOperationId: string };

/**
 * An operation after its provider has accepted it; awaiting confirmation if a receipt is required.
 */
export async function createOperation(
  store: EventStore,
  shopId: string,
  { type = 'payment', receipt = false }: { type?: 'payment' | 'payout'; receipt?: boolean } = {},
): Promise<TestOperation> {
  const operationId = newId();
  const merchantOperationId = `order-${operationId.slice(0, 8)}`;
  const routes = [route({ type, requires_receipt: receipt })];
  await decide(store, operationId, (state) =>
    admit(
      state,
      create({
        operationId,
        shopId,
        type,
        merchantOperationId,
        request: {
          ...create().request,
          ...(type === 'payout' && {
            destination: { number: '4276550012345678', name: 'Ivan Ivanov' },
          }),
        },
        acceptUntil: '2100-01-01T00:00:00.000Z',
        routes,
      }),
    ),
  );
  if (type === 'payout') {
    await decide(store, operationId, (state) =>
      recordReservation(state, { attempt: 1, answer: 'reserved', routes: [], timeIsUp: false }),
    );
  }
  await decide(store, operationId, (state) =>
    recordAnswer(state, {
      attempt: 1,
      routes,
      timeIsUp: false,
      answer: {
        outcome: 'accepted',
        providerReference: `ref-${operationId}`,
        ...(type === 'payment' && {
          requisites: { number: '2200700812345678', name: 'Petr Petrov' },
        }),
      },
    }),
  );
  return { operationId, merchantOperationId };
}

/** Ends an operation by a report of its provider. @returns the id of the terminal event */
export async function endOperation(
  store: EventStore,
  operationId: string,
  end: 'completed' | 'declined' | 'expired' = 'completed',
): Promise<string> {
  const leg = {
    leg_id: newId(),
    amount: '100.00',
    completed_at: '2026-01-31T12:00:00.000Z',
    file: false,
  };
  return decide(store, operationId, (state) =>
    applyReport(state, { attempt: 1, status: end, legs: end === 'completed' ? [leg] : [] }),
  );
}

export async function completeOperation(
  store: EventStore,
  shopId: string,
  options?: Parameters<typeof createOperation>[2],
): Promise<TestOperation> {
  const operation = await createOperation(store, shopId, options);
  await endOperation(store, operation.operationId);
  return operation;
}

/**
 * Returns money of a terminal operation by a report of its provider. A later version of the report
 * may correct the amounts of an earlier one.
 */
export async function returnMoney(
  store: EventStore,
  operationId: string,
  amounts: readonly string[],
  version?: number,
): Promise<void> {
  const operation = foldStored(operations, await store.read(operationStream(operationId)));
  if (operation.phase !== 'admitted') throw new Error('nothing can go back');
  const [of] = operation.legs;
  const completed_at = '2026-02-01T12:00:00.000Z';
  const returns = amounts.map((amount, at) => ({
    leg_id: `back-${at}`,
    of_leg_id: of?.leg_id ?? '',
    amount,
    completed_at,
  }));
  const legs = [...operation.legs];
  const report = { attempt: 1, version, status: 'completed', legs, returns } as const;
  const { late } = applyReport(operation, report);
  const result = await handleCommand({
    store,
    stream: lateStream(operationId),
    folding: lateFactsFold,
    write: toNew,
    decide: (state) => recordLate(state, { operation, report, facts: late }),
  });
  if (result.outcome !== 'done') throw new Error(`not recorded: ${result.outcome}`);
}

/**
 * Appends the events of a decision; returns the id of the last one. These tests restart the stores,
 * so the outcome of an append may be unknown. Then the decision is repeated: a refusal, or a
 * decision without events, means that the first append succeeded.
 */
async function decide(
  store: EventStore,
  operationId: string,
  decision: (
    state: OperationState,
  ) => { events: readonly OperationEvent[] } | { refusal: { code: string } },
): Promise<string> {
  const stream = operationStream(operationId);
  let cause: unknown;
  for (let tries = 0; tries < 100; tries += 1) {
    let written: NewEvent | undefined;
    const result = await handleCommand({
      store,
      stream,
      folding: operations,
      write: (event: OperationEvent) => (written = toNew(event)),
      decide: decision,
    });
    if (result.outcome === 'refused' && tries === 0) throw new Error(result.refusal.code);
    if (result.outcome !== 'undecided') {
      const appended = result.outcome === 'done' && result.position !== undefined;
      const last =
        (appended ? written : undefined) ??
        (await store.read(stream, { direction: 'backwards', maxCount: 1 }))[0];
      if (last) return last.id;
    }
    cause = result;
    await delay(100);
  }
  throw new Error(`nothing was appended to ${operationId}`, { cause });
}
