import { startEmbeddedStores } from '#infra/verify/harness/stores/embedded-stores.ts';
import type { BenchContext } from '../context.ts';
import type { LoopMeasurement } from '#infra/lab/load/loops.ts';
import { startOrderWorker } from '#infra/lab/targets/servers.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import type { AuditorOrder } from '../servers/auditor.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const readName = 'bare read';

/**
 * Events per second of an audit by every rule of the log, compared with reading the same events
 * with the official client.
 */
export async function measureAudit(context: BenchContext): Promise<BenchSection[]> {
  // A log with only these events.
  const stores = await startEmbeddedStores(['event-store']);
  const auditor = startOrderWorker<AuditorOrder>('infra/lab/bench/servers/auditor.ts', {
    EVENT_STORE_URL: stores.urls['event-store'] ?? '',
  });
  try {
    const events = context.quick ? 10_000 : 40_000;
    for (let done = false; !done;)
      ({ done } = await auditor.request<{ done: boolean }>({ order: 'prepare', events }));
    const run = (name: string, order: 'read' | 'bytes' | 'audit'): Case => ({
      name,
      ...(name !== readName && { against: [readName] }),
      run: () =>
        withCpu([auditor.pid, stores.processes['event-store']?.pid ?? 0], () =>
          auditor.request<LoopMeasurement>({ order }),
        ),
    });
    const cases = [run(readName, 'read'), run('bytes', 'bytes'), run('audited', 'audit')];
    const rows = await inRounds(cases, context);
    const about = `${events} events of payments, payouts, ledger entries and receipts. "${readName}": a subscription from the start to the end; "bytes": the audit's own codec alone.`;
    return [{ name: 'Audit, events', about, rows, figures: [] }];
  } finally {
    await auditor.stop();
    await stores.stop();
  }
}
