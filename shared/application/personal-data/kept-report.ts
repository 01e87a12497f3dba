import type { KeyObject } from 'node:crypto';
import type { KeptReport } from '#shared/platform/event-store/types.ts';
import type { SignedReport } from '#shared/application/providers/connector.ts';
import { openBytes, seal, type PersonalKey } from './sealed-value.ts';

/** What is kept of a callback without a key: that it came, and which secret signed it. */
export const keptInClear = ({ id, timestamp, secretHint }: SignedReport): KeptReport => ({
  id,
  timestamp,
  secret_hint: secretHint,
});

/** What is kept of a callback: the same, and its signature and body under the key. */
export function keepReport(operationId: string, signed: SignedReport, key: PersonalKey): KeptReport {
  // A header has no line break, so the first one ends the signature.
  const plain = Buffer.concat([Buffer.from(`${signed.signature}\n`), signed.body]);
  return { ...keptInClear(signed), sealed: seal(plain, key, aboutReport(operationId, signed.id)) };
}

/** The signature and the body again. @throws when they were altered, or are not this key's or not of this operation */
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
