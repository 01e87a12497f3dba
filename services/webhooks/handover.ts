import { leaseMs, type ClaimedMessage, type HandoverLease } from './claim.ts';
import { messageDestination, type NewMessage } from './message.ts';

/** A running dispatcher, as the ingest sees it. */
type DispatchPort = {
  /** How many messages it could send at once, by endpoint. @param endpoints their shops, by id */
  capacityFor(endpoints: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, number>>;
  /** Sends messages that were recorded as claimed by this dispatcher. */
  send(claimed: readonly ClaimedMessage[]): void;
};

/**
 * From the ingest to the dispatcher of the same process: messages that can be sent at once are
 * recorded as claimed, which saves the notification, the query and the claim. Without a dispatcher
 * in this process none are taken.
 */
export class Handover {
  #dispatching: DispatchPort | undefined;

  open(dispatching: DispatchPort): void {
    this.#dispatching = dispatching;
  }

  close(): void {
    this.#dispatching = undefined;
  }

  /**
   * Which of the messages that are about to be recorded are sent from here. Those with predecessors
   * wait their turn.
   */
  async take(messages: readonly NewMessage[]): Promise<HandoverLease | undefined> {
    const first = messages.filter(({ sequence }) => sequence === 1);
    if (!this.#dispatching || first.length === 0) return undefined;
    const endpoints = new Map(
      first.map((message) => [messageDestination(message), message.shopId]),
    );
    // Endpoints that can't be known now are the dispatcher's concern: recording does not wait for
    // them.
    const capacities = new Map(await this.#dispatching.capacityFor(endpoints).catch(() => []));
    const messageIds = new Set<string>();
    for (const message of first) {
      const endpointId = messageDestination(message);
      const left = capacities.get(endpointId) ?? 0;
      if (left <= 0) continue;
      capacities.set(endpointId, left - 1);
      messageIds.add(message.messageId);
    }
    return { token: crypto.randomUUID(), leaseEndsMs: performance.now() + leaseMs, messageIds };
  }

  /**
   * Sends the messages that were taken and are recorded. If no dispatcher runs any more, another
   * one claims them when their lease has ended.
   */
  send(
    messages: readonly NewMessage[],
    { messageIds, ...lease }: HandoverLease,
    recorded: ReadonlySet<string>,
  ): void {
    const claimed = messages
      .filter(({ messageId }) => messageIds.has(messageId) && recorded.has(messageId))
      .map((message): ClaimedMessage => ({
        messageId: message.messageId,
        webhookId: message.eventId,
        shopId: message.shopId,
        endpointId: messageDestination(message),
        operationId: message.operationId,
        type: message.type,
        body: message.body,
        occurredAtMs: message.occurredAt.getTime(),
        traceparent: message.traceparent ?? null,
        ...lease,
      }));
    this.#dispatching?.send(claimed);
  }
}
