import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toMinor } from '#shared/domain/ledger/minor.ts';
import { sum } from '#shared/domain/money.ts';
import type { StatementLine, StatementPage } from '../../connector.ts';
import { amount, bounds, convertingRoute, moneyIn, type Subject } from './subject.ts';

export function describeOptionalParts(subject: Subject): void {
  const { declared } = subject;
  describe.each(subject.types)('optional calls for a %s', (type) => {
    if (declared.withdraw) describeWithdraw(subject, type);
    if (declared.submitReceipt && type === 'payment') describeReceipts(subject);
    if (declared.evidence) describeEvidence(subject, type);
    if (declared.statement) describeStatement(subject, type);

    it.runIf(declared.quote)(
      'quote() returns a rate or a refusal, and no rate without a conversion',
      async () => {
        const submission = subject.submission(type);
        const converting = { ...submission, route: convertingRoute(submission) };
        const quoted = await subject.connector.quote?.(converting, bounds);
        if (quoted?.outcome === 'quoted') expect(quoted.rate).toMatch(/^\d+(\.\d+)?$/);
        else expect(quoted).toMatchObject({ outcome: 'refused', reason: expect.any(String) });
        expect((await subject.connector.quote?.(submission, bounds))?.outcome).not.toBe('quoted');
      },
    );
  });
}

type Type = Subject['types'][number];

function describeWithdraw(subject: Subject, type: Type): void {
  const { mayArriveForMs } = subject.declared.submissions;

  it('withdraw() ends an open attempt, and may be repeated', async () => {
    const submission = await subject.accepted(type);
    const withdrawn = await subject.connector.withdraw?.(submission, bounds);
    expect(withdrawn).toMatchObject({ outcome: 'withdrawn', report: { legs: [] } });
    expect(await subject.connector.withdraw?.(submission, bounds)).toEqual(withdrawn);
    expect((await subject.pollUntil(submission, () => true)).report.status).not.toBe('open');
  });

  it('withdraw() of a paid attempt is refused and reports the money', async () => {
    const submission = await subject.accepted(type);
    await subject.simulator.pay(submission);
    await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
    const refused = await subject.connector.withdraw?.(submission, bounds);
    if (refused?.outcome !== 'refused') throw new Error(`the withdrawal is ${refused?.outcome}`);
    expect(moneyIn(refused)).toBe(amount);
  });

  it('withdraw() of an unknown attempt blocks it, or returns not_found', async () => {
    const submission = subject.submission(type);
    const current = await subject.connector.withdraw?.(submission, bounds);
    if (mayArriveForMs !== undefined) return expect(current?.outcome).toBe('not_found');
    expect(current?.outcome).toBe('withdrawn');
    expect(await subject.connector.submit(submission, bounds)).toMatchObject({
      outcome: 'refused',
    });
    expect(await subject.simulator.orders(submission)).toBe(0);
  });
}

function describeReceipts(subject: Subject): void {
  it('submitReceipt() accepts a receipt once per id, with any repeats', async () => {
    const submission = await subject.accepted('payment');
    const receipt = {
      receiptId: randomUUID(),
      content: Buffer.from('%PDF-1.4 a'),
      contentType: 'application/pdf',
    };
    for (const connector of [subject.connector, subject.connector, subject.another()])
      expect(await connector.submitReceipt?.(submission, receipt, bounds)).toMatchObject({
        outcome: 'taken',
      });
    expect(await subject.simulator.receipts?.(submission)).toBe(1);
  });
}

function describeEvidence(subject: Subject, type: Type): void {
  it('evidence() covers all of the money, and its files can be fetched', async () => {
    const submission = await subject.accepted(type);
    await subject.simulator.pay(submission);
    await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
    const evidence = await subject.connector.evidence?.(submission, bounds);
    if (evidence?.outcome !== 'known') throw new Error(`the evidence is ${evidence?.outcome}`);
    expect(sum(evidence.items.map((item) => item.amount))).toBe(amount);
    for (const { leg_id: legId, file } of evidence.items) {
      const fetched = await subject.connector.fetchReceiptFile?.(submission, legId, bounds);
      expect(fetched?.outcome).toBe(file ? 'file' : subject.declared.fetchReceiptFile && 'none');
    }
  });
}

function describeStatement(subject: Subject, type: Type): void {
  const linesOf = async (query: { currency: string; day: string }) => {
    const lines: StatementLine[] = [];
    let page: StatementPage | undefined;
    do {
      const current = await subject.connector.statement?.(
        { ...query, ...(page?.next !== undefined && { page: page.next }) },
        bounds,
      );
      if (current?.outcome !== 'known') throw new Error(`the statement is ${current?.outcome}`);
      lines.push(...current.lines);
      page = current;
    } while (page.next !== undefined);
    return { ...page, lines };
  };

  it('statement() lists each leg once, on its day, with operation and direction', async () => {
    const submission = await subject.accepted(type);
    await subject.simulator.pay(submission);
    const state = await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
    const { currency } = submission.request;
    const ids = state.report.legs.map(({ leg_id }) => leg_id);
    const days = new Set(state.report.legs.map(({ completed_at }) => completed_at.slice(0, 10)));
    const ours: StatementLine[] = [];
    for (const day of days) {
      const { lines } = await linesOf({ currency, day });
      expect(lines.filter(({ completedAt }) => !completedAt.startsWith(day))).toEqual([]);
      ours.push(...lines.filter(({ legId }) => ids.includes(legId)));
    }
    expect(ours.map(({ legId }) => legId).toSorted()).toEqual(ids.toSorted());
    expect(new Set(ours.map(({ kind, direction }) => `${kind} ${direction}`))).toEqual(
      new Set([`transfer ${type === 'payment' ? 'in' : 'out'}`]),
    );
    for (const { of } of ours)
      if (of)
        expect(of).toEqual({ operationId: submission.operationId, attempt: submission.attempt });
    expect(sum(ours.map((line) => line.amount))).toBe(amount);
    expect((await linesOf({ currency, day: '2020-01-01' })).lines).toEqual([]);
  });

  it('statement() has balances that add up, and is final for past days only', async () => {
    const submission = await subject.accepted(type);
    await subject.simulator.pay(submission);
    await subject.pollUntil(submission, (current) => moneyIn(current) === amount);
    const { currency } = submission.request;
    const today = new Date().toISOString().slice(0, 10);
    const { lines, openingBalance, closingBalance, final } = await linesOf({
      currency,
      day: today,
    });
    expect(final && today === new Date().toISOString().slice(0, 10)).toBe(false);
    expect((await linesOf({ currency, day: '2020-01-01' })).final).toBe(true);
    expect(openingBalance === undefined).toBe(closingBalance === undefined);
    if (openingBalance === undefined || closingBalance === undefined) return;
    const total = (direction: 'in' | 'out') =>
      toMinor(sum(lines.filter((line) => line.direction === direction).map((line) => line.amount)));
    expect(toMinor(closingBalance)).toBe(toMinor(openingBalance) + total('in') - total('out'));
  });
}
