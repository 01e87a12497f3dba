import { expect, it } from 'vitest';
import { auditLog } from './audit-log.ts';
import { busyLog } from './busy-log.ts';

// The benchmark audits such a log, and stops at the first finding.
it('a busy log contains no violation', async () => {
  const { findings, inFlight } = await auditLog([...busyLog(300)]);
  expect(findings).toEqual([]);
  expect(inFlight).toBe(0);
});
