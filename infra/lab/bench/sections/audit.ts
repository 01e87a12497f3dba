import { startEmbeddedStores } from '#infra/verify/harness/embedded-stores.ts';
import type { Context } from '../context.ts';
import type { Load } from '#infra/lab/load/loops.ts';
import { startWorker } from '#infra/lab/targets/servers.ts';
import type { Section } from '#infra/lab/report/section.ts';
import type { AuditorOrder } from '../servers/auditor.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const readName = 'bare read';

/**
 * Events per second of an audit by every rule of the log, compared with reading the same events
 * with the official client.
 */
export async function measureAudit(context: Context): Promise<Section[]> {
  // A log with only these events.
  const stores = await startEmbeddedStores(['event-store']);
  const auditor = startWorker<AuditorOrder>('infra/lab/bench/servers/auditor.ts', {
    EVENT_STORE_URL: stores.urls['event-store'] ?? '',
  });
  try {
    const events = context.quick ? 10_000 : 40_000;
    for (let done = false; !done;)
      ({ done } = await auditor.ask<{ done: boolean }>({ order: 'prepare', events }));
    const run = (name: string, order: 'read' | 'bytes' | 'audit'): Case => ({
      name,
      ...(name !== readName && { against: [readName] }),
      run: () =>
        withCpu([auditor.pid, stores.processes['event-store']?.pid ?? 0], () =>
          auditor.ask<Load>({ order }),
        ),
    });
    const cases = [run(readName, 'read'), run('bytes', 'bytes'), run('audited', 'audit')];
    const rows = await inRounds(cases, context);
    const about = `${events} events of payments, payouts, books and receipts. "${readName}": a subscription from the start to the end; "bytes": the audit's own codec alone.`;
    return [{ name: 'Audit, events', about, rows, figures: [] }];
  } finally {
    await auditor.stop();
    await stores.stop();
  }
}
