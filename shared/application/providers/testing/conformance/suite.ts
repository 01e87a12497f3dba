import { describe } from 'vitest';
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

/** What every connector has to do, by what it says of itself (docs/developers/connectors.md). */
export function describeConnector(harness: Harness): void {
  const subject = useSubject(harness);
  describe(`the connector ${subject.says.name}`, () => {
    describeSayings(subject);
    describeOutcomes(subject);
    describeMoney(subject);
    if (subject.says.returns) describeReturns(subject);
    describeUnknown(subject);
    describeFaults(subject, harness);
    describeOptionalParts(subject);
    if (subject.says.check) describeCheck(subject);
    if (subject.says.reports.by === 'callbacks') describeCallbacks(subject, subject.says.reports);
  });
}
