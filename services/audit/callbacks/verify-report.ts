import type { KeyObject } from 'node:crypto';
import type { KeptReport } from '#shared/platform/event-store/types.ts';
import { openReport } from '#shared/application/personal-data/kept-report.ts';
import type { MasterKeys, Wrapped } from '#shared/application/personal-data/master-keys.ts';
import type { createCallbackSecrets } from '#shared/application/providers/accounts/credential-keys.ts';
import { hasSignature, secretHint, secretKey } from '#shared/platform/standard-webhooks.ts';
import type { Seen } from '../findings/accuse.ts';
import type { Told } from './contradiction.ts';
import { sealedPattern } from '../personal/sealed-pattern.ts';

/**
 * What it takes to read signed callbacks: the providers' secrets, by hint, and the master key that
 * wraps the clients' keys.
 */
export type ReportKeys = {
  secrets: ReadonlyMap<string, { provider: string; key: Buffer }>;
  masters: Pick<MasterKeys, 'unwrap'>;
  /** Opens secrets of accounts that operators set up, where the auditor gave their key. */
  ofAccounts?: ReturnType<typeof createCallbackSecrets> | undefined;
};

export const reportKeys = (
  secrets: readonly { provider: string; secret: string }[],
  masters: ReportKeys['masters'],
  ofAccounts?: ReportKeys['ofAccounts'],
): ReportKeys => ({
  ofAccounts,
  secrets: new Map(
    secrets.map(({ provider, secret }) => [
      secretHint(secret),
      { provider, key: secretKey(secret) },
    ]),
  ),
  masters,
});

type Sealed = { report: KeptReport & { sealed: string }; wrapped: Wrapped };

/** Verifies and reads a stored callback. */
export function verifyReport(
  { event, actor }: Pick<Seen, 'event' | 'actor'>,
  { report, wrapped }: Sealed,
  { secrets, masters }: ReportKeys,
): { told: Told } | 'no_secret' | 'no_master_key' | { problem: string } {
  const operationId = event.stream.slice(event.stream.indexOf('-') + 1);
  let key: KeyObject;
  try {
    key = masters.unwrap(sealedPattern.exec(report.sealed)?.[1] ?? '', wrapped);
  } catch {
    return 'no_master_key';
  }
  let opened: ReturnType<typeof openReport>;
  try {
    opened = openReport(operationId, report, key);
  } catch {
    return {
      problem: 'the callback can not be opened: it was altered, or is of another operation',
    };
  }
  const secret = secrets.get(report.secret_hint);
  if (!secret) return 'no_secret';
  if (actor !== `provider:${secret.provider}`)
    return { problem: `${actor} did not sign it, but ${secret.provider}` };
  const { id, timestamp } = report;
  if (!hasSignature(opened.signature, { id, timestamp, body: opened.body }, secret.key))
    return { problem: 'it is not what the provider signed' };
  try {
    return { told: JSON.parse(opened.body.toString('utf8')) as Told };
  } catch {
    return { problem: 'the provider signed no JSON' };
  }
}
