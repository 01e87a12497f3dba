import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The order of the kinds: those with the longest files first, so that no worker ends long after the
 * others.
 */
const kinds = [
  'browser',
  'e2e',
  'real-store',
  'smoke',
  'acceptance',
  'slow',
  'integration',
  'conformance',
  'unit',
];

/**
 * Vitest orders kinds by name; within a kind the longest of the last run, or the largest, comes
 * first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => kinds.indexOf(project.name);
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own, which gives a new list
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
