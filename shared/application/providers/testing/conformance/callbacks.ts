import { describe, expect, it, vi } from 'vitest';
import { dayMs } from '#shared/domain/day.ts';
import type { ReportChannel } from '../../connector.ts';
import type { Submission } from './harness.ts';
import { amount, moneyIn, type Subject } from './subject.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

export function describeCallbacks(
  subject: Subject,
  { readCallback }: Extract<ReportChannel, { by: 'callbacks' }>,
): void {
  /** The callbacks of a paid attempt, once one of them reports the money. */
  async function callbacksOf(submission: Submission) {
    await subject.simulator.pay(submission);
    const { callbacks } = subject.simulator;
    if (!callbacks)
      throw new Error('a connector that reads callbacks needs a simulator that sends some');
    return vi.waitUntil(
      () => {
        const received = callbacks(submission);
        const last = received.at(-1);
        const read = last && readCallback(last.headers, last.body, Date.now());
        return read?.ok && moneyIn(read) === amount && received;
      },
      { timeout: waitLimitMs, interval: 20 },
    );
  }

  describe.each(subject.types)('a callback of a %s', (type) => {
    it('reports the same as a poll', async () => {
      const submission = await subject.accepted(type);
      const received = await callbacksOf(submission);
      const { answer, report } = await subject.pollUntil(
        submission,
        (current) => moneyIn(current) === amount,
      );
      const { headers, body } = received.at(-1)!;
      expect(readCallback(headers, body, Date.now())).toMatchObject({
        ok: true,
        operationId: submission.operationId,
        answer,
        report,
        signed: { body },
      });
    });

    it('is rejected if it is altered, unsigned or outside the time window', async () => {
      const submission = await subject.accepted(type);
      const { headers, body } = (await callbacksOf(submission)).at(-1)!;
      const nowMs = Date.now();
      const altered = Buffer.from(
        Buffer.from(body).toString('latin1').replace('100.00', '900.00'),
        'latin1',
      );
      const refused = { ok: false, reason: 'signature' };
      expect(readCallback(headers, altered, nowMs)).toEqual(refused);
      expect(readCallback(headers, Buffer.concat([body, Buffer.from(' ')]), nowMs)).toEqual(
        refused,
      );
      expect(readCallback(new Headers(), body, nowMs)).toEqual(refused);
      expect(readCallback(headers, body, nowMs + dayMs)).toEqual(refused);
      expect(readCallback(headers, body, nowMs - dayMs)).toEqual(refused);
    });
  });

  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['HTML', Buffer.from('<html>')],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe])],
  ])('a callback of %s is rejected without an exception', (_, body) => {
    expect(readCallback(new Headers(), body, Date.now())).toMatchObject({ ok: false });
  });
}
