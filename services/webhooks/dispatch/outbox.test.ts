import { expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import type { ClaimedMessage } from '../claim.ts';
import { newLane } from './pace/lanes.ts';
import { createDeliveryOutbox } from './outbox.ts';
import type { FinishedAttempt } from './queue/record-attempts.ts';

const shopId = 'shop';
const claimed = (
  messageId: string,
  { token = 'first', leaseEndsMs = Infinity } = {},
): ClaimedMessage => ({
  messageId,
  shopId,
  endpointId: shopId,
  operationId: null,
  type: 'payment.completed',
  body: '{}',
  occurredAtMs: 0,
  traceparent: null,
  token,
  leaseEndsMs,
});

/** An outbox whose endpoint accepts everything; `written` names the claim of each attempt. */
function setUp({ width }: { width: number }) {
  const sent: string[] = [];
  const written: string[] = [];
  const lane = { ...newLane({ endpointId: shopId, shopId }), width };
  const made = createDeliveryOutbox({
    store: undefined as never,
    logger,
    openBody: async ({ body }) => body,
    endpointOf: async () => ({
      endpointId: shopId,
      createdAt: '2026-01-31T12:00:00.000Z',
      url: 'https://a.example/',
      enabled: true,
      secret: 'whsec_',
      previous: [],
    }),
    send: async ({ messageId }) => {
      sent.push(messageId);
      const facts = { durationMs: 1, statusCode: 200, answer: '', error: null };
      return {
        success: true,
        gone: false,
        facts: { ...facts, url: 'https://a.example/', startedAt: new Date(0) },
      } as never;
    },
    writer: {
      write: async ({ messageId, outcome, claim }: FinishedAttempt) => {
        written.push(`${messageId} ${outcome.kind} ${claim.claimed.token}`);
        return undefined;
      },
    },
    onDue: () => undefined,
    onCapacity: () => undefined,
  });
  return { sent, written, lane, outbox: made };
}

it('sends no message whose claim has expired, since another process may have sent later ones', async () => {
  const { outbox, sent, written, lane } = setUp({ width: 2 });
  outbox.add(claimed('lost', { leaseEndsMs: performance.now() }), lane);
  outbox.add(claimed('held'), lane);
  await expect.poll(() => outbox.size()).toBe(0);
  expect(sent).toEqual(['held']);
  expect(written.toSorted()).toEqual(['held delivered first', 'lost released first']);
});

it('sends a message that it claimed again under the new claim', async () => {
  const { outbox, sent, written, lane } = setUp({ width: 0 });
  outbox.add(claimed('again', { leaseEndsMs: performance.now() }), lane);
  outbox.add(claimed('again', { token: 'second' }), lane);
  lane.width = 1;
  outbox.flush();
  await expect.poll(() => outbox.size()).toBe(0);
  expect([sent, written]).toEqual([['again'], ['again delivered second']]);
});
