import { expect, it } from 'vitest';
import { usedMs } from '#infra/verify/harness/used-ms.ts';
import { computeSums } from './import-statement.ts';
import { mostLines } from './files/accounts.ts';
import { readStatementFile } from './read-file.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const header = 'kind,direction,leg_id,amount,currency,completed_at';
const row = (index: number) =>
  `transfer,in,leg-${index}-${'x'.repeat(60)},1.00,RUB,2026-01-31T12:00:00.000Z`;

/** Runs the work; returns the time it used, in total and in its longest event-loop turn. */
async function blocking<T>(
  work: () => Promise<T>,
): Promise<{ result: T; longestMs: number; tookMs: number }> {
  const beganAt = usedMs();
  let [since, longestMs, over] = [beganAt, 0, false];
  const measure = () => {
    const now = usedMs();
    longestMs = Math.max(longestMs, now - since);
    since = now;
    if (!over) setImmediate(measure);
  };
  setImmediate(measure);
  const result = await work();
  over = true;
  const tookMs = usedMs() - beganAt;
  // The last turn counts too.
  await new Promise((resolve) => setImmediate(resolve));
  return { result, longestMs, tookMs };
}

it('reads the largest file without blocking the event loop (R22.15)', async () => {
  const rows = Array.from({ length: mostLines }, (_, index) => row(index));
  const file = Buffer.from([header, ...rows].join('\n'));
  const { result, longestMs, tookMs } = await blocking(async () => {
    const read = await readStatementFile(file, of);
    return read.ok ? { lines: read.lines.length, sums: await computeSums(read) } : read;
  });
  expect(result).toMatchObject({ lines: mostLines, sums: { in: '100000.00', out: '0.00' } });
  // If either function blocked the loop, one turn would take most of the time.
  expect(longestMs).toBeLessThan(tookMs / 3);
});

it('stops reading a file at its hundredth invalid line (R22.15)', async () => {
  const file = Buffer.alloc(16 * 1024 * 1024, 'x\n');
  file.write(`${header}\n`);
  let pieces = 0;
  const counted = new Proxy(file, {
    get: (whole, name) => {
      if (name === 'subarray') pieces += 1;
      const value: unknown = Reflect.get(whole, name, whole);
      return typeof value === 'function' ? value.bind(whole) : value;
    },
  });
  const result = await readStatementFile(counted, of, { encoding: 'utf-8' });
  expect(result.ok ? [] : result.errors).toHaveLength(100);
  expect(pieces).toBeLessThan(4);
});
