import { once } from 'node:events';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { Leg } from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { everyMethod } from '#shared/application/providers/facts.ts';
import type { ProviderConnector, ReadCallback } from '#shared/application/providers/connector.ts';

type Known = { answer: ProviderAnswer; report: ProviderReport };
type Key = { operationId: string; attempt: number };

/** A provider in the same process: the test sets what it knows, and its calls are counted. */
export type FakeProvider = {
  connector: ProviderConnector;
  /** The state of an attempt; an attempt without one was never submitted. */
  setReport(operationId: string, report: Partial<ProviderReport>, answer?: ProviderAnswer): void;
  /** While true, it does not respond. */
  down: boolean;
  /** If set, responses wait for this promise. */
  hangs: Promise<void> | undefined;
  /** Withdrawals in progress. */
  withdrawing: string[];
  polls: string[];
  withdrawn: string[];
  evidenceRequests: string[];
  /** The received receipts: ids with contents. */
  receipts: { receiptId: string; content: string; contentType: string }[];
  /** While true, it refuses receipts. */
  refusesReceipts: boolean;
  callback(
    operationId: string,
    report: Partial<ProviderReport>,
  ): { headers: Record<string, string>; body: string };
};

export const leg = (legId: string, amount: string): Leg => ({
  leg_id: legId,
  amount,
  completed_at: '2026-01-31T12:00:00.000Z',
  file: false,
});

const answer: ProviderAnswer = {
  outcome: 'accepted',
  providerReference: 'ref',
  requisites: { number: '2200000000000004' },
};
const whole = (report: Partial<ProviderReport>): ProviderReport => ({
  attempt: 1,
  status: 'open',
  legs: [],
  ...report,
});

const keyOf = ({ operationId, attempt }: Key): string => `${operationId}.${attempt}`;

const readCallback: ReadCallback = (headers, body, nowMs) => {
  if (headers.get('x-signature') !== 'good') return { ok: false, reason: 'signature' };
  try {
    const read = JSON.parse(new TextDecoder().decode(body)) as Known & Key;
    const timestamp = String(Math.floor(nowMs / 1_000));
    const signed = { id: 'message', timestamp, signature: 'good', secretHint: 'fake', body };
    return { ok: true, signed, ...read };
  } catch {
    return { ok: false, reason: 'malformed' };
  }
};

export function createFakeProvider(name = 'sandbox'): FakeProvider {
  const attempts = new Map<string, Known>();
  const fake: FakeProvider = {
    down: false,
    hangs: undefined,
    withdrawing: [],
    polls: [],
    withdrawn: [],
    evidenceRequests: [],
    receipts: [],
    refusesReceipts: false,
    setReport: (operationId, change, answered = answer) => {
      const report = whole(change);
      attempts.set(keyOf({ operationId, attempt: report.attempt }), { answer: answered, report });
    },
    callback: (operationId, report) => ({
      headers: { 'x-signature': 'good' },
      body: JSON.stringify({ operationId, answer, report: whole(report) }),
    }),
    connector: {
      name,
      carries: everyMethod,
      submissions: { repeatable: true },
      reports: { by: 'callbacks', readCallback },
      submit: async () => ({ outcome: 'unknown', cause: 'error' }),
      ask: async (key) => {
        if (fake.down) return { outcome: 'unknown', cause: 'timeout' };
        fake.polls.push(keyOf(key));
        const known = attempts.get(keyOf(key));
        return known ? { outcome: 'known', ...known } : { outcome: 'never_submitted' };
      },
      withdraw: async (key, { signal }) => {
        if (fake.down) return { outcome: 'unknown', cause: 'timeout' };
        fake.withdrawing.push(keyOf(key));
        const aborted = signal && fake.hangs && once(signal, 'abort');
        await Promise.race([fake.hangs, aborted ?? fake.hangs]);
        fake.withdrawing.splice(fake.withdrawing.indexOf(keyOf(key)), 1);
        fake.withdrawn.push(keyOf(key));
        const known = attempts.get(keyOf(key)) ?? {
          answer,
          report: whole({ attempt: key.attempt }),
        };
        if (known.report.status === 'completed') return { outcome: 'refused', ...known };
        const withdrawn: Known = { answer, report: { ...known.report, status: 'withdrawn' } };
        attempts.set(keyOf(key), withdrawn);
        return { outcome: 'withdrawn', ...withdrawn };
      },
      quote: async () => ({ outcome: 'unknown', cause: 'error' }),
      submitReceipt: async (key, { receiptId, content, contentType }) => {
        const known = attempts.get(keyOf(key));
        if (fake.down || !known) return { outcome: 'unknown', cause: 'timeout' };
        if (fake.refusesReceipts)
          return { outcome: 'refused', reason: 'confirmation_not_expected' };
        fake.receipts.push({ receiptId, content: Buffer.from(content).toString(), contentType });
        return { outcome: 'taken', ...known };
      },
      evidence: async (key) => {
        fake.evidenceRequests.push(keyOf(key));
        const known = attempts.get(keyOf(key));
        if (!known) return { outcome: 'unavailable', cause: 'error' };
        const items = known.report.legs.map((shown) => ({ ...shown, synthetic: false }));
        return { outcome: 'known', status: 'complete', items };
      },
      fetchReceiptFile: async () => ({ outcome: 'unavailable', cause: 'error' }),
    },
  };
  return fake;
}
