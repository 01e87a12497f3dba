import { randomInt } from 'node:crypto';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { crashRows, runRow, type MatrixRowResult } from './matrix.ts';
import { failures, renderMatrix } from './table.ts';
import { startRestartableWebhookService } from './webhook-service.ts';

const usage = `usage: npm run verify -- chaos webhooks [--rounds N] [--seed N] [--only <text>]…

Kills and restarts everything on the path of webhooks, one fault at a time (docs/developers/webhooks.md).

  --rounds <number>  rounds of each fault; default 10
  --seed <number>    repeats the moments of a run
  --only <text>      only faults whose name contains this text, such as NATS
`;

/**
 * `npm run verify -- chaos webhooks`: kills and restarts everything on the path of webhooks, and
 * counts the results.
 * @returns the exit code
 */
export async function runWebhookCrashes(args: readonly string[]): Promise<number> {
  const { values } = readCommandLine(usage, {
    args: [...args],
    options: {
      rounds: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      /** Only rows whose name holds one of these. */
      only: { type: 'string', multiple: true, default: [''] },
    },
  });
  const rounds = Number(values.rounds);
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed) || seed < 0)
    refuseCommandLine(usage, '--rounds takes 1 or more, --seed 0 or more');
  process.stdout.write(`seed ${seed}, ${rounds} rounds\n`);
  const service = await startRestartableWebhookService();
  const results: MatrixRowResult[] = [];
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
  return wrong.length > 0 ? 1 : 0;
}
