import { sql, type Kysely } from 'kysely';
import { waitUntil } from '#infra/process/wait-until.ts';
import { liveSchema } from '#projections/read-model.ts';
import { readModels } from '#projections/registry.ts';
import { firstMissing } from '#projections/runner/lag.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

const everyMs = 250;
const withinMs = 1_800_000;

type Row = { name: string; position: string | null; failed_reason: string | null };

/** Waits until the read models have all that is in the log. To ask costs the store next to nothing. */
export async function projected(db: Kysely<unknown>, store: EventStore): Promise<void> {
  const behind = new Set(readModels);
  const check = async () => {
    const { rows } = await sql<Row>`
      select name, position, failed_reason from projections.status where schema = ${liveSchema}`.execute(db);
    const stopped = rows.find(({ failed_reason: reason }) => reason !== null);
    if (stopped) throw new Error(`${stopped.name} stopped: ${stopped.failed_reason}`);
    for (const model of behind) {
      const at = rows.find(({ name }) => name === model.name)?.position;
      const position = at == null ? undefined : BigInt(at);
      const request = { position, streamPrefixes: model.streamPrefixes };
      // A log that takes long to read from there has much that is not in the tables.
      if (await firstMissing(store, request).catch(() => true)) return false;
      behind.delete(model);
    }
    return true;
  };
  await waitUntil('the read models have all', check, { timeoutMs: withinMs, intervalMs: everyMs });
}
