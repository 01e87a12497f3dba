import { afterAll, describe } from 'vitest';
import { describeCallbacks } from './callbacks.ts';
import { describeCheck } from './check.ts';
import { describeFaults } from './faults.ts';
import type { Harness } from './harness.ts';
import { describeMoney } from './money.ts';
import { describeOptionalParts } from './optional-parts.ts';
import { describeOutcomes } from './outcomes.ts';
import { describeReturns } from './returns.ts';
import { describeSayings } from './says.ts';
import { useSubject } from './subject.ts';
import { describeUnknown } from './unknown.ts';

/**
 * What every connector has to do, by what it says of itself, in each currency that it carries
 * (docs/developers/connectors.md).
 */
export function describeConnector(harness: Harness): void {
  const { connector: says, close } = harness.connect('http://127.0.0.1:9');
  afterAll(close);
  describe(`the connector ${says.name}`, () => {
    describeSayings(says);
    describe.each([...new Set(says.carries.map(({ currency }) => currency))])(
      'in %s',
      (currency) => {
        const subject = useSubject(harness, currency);
        describeOutcomes(subject);
        describeMoney(subject);
        if (says.returns) describeReturns(subject);
        describeUnknown(subject);
        describeFaults(subject, harness);
        describeOptionalParts(subject);
        if (says.check) describeCheck(subject);
        if (says.reports.by === 'callbacks') describeCallbacks(subject, says.reports);
      },
    );
  });
}
