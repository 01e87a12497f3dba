import type { Operation } from '#shared/domain/operation/state.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type {
  DecryptedRecipients,
  PersonalData,
} from '#shared/application/personal-data/personal-data.ts';

/**
 * Decrypts the personal data of an operation for a response. @throws Problem not_ready when its key
 * can't be read
 */
export function decryptOrNotReady(
  personal: Pick<PersonalData, 'open'>,
  operation: Operation,
): Promise<DecryptedRecipients> {
  return personal.open(operation).catch((cause: unknown) => {
    throw new Problem('not_ready', { detail: 'the operation could not be read', cause });
  });
}
