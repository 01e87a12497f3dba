import type { KeyObject } from 'node:crypto';
import type { StoredReport } from '#shared/platform/event-store/types.ts';
import { openBytes, sealValue, type PersonalKey } from './sealed-value.ts';

/** A callback as its provider signed it: evidence of what it reported. */
export type SignedReport = {
  /** The headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
  id: string;
  timestamp: string;
  signature: string;
  /** Identifies the secret that it was signed with. */
  secretHint: string;
  body: Uint8Array;
};

/** The plain part of a stored callback: its id and time, and which secret signed it. */
export const clearReport = ({ id, timestamp, secretHint }: SignedReport): StoredReport => ({
  id,
  timestamp,
  secret_hint: secretHint,
});

/** A stored callback: its plain part, with its signature and body encrypted by the key. */
export function sealReport(
  operationId: string,
  signed: SignedReport,
  key: PersonalKey,
): StoredReport {
  // A header has no line break, so the first one ends the signature.
  const plain = Buffer.concat([Buffer.from(`${signed.signature}\n`), signed.body]);
  return {
    ...clearReport(signed),
    sealed: sealValue(plain, key, aboutReport(operationId, signed.id)),
  };
}

/**
 * Decrypts signature and body. @throws if they were altered, or belong to another key or operation
 */
export function openReport(
  operationId: string,
  { id, sealed }: { id: string; sealed: string },
  key: KeyObject,
): { signature: string; body: Buffer } {
  const plain = openBytes(sealed, key, aboutReport(operationId, id));
  const end = plain.indexOf('\n');
  return { signature: plain.subarray(0, end).toString(), body: plain.subarray(end + 1) };
}

const aboutReport = (operationId: string, id: string) => `${operationId} report ${id}`;
