import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import { setupLeaseMs } from '#shared/application/directory/stream.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { inSpan } from '#shared/platform/tracing/tracing.ts';
import type { AttemptWriter } from '../queue/attempt-writer.ts';
import type { ClaimedMessage } from '../../claim.ts';
import { disableEndpoint } from '#shared/application/shops/endpoint-health.ts';
import { adjustConcurrency, type Lane } from '../pace/lanes.ts';
import type { AttemptOutcome } from '../queue/outcome.ts';
import type { DeliveryFacts } from '../queue/record-attempts.ts';
import type { Send, SendResult } from './send.ts';

export type DeliverOptions = {
  store: EventStore;
  logger: Logger;
  onAttempt?: (attempt: {
    outcome: string;
    durationMs: number;
    latencyMs: number | undefined;
  }) => void;
};

/**
 * A message that this dispatcher has claimed. Meanwhile its claim is renewed, and may be replaced.
 */
export type Held = { claimed: ClaimedMessage; lane: Lane; sinceMs: number };

export type DeliverPorts = {
  /** The body of a recorded message, with its sealed parts decrypted. */
  openBody(claimed: Pick<ClaimedMessage, 'operationId' | 'body'>): Promise<string>;
  /** The endpoint, if messages may be sent to it now. */
  endpointOf(of: { endpointId: string; shopId: string }): Promise<WebhookEndpoint | undefined>;
  send: Send;
  writer: AttemptWriter;
  /** The lane has capacity for another attempt. */
  onCapacity(lane: Lane): void;
};

/** How soon a disabled or unknown endpoint is checked again. */
export const heldRecheckMs = 500;

/**
 * Makes one attempt and writes it. Returns in how many milliseconds the lane's next message is due
 * because of it, if any.
 */
export async function deliver(
  held: Held,
  options: DeliverOptions & DeliverPorts,
): Promise<number | undefined> {
  const { lane } = held;
  const { messageId, operationId, shopId } = held.claimed;
  lane.underWay.set(messageId, performance.now());
  lane.unwritten += 1;
  try {
    const { outcome, facts } = await inSpan(
      () => describe(held),
      async (span) => {
        const result = await attempt(held, options);
        span?.set({
          'gateway.outcome': result.outcome.kind,
          'http.response.status_code': result.facts?.statusCode ?? 0,
        });
        return result;
      },
    );
    if (facts)
      adjustConcurrency(lane, {
        success: outcome.kind === 'delivered',
        durationMs: facts.durationMs,
      });
    lane.underWay.delete(messageId);
    options.onCapacity(lane);
    const latencyMs = Date.now() - held.claimed.occurredAtMs;
    // The current claim: it may have been replaced during the attempt.
    const written = await options.writer.write({
      claim: held,
      messageId,
      operationId,
      outcome,
      facts,
    });
    options.onAttempt?.({
      outcome: written?.next.status === 'unchanged' ? 'overtaken' : outcome.kind,
      durationMs: facts?.durationMs ?? 0,
      latencyMs: outcome.kind === 'delivered' ? latencyMs : undefined,
    });
    options.logger.debug(
      { messageId, shopId, outcome: outcome.kind, status: facts?.statusCode },
      'attempt',
    );
    return written?.dueInMs;
  } finally {
    lane.underWay.delete(messageId);
    lane.unwritten -= 1;
    options.onCapacity(lane);
  }
}

/** The endpoint's address is left out: merchants put secrets into theirs. */
function describe({ claimed }: Held) {
  const { messageId, operationId, shopId, endpointId, traceparent } = claimed;
  return {
    name: 'webhook attempt',
    kind: 'client' as const,
    traceparent: traceparent ?? undefined,
    attributes: {
      'gateway.message_id': messageId,
      'gateway.operation_id': operationId ?? '',
      'gateway.shop_id': shopId,
      'gateway.endpoint_id': endpointId,
    },
  };
}

async function attempt(
  held: Held,
  options: DeliverOptions & DeliverPorts,
): Promise<{ outcome: AttemptOutcome; facts: DeliveryFacts | undefined }> {
  const { messageId, webhookId = messageId, endpointId } = held.claimed;
  const unknown = (what: string) => (error: unknown) => {
    options.logger.warn({ err: error, endpointId }, `${what} is currently unknown`);
    return undefined;
  };
  const body = await options.openBody(held.claimed).catch(unknown('the encrypted fields'));
  // Read at the last moment: a message that was claimed ahead must use the current endpoint.
  const endpoint = await options.endpointOf(held.claimed).catch(unknown('the endpoint'));
  if (!endpoint || body === undefined) {
    held.lane.heldUntilMs = Math.max(held.lane.heldUntilMs, performance.now() + heldRecheckMs);
    return { outcome: { kind: 'released' }, facts: undefined };
  }
  // This process may have been suspended. Meanwhile another one may have sent the message and later
  // ones.
  if (performance.now() >= held.claimed.leaseEndsMs)
    return { outcome: { kind: 'released' }, facts: undefined };
  const secrets = signingSecrets(endpoint, Date.now());
  const sent = await options.send({ messageId: webhookId, body, url: endpoint.url, secrets });
  if (sent === 'aborted') return { outcome: { kind: 'released' }, facts: undefined };
  return { outcome: await judge(sent, { held, endpoint, options }), facts: sent.facts };
}

async function judge(
  sent: SendResult,
  { held, endpoint, options }: { held: Held; endpoint: WebhookEndpoint; options: DeliverOptions },
): Promise<AttemptOutcome> {
  if (sent.success) return { kind: 'delivered' };
  if (sent.endpointGone) {
    const { lane } = held;
    const { shopId, endpointId, messageId } = held.claimed;
    lane.heldUntilMs = Number.POSITIVE_INFINITY;
    const result = await disableEndpoint(options.store, {
      shopId,
      endpointId,
      url: endpoint.url,
      messageId,
    });
    // Until every reader of the directory has seen it, this process included.
    lane.heldUntilMs = performance.now() + setupLeaseMs;
    if (result === 'done') {
      options.logger.info(
        { shopId, endpointId },
        'the endpoint returned 410: it is disabled, unless it was changed meanwhile',
      );
      return { kind: 'gone' };
    }
  }
  return { kind: 'failed', retryAfterMs: sent.retryAfterMs };
}

/** The newest first; earlier secrets until their overlap ends. */
function signingSecrets({ secret, previous }: WebhookEndpoint, nowMs: number): string[] {
  const overlapping = previous.filter(({ validUntil }) => Date.parse(validUntil) > nowMs);
  return [secret, ...overlapping.map((each) => each.secret)];
}
