import { webhookCommandsStream, type WebhookCommand } from '#shared/domain/webhook/events.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { appendAtHead, type EventStore } from '#shared/platform/event-store/index.ts';

/**
 * Records who requested it before it is done. Appended at the current end: commands don't depend on
 * each other. @throws Problem not_ready
 */
export async function storeCommand(
  store: EventStore,
  command: WebhookCommand,
  origin: Origin,
): Promise<void> {
  const result = await fromStore(
    appendAtHead(store, webhookCommandsStream, toNewEvents([command], origin)),
  );
  if (result.outcome !== 'done') throw notDecided();
}
