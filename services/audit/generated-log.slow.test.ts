import { expect, it } from 'vitest';
import { auditLog } from './testing/audit-log.ts';
import { generateLog } from './testing/generated-log.ts';

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'finds nothing in a log that the gateway could have written (seed %i), however little fits in memory',
  async (seed) => {
    const log = generateLog({ seed, operations: 150 });
    const inMemory = seed % 2 === 0 ? 5 : 1_000;
    const { findings } = await auditLog(log.events, { inMemory });
    // An operation of a random life may have been left behind: nobody is there to bring it to its
    // end.
    expect(findings.filter(({ rule }) => rule !== 'operation.overdue')).toEqual([]);
    expect(log.events.length).toBeGreaterThan(450);
  },
  30_000,
);
