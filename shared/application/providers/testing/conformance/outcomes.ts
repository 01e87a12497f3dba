import { describe, expect, it } from 'vitest';
import { amount, bounds, moneyIn, type Subject } from './subject.ts';

const [part, rest] = ['40.00', '60.00'] as const;

export function describeOutcomes(subject: Subject): void {
  describeAnswers(subject);
  describeEnds(subject);
}

function describeAnswers(subject: Subject): void {
  describe.each(subject.types)('a %s', (type) => {
    it('that is accepted has a reference, and a payment says where to pay', async () => {
      const given = subject.submission(type);
      const answer = await subject.connector.submit(given, bounds);
      expect(answer).toMatchObject({
        outcome: 'accepted',
        providerReference: expect.stringMatching(/./),
      });
      if (type === 'payment')
        expect(answer).toMatchObject({ requisites: { number: expect.stringMatching(/./) } });
      const known = await subject.known(given, () => true);
      expect(known.answer).toMatchObject({ ...answer });
      expect(known.report).toMatchObject({ attempt: 1, status: 'open', legs: [] });
    });

    it('that is refused says why', async (test) => {
      const { refused } = subject.simulator;
      const given = refused?.(subject.submission(type));
      if (!given) return test.skip();
      expect(await subject.connector.submit(given, bounds)).toMatchObject({
        outcome: 'refused',
        reason: expect.stringMatching(/./),
      });
      const said = await subject.connector.ask(given, bounds);
      // What it refused it may forget; it never accepts it.
      if (said.outcome === 'known') expect(said.answer.outcome).toBe('refused');
      expect(await subject.simulator.orders(given)).toBe(0);
    });
  });
}

function describeEnds(subject: Subject): void {
  describe.each(subject.types)('a %s', (type) => {
    it('that is paid has the money, and then ends', async () => {
      const given = await subject.accepted(type);
      await subject.simulator.pay(given);
      const known = await subject.known(given, (said) => moneyIn(said) === amount);
      expect(['open', 'completed']).toContain(known.report.status);
      for (const { leg_id, completed_at } of known.report.legs) {
        expect(leg_id.length).toBeGreaterThan(0);
        expect(completed_at).toBe(new Date(completed_at).toISOString());
      }
    });

    it('says the same to every process, with the provider’s reference and without it', async () => {
      const given = await subject.accepted(type);
      await subject.simulator.pay(given);
      const known = await subject.known(given, (said) => moneyIn(said) === amount);
      const providerReference =
        known.answer.outcome === 'accepted' ? known.answer.providerReference : undefined;
      const asked = { ...given, ...(providerReference !== undefined && { providerReference }) };
      for (const attempt of [given, asked])
        expect(await subject.another().ask(attempt, bounds)).toEqual({
          ...known,
          outcome: 'known',
        });
    });

    it('whose money comes in parts has each part once', async (test) => {
      if (!subject.simulator.parts.includes(type)) return test.skip();
      const given = await subject.accepted(type);
      await subject.simulator.pay(given, part);
      const first = await subject.known(given, (said) => moneyIn(said) === part);
      expect(first.report.status).toBe('open');
      await subject.simulator.pay(given, rest);
      const both = await subject.known(given, (said) => moneyIn(said) === amount);
      expect(both.report.legs.slice(0, first.report.legs.length)).toEqual(first.report.legs);
      expect(new Set(both.report.legs.map(({ leg_id }) => leg_id)).size).toBe(
        both.report.legs.length,
      );
      const { version } = first.report;
      if (version !== undefined) expect(both.report.version).toBeGreaterThan(version);
    });

    it('that its provider declines afterwards ends without money', async (test) => {
      const { decline, declines } = subject.simulator;
      if (!decline || !declines.includes(type)) return test.skip();
      const given = await subject.accepted(type);
      await decline(given);
      const known = await subject.known(given, ({ report }) => report.status !== 'open');
      expect(known.report).toMatchObject({ status: 'declined', legs: [] });
    });

    it('of another attempt at the same operation is distinguished', async () => {
      const given = await subject.accepted(type);
      const second = { ...given, attempt: 2 };
      expect(await subject.connector.submit(second, bounds)).toMatchObject({ outcome: 'accepted' });
      await subject.simulator.pay(second);
      const known = await subject.known(second, (said) => moneyIn(said) === amount);
      expect(known.report.attempt).toBe(2);
      expect(moneyIn(await subject.known(given, () => true))).toBe('0.00');
    });
  });
}
