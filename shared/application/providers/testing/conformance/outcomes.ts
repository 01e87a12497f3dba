import { describe, expect, it } from 'vitest';
import { amount, bounds, moneyIn, type Subject } from './subject.ts';

const [part, rest] = ['40.00', '60.00'] as const;

export function describeOutcomes(subject: Subject): void {
  describeAnswers(subject);
  describeEnds(subject);
}

function describeAnswers(subject: Subject): void {
  describe.each(subject.types)('a %s', (type) => {
    it('has a reference when accepted, and requisites if it is a payment', async () => {
      const submission = subject.submission(type);
      const answer = await subject.connector.submit(submission, bounds);
      expect(answer).toMatchObject({
        outcome: 'accepted',
        providerReference: expect.stringMatching(/./),
      });
      if (type === 'payment')
        expect(answer).toMatchObject({ requisites: { number: expect.stringMatching(/./) } });
      const state = await subject.pollUntil(submission, () => true);
      expect(state.answer).toMatchObject({ ...answer });
      expect(state.report).toMatchObject({ attempt: 1, status: 'open', legs: [] });
    });

    it('has a reason when refused', async (test) => {
      const { refused } = subject.simulator;
      const submission = refused?.(subject.submission(type));
      if (!submission) return test.skip();
      expect(await subject.connector.submit(submission, bounds)).toMatchObject({
        outcome: 'refused',
        reason: expect.stringMatching(/./),
      });
      const current = await subject.connector.ask(submission, bounds);
      // The provider may forget a refused attempt, but never accepts it.
      if (current.outcome === 'known') expect(current.answer.outcome).toBe('refused');
      expect(await subject.simulator.orders(submission)).toBe(0);
    });
  });
}

function describeEnds(subject: Subject): void {
  describe.each(subject.types)('a %s', (type) => {
    it('reports its whole amount with normalised times when paid', async () => {
      const submission = await subject.accepted(type);
      await subject.simulator.pay(submission);
      const state = await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
      // The whole amount completes an operation even while the provider reports it open (R6.4).
      expect(['open', 'completed']).toContain(state.report.status);
      for (const { leg_id, completed_at } of state.report.legs) {
        expect(leg_id.length).toBeGreaterThan(0);
        expect(completed_at).toBe(new Date(completed_at).toISOString());
      }
    });

    it('has the same report in every process, with and without a reference', async () => {
      const submission = await subject.accepted(type);
      await subject.simulator.pay(submission);
      const state = await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
      const providerReference =
        state.answer.outcome === 'accepted' ? state.answer.providerReference : undefined;
      const withReference = {
        ...submission,
        ...(providerReference !== undefined && { providerReference }),
      };
      for (const attempt of [submission, withReference])
        expect(await subject.another().ask(attempt, bounds)).toEqual({
          ...state,
          outcome: 'known',
        });
    });

    it('reports each part of its money once', async (test) => {
      if (!subject.simulator.parts.includes(type)) return test.skip();
      const submission = await subject.accepted(type);
      await subject.simulator.pay(submission, part);
      const first = await subject.pollUntil(submission, (current) => moneyIn(current) === part);
      expect(first.report.status).toBe('open');
      await subject.simulator.pay(submission, rest);
      const both = await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
      expect(both.report.legs.slice(0, first.report.legs.length)).toEqual(first.report.legs);
      expect(new Set(both.report.legs.map(({ leg_id }) => leg_id)).size).toBe(
        both.report.legs.length,
      );
      const { version } = first.report;
      if (version !== undefined) expect(both.report.version).toBeGreaterThan(version);
    });

    it('ends without money if the provider declines it after acceptance', async (test) => {
      const { decline, declines } = subject.simulator;
      if (!decline || !declines.includes(type)) return test.skip();
      const submission = await subject.accepted(type);
      await decline(submission);
      const state = await subject.pollUntil(submission, ({ report }) => report.status !== 'open');
      expect(state.report).toMatchObject({ status: 'declined', legs: [] });
    });

    it('is distinguished from another attempt of the same operation', async () => {
      const submission = await subject.accepted(type);
      const second = { ...submission, attempt: 2 };
      expect(await subject.connector.submit(second, bounds)).toMatchObject({ outcome: 'accepted' });
      await subject.simulator.pay(second);
      const state = await subject.pollUntil(second, (current) => moneyIn(current) === amount);
      expect(state.report.attempt).toBe(2);
      expect(moneyIn(await subject.pollUntil(submission, () => true))).toBe('0.00');
    });
  });
}
