import { startEmbeddedStores } from '#infra/verify/harness/stores/embedded-stores.ts';
import type { LoopMeasurement } from '#infra/lab/load/loops.ts';
import { startOrderWorker } from '#infra/lab/targets/servers.ts';
import type { BenchContext } from '../context.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import type { ProjectorOrder } from '../servers/projector.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const readName = 'bare read';

/**
 * Events per second into read models while they catch up, compared with reading the same events.
 */
export async function measureProjections(context: BenchContext): Promise<BenchSection[]> {
  // A log with only these events.
  const stores = await startEmbeddedStores(['event-store', 'postgres']);
  const projector = startOrderWorker<ProjectorOrder>('infra/lab/bench/servers/projector.ts', {
    EVENT_STORE_URL: stores.urls['event-store'] ?? '',
    DATABASE_URL: stores.urls.postgres ?? '',
  });
  try {
    const operations = context.quick ? 2_000 : 6_000;
    const { entries } = await projector.request<{ entries: number }>({
      order: 'prepare',
      operations,
    });
    const stored = [stores.processes['event-store']?.pid ?? 0, stores.processes.postgres?.pid ?? 0];
    const run = (
      name: string,
      order: 'read' | 'project',
      model: 'operations' | 'ledger',
    ): Case => ({
      name,
      ...(name !== readName && { against: [readName] }),
      run: () =>
        withCpu([projector.pid, ...stored], () =>
          projector.request<LoopMeasurement>({ order, model }),
        ),
    });
    const measure = (model: 'operations' | 'ledger') =>
      inRounds([run(readName, 'read', model), run('projected', 'project', model)], context);
    const read = `"${readName}": a subscription from the start to the end.`;
    return [
      {
        name: 'Projections, events',
        about: `${operations} paid operations, four events each. ${read}`,
        rows: await measure('operations'),
        figures: [],
      },
      {
        name: 'Projections, entries of the ledger',
        about: `${entries} entries in the ledger of one busy shop. ${read}`,
        rows: await measure('ledger'),
        figures: [],
      },
    ];
  } finally {
    await projector.stop();
    await stores.stop();
  }
}
