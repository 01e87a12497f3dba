import { beginPeak, peakBytes } from '#infra/lab/load/sample/usage.ts';
import { orderId } from './fill.ts';
import type { Measurement } from './measured.ts';

/** An exported list, and the process that writes it. */
export type CsvSource = { url: string; headers: Record<string, string>; pid: number };

/** Reads a file of operations at full speed, and checks each row. @throws for a wrong row */
export async function measureCsv(
  { url, headers, pid }: CsvSource,
  rows: number,
): Promise<Measurement> {
  const beforeBytes = beginPeak(pid);
  const began = performance.now();
  const answer = await fetch(url, { headers });
  if (!answer.ok || !answer.body) throw new Error(`${url} answered ${answer.status}`);
  const rowsOf = createRows();
  let bytes = 0;
  let [column, expected] = [-1, rows];
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    bytes += chunk.length;
    for (const cells of rowsOf(chunk)) {
      if (column < 0) {
        column = cells.indexOf('merchant_operation_id');
        continue;
      }
      if (cells[column] !== orderId(expected))
        throw new Error(`found ${cells[column]} instead of ${orderId(expected)}`);
      expected -= 1;
    }
  }
  if (expected !== 0) throw new Error(`${expected} rows are missing`);
  const seconds = (performance.now() - began) / 1_000;
  return { rows, bytes, seconds, beforeBytes, peakBytes: peakBytes(pid) };
}

/** Splits the bytes of a file without quotes into records. */
function createRows(): (chunk: Uint8Array) => string[][] {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\r\n');
    rest = lines.pop() ?? '';
    return lines.map((line) => line.split(','));
  };
}
