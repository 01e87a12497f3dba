import { sql, type Kysely } from 'kysely';
import { waitUntil } from '#infra/process/wait-until.ts';
import { liveSchema } from '#projections/read-model.ts';
import { readModels } from '#projections/registry.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

const everyMs = 1_000;
/** To read a whole log in which nothing is a read model's takes seconds. */
const readWithinMs = 120_000;
const withinMs = 1_800_000;

type Row = { name: string; position: string | null; failed_reason: string | null };

/** Waits until the read models have all that is in the log. */
export async function projected(db: Kysely<unknown>, store: EventStore): Promise<void> {
  const behind = new Set(readModels);
  const check = async () => {
    const { rows } = await sql<Row>`
      select name, position, failed_reason from projections.status where schema = ${liveSchema}`.execute(
      db,
    );
    const stopped = rows.find(({ failed_reason: reason }) => reason !== null);
    if (stopped) throw new Error(`${stopped.name} stopped: ${stopped.failed_reason}`);
    for (const model of behind) {
      const at = rows.find(({ name }) => name === model.name)?.position;
      const position = at == null ? undefined : BigInt(at);
      if (await hasMore(store, { position, streamPrefixes: model.streamPrefixes })) return false;
      behind.delete(model);
    }
    return true;
  };
  await waitUntil('the read models have all', check, { timeoutMs: withinMs, intervalMs: everyMs });
}

async function hasMore(
  store: EventStore,
  { position, streamPrefixes }: { position: bigint | undefined; streamPrefixes: readonly string[] },
): Promise<boolean> {
  const after = position !== undefined && { after: position };
  const signal = AbortSignal.timeout(readWithinMs);
  for await (const batch of store.subscribe({
    ...after,
    filter: { streamPrefixes },
    dedicated: true,
    signal,
  }))
    for (const { kind } of batch) {
      if (kind === 'event') return true;
      if (kind === 'caught_up') return false;
    }
  return true;
}
