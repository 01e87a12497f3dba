import { startEmbeddedStores } from '#infra/verify/harness/embedded-stores.ts';
import type { Load } from '#infra/lab/load/loops.ts';
import { startWorker } from '#infra/lab/targets/servers.ts';
import type { Context } from '../context.ts';
import type { Section } from '#infra/lab/report/section.ts';
import type { ProjectorOrder } from '../servers/projector.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const readName = 'bare read';

/**
 * Events per second into read models while they catch up, compared with reading the same events.
 */
export async function measureProjections(context: Context): Promise<Section[]> {
  // A log with only these events.
  const stores = await startEmbeddedStores(['event-store', 'postgres']);
  const projector = startWorker<ProjectorOrder>('infra/lab/bench/servers/projector.ts', {
    EVENT_STORE_URL: stores.urls['event-store'] ?? '',
    DATABASE_URL: stores.urls.postgres ?? '',
  });
  try {
    const operations = context.quick ? 2_000 : 6_000;
    const { entries } = await projector.ask<{ entries: number }>({ order: 'prepare', operations });
    const stored = [stores.processes['event-store']?.pid ?? 0, stores.processes.postgres?.pid ?? 0];
    const run = (
      name: string,
      order: 'read' | 'project',
      model: 'operations' | 'ledger',
    ): Case => ({
      name,
      ...(name !== readName && { against: [readName] }),
      run: () => withCpu([projector.pid, ...stored], () => projector.ask<Load>({ order, model })),
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
        name: 'Projections, entries of the books',
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
