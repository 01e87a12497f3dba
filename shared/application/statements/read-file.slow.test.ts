import { expect, it } from 'vitest';
import { usedMs } from '#infra/verify/harness/figures/used-ms.ts';
import { computeSums } from './import-statement.ts';
import { mostLines } from './files/accounts.ts';
import { inOneChunk } from './files/source.ts';
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
    const read = await readStatementFile(inOneChunk(file), of);
    return read.ok ? { lines: read.lines.length, sums: await computeSums(read) } : read;
  });
  expect(result).toMatchObject({ lines: mostLines, sums: { in: '100000.00', out: '0.00' } });
  // If either function blocked the loop, one turn would take most of the time.
  expect(longestMs).toBeLessThan(tookMs / 3);
});

it('stops reading a file at its hundredth invalid line (R22.15)', async () => {
  const file = Buffer.alloc(16 * 1024 * 1024, 'x\n');
  file.write(`${header}\n`);
  let chunks = 0;
  async function* counted() {
    for (let at = 0; at < file.length; at += 65_536) {
      chunks += 1;
      yield file.subarray(at, at + 65_536);
    }
  }
  const result = await readStatementFile(counted, of, { encoding: 'utf-8' });
  expect(result.ok ? [] : result.errors).toHaveLength(100);
  expect(chunks).toBeLessThan(4);
});

it('a file with too many lines is read to its end, and says how many it has (R22.15)', async () => {
  const more = 2_345;
  async function* file() {
    yield Buffer.from(`${header}\n`);
    for (let at = 0; at < (mostLines + more) / 5; at += 1)
      yield Buffer.from(`${row(at)}\n`.repeat(5));
  }
  expect(await readStatementFile(file, of)).toMatchObject({
    ok: false,
    errors: [{ line: mostLines + 2, code: 'too_many_lines', lines: mostLines + more }],
  });
});

it('a batch of too many parts says how many it has (R22.15)', async () => {
  const head = `<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="RUB">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>2026-01-31</Dt></BookgDt><NtryDtls>`;
  const parts = 120_000;
  async function* file() {
    yield Buffer.from(head);
    for (let at = 0; at < parts / 100; at += 1) yield Buffer.from('<TxDtls/>'.repeat(100));
    yield Buffer.from('</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>');
  }
  expect(await readStatementFile(file, of)).toMatchObject({
    errors: [{ code: 'too_many_lines', lines: parts }],
  });
});

it('reads an endless entry up to 32 MiB of texts (R22.15)', async () => {
  const part = `<NtryDtls><TxDtls><RmtInf><Ustrd>${'x'.repeat(4_000)}</Ustrd></RmtInf></TxDtls></NtryDtls>`;
  async function* file() {
    yield Buffer.from('<Document><BkToCstmrStmt><Stmt><Ntry>');
    for (;;) yield Buffer.from(part.repeat(16));
  }
  expect(await readStatementFile(file, of, { encoding: 'utf-8' })).toMatchObject({
    errors: [{ code: 'text_too_long' }],
  });
});
