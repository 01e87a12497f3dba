import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCredentialKeys } from '#shared/application/providers/accounts/credential-keys.ts';
import type { ProviderAccountEvent } from '#shared/domain/provider/events.ts';
import { readReportKeys } from '../../cli/callback-keys.ts';
import { createSetupStreams } from '../pass/setup-streams.ts';
import type { AuditContext } from '../pass/context.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import {
  auditorKeys,
  clientKeys,
  storedCallback,
  retainedKey,
  otherSecret,
} from '../../testing/stored-reports.ts';
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
const account = { provider: 'sandbox', account: 'second' };
const sealed = keys.seal(
  { ...account, number: 1 },
  { api_key: 'the key of the account', callback_secret: otherSecret },
);
const added: ProviderAccountEvent = {
  type: 'ProviderAccountAdded',
  data: { ...account, label: 'Second', credentials: sealed },
};

/** Verifies a callback of the account with these variables of the auditor. */
function verify(env: Record<string, string>, body: unknown = { is: 'told' }) {
  const reportKeys = readReportKeys({ PERSONAL_DATA_KEY: personal, ...env });
  const reports = createReports(reportKeys && { ...reportKeys, masters: auditorKeys.masters });
  const context = { reports, switches: { take: () => undefined } } as unknown as AuditContext;
  const envelope = {
    ...added,
    actor: 'operator:anna',
    atMs: 0,
    metadata: { schema_version: 1 },
  } as unknown as EventEnvelope;
  createSetupStreams().directory(context, envelope);
  const wrapped = clientKeys.get(retainedKey);
  if (!wrapped || !reports.keys) throw new Error('keys were expected');
  return verifyReport(
    { event: { stream: 'operation-op-1' }, actor: 'provider:sandbox', atMs: 0 } as EventEnvelope,
    { report: storedCallback('op-1', body, { secret: otherSecret }), wrapped },
    reports.keys,
  );
}

const asSecond = { signedReport: { is: 'told' }, accounts: ['second'] };

it('verifies a callback of an account with the key that sealed its secret', () => {
  expect(verify({ PROVIDER_CALLBACKS_KEY: callbacks })).toEqual(asSecond);
  const replaced = { PROVIDER_CALLBACKS_KEY: another, PROVIDER_CALLBACKS_KEY_PREVIOUS: callbacks };
  expect(verify(replaced)).toEqual(asSecond);
});

it('reports a missing secret under another key or without a key', () => {
  expect(verify({ PROVIDER_CALLBACKS_KEY: another })).toBe('no_secret');
  const SANDBOX_CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`;
  expect(verify({ SANDBOX_CALLBACK_SECRET })).toBe('no_secret');
});

it('accepts only a JSON object as a signed body', () => {
  const notAnObject = { problem: 'the signed body is not a JSON object' };
  for (const body of [null, [], 'told', 1])
    expect(verify({ PROVIDER_CALLBACKS_KEY: callbacks }, body)).toEqual(notAnObject);
});

const hourMs = 3_600_000;
const iso = (atMs: number) => new Date(atMs).toISOString();
const newSecret = `whsec_${Buffer.alloc(32, 'the next one').toString('base64')}`;

/** Verifies a callback signed with the account's first secret, after these replacements. */
function verifyAfter(
  replaced: readonly { atMs: number; secret: string; untilMs?: number }[],
  atMs: number,
) {
  const env = { PERSONAL_DATA_KEY: personal, PROVIDER_CALLBACKS_KEY: callbacks };
  const reportKeys = readReportKeys(env);
  const reports = createReports(reportKeys && { ...reportKeys, masters: auditorKeys.masters });
  const actor = 'operator:anna';
  reports.takeAccount(added, { createdIso: iso(0), actor });
  for (const [index, { atMs: at, secret, untilMs }] of replaced.entries()) {
    const plainCredentials = { api_key: 'the key of the account', callback_secret: secret };
    const data = {
      ...account,
      credentials: keys.seal({ ...account, number: index + 2 }, plainCredentials),
      ...(untilMs !== undefined && { previous_valid_until: iso(untilMs) }),
    };
    const event: ProviderAccountEvent = { type: 'ProviderAccountCredentialsReplaced', data };
    reports.takeAccount(event, { createdIso: iso(at), actor });
  }
  const wrapped = clientKeys.get(retainedKey);
  if (!wrapped || !reports.keys) throw new Error('keys were expected');
  const event = { stream: 'operation-op-1' };
  const envelope = { event, actor: 'provider:sandbox', atMs } as EventEnvelope;
  const report = storedCallback('op-1', { is: 'told' }, { secret: otherSecret });
  return verifyReport(envelope, { report, wrapped }, reports.keys);
}

it('accepts a replaced secret for as long as the processor did', () => {
  const tooLate = { problem: 'it is signed with a secret that had been replaced' };
  const at = { atMs: hourMs, secret: newSecret };
  expect(verifyAfter([at], hourMs)).toEqual(asSecond);
  expect(verifyAfter([at], 2 * hourMs)).toEqual(tooLate);
  const overlapping = { ...at, untilMs: 25 * hourMs };
  expect(verifyAfter([overlapping], 24 * hourMs)).toEqual(asSecond);
  expect(verifyAfter([overlapping], 26 * hourMs)).toEqual(tooLate);
  // A replacement drops older secrets.
  const dropped = { atMs: 2 * hourMs, secret: newSecret };
  expect(verifyAfter([overlapping, dropped], 3 * hourMs)).toEqual(tooLate);
  // The same secret again, with another API key.
  expect(verifyAfter([{ ...at, secret: otherSecret }], 2 * hourMs)).toEqual(asSecond);
  const back = { atMs: 2 * hourMs, secret: otherSecret };
  expect(verifyAfter([at, back], 3 * hourMs)).toEqual(asSecond);
});
