import { z } from 'zod';
import {
  secretText,
  type CredentialsForm,
} from '#shared/application/providers/accounts/credentials.ts';

export const bankCredentials = {
  schema: z.strictObject({
    account: z.string().regex(/^\d{20}$/, 'must be an account of 20 digits'),
    key: secretText,
  }),
  identity: ['account'],
  callbacks: [],
  example: { account: '40702810500000000002', key: 'bank-example-key-1' },
} as const satisfies CredentialsForm;
