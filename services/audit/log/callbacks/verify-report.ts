import type { KeyObject } from 'node:crypto';
import type { StoredReport } from '#shared/platform/event-store/types.ts';
import { openReport } from '#shared/application/personal-data/signed-report.ts';
import type { MasterKeys, WrappedKey } from '#shared/application/personal-data/master-keys.ts';
import type { createCallbackSecrets } from '#shared/application/providers/accounts/credential-keys.ts';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { hasSignature, secretHint, secretKey } from '#shared/platform/standard-webhooks.ts';
import { graceMs } from '../../authority/commands.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { SignedClaim } from './contradiction.ts';
import { auditedSealedPattern } from '../personal/sealed-pattern.ts';

/** An account with a provider, and a secret that its callbacks are signed with, until it ends. */
export type ReportSigner = { provider: string; account: string; key: Buffer; endsMs: number };

/**
 * The keys that read signed callbacks: secrets and their owners by the secret's hint, and the
 * master key that wraps the clients' keys.
 */
export type ReportKeys = {
  secrets: ReadonlyMap<string, readonly ReportSigner[]>;
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
      [{ provider, account: defaultAccount, key: secretKey(secret), endsMs: Infinity }],
    ]),
  ),
  masters,
});

type SealedReport = { report: StoredReport & { sealed: string }; wrapped: WrappedKey };

/** Verifies and reads a stored callback. `accounts`: those whose secret it is signed with. */
export function verifyReport(
  { event, actor, atMs }: Pick<EventEnvelope, 'event' | 'actor' | 'atMs'>,
  { report, wrapped }: SealedReport,
  { secrets, masters }: ReportKeys,
):
  | { signedReport: SignedClaim; accounts: readonly string[] }
  | 'no_secret'
  | 'no_master_key'
  | { problem: string } {
  const operationId = event.stream.slice(event.stream.indexOf('-') + 1);
  let key: KeyObject;
  try {
    key = masters.unwrap(auditedSealedPattern.exec(report.sealed)?.[1] ?? '', wrapped);
  } catch {
    return 'no_master_key';
  }
  let opened: ReturnType<typeof openReport>;
  try {
    opened = openReport(operationId, report, key);
  } catch {
    return {
      problem: 'the callback can not be decrypted: it was altered, or belongs to another operation',
    };
  }
  const signers = secrets.get(report.secret_hint);
  if (!signers) return 'no_secret';
  const own = signers.filter(({ provider }) => actor === `provider:${provider}`);
  if (own.length === 0)
    return { problem: `it was signed by ${signers[0]?.provider}, not by ${actor}` };
  const { id, timestamp } = report;
  const message = { id, timestamp, body: opened.body };
  const signed = own.filter(({ key: secret }) => hasSignature(opened.signature, message, secret));
  if (signed.length === 0) return { problem: 'its signature is invalid' };
  const inForce = signed.filter(({ endsMs }) => atMs < endsMs + graceMs);
  if (inForce.length === 0) return { problem: 'it is signed with a secret that had been replaced' };
  const accounts = inForce.map(({ account }) => account);
  const signedReport = objectIn(opened.body);
  return signedReport
    ? { signedReport, accounts }
    : { problem: 'the signed body is not a JSON object' };
}

function objectIn(body: Buffer): SignedClaim | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? parsed
      : undefined;
  } catch {
    return undefined;
  }
}
