import { describe, expect, it } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { crashRows, runRow } from './matrix.ts';
import { failures } from './table.ts';
import { startRestartableWebhookService } from './webhook-service.ts';

// One round of each; those that lose only the data of NATS are integration tests as well
// (services/webhooks/loss.integration.test.ts). `npm run verify -- chaos webhooks --rounds 20`
// repeats every row, and another seed chooses other moments.
const short = [
  'kill -9 of the relay',
  'kill -9 of the ingest',
  'kill -9 of the dispatcher',
  'PostgreSQL ended at once',
  'NATS with its data wiped',
  'events replayed',
  'a log longer than the stream remembers',
];
const seed = Number(process.env['WEBHOOK_CRASH_SEED'] ?? 20_260_131);

const service = forFile(startRestartableWebhookService);

describe(`webhooks, seed ${seed}`, () => {
  it.each(short)('%s (R14.13)', async (name) => {
    const rows = crashRows();
    const at = rows.findIndex((row) => row.name === name);
    const row = rows[at];
    if (!row) throw new Error(`there is no row ${name}`);
    const result = await runRow(service, row, { rounds: 1, seed: seed + 10 * at });
    expect(failures([result])).toEqual([]);
    // A run without a fault or without webhooks would show nothing.
    expect(result.faults).toHaveLength(1);
    expect(result.count.required).toBeGreaterThan(5);
    expect(result.count.deliveries).toBeGreaterThanOrEqual(result.count.required);
  });
});
