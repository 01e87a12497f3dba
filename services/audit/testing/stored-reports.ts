import type { StoredReport } from '#shared/platform/event-store/index.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import { sealReport } from '#shared/application/personal-data/signed-report.ts';
import { testMasters } from '#shared/application/personal-data/testing/personal-data.ts';
import { signCallback } from '#shared/application/providers/sandbox/signature.ts';
import { secretHint } from '#shared/platform/standard-webhooks.ts';
import { reportKeys } from '../log/callbacks/verify-report.ts';

const callbackSecret = `whsec_${Buffer.alloc(32, 'of the sandbox').toString('base64')}`;
export const otherSecret = `whsec_${Buffer.alloc(32, 'of another time').toString('base64')}`;
const newSecret = `whsec_${Buffer.alloc(32, 'of a new account').toString('base64')}`;
const nowMs = Date.parse('2026-01-31T12:01:00.000Z');

/** The keys of an auditor who may verify callbacks, including those of added accounts. */
export const auditorKeys = reportKeys(
  [{ provider: 'sandbox', secret: callbackSecret }],
  testMasters,
  (_, { fingerprint }) => ({
    callback_secret: fingerprint === 'replaced' ? newSecret : otherSecret,
  }),
);

/** A client with data and one whose data was erased, and their keys. */
export const [retainedClient, erasedClient] = ['client-1', 'client-2'] as const;
const keyIdOf = (clientId: string) => personalKeyId({ shopId: 'shop-1', clientId }, 0);
export const [retainedKey, erasedKey] = [keyIdOf(retainedClient), keyIdOf(erasedClient)];
export const clientKeys = new Map(
  [retainedKey, erasedKey].map((keyId) => [keyId, testMasters.create(keyId)]),
);

/** A callback as the processor stores it. */
export function storedCallback(
  operationId: string,
  signedReport: unknown,
  {
    keyId = retainedKey,
    secret = callbackSecret,
    said = signedReport,
    atMs = nowMs,
  }: {
    keyId?: string;
    secret?: string;
    /** The signed content, if it differs from the stored one. */
    said?: unknown;
    /** When it was signed. */
    atMs?: number;
  } = {},
): StoredReport & { sealed: string } {
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
  const headers = signCallback(secret, { id: 'msg-1', body: bytes(said), nowMs: atMs });
  const key = clientKeys.get(keyId)?.key;
  if (!key) throw new Error(`no key ${keyId}`);
  const signed = {
    id: 'msg-1',
    timestamp: headers['webhook-timestamp'],
    signature: headers['webhook-signature'],
    secretHint: secretHint(secret),
    body: bytes(signedReport),
  };
  const { sealed = '', ...kept } = sealReport(operationId, signed, { keyId, key });
  return { ...kept, sealed };
}
