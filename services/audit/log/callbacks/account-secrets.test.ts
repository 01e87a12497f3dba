import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCredentialKeys } from '#shared/application/providers/accounts/credential-keys.ts';
import type { ProviderAccountEvent } from '#shared/domain/provider/events.ts';
import { readReportKeys } from '../../cli/callback-keys.ts';
import { createSetupStreams } from '../pass/setup-streams.ts';
import type { Context } from '../pass/context.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import {
  auditorKeys,
  clientKeys,
  keptCallback,
  keptKey,
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
function verified(env: Record<string, string>, said: unknown = { is: 'told' }) {
  const given = readReportKeys({ PERSONAL_DATA_KEY: personal, ...env });
  const reports = createReports(given && { ...given, masters: auditorKeys.masters });
  const context = { reports, switches: { take: () => undefined } } as unknown as Context;
  const envelope = {
    ...added,
    actor: 'operator:anna',
    atMs: 0,
    metadata: { schema_version: 1 },
  } as unknown as EventEnvelope;
  createSetupStreams().directory(context, envelope);
  const wrapped = clientKeys.get(keptKey);
  if (!wrapped || !reports.keys) throw new Error('keys were expected');
  return verifyReport(
    { event: { stream: 'operation-op-1' }, actor: 'provider:sandbox', atMs: 0 } as EventEnvelope,
    { report: keptCallback('op-1', said, { secret: otherSecret }), wrapped },
    reports.keys,
  );
}

const asSecond = { signedReport: { is: 'told' }, accounts: ['second'] };

it('verifies what an account signed, with the key that its secret is sealed with', () => {
  expect(verified({ PROVIDER_CALLBACKS_KEY: callbacks })).toEqual(asSecond);
  expect(
    verified({ PROVIDER_CALLBACKS_KEY: another, PROVIDER_CALLBACKS_KEY_PREVIOUS: callbacks }),
  ).toEqual(asSecond);
});

it('says that a secret is missing where that key is another, or was not given', () => {
  expect(verified({ PROVIDER_CALLBACKS_KEY: another })).toBe('no_secret');
  const SANDBOX_CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`;
  expect(verified({ SANDBOX_CALLBACK_SECRET })).toBe('no_secret');
});

it('takes nothing that is signed but a JSON object', () => {
  const noObject = { problem: 'the signed body is not a JSON object' };
  for (const said of [null, [], 'told', 1])
    expect(verified({ PROVIDER_CALLBACKS_KEY: callbacks }, said)).toEqual(noObject);
});

const hourMs = 3_600_000;
const iso = (atMs: number) => new Date(atMs).toISOString();
const newSecret = `whsec_${Buffer.alloc(32, 'the next one').toString('base64')}`;

/** What becomes of a callback that the account's first secret signed, after these replacements. */
function after(
  replaced: readonly { atMs: number; secret: string; untilMs?: number }[],
  atMs: number,
) {
  const given = readReportKeys({
    PERSONAL_DATA_KEY: personal,
    PROVIDER_CALLBACKS_KEY: callbacks,
  });
  const reports = createReports(given && { ...given, masters: auditorKeys.masters });
  const actor = 'operator:anna';
  reports.takeAccount(added, { createdIso: iso(0), actor });
  for (const [index, { atMs: at, secret, untilMs }] of replaced.entries()) {
    const made = { api_key: 'the key of the account', callback_secret: secret };
    const data = {
      ...of,
      credentials: keys.seal({ ...of, number: index + 2 }, made),
      ...(untilMs !== undefined && { previous_valid_until: iso(untilMs) }),
    };
    const event: ProviderAccountEvent = { type: 'ProviderAccountCredentialsReplaced', data };
    reports.takeAccount(event, { createdIso: iso(at), actor });
  }
  const wrapped = clientKeys.get(keptKey);
  if (!wrapped || !reports.keys) throw new Error('keys were expected');
  const envelope = {
    event: { stream: 'operation-op-1' },
    actor: 'provider:sandbox',
    atMs,
  } as EventEnvelope;
  const report = keptCallback('op-1', { is: 'told' }, { secret: otherSecret });
  return verifyReport(envelope, { report, wrapped }, reports.keys);
}

it('takes what a secret signed that was replaced for as long as the processor did', () => {
  const tooLate = { problem: 'it is signed with a secret that had been replaced' };
  const at = { atMs: hourMs, secret: newSecret };
  expect(after([at], hourMs)).toEqual(asSecond);
  expect(after([at], 2 * hourMs)).toEqual(tooLate);
  const overlapping = { ...at, untilMs: 25 * hourMs };
  expect(after([overlapping], 24 * hourMs)).toEqual(asSecond);
  expect(after([overlapping], 26 * hourMs)).toEqual(tooLate);
  // The ones before are dropped.
  const dropped = { atMs: 2 * hourMs, secret: newSecret };
  expect(after([overlapping, dropped], 3 * hourMs)).toEqual(tooLate);
  // The same one again, and another API key.
  expect(after([{ ...at, secret: otherSecret }], 2 * hourMs)).toEqual(asSecond);
  expect(after([at, { atMs: 2 * hourMs, secret: otherSecret }], 3 * hourMs)).toEqual(asSecond);
});
