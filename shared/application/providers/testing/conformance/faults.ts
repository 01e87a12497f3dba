import { beforeAll, describe, expect, it } from 'vitest';
import type { CallBounds, ProviderConnector } from '../../connector.ts';
import type { Submission, Harness } from './harness.ts';
import { amount, bounds, convertingRoute, moneyIn, type Subject } from './subject.ts';
import { faults } from './wire.ts';

const shortBounds = { timeoutMs: 150 };

type Result = { outcome: string };
/** A paid attempt and its leg. */
type Paid = Submission & { legId: string };
type Call = (
  connector: ProviderConnector,
  paid: Paid,
  within: CallBounds,
) => Promise<Result> | undefined;

const receipt = {
  receiptId: 'receipt-1',
  content: Buffer.from('%PDF-1.4 a'),
  contentType: 'application/pdf',
};
/** Every call of a connector; optional ones that it does not have are skipped. */
const calls: Record<string, Call> = {
  ask: (connector, submission, within) => connector.ask(submission, within),
  withdraw: (connector, submission, within) => connector.withdraw?.(submission, within),
  quote: (connector, submission, within) =>
    connector.quote?.({ ...submission, route: convertingRoute(submission) }, within),
  submitReceipt: (connector, submission, within) =>
    connector.submitReceipt?.(submission, receipt, within),
  evidence: (connector, submission, within) => connector.evidence?.(submission, within),
  fetchReceiptFile: (connector, submission, within) =>
    connector.fetchReceiptFile?.(submission, submission.legId, within),
  check: (connector, _given, within) => connector.check?.(within),
  statement: (connector, { request }, within) => connector.statement?.(ofToday(request), within),
};

/** Calls whose response is passed on unparsed. */
const unparsed = new Set(['fetchReceiptFile']);
const concernsParsing = /content type|invalid UTF-8/;

const ofToday = ({ currency }: Submission['request']) => ({
  currency,
  day: new Date().toISOString().slice(0, 10),
});

export function describeFaults(subject: Subject, harness: Harness): void {
  const offered = Object.keys(calls).filter((name) => name === 'ask' || name in subject.declared);

  describe.each(subject.types)('calls for a %s', (type) => {
    let submission: Paid;
    beforeAll(async () => {
      const accepted = await subject.accepted(type);
      await subject.simulator.pay(accepted);
      const { report } = await subject.pollUntil(
        accepted,
        (current) => moneyIn(current) === amount,
      );
      submission = { ...accepted, legId: report.legs[0]?.leg_id ?? '' };
    });

    describe.each(offered)('%s', (name) => {
      const call = calls[name];
      it.each(faults)('reports an unknown outcome after $name', async (fault) => {
        if (unparsed.has(name) && concernsParsing.test(fault.name))
          return expect(name).toBe('fetchReceiptFile');
        // A connector without memory of the attempt.
        const connector = subject.another();
        const { result, broken } = await subject.wire.breaking(fault, async (met) =>
          call?.(connector, submission, { ...bounds, ...(fault.silent && { signal: met }) }),
        );
        expect(broken).toBeGreaterThan(0);
        expect(['unknown', 'unavailable']).toContain(result?.outcome);
      });

      it('reports an unknown outcome if the provider is unavailable', async () => {
        const { connector, close } = harness.connect('http://127.0.0.1:9');
        const current = await call?.(connector, submission, bounds);
        expect(['unknown', 'unavailable']).toContain(current?.outcome);
        await close();
      });

      it('ends when the caller aborts', async () => {
        const silence = faults.find(({ silent, reaches }) => silent && !reaches)!;
        const signal = AbortSignal.timeout(100);
        const { result } = await subject.wire.breaking(silence, async () =>
          // Longer than the timeout of a test.
          call?.(subject.another(), submission, { timeoutMs: 600_000, signal }),
        );
        expect(['unknown', 'unavailable']).toContain(result?.outcome);
      });

      it('ends at its timeout', async () => {
        const silence = faults.find(({ silent, reaches }) => silent && !reaches)!;
        const { result } = await subject.wire.breaking(silence, async () =>
          call?.(subject.another(), submission, shortBounds),
        );
        expect(['unknown', 'unavailable']).toContain(result?.outcome);
      });
    });
  });
}
