import { sql, type Kysely } from 'kysely';
import { webhookForms } from '#shared/domain/operation/fields/derive.ts';
import { inOlderForms } from '#shared/domain/operation/fields/webhook-forms.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { dayMs } from '#shared/domain/day.ts';
import { inSnapshot } from './snapshot.ts';

const fields = [...webhookForms.keys()];

type Message = { timestamp: string; data: object };

/**
 * The older form of webhooks that the stored text of a message is in; undefined: in none.
 * `expected`: the message in the newest form.
 */
export function olderForm(
  stored: string,
  { endpointId, expected }: { endpointId: string; expected: Message },
): number | undefined {
  return inOlderForms(expected).find(
    ({ message }) => canonicalJson({ endpoint_id: endpointId, message }) === stored,
  )?.form;
}

/** During a rollout, the old version still records messages alongside the new one. */
const rolloutMs = dayMs;

/** Whether a message may be in an older form, by when the first of a newer form was recorded. */
export type FormTimes = { mayBe(form: number, atMs: number): boolean };

/** @throws when the database can't be read */
export async function readFormTimes<DB>(db: Kysely<DB>): Promise<FormTimes> {
  // A name in quotes and with a colon is a member: in a text the quotes are escaped.
  const firsts = fields.map(
    (field) => sql`(extract(epoch from min(occurred_at)
      filter (where body like ${`%"${field}":%`})) * 1000)::float8 as ${sql.id(field)}`,
  );
  const query = sql<Record<string, number | null>>`
    select ${sql.join(firsts)} from webhooks.message where operation_id is not null`;
  // It reads every message, which takes longer than a statement may outside of a snapshot.
  const { rows } = await inSnapshot(db, (tx) => query.execute(tx));
  const [first] = rows;
  return {
    mayBe: (form, atMs) =>
      fields
        .filter((field) => (webhookForms.get(field) ?? 0) > form)
        .every((field) => atMs <= (first?.[field] ?? Infinity) + rolloutMs),
  };
}
