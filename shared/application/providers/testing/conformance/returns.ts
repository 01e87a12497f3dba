import { describe, expect, it, vi } from 'vitest';
import { sum } from '#shared/domain/money.ts';
import type { ReturnedMoney } from '#shared/domain/operation/events.ts';
import type { AttemptKnown } from '../../connector.ts';
import type { Submission } from './harness.ts';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { moneyAfterReports } from './booked.ts';
import { amount, bounds, moneyIn, type Subject } from './subject.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const rounds = 30;
const [some, others] = ['30.00', '20.00'] as const;

const backIn = ({ report }: AttemptKnown): readonly ReturnedMoney[] => report.returns ?? [];
const totalOf = (returns: readonly ReturnedMoney[]) => sum(returns.map((each) => each.amount));

type Type = Subject['types'][number];

/** Returned money, for connectors that declare `returns`. */
export function describeReturns(subject: Subject): void {
  describe.each(subject.types)('returned money of a %s', (type) => {
    describeReported(subject, type);
    describeCounted(subject, type);
    describeCalledBack(subject, type);
  });
}

async function paidOne(subject: Subject, type: Type) {
  const submission = await subject.accepted(type);
  await subject.simulator.pay(submission);
  const state = await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
  return { submission, state };
}

async function giveBack(
  { simulator }: Subject,
  submission: Submission,
  back?: string,
): Promise<void> {
  if (!simulator.giveBack) throw new Error('a connector with returns needs a simulator with some');
  await simulator.giveBack(submission, back);
}

function describeReported(subject: Subject, type: Type): void {
  it('has its own id and leaves the leg unchanged', async () => {
    const { submission, state } = await paidOne(subject, type);
    await giveBack(subject, submission);
    const after = await subject.pollUntil(submission, (current) => backIn(current).length > 0);
    const [back] = backIn(after);
    expect(totalOf(backIn(after))).toBe(amount);
    expect(after.report.legs).toEqual(state.report.legs);
    const ids = after.report.legs.map(({ leg_id: id }) => id);
    expect(ids).toContain(back?.of_leg_id);
    expect(ids).not.toContain(back?.leg_id);
    expect(back?.completed_at).toBe(new Date(back?.completed_at ?? '').toISOString());
    const { version } = state.report;
    if (version !== undefined) expect(after.report.version).toBeGreaterThan(version);
  });

  it('is reported part by part, identically to every process, also after the end', async () => {
    const { submission } = await paidOne(subject, type);
    await giveBack(subject, submission, some);
    const first = await subject.pollUntil(submission, (current) => backIn(current).length === 1);
    await giveBack(subject, submission, others);
    const both = await subject.pollUntil(submission, (current) => backIn(current).length === 2);
    expect(backIn(both)[0]).toEqual(backIn(first)[0]);
    expect(totalOf(backIn(both))).toBe('50.00');
    expect(new Set(backIn(both).map(({ leg_id: id }) => id)).size).toBe(2);
    expect(await subject.another().ask(submission, bounds)).toEqual({ ...both, outcome: 'known' });
    const afterTheEnd = await subject.another().ask({ ...submission, over: true }, bounds);
    expect(afterTheEnd).toMatchObject({ outcome: 'known', report: { returns: backIn(both) } });
  });
}

function describeCounted(subject: Subject, type: Type): void {
  it('is counted once before and after the terminal status, in any order', async () => {
    const submission = await subject.accepted(type);
    const reports = [await subject.pollUntil(submission, () => true)];
    if (subject.simulator.parts.includes(type)) {
      await subject.simulator.pay(submission, '40.00');
      reports.push(await subject.pollUntil(submission, (current) => moneyIn(current) === '40.00'));
      await giveBack(subject, submission, some);
      reports.push(await subject.pollUntil(submission, (current) => backIn(current).length === 1));
      await subject.simulator.pay(submission, '60.00');
    } else {
      await subject.simulator.pay(submission);
      reports.push(await subject.pollUntil(submission, (current) => moneyIn(current) === amount));
      await giveBack(subject, submission, some);
    }
    reports.push(
      await subject.pollUntil(
        submission,
        (current) => moneyIn(current) === amount && backIn(current).length === 1,
      ),
    );
    await giveBack(subject, submission, others);
    reports.push(await subject.pollUntil(submission, (current) => backIn(current).length === 2));
    for (let round = 0; round < rounds; round += 1) {
      const sequence = [...createRandom(round).shuffled([...reports, ...reports]), reports.at(-1)!];
      expect(moneyAfterReports(submission, sequence)).toMatchObject({
        money: '50.00',
        beyond: '0.00',
      });
    }
  });

  it('is reported unchanged if it exceeds the received money', async () => {
    const { submission, state } = await paidOne(subject, type);
    await giveBack(subject, submission, '70.00');
    await giveBack(subject, submission, '60.00');
    const after = await subject.pollUntil(submission, (current) => backIn(current).length === 2);
    expect(totalOf(backIn(after))).toBe('130.00');
    expect(moneyAfterReports(submission, [state, after, after])).toMatchObject({
      money: '-30.00',
      beyond: '30.00',
    });
  });
}

function describeCalledBack(subject: Subject, type: Type): void {
  const { reports } = subject.declared;
  it.runIf(reports.by === 'callbacks')('is the same in callbacks and polls', async () => {
    if (reports.by !== 'callbacks') return;
    const { submission } = await paidOne(subject, type);
    await giveBack(subject, submission, some);
    const polled = await subject.pollUntil(submission, (current) => backIn(current).length === 1);
    const callback = await vi.waitUntil(
      () => {
        const last = subject.simulator.callbacks?.(submission).at(-1);
        const read = last && reports.readCallback(last.headers, last.body, Date.now());
        return read?.ok && backIn(read).length === 1 && read;
      },
      { timeout: waitLimitMs, interval: 20 },
    );
    expect(callback.report).toEqual(polled.report);
  });
}
