import { expect, test } from 'vitest';
import { processesOf } from './faults/plan.ts';
import { renderReport } from './report.ts';
import { runChaos } from './run.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? 1);

// A short one; `npm run chaos` takes other seeds and more time.
test('a stack whose every process is killed keeps to all that it has answered', async () => {
  const result = await runChaos({ seed, forMs: 6_000, instances: 1 });
  if (result.findings.length > 0) throw new Error(renderReport(result));
  // What was broken was there, and was used meanwhile: less of it on a machine that has much else
  // to do.
  const processes = processesOf(1);
  const killed = processes.filter((name) => result.faults.has(`kill ${name}`));
  expect(killed.length).toBeGreaterThan(processes.length / 2);
  expect(result.operations).toBeGreaterThan(5);
  expect(result.webhooks).toBeGreaterThan(5);
}, 240_000);
