import { startEmbeddedStores } from '#infra/verify/harness/embedded-stores.ts';
import type { Context } from '../context.ts';
import { createLoadClient, postJson } from '#infra/lab/load/http-client.ts';
import type { Load } from '#infra/lab/load/loops.ts';
import { createServers } from '#infra/lab/targets/servers.ts';
import type { Section } from '../report/section.ts';
import { inRounds, withCpu, type Case } from '../rounds.ts';

const readName = 'bare read';

/**
 * Events per second through every rule of the log, beside reading the same events with the official
 * client.
 */
export async function measureAudit(context: Context): Promise<Section[]> {
  // A log that holds these events and no others.
  const stores = await startEmbeddedStores(['event-store']);
  const servers = createServers();
  try {
    const env = { EVENT_STORE_URL: stores.urls['event-store'] ?? '' };
    const auditor = await servers.start('infra/lab/bench/servers/auditor.ts', {
      port: 'PORT',
      env,
    });
    const client = createLoadClient(auditor.url, 1);
    const events = context.quick ? 10_000 : 40_000;
    for (let done = false; !done;)
      ({ done } = await postJson<{ done: boolean }>(client, '/prepare', { events }));
    const run = (name: string, path: string): Case => ({
      name,
      ...(name !== readName && { against: [readName] }),
      run: () =>
        withCpu([auditor.pid, stores.processes['event-store']?.pid ?? 0], () =>
          postJson<Load>(client, path, {}),
        ),
    });
    const cases = [run(readName, '/read'), run('bytes', '/bytes'), run('audited', '/audit')];
    const rows = await inRounds(cases, context);
    await client.close();
    const about = `${events} events of payments, payouts, books and receipts. "${readName}": a subscription from the start to the end; "bytes": the audit's own codec alone.`;
    return [{ name: 'Audit, events', about, rows, figures: [] }];
  } finally {
    await servers.stop();
    await stores.stop();
  }
}
