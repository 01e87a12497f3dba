import { afterAll, describe } from 'vitest';
import { describeCallbacks } from './callbacks.ts';
import { describeCheck } from './check.ts';
import { describeFaults } from './faults.ts';
import type { Harness } from './harness.ts';
import { describeMoney } from './money.ts';
import { describeOptionalParts } from './optional-parts.ts';
import { describeOutcomes } from './outcomes.ts';
import { describeReturns } from './returns.ts';
import { describeDeclarations } from './says.ts';
import { useSubject } from './subject.ts';
import { describeUnknown } from './unknown.ts';

/**
 * What every connector has to do, according to its declarations, in each currency it carries
 * (docs/developers/connectors.md).
 */
export function describeConnector(harness: Harness): void {
  const { connector: declared, close } = harness.connect('http://127.0.0.1:9');
  afterAll(close);
  describe(`the connector ${declared.name}`, () => {
    describeDeclarations(declared);
    describe.each([...new Set(declared.carries.map(({ currency }) => currency))])(
      'in %s',
      (currency) => {
        const subject = useSubject(harness, currency);
        describeOutcomes(subject);
        describeMoney(subject);
        if (declared.returns) describeReturns(subject);
        describeUnknown(subject);
        describeFaults(subject, harness);
        describeOptionalParts(subject);
        if (declared.check) describeCheck(subject);
        if (declared.reports.by === 'callbacks') describeCallbacks(subject, declared.reports);
      },
    );
  });
}
