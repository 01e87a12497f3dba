import { sql, type Kysely } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import {
  findMissingWebhooks,
  otherBytes,
  outOfOrder,
  type ArrivalRecord,
  type RequiredWebhook,
} from '../checks/webhooks.ts';
import type { Sink } from '../sink.ts';

/** What came of one row of the matrix. */
export type Count = {
  /** Events that owe a webhook. */
  required: number;
  /** Requests that were answered with 2xx. */
  deliveries: number;
  /** Repeated deliveries. */
  repeats: number;
  /**
   * Messages that a dispatcher had claimed when it was killed, over all kills: each may be repeated
   * once.
   */
  inFlight: number;
  /** In `webhooks.message`. */
  rows: number;
  /** Must be 0: required webhooks that were never delivered, or have no row for it. */
  missing: number;
  /** Must be 0: rows that are not required, or duplicates. */
  duplicates: number;
  /** Must be 0: arrivals out of order. */
  outOfOrder: number;
  /** Must be 0: repeats of messages that were not in flight. */
  strayRepeats: number;
  /** Must be 0: arrivals without a valid signature, or with other bytes than before. */
  faults: number;
};

/** What must be 0 whatever happens. */
export const mustBeZero = [
  'missing',
  'duplicates',
  'outOfOrder',
  'strayRepeats',
  'faults',
] as const satisfies (keyof Count)[];

/** Compares the arrivals and the records with the required webhooks. */
export async function countUp(
  db: Kysely<WebhooksDatabase>,
  run: {
    shopId: string;
    required: readonly RequiredWebhook[];
    endpoint: Pick<Sink, 'arrivals' | 'faults'>;
    inFlight: ReadonlyMap<string, number>;
  },
): Promise<Count> {
  const { required, endpoint, inFlight } = run;
  const { arrivals } = endpoint;
  const { rows } = await sql<{ message_id: string; status: string }>`
    select message_id, status from webhooks.message where shop_id = ${run.shopId}`.execute(db);
  const taken = arrivals.filter(({ takenAt }) => takenAt !== undefined);
  const delivered = new Set(taken.map(({ id }) => id));
  const recorded = new Set(
    rows.filter(({ status }) => status === 'delivered').map((row) => row.message_id),
  );
  const lacking = new Set([
    ...findMissingWebhooks(arrivals, required),
    ...required.filter(({ id }) => !recorded.has(id)),
  ]);
  const due = new Set(required.map(({ id }) => id));
  return {
    required: required.length,
    deliveries: taken.length,
    repeats: taken.length - delivered.size,
    inFlight: [...inFlight.values()].reduce((total, times) => total + times, 0),
    rows: rows.length,
    missing: lacking.size,
    duplicates: rows.length - rows.filter((row) => due.has(row.message_id)).length,
    outOfOrder: outOfOrder(arrivals, required),
    strayRepeats: strayRepeats(arrivals, inFlight),
    faults: endpoint.faults.length + otherBytes(arrivals),
  };
}

/**
 * Messages that were repeated without having been in flight, or accepted more often than they were
 * in flight.
 */
export function strayRepeats(
  arrivals: readonly ArrivalRecord[],
  inFlight: ReadonlyMap<string, number>,
): number {
  const again = new Set(repeats(arrivals));
  const taken = Map.groupBy(
    arrivals.filter(({ takenAt }) => takenAt !== undefined),
    ({ id }) => id,
  );
  const ids = new Set([...again, ...taken.keys()]);
  return [...ids].filter((id) => {
    const times = inFlight.get(id) ?? 0;
    return (again.has(id) && times === 0) || (taken.get(id)?.length ?? 0) - 1 > times;
  }).length;
}

/** The ids of arrivals of messages that the endpoint had accepted already. */
export function repeats(arrivals: readonly ArrivalRecord[]): string[] {
  const firstTaken = new Map<string, number>();
  for (const { id, takenAt } of arrivals) {
    if (takenAt !== undefined) firstTaken.set(id, Math.min(takenAt, firstTaken.get(id) ?? takenAt));
  }
  const again = ({ id, arrivedAt }: ArrivalRecord) => (firstTaken.get(id) ?? arrivedAt) < arrivedAt;
  return arrivals.filter(again).map(({ id }) => id);
}
