import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { statementStream } from '#shared/domain/statements/events.ts';
import { auditLog } from './testing/audit-log.ts';
import { generateLog } from './testing/generated-log.ts';

/** An empty statement of each provider on every day that anything in the log is of. */
function stateAllDays({ events, append }: ReturnType<typeof generateLog>): number {
  const text = events.map(({ data }) => data.toString('utf8')).join('\n');
  const days = new Set(
    [...text.matchAll(/"completed_at":"(\d{4}-\d\d-\d\d)/g)].map(([, day = '']) => day),
  );
  const said = { import: 1, source: 'provider', lines: 0, total_in: '0.00', total_out: '0.00' };
  for (const day of days)
    for (const provider of ['sandbox', 'other']) {
      const of = { provider, account: 'default', currency: 'RUB', day };
      const data = { ...of, ...said, digest: hash('sha256', '\n') };
      append({
        stream: statementStream(of),
        type: 'StatementImported',
        data,
        actor: 'service:processor',
      });
    }
  return days.size;
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'finds nothing in a log that the gateway could have written (seed %i), however little fits in memory (R18.3)',
  async (seed) => {
    const log = generateLog({ seed, operations: 150 });
    expect(stateAllDays(log)).toBeGreaterThan(0);
    const inMemory = seed % 2 === 0 ? 5 : 1_000;
    const { findings } = await auditLog(log.events, { inMemory });
    // An operation of a random life may have been left behind: nobody is there to bring it to its
    // end.
    expect(findings.filter(({ rule }) => rule !== 'operation.overdue')).toEqual([]);
    expect(log.events.length).toBeGreaterThan(450);
  },
  30_000,
);
