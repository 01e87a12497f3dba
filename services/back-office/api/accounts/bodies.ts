import { z } from 'zod';
import { accountName } from '#shared/domain/provider/events.ts';
import { credentialsForms } from '#shared/application/providers/credentials-forms.ts';
import type { CredentialsForm } from '#shared/application/providers/accounts/credentials.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { switchBody } from '../providers/switch.ts';

/** @throws Problem not_found for an unknown provider */
export function findCredentialsForm(provider: string | undefined): {
  provider: string;
  form: CredentialsForm;
} {
  const entry = Object.entries(credentialsForms).find(([name]) => name === provider);
  if (!entry) throw new Problem('not_found');
  return { provider: entry[0], form: entry[1] };
}

export const addBody = ({ schema }: CredentialsForm) =>
  z.strictObject({ account: accountName, label: nameText, credentials: schema });

/** `revoke_previous`: callbacks signed with the old credentials are refused at once. */
export const replaceBody = ({ schema }: CredentialsForm) =>
  z.strictObject({ credentials: schema, revoke_previous: z.boolean().default(false) });

export const labelBody = z.strictObject({ label: nameText });
export const reasonBody = switchBody;
