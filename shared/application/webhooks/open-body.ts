import { z } from 'zod';
import {
  omitSealable,
  sealedFieldsSchema,
  sealedNames,
} from '#shared/domain/operation/fields/request.ts';
import { KeyUnreadable } from '../personal-data/key-ring.ts';
import type { PersonalData } from '../personal-data/personal-data.ts';

type RecordedMessage = { operationId: string | null; body: string };
const bodySchema = z.object({
  data: z.object({ operation: sealedFieldsSchema }),
});

/** Quotes in a text are escaped, so only a member of the body can look like this. */
const sealedMembers = sealedNames.map((name) => `"${name}":{"sealed":`);

/**
 * The bytes to send of a recorded webhook: its operation's encrypted fields in plain text, or
 * without them once they are erased or can't be read. Other bodies are sent as they are recorded.
 * @throws when the store does not answer for the key
 */
export async function openBody(
  personal: Pick<PersonalData, 'openFields'>,
  { operationId, body }: RecordedMessage,
): Promise<string> {
  if (operationId === null || !sealedMembers.some((member) => body.includes(member))) return body;
  const recorded: unknown = JSON.parse(body);
  assertBody(recorded);
  const { operation: stored } = recorded.data;
  // A key that no master key opens must not stop all other webhooks.
  const opened = await personal.openFields(operationId, stored).catch((error: unknown) => {
    if (error instanceof KeyUnreadable) return {};
    throw error;
  });
  const operation = { ...omitSealable(stored), ...opened };
  return JSON.stringify({ ...recorded, data: { ...recorded.data, operation } });
}

/** Only checks: what zod returns has its members in another order, and other bytes. */
function assertBody(body: unknown): asserts body is z.infer<typeof bodySchema> {
  bodySchema.parse(body);
}
