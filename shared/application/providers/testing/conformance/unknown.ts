import { describe, expect, it } from 'vitest';
import type { CallBounds } from '../../connector.ts';
import { amount, bounds, moneyIn, type Subject } from './subject.ts';
import { faults } from './wire.ts';

const shortBounds = { timeoutMs: 200 };

export function describeUnknown(subject: Subject): void {
  describeLost(subject);
  describeLate(subject);
}

function describeLost(subject: Subject): void {
  const { repeatable, mayArriveForMs } = subject.declared.submissions;

  describe.each(subject.types)('a %s', (type) => {
    it(`is ${mayArriveForMs === undefined ? 'never_submitted' : 'not_found'} if it was never submitted`, async () => {
      const submission = subject.submission(type);
      const current = await subject.connector.ask(submission, bounds);
      if (subject.simulator.sentNothing?.includes(type))
        return expect(current).toMatchObject({
          outcome: 'known',
          report: { status: 'open', legs: [] },
        });
      const expected = mayArriveForMs === undefined ? 'never_submitted' : 'not_found';
      expect(current.outcome).toBe(expected);
      if (expected === 'not_found') return;
      // The poll voided the key, so a submission that is still in flight is refused.
      expect(await subject.connector.submit(submission, bounds)).toMatchObject({
        outcome: 'refused',
      });
      expect(await subject.simulator.orders(submission)).toBe(0);
    });

    it.each(faults)(
      'is unknown after $name of its submission, and is ordered at most once',
      async (fault) => {
        const submission = subject.submission(type);
        const { isSubmission } = subject.simulator;
        const { result, broken } = await subject.wire.breaking(
          fault,
          (met) =>
            subject.connector.submit(submission, {
              ...bounds,
              ...(fault.silent && { signal: met }),
            }),
          isSubmission,
        );
        // Some providers receive no request for a payment.
        if (broken === 0) return expect(result.outcome).toBe('accepted');
        expect(result).toMatchObject({ outcome: 'unknown' });
        if (!repeatable) expect(broken).toBe(1);
        const orders = await subject.simulator.orders(submission);
        expect(orders).toBe(fault.reaches ? 1 : 0);
        if (orders === 0) return;
        // Polls then find the order, and its money counts once.
        await subject.pollUntil(submission, ({ answer }) => answer.outcome === 'accepted');
        await subject.simulator.pay(submission);
        await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
      },
    );
  });
}

function describeLate(subject: Subject): void {
  const { repeatable, mayArriveForMs } = subject.declared.submissions;

  describe.each(subject.types)('a %s', (type) => {
    it('is ordered once if its submission arrives late, or is voided by the poll', async () => {
      const submission = subject.submission(type);
      const { isSubmission } = subject.simulator;
      const { result, broken } = await subject.wire.breaking(
        'late',
        () => subject.connector.submit(submission, bounds),
        isSubmission,
      );
      if (broken === 0) return expect(result.outcome).toBe('accepted');
      expect(result.outcome).toBe('unknown');
      const current = await subject.connector.ask(submission, bounds);
      await subject.wire.lateArrives();
      if (mayArriveForMs === undefined) {
        expect(current.outcome).toBe('never_submitted');
        return expect(await subject.simulator.orders(submission)).toBe(0);
      }
      expect(['not_found', 'unknown']).toContain(current.outcome);
      expect(await subject.simulator.orders(submission)).toBe(1);
      await subject.pollUntil(submission, ({ answer }) => answer.outcome === 'accepted');
    });

    it.runIf(repeatable)(
      'returns the first response when submitted again, and is one order',
      async () => {
        const submission = subject.submission(type);
        const first = await subject.connector.submit(submission, bounds);
        const again = await Promise.all(
          [1, 2, 3].map(() => subject.another().submit(submission, bounds)),
        );
        expect(again).toEqual([first, first, first]);
        expect(await subject.simulator.orders(submission)).toBe(1);
      },
    );
  });

  it('submit() ends at its timeout', async () => {
    const { sentNothing } = subject.simulator;
    const type = subject.types.find((each) => !sentNothing?.includes(each));
    const silence = faults.find(({ silent, reaches }) => silent && !reaches);
    if (!type || !silence) throw new Error('the suite needs a submission and a silent fault');
    const leave = new AbortController();
    const submit = (within: CallBounds, name: string) =>
      subject
        .another()
        .submit(subject.submission(type), within)
        .then(() => name);
    await subject.wire.breaking(silence, async () => {
      const patient = submit({ timeoutMs: 600_000, signal: leave.signal }, 'patient');
      expect(await Promise.race([patient, submit(shortBounds, 'brief')])).toBe('brief');
      leave.abort();
      await patient;
    });
  });
}
