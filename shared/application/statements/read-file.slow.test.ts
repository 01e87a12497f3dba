import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { sumsOf } from './import.ts';
import { mostLines, readStatementFile } from './read-file.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const header = 'kind,direction,leg_id,amount,currency,completed_at';
const row = (index: number) => `transfer,in,leg-${index}-${'x'.repeat(60)},1.00,RUB,2026-01-31T12:00:00.000Z`;
async function* whole(bytes: Buffer) {
  yield bytes;
}

/** What is run, and the longest that others waited meanwhile. */
async function blocking<T>(
  work: () => Promise<T>,
): Promise<{ result: T; longestMs: number; tookMs: number }> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  delays.reset();
  delays.enable();
  const begun = performance.now();
  const result = await work();
  const tookMs = performance.now() - begun;
  await new Promise((resolve) => setTimeout(resolve, 50));
  delays.disable();
  return { result, longestMs: delays.max / 1e6, tookMs };
}

it('a file of as many lines as there may be leaves the loop to others', async () => {
  const rows = Array.from({ length: mostLines }, (_, index) => row(index));
  const file = Buffer.from([header, ...rows].join('\n'));
  const { result, longestMs, tookMs } = await blocking(async () => {
    const read = await readStatementFile(whole(file), of);
    return read.ok ? { lines: read.lines.length, sums: await sumsOf(read) } : read;
  });
  expect(result).toMatchObject({ lines: mostLines, sums: { in: '100000.00', out: '0.00' } });
  // Else the bound below would hold for what blocks it whole.
  expect(tookMs).toBeGreaterThan(300);
  expect(longestMs).toBeLessThan(250);
});

it('a file of nothing but wrong lines is left at the hundredth', async () => {
  const file = Buffer.from(`${header}\n${'\n'.repeat(16 * 1024 * 1024)}`);
  const { result, longestMs } = await blocking(async () => readStatementFile(whole(file), of));
  expect(result).toMatchObject({ ok: false });
  expect(result.ok ? [] : result.errors).toHaveLength(100);
  expect(longestMs).toBeLessThan(250);
});
