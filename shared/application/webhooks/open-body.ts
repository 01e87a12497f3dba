import { z } from 'zod';
import { storedMetadataSchema } from '#shared/domain/operation/events.ts';
import { KeyUnreadable } from '../personal-data/key-ring.ts';
import type { PersonalData } from '../personal-data/personal-data.ts';

type RecordedMessage = { operationId: string | null; body: string };
const bodySchema = z.object({
  data: z.object({ operation: z.object({ metadata: storedMetadataSchema }) }),
});

/** Quotes in a text are escaped, so only a member of the body can look like this. */
const sealedMetadata = '"metadata":{"sealed":';

/**
 * The bytes to send of a recorded webhook: its operation's metadata in plain text, or without it
 * once it is erased or can't be read. Other bodies are sent as they are recorded.
 * @throws when the store does not answer for the key
 */
export async function openBody(
  personal: Pick<PersonalData, 'openMetadata'>,
  { operationId, body }: RecordedMessage,
): Promise<string> {
  if (operationId === null || !body.includes(sealedMetadata)) return body;
  const recorded: unknown = JSON.parse(body);
  assertBody(recorded);
  const { metadata: stored, ...rest } = recorded.data.operation;
  // A key that no master key opens must not stop all other webhooks.
  const metadata = await personal.openMetadata(operationId, stored).catch((error: unknown) => {
    if (error instanceof KeyUnreadable) return undefined;
    throw error;
  });
  const operation = Object.fromEntries(
    Object.entries({ ...rest, metadata }).filter(([, value]) => value !== undefined),
  );
  return JSON.stringify({ ...recorded, data: { ...recorded.data, operation } });
}

/** Only checks: what zod returns has its members in another order, and other bytes. */
function assertBody(body: unknown): asserts body is z.infer<typeof bodySchema> {
  bodySchema.parse(body);
}
