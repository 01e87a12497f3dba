import { expect, it } from 'vitest';
import { usedMs } from '#infra/verify/harness/used-ms.ts';
import { sumsOf } from './import.ts';
import { mostLines, readStatementFile } from './read-file.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const header = 'kind,direction,leg_id,amount,currency,completed_at';
const row = (index: number) =>
  `transfer,in,leg-${index}-${'x'.repeat(60)},1.00,RUB,2026-01-31T12:00:00.000Z`;

/** What is run, all that it used, and the most of it before others had their turn. */
async function blocking<T>(
  work: () => Promise<T>,
): Promise<{ result: T; longestMs: number; tookMs: number }> {
  const beganAt = usedMs();
  let [since, longestMs, over] = [beganAt, 0, false];
  const look = () => {
    const now = usedMs();
    longestMs = Math.max(longestMs, now - since);
    since = now;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  const result = await work();
  over = true;
  const tookMs = usedMs() - beganAt;
  // The last turn counts too.
  await new Promise((resolve) => setImmediate(resolve));
  return { result, longestMs, tookMs };
}

it('a file with the maximum number of lines does not block the event loop (R22.15)', async () => {
  const rows = Array.from({ length: mostLines }, (_, index) => row(index));
  const file = Buffer.from([header, ...rows].join('\n'));
  const { result, longestMs, tookMs } = await blocking(async () => {
    const read = await readStatementFile(file, of);
    return read.ok ? { lines: read.lines.length, sums: await sumsOf(read) } : read;
  });
  expect(result).toMatchObject({ lines: mostLines, sums: { in: '100000.00', out: '0.00' } });
  // What holds up the loop whole, or for one of the two, is one turn that is most of it.
  expect(longestMs).toBeLessThan(tookMs / 3);
});

it('a file of invalid lines is abandoned at the hundredth (R22.15)', async () => {
  const file = Buffer.alloc(16 * 1024 * 1024, '\n');
  file.write(header);
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
