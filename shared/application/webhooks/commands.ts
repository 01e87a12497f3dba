import type { Kysely } from 'kysely';
import { webhookCommandsStream, type WebhookCommand } from '#shared/domain/webhook/events.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { appendAtHead, type EventStore } from '#shared/platform/event-store/index.ts';
import type { MessageStatus, WebhooksDatabase } from './database/tables.ts';
import { ping } from './messages/ping.ts';
import { redeliverByFilter } from './messages/redeliver-by-filter.ts';
import { redeliver } from './messages/redeliver.ts';

/**
 * Commands of operators and members to the delivery of webhooks. Each is recorded before it is
 * done. @throws Problem not_ready
 */
type CommandPorts = { store: EventStore; db: Kysely<WebhooksDatabase> };
type CommandData<Type extends WebhookCommand['type']> = Extract<
  WebhookCommand,
  { type: Type }
>['data'];

/** Sends a `ping` to an endpoint. Returns the message's id. */
export async function sendPing(
  { store, db }: CommandPorts,
  { shopId, endpointId, origin }: { shopId: string; endpointId: string; origin: Origin },
): Promise<string> {
  const data = { shop_id: shopId };
  await recordCommand(store, { type: 'WebhookPingRequested', data }, origin);
  return fromDatabase(ping(db, { shopId, endpointId }));
}

/** Sends a webhook again, by the id of a message or of an event: to one endpoint, or to all. */
export async function resendWebhook(
  { store, db }: CommandPorts,
  data: CommandData<'WebhookRedeliveryRequested'>,
  { endpointId, origin }: { endpointId?: string; origin: Origin },
): ReturnType<typeof redeliver> {
  await recordCommand(store, { type: 'WebhookRedeliveryRequested', data }, origin);
  return fromDatabase(redeliver(db, data.message_id, endpointId));
}

/** All messages of a shop that match a filter. */
type Redelivery = CommandData<'WebhookRedeliveriesRequested'> & { status: MessageStatus };

/** Sends the webhooks that match a filter again (R14.8). */
export async function resendWebhooks(
  { store, db }: CommandPorts,
  data: Redelivery,
  origin: Origin,
): ReturnType<typeof redeliverByFilter> {
  await recordCommand(store, { type: 'WebhookRedeliveriesRequested', data }, origin);
  return fromDatabase(redeliverByFilter(db, redeliveryQuery(data)));
}

const parseTime = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

export const redeliveryQuery = ({
  shop_id: shopId,
  operation_id: operationId,
  endpoint_id: endpointId,
  from,
  to,
  ...filter
}: Redelivery) => ({
  shopId,
  operationId,
  endpointId,
  from: parseTime(from),
  to: parseTime(to),
  ...filter,
});

/** Appended at the current end: commands don't depend on each other. @throws Problem not_ready */
async function recordCommand(
  store: EventStore,
  command: WebhookCommand,
  origin: Origin,
): Promise<void> {
  const result = await fromStore(
    appendAtHead(store, webhookCommandsStream, toNewEvents([command], origin)),
  );
  if (result.outcome !== 'done') throw notDecided();
}
