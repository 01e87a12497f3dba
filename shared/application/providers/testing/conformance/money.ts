import { describe, expect, it } from 'vitest';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { moneyAfterReports } from './booked.ts';
import { amount, moneyIn, type Subject } from './subject.ts';

const rounds = 50;

export function describeMoney(subject: Subject): void {
  describe.each(subject.types)('money of a %s', (type) => {
    it('is counted once, with reports repeated and in any order', async () => {
      const submission = await subject.accepted(type);
      const reports = [await subject.pollUntil(submission, () => true)];
      if (subject.simulator.parts.includes(type)) {
        await subject.simulator.pay(submission, '40.00');
        reports.push(
          await subject.pollUntil(submission, (current) => moneyIn(current) === '40.00'),
        );
        await subject.simulator.pay(submission, '60.00');
      } else await subject.simulator.pay(submission);
      reports.push(await subject.pollUntil(submission, (current) => moneyIn(current) === amount));
      reports.push(await subject.pollUntil(submission, (current) => moneyIn(current) === amount));
      for (let round = 0; round < rounds; round += 1) {
        const sequence = [
          ...createRandom(round).shuffled([...reports, ...reports]),
          reports.at(-1)!,
        ];
        expect(moneyAfterReports(submission, sequence)).toEqual({
          status: 'completed',
          money: amount,
          beyond: '0.00',
        });
      }
    });
  });
}
