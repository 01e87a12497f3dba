import { beforeAll, describe, expect, it } from 'vitest';
import type { CallBounds, ProviderConnector } from '../../connector.ts';
import type { Submission, Harness } from './harness.ts';
import { amount, bounds, convertingRoute, moneyIn, type Subject } from './subject.ts';
import { faults } from './wire.ts';

const shortly = { timeoutMs: 150 };

type Said = { outcome: string };
/** An attempt that was paid, and the leg that it has. */
type Paid = Submission & { legId: string };
type Call = (
  connector: ProviderConnector,
  paid: Paid,
  within: CallBounds,
) => Promise<Said> | undefined;

const receipt = {
  receiptId: 'receipt-1',
  content: Buffer.from('%PDF-1.4 a'),
  contentType: 'application/pdf',
};
/** Every call that asks something; those that the connector leaves out are left out. */
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

/** What is passed on as it comes has no form that could be wrong. */
const formless = new Set(['fetchReceiptFile']);
const needsForm = /content type|bytes that are no text/;

const ofToday = ({ currency }: Submission['request']) => ({
  currency,
  day: new Date().toISOString().slice(0, 10),
});

export function describeFaults(subject: Subject, harness: Harness): void {
  const offered = Object.keys(calls).filter((name) => name === 'ask' || name in subject.says);

  describe.each(subject.types)('of a %s', (type) => {
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
      it.each(faults)('with $name has an unknown outcome', async (fault) => {
        if (formless.has(name) && needsForm.test(fault.name))
          return expect(name).toBe('fetchReceiptFile');
        // Of a process that remembers nothing.
        const connector = subject.another();
        const { result, broken } = await subject.wire.breaking(fault, async (met) =>
          call?.(connector, submission, { ...bounds, ...(fault.silent && { signal: met }) }),
        );
        expect(broken).toBeGreaterThan(0);
        expect(['unknown', 'unavailable']).toContain(result?.outcome);
      });

      it('with an unavailable provider has an unknown outcome', async () => {
        const { connector, close } = harness.connect('http://127.0.0.1:9');
        const current = await call?.(connector, submission, bounds);
        expect(['unknown', 'unavailable']).toContain(current?.outcome);
        await close();
      });

      it('is aborted with its caller', async () => {
        const silence = faults.find(({ silent, reaches }) => silent && !reaches)!;
        const signal = AbortSignal.timeout(100);
        const { result } = await subject.wire.breaking(silence, async () =>
          // Beyond the time that a test has.
          call?.(subject.another(), submission, { timeoutMs: 600_000, signal }),
        );
        expect(['unknown', 'unavailable']).toContain(result?.outcome);
      });

      it('is aborted after its timeout', async () => {
        const silence = faults.find(({ silent, reaches }) => silent && !reaches)!;
        const { result } = await subject.wire.breaking(silence, async () =>
          call?.(subject.another(), submission, shortly),
        );
        expect(['unknown', 'unavailable']).toContain(result?.outcome);
      });
    });
  });
}
