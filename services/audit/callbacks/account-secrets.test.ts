import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCredentialKeys } from '#shared/application/providers/accounts/credential-keys.ts';
import type { ProviderAccountEvent } from '#shared/domain/provider/events.ts';
import { readReportKeys } from '../cli/callback-keys.ts';
import { createSetupStreams } from '../pass/setup-streams.ts';
import type { Context } from '../pass/context.ts';
import type { Seen } from '../findings/accuse.ts';
import {
  auditorKeys,
  clientKeys,
  keptCallback,
  keptKey,
  otherSecret,
} from '../testing/kept-reports.ts';
import { createReports } from './reports.ts';
import { verifyReport } from './verify-report.ts';

const text = () => randomBytes(32).toString('base64');
const [personal, credentials, callbacks, another] = [text(), text(), text(), text()];
const keys = createCredentialKeys({
  PERSONAL_DATA_KEY: personal,
  PERSONAL_DATA_KEY_PREVIOUS: [],
  PROVIDER_CREDENTIALS_KEY: credentials,
  PROVIDER_CREDENTIALS_KEY_PREVIOUS: [],
  PROVIDER_CALLBACKS_KEY: callbacks,
  PROVIDER_CALLBACKS_KEY_PREVIOUS: [],
});
const of = { provider: 'sandbox', account: 'second' };
const sealed = keys.seal(
  { ...of, number: 1 },
  { api_key: 'the key of the account', callback_secret: otherSecret },
);
const added: ProviderAccountEvent = {
  type: 'ProviderAccountAdded',
  data: { ...of, label: 'Second', credentials: sealed },
};

/** What becomes of a callback of the account, for an auditor with these variables. */
function verified(env: Record<string, string>) {
  const given = readReportKeys({ PERSONAL_DATA_KEY: personal, ...env });
  const reports = createReports(given && { ...given, masters: auditorKeys.masters });
  const context = { reports, switches: { take: () => undefined } } as unknown as Context;
  const seen = {
    ...added,
    actor: 'operator:anna',
    atMs: 0,
    metadata: { schema_version: 1 },
  } as unknown as Seen;
  createSetupStreams().directory(context, seen);
  const wrapped = clientKeys.get(keptKey);
  if (!wrapped || !reports.keys) throw new Error('keys were expected');
  return verifyReport(
    { event: { stream: 'operation-op-1' }, actor: 'provider:sandbox' } as Seen,
    { report: keptCallback('op-1', { is: 'told' }, { secret: otherSecret }), wrapped },
    reports.keys,
  );
}

it('verifies what an account signed, with the key that its secret is sealed with', () => {
  expect(verified({ PROVIDER_CALLBACKS_KEY: callbacks })).toEqual({ told: { is: 'told' } });
  expect(
    verified({ PROVIDER_CALLBACKS_KEY: another, PROVIDER_CALLBACKS_KEY_PREVIOUS: callbacks }),
  ).toEqual({ told: { is: 'told' } });
});

it('says that a secret is missing where that key is another, or was not given', () => {
  expect(verified({ PROVIDER_CALLBACKS_KEY: another })).toBe('no_secret');
  const SANDBOX_CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`;
  expect(verified({ SANDBOX_CALLBACK_SECRET })).toBe('no_secret');
});
