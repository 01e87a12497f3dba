import type { Webhook } from '#shared/domain/shop/state.ts';
import { setupLeaseMs } from '#shared/directory/stream.ts';
import type { EventStore } from '#shared/event-store/index.ts';
import type { Logger } from '#shared/logger.ts';
import type { AttemptWriter } from './attempt-writer.ts';
import type { Claimed } from './claims.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { learn, type Lane } from './lanes.ts';
import type { Outcome } from './outcome.ts';
import { send, type SendOptions, type Sent } from './send.ts';

export type DeliverOptions = {
  store: EventStore;
  logger: Logger;
  sending: SendOptions;
  onAttempt?: (attempt: { outcome: string; durationMs: number; latencyMs: number | undefined }) => void;
};

/** A message on its way. Its claim is renewed, and may be replaced, while the attempt lasts. */
export type UnderWay = { claimed: Claimed; endpoint: Webhook; lane: Lane };

/**
 * Makes one attempt and writes it. In how many milliseconds the lane has more because of it; nothing when it has not.
 */
export async function deliver(
  entry: UnderWay,
  options: DeliverOptions & { writer: AttemptWriter },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { endpoint, lane } = entry;
  const { messageId, operationId, shopId, body, occurredAt } = entry.claimed;
  const secrets = signingSecrets(endpoint, Date.now());
  const sent = await send({ messageId, body, url: endpoint.url, secrets }, options.sending, signal);
  const outcome: Outcome = sent === 'aborted' ? { kind: 'released' } : await judge(sent, entry, options);
  const facts = sent === 'aborted' ? undefined : sent.facts;
  // The claim as it is by now: it may have been replaced while the attempt lasted.
  const written = await options.writer.write({ claim: entry, messageId, operationId, outcome, facts });

  if (facts) learn(lane, { success: outcome.kind === 'delivered', durationMs: facts.durationMs });
  options.onAttempt?.({
    outcome: written?.next.status === 'unchanged' ? 'overtaken' : outcome.kind,
    durationMs: facts?.durationMs ?? 0,
    latencyMs: outcome.kind === 'delivered' ? Date.now() - occurredAt.getTime() : undefined,
  });
  options.logger.debug({ messageId, shopId, outcome: outcome.kind, status: facts?.statusCode }, 'attempt');
  return written?.dueInMs;
}

async function judge(
  sent: Sent,
  { claimed, endpoint, lane }: UnderWay,
  { store, logger }: DeliverOptions,
): Promise<Outcome> {
  if (sent.success) return { kind: 'delivered' };
  if (sent.gone) {
    const { shopId, messageId } = claimed;
    lane.heldUntilMs = Number.POSITIVE_INFINITY;
    const result = await disableEndpoint(store, { shopId, url: endpoint.url, messageId });
    // Until every reader of the directory knows, this one included.
    lane.heldUntilMs = performance.now() + setupLeaseMs;
    if (result === 'disabled') {
      logger.info({ shopId }, 'the endpoint answered 410 and was disabled');
      return { kind: 'gone' };
    }
  }
  return { kind: 'failed', retryAfterMs: sent.retryAfterMs };
}

/** The newest first; the one before it while the overlap of a rotation lasts. */
function signingSecrets({ secret, previous }: Webhook, nowMs: number): string[] {
  return previous && Date.parse(previous.validUntil) > nowMs ? [secret, previous.secret] : [secret];
}
