import { z } from 'zod';
import { signingSecret } from '#shared/platform/config/secrets.ts';
import { secretText, type CredentialsForm } from '../accounts/credentials.ts';

export const sandboxCredentials = {
  schema: z.strictObject({ api_key: secretText, callback_secret: signingSecret }),
  identity: [],
  callbacks: ['callback_secret'],
  example: {
    api_key: 'sandbox-example-key',
    callback_secret: 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUtZXhhbXBsZQ==',
  },
} as const satisfies CredentialsForm;
