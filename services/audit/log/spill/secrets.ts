import { hash } from 'node:crypto';
import { createPositions } from './positions.ts';

/** What is made at random, by the event that issues it, so that it never comes twice. */
const fields: Readonly<Record<string, string>> = {
  ShopCreated: 'operation_id_secret',
  ApiKeyIssued: 'key_hash',
  WebhookSecretIssued: 'secret',
  AdminTokenIssued: 'token_hash',
  MemberLinkIssued: 'link_hash',
  CheckpointKeyAdded: 'x',
};

export type IssuedSecrets = ReturnType<typeof createSecrets>;

/** Finds keys, tokens, links and secrets that are issued again. */
export function createSecrets(folder: string) {
  const issued = createPositions(folder, 'secrets');
  return {
    take: ({ type, data }: { type: string; data: unknown }, position: number): void => {
      const field = Object.hasOwn(fields, type) ? fields[type] : undefined;
      const secret = field !== undefined && (data as Record<string, unknown>)[field];
      if (typeof secret === 'string') issued.add(hash('sha256', secret, 'buffer'), position);
    },
    /** Each position that issues what an event before has issued, and that one's position. */
    duplicates: issued.duplicates,
    close: issued.close,
  };
}
