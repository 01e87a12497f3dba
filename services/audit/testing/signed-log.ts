import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import {
  createLogKey,
  readEventSignature,
  signMetadata,
  commonName,
  type LogKey,
  type EventSigner,
} from '#shared/platform/event-store/signature.ts';
import { parseLogKeys } from '#shared/platform/event-store/log-keys.ts';
import { testKeyPair } from '#shared/platform/event-store/testing/log-keys.ts';
import { whatIsDone } from '../authority/commands.ts';
import { signerRules } from '../authority/signers.ts';

/** The same as in processes of services that tests start. */
const keys = new Map(
  parseLogKeys([...Object.keys(signerRules), commonName].map(testKeyPair).join(',')).map((key) => [
    key.service,
    key,
  ]),
);

/** The key that replaced the merchant API's. */
export const nextKey = createLogKey(
  'merchant-api',
  Buffer.alloc(32, 'the next').toString('base64'),
);
/** The key that replaced the one that all services share. */
export const nextCommon = createLogKey(commonName, Buffer.alloc(32, 'the next').toString('base64'));
/** A key of a service that signs nothing. */
export const otherKey = createLogKey('other', Buffer.alloc(32, 'other').toString('base64'));
/** The newest key of a service comes first. */
export const testLogKeys: readonly LogKey[] = [nextKey, nextCommon, ...keys.values(), otherKey];

/** Who takes the requests of each kind of actor. */
const takers: Readonly<Record<string, string>> = {
  merchant: 'merchant-api',
  payer: 'payment-page',
  provider: 'processor',
  operator: 'admin',
  member: 'portal',
  auditor: 'audit',
};

export function logKey(service: string): LogKey {
  const key = keys.get(service);
  if (!key) throw new Error(`no key of ${service}`);
  return key;
}

const actor = /"actor":"(\w+):([^"]*)"/;

/** Signs an event, or signs it again; by default with the key of the service that writes such. */
export function signEvent(event: RawEvent, key?: EventSigner): void {
  const { signed } = readEventSignature(event.metadata) ?? {};
  const text = signed ? `${signed.toString('utf8')}}` : event.metadata.toString('utf8');
  const [, kind = '', name = ''] = actor.exec(text) ?? [];
  const service = kind === 'service' ? serviceFor(event, name) : (takers[kind] ?? '');
  const metadata = Buffer.from(
    kind === 'service' ? text.replace(actor, `"actor":"service:${service}"`) : text,
  );
  event.metadata = signMetadata(key ?? logKey(service), event, { ...event, metadata });
}

/** The service that writes in its own name what tests write as any service. */
function serviceFor({ type, data }: RawEvent, name: string): string {
  if (keys.has(name)) return name;
  const what = whatIsDone({ type, data: JSON.parse(data.toString('utf8')) });
  const writes = (service: string) => signerRules[service]?.own.includes(what);
  return writes('processor') ? 'processor' : (Object.keys(signerRules).find(writes) ?? 'processor');
}

export const isSigned = ({ stream, type }: RawEvent): boolean =>
  !stream.startsWith('$') && type !== '$streamDeleted';

/** Signs the events of a log in memory, as the services append them. */
export function signEvents(events: readonly RawEvent[]): void {
  for (const event of events) if (isSigned(event)) signEvent(event);
}
