import { startEmbeddedStores } from '#infra/verify/harness/embedded-stores.ts';
import type { Context } from '../context.ts';
import { createLoadClient } from '#infra/verify/load/http-client.ts';
import type { Load } from '#infra/verify/load/loops.ts';
import { createServers } from '#infra/verify/stack/servers.ts';
import type { Section } from '../report/section.ts';
import { inRounds, withCpu, type Case } from '../rounds.ts';

const readName = 'bare read';

/** Events per second into the operations read model while it catches up, beside reading the same events. */
export async function measureProjections(context: Context): Promise<Section[]> {
  // A log that holds these events and no others.
  const stores = await startEmbeddedStores(['event-store', 'postgres']);
  const servers = createServers();
  try {
    const env = {
      EVENT_STORE_URL: stores.urls['event-store'] ?? '',
      DATABASE_URL: stores.urls.postgres ?? '',
    };
    const projector = await servers.start('infra/verify/bench/servers/projector.ts', { port: 'PORT', env });
    const client = createLoadClient(projector.url, 1);
    const post = async (path: string, body: object) =>
      JSON.parse((await client.send({ method: 'POST', path, body: JSON.stringify(body) })).body) as unknown;
    const operations = context.quick ? 2_000 : 6_000;
    await post('/prepare', { operations });
    const stored = [stores.processes['event-store']?.pid ?? 0, stores.processes.postgres?.pid ?? 0];
    const run = (name: string, path: string): Case => ({
      name,
      ...(name !== readName && { against: [readName] }),
      run: () => withCpu([projector.pid, ...stored], async () => (await post(path, {})) as Load),
    });
    const rows = await inRounds([run(readName, '/read'), run('projected', '/project')], context);
    await client.close();
    const about = `${operations} paid operations, four events each. "${readName}": a subscription from the start to the end.`;
    return [{ name: 'Projections, events', about, rows, figures: [] }];
  } finally {
    await servers.stop();
    await stores.stop();
  }
}
