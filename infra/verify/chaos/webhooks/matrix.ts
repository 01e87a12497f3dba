import { sql } from 'kysely';
import { waitUntil } from '#infra/process/wait-until.ts';
import { createShop } from '#services/webhooks/testing/history.ts';
import { countUp } from './count.ts';
import { openSink } from '../sink.ts';
import type { RequiredWebhook } from '../checks/webhooks.ts';
import { startPaymentLoad } from './load.ts';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { kills } from './rows/kills.ts';
import { losses } from './rows/losses.ts';
import { restarts } from './rows/restarts.ts';
import type { CrashRow, RowContext } from './rows/row.ts';
import { persistently, type RestartableWebhookService } from './webhook-service.ts';

/** The rows of the matrix, in order. */
export const crashRows = (): CrashRow[] => [...kills(), ...restarts(), ...losses()];

export type MatrixRowResult = Awaited<ReturnType<typeof runRow>>;

/** The longest wait without a delivery, and in all. */
const stillAfterMs = 60_000;
const deliveredWithinMs = 600_000;
const operationsBefore = 5;

/** Makes one kind of fault `rounds` times under load, and counts the results. */
export async function runRow(
  service: RestartableWebhookService,
  row: CrashRow,
  { rounds, seed }: { rounds: number; seed: number },
) {
  const random = createRandom(seed);
  const endpoint = await openSink(createRandom(seed + 1), { failureIn: 9, slowestAnswerMs: 40 });
  try {
    const shop = await createShop(service.store, { url: endpoint.urlOf(0) });
    endpoint.setSecret(0, shop.secret);
    const { shopId } = shop;
    const load = startPaymentLoad(service.store, shopId, createRandom(seed + 2));
    /** What was done, in order. */
    const faults: string[] = [];
    const inFlight = new Map<string, number>();
    const repairsBefore = service.repairs();
    const context: RowContext = {
      service,
      load,
      endpoint,
      random,
      shopId,
      fault: (name) => void faults.push(name),
      noteInFlight: async () => {
        for (const id of await claimed(service, shopId))
          inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
      },
    };
    let required: RequiredWebhook[];
    try {
      await load.more(operationsBefore);
      await waitUntil('webhooks come', () => endpoint.arrivals.length > 0, {
        timeoutMs: stillAfterMs,
      });
      await row.begin?.(context);
      for (let round = 0; round < rounds; round += 1) await row.round(context);
    } finally {
      required = await load.stop();
    }
    await allDelivered(service, { shopId, required });
    await row.end?.(context);
    const count = await countUp(service.db, { shopId, required, endpoint, inFlight });
    /** Webhooks that the reconciliation recorded. */
    const repaired = service.repairs() - repairsBefore;
    return { name: row.name, faults, repaired, count };
  } finally {
    await endpoint.close();
  }
}

async function claimed({ db }: RestartableWebhookService, shopId: string): Promise<string[]> {
  const { rows } = await persistently(() =>
    sql<{ message_id: string }>`
      select message_id from webhooks.message
      where shop_id = ${shopId} and claim_token is not null`.execute(db),
  );
  return rows.map((row) => row.message_id);
}

/**
 * Waits until all required webhooks are delivered; those that are not when nothing more comes are
 * missing.
 */
async function allDelivered(
  { db }: RestartableWebhookService,
  { shopId, required }: { shopId: string; required: RequiredWebhook[] },
): Promise<void> {
  const delivered = () =>
    sql<{ count: string }>`
      select count(*) from webhooks.message where shop_id = ${shopId} and status = 'delivered'`.execute(
      db,
    );
  let last = { count: -1, at: performance.now() };
  const done = async () => {
    const { rows } = await persistently(delivered);
    const count = Number(rows[0]?.count);
    const now = performance.now();
    if (count !== last.count) last = { count, at: now };
    return count >= required.length || now - last.at > stillAfterMs;
  };
  await waitUntil('all is delivered', done, { timeoutMs: deliveredWithinMs, intervalMs: 50 }).catch(
    () => undefined,
  );
}
