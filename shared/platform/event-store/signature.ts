import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { RawEvent } from './reading/raw-event.ts';

/** The key with which a service signs what it appends. */
export type LogKey = {
  service: string;
  /** Of the key, not of the service: 8 hexadecimal digits. */
  id: string;
  secret: KeyObject;
};

/** A service's key, with those that all services share: the first one signs, all verify. */
export type EventSigner = LogKey & {
  readonly common?: readonly LogKey[];
  /** Other keys of the service, which sign nothing. */
  readonly earlier?: readonly LogKey[];
};

/** The name under which `LOG_SIGNING_KEYS` has the keys that all services share. */
export const commonName = 'log';

/** A signature in the metadata of an event. */
export type Signature = {
  keyId: string;
  mac: string;
  /** The metadata before it, without what closes them. */
  signed: Buffer;
};

/** What is signed besides the bytes of the metadata and of the data. */
type Place = Pick<RawEvent, 'stream' | 'revision' | 'id' | 'type'>;

/** Of base64url, 132 bits: RFC 2104 allows half of SHA-256, and each event of the log has one. */
const macLength = 22;
const idLength = 8;
const valueLength = idLength + '.'.length + macLength;
const pattern = /^([0-9a-f]{8})\.([\w-]{22})"$/;
const closing = Buffer.from('}', 'latin1');

/** The members that hold signatures, in the order in which metadata end with them. */
const starts = {
  /** By a key that all services share, so that each of them can verify it. */
  common: Buffer.from(',"common_signature":"', 'latin1'),
  /** By a key of the service alone. */
  own: Buffer.from(',"signature":"', 'latin1'),
};

/** @param key 32 bytes in base64, with either alphabet */
export function createLogKey(service: string, key: string): LogKey {
  const secret = createSecretKey(Buffer.from(key, 'base64'));
  const id = createHmac('sha256', secret).update(`the id of a key of ${service}`).digest('hex');
  return { service, id: id.slice(0, idLength), secret };
}

/** The metadata of an event, a JSON object with members, with its signatures as the last ones. */
export function signMetadata(
  key: EventSigner,
  place: Place,
  { metadata, data }: Pick<RawEvent, 'metadata' | 'data'>,
): Buffer {
  let signed = metadata.subarray(0, -1);
  const [common] = key.common ?? [];
  if (common) signed = appendSignature(common, 'common', { place, signed, data });
  signed = appendSignature(key, 'own', { place, signed, data });
  return Buffer.concat([signed, closing]);
}

function appendSignature(
  key: LogKey,
  member: keyof typeof starts,
  { place, signed, data }: { place: Place; signed: Buffer; data: Buffer },
): Buffer {
  const value = `${key.id}.${computeMac(key, place, { signed, data })}"`;
  return Buffer.concat([signed, starts[member], Buffer.from(value, 'latin1')]);
}

/** The service's signature in metadata; undefined if they have none. */
export const readEventSignature = (metadata: Buffer): Signature | undefined =>
  metadata.at(-1) === closing[0] ? readLast(metadata.subarray(0, -1), 'own') : undefined;

/** The signature that all services can verify, with or without the service's own after it. */
export function readCommonSignature(metadata: Buffer): Signature | undefined {
  const members = readEventSignature(metadata)?.signed ?? metadata.subarray(0, -1);
  return readLast(members, 'common');
}

function readLast(members: Buffer, member: keyof typeof starts): Signature | undefined {
  const start = starts[member];
  const at = members.length - start.length - valueLength - 1;
  if (at <= 0 || members.compare(start, 0, start.length, at, at + start.length) !== 0)
    return undefined;
  const [, keyId, mac] = pattern.exec(members.toString('latin1', at + start.length)) ?? [];
  if (keyId === undefined || mac === undefined) return undefined;
  return { keyId, mac, signed: members.subarray(0, at) };
}

/** Whether the key has made this signature of the event. */
export const isSignedBy = (key: LogKey, { signed, mac }: Signature, event: RawEvent): boolean =>
  mac === computeMac(key, event, { signed, data: event.data });

/**
 * JSON and a length separate what is signed, so that no two events have the same bytes. The time
 * and the position are not signed, because the store chooses them.
 */
function computeMac(
  { service, secret }: LogKey,
  { stream, revision, id, type }: Place,
  { signed, data }: { signed: Buffer; data: Buffer },
): string {
  const about = ['event 1', service, stream, revision, id, type, signed.length];
  return createHmac('sha256', secret)
    .update(JSON.stringify(about))
    .update(signed)
    .update(data)
    .digest('base64url')
    .slice(0, macLength);
}
