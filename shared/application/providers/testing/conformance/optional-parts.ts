import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sum } from '#shared/domain/money.ts';
import { amount, bounds, moneyIn, type Subject } from './subject.ts';

const conversion = { settlement_currency: 'USD', fx_source: 'conformance' } as const;

export function describeOptionalParts(subject: Subject): void {
  const { says } = subject;
  describe.each(subject.types)('of a %s', (type) => {
    if (says.withdraw) describeWithdraw(subject, type);
    if (says.submitReceipt && type === 'payment') describeReceipts(subject);
    if (says.evidence) describeEvidence(subject, type);
    if (says.statement) describeStatement(subject, type);

    it.runIf(says.quote)('a quote is a rate, and a route that converts nothing has none', async () => {
      const given = subject.submission(type);
      const converting = { ...given, route: { ...given.route, conversion } };
      const quoted = await subject.connector.quote?.(converting, bounds);
      if (quoted?.outcome === 'quoted') expect(quoted.rate).toMatch(/^\d+(\.\d+)?$/);
      else expect(quoted).toMatchObject({ outcome: 'refused', reason: expect.any(String) });
      expect((await subject.connector.quote?.(given, bounds))?.outcome).not.toBe('quoted');
    });
  });
}

type Type = Subject['types'][number];

function describeWithdraw(subject: Subject, type: Type): void {
  const { mayArriveForMs } = subject.says.submissions;

  it('a withdrawal ends an open attempt, once', async () => {
    const given = await subject.accepted(type);
    const withdrawn = await subject.connector.withdraw?.(given, bounds);
    expect(withdrawn).toMatchObject({ outcome: 'withdrawn', report: { legs: [] } });
    expect(await subject.connector.withdraw?.(given, bounds)).toEqual(withdrawn);
    expect((await subject.known(given, () => true)).report.status).not.toBe('open');
  });

  it('a withdrawal of what was paid is refused, with the money', async () => {
    const given = await subject.accepted(type);
    await subject.simulator.pay(given);
    await subject.known(given, (said) => moneyIn(said) === amount);
    const refused = await subject.connector.withdraw?.(given, bounds);
    if (refused?.outcome !== 'refused') throw new Error(`the withdrawal is ${refused?.outcome}`);
    expect(moneyIn(refused)).toBe(amount);
  });

  it('a withdrawal of what never came keeps it from coming, or does not find it', async () => {
    const given = subject.submission(type);
    const said = await subject.connector.withdraw?.(given, bounds);
    if (mayArriveForMs !== undefined) return expect(said?.outcome).toBe('not_found');
    expect(said?.outcome).toBe('withdrawn');
    expect(await subject.connector.submit(given, bounds)).toMatchObject({ outcome: 'refused' });
    expect(await subject.simulator.orders(given)).toBe(0);
  });
}

function describeReceipts(subject: Subject): void {
  it('a receipt is taken once by its id, however often it is given', async () => {
    const given = await subject.accepted('payment');
    const receipt = {
      receiptId: randomUUID(),
      content: Buffer.from('%PDF-1.4 a'),
      contentType: 'application/pdf',
    };
    for (const connector of [subject.connector, subject.connector, subject.another()])
      expect(await connector.submitReceipt?.(given, receipt, bounds)).toMatchObject({ outcome: 'taken' });
    expect(await subject.simulator.receipts?.(given)).toBe(1);
  });
}

function describeEvidence(subject: Subject, type: Type): void {
  it('evidence shows all of the money, and each file that it names can be had', async () => {
    const given = await subject.accepted(type);
    await subject.simulator.pay(given);
    await subject.known(given, (said) => moneyIn(said) === amount);
    const evidence = await subject.connector.evidence?.(given, bounds);
    if (evidence?.outcome !== 'known') throw new Error(`the evidence is ${evidence?.outcome}`);
    expect(sum(evidence.items.map((item) => item.amount))).toBe(amount);
    for (const { leg_id: legId, file } of evidence.items) {
      const fetched = await subject.connector.fetchReceiptFile?.(given, legId, bounds);
      expect(fetched?.outcome).toBe(file ? 'file' : subject.says.fetchReceiptFile && 'none');
    }
  });
}

function describeStatement(subject: Subject, type: Type): void {
  it('a statement has each leg once, with whose it is, and within its period', async () => {
    const given = await subject.accepted(type);
    await subject.simulator.pay(given);
    const known = await subject.known(given, (said) => moneyIn(said) === amount);
    const times = known.report.legs.map((leg) => Date.parse(leg.completed_at));
    const at = (ms: number) => new Date(ms).toISOString();
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const ours = async (from: string, until: string) => {
      const stated = await subject.connector.statement?.({ from, until }, bounds);
      if (stated?.outcome !== 'known') throw new Error(`the statement is ${stated?.outcome}`);
      return stated.lines.filter(({ legId }) => known.report.legs.some(({ leg_id }) => leg_id === legId));
    };
    const lines = await ours(at(first), at(last + 1));
    expect(lines.map(({ legId }) => legId).toSorted()).toEqual(
      known.report.legs.map(({ leg_id }) => leg_id).toSorted(),
    );
    for (const { of } of lines)
      if (of) expect(of).toEqual({ operationId: given.operationId, attempt: given.attempt });
    expect(sum(lines.map((line) => line.amount))).toBe(amount);
    expect(await ours(at(first - 60_000), at(first))).toEqual([]);
  });
}
