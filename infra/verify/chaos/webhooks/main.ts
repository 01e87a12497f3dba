import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { crashRows, runRow, type RowResult } from './matrix.ts';
import { failures, renderMatrix } from './table.ts';
import { startWebhookService } from './webhook-service.ts';

// Kills and restarts everything that webhooks go through, and counts what came of it:
//   npm run webhook-crashes -- --rounds 10 --seed 42 --only relay
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** Only rows whose name holds one of these. */
    only: { type: 'string', multiple: true, default: [''] },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed) || seed < 0) {
  process.stderr.write('--rounds takes a number from 1, --seed one from 0\n');
  process.exit(2);
}
process.stdout.write(`seed ${seed}, ${rounds} rounds\n`);
const service = await startWebhookService();
const results: RowResult[] = [];
try {
  for (const [at, row] of crashRows().entries()) {
    if (!values.only.some((part) => row.name.includes(part))) continue;
    const startedAt = performance.now();
    const result = await runRow(service, row, { rounds, seed: seed + 10 * at });
    results.push(result);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`${row.name} (${seconds} s): ${result.faults.join(', ')}\n`);
  }
} finally {
  await service.close();
}
process.stdout.write(`\n${renderMatrix(results)}\n`);
const wrong = failures(results);
if (wrong.length > 0) process.stdout.write(`\n${wrong.join('\n')}\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;
