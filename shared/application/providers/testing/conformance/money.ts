import { describe, expect, it } from 'vitest';
import { booked, shuffled } from './booked.ts';
import { amount, moneyIn, type Subject } from './subject.ts';

const rounds = 50;

export function describeMoney(subject: Subject): void {
  describe.each(subject.types)('the money of a %s', (type) => {
    it('counts once, in whatever order reports come and however often', async () => {
      const given = await subject.accepted(type);
      const reports = [await subject.known(given, () => true)];
      if (subject.simulator.parts.includes(type)) {
        await subject.simulator.pay(given, '40.00');
        reports.push(await subject.known(given, (said) => moneyIn(said) === '40.00'));
        await subject.simulator.pay(given, '60.00');
      } else await subject.simulator.pay(given);
      reports.push(await subject.known(given, (said) => moneyIn(said) === amount));
      reports.push(await subject.known(given, (said) => moneyIn(said) === amount));
      for (let round = 0; round < rounds; round += 1) {
        const told = [...shuffled([...reports, ...reports], round), reports.at(-1)!];
        expect(booked(given, told)).toEqual({ status: 'completed', money: amount, beyond: '0.00' });
      }
    });
  });
}
