import { webhookCommandsStream, type WebhookCommand } from '#shared/domain/webhook/events.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { toNewEvents } from '#shared/application/operations/new-events.ts';
import type { Origin } from '#shared/application/operations/origin.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { appendAtHead, type EventStore } from '#shared/platform/event-store/index.ts';

/**
 * Who asked for it is in the log before it is done. Appended at the head, wherever it is: commands
 * are independent. @throws Problem not_ready
 */
export async function keepCommand(store: EventStore, command: WebhookCommand, origin: Origin): Promise<void> {
  const result = await fromStore(appendAtHead(store, webhookCommandsStream, toNewEvents([command], origin)));
  if (result.outcome !== 'done') throw notDecided();
}
