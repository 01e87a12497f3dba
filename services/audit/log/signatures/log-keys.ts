import { decodeLogEvent, logKeysStream } from '#shared/domain/log/events.ts';
import {
  countsUnsigned,
  evolveLogKeys,
  maySign,
  noLogKeys,
  rolloutMs,
} from '#shared/domain/log/keys.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { toStoredEvent } from '#shared/platform/event-store/reading/stored-event.ts';
import {
  commonName,
  isSignedBy,
  readCommonSignature,
  type LogKey,
  type Signature,
} from '#shared/platform/event-store/signature.ts';
import { graceMs } from '../../authority/commands.ts';
import type { FlagViolation } from '../../report/findings/report-violation.ts';

type KeyEvent = { type: 'LogKeyBegan' | 'LogKeyRequired'; data: { key_id: string } };
type Taken = { atMs: number; isFirst: boolean; flag: FlagViolation };

/**
 * Checks since when which key of all services counts: after a wrong record a service appends
 * nothing any more, and refuses what others append.
 * @param keys undefined: it is not known which there are
 */
export function createLogKeys(keys: readonly LogKey[] | undefined) {
  const common = new Map(keys?.filter(isCommon).map((key) => [key.id, key]));
  const isUnknown = (id: string): boolean => common.size > 0 && !common.has(id);
  let rules = noLogKeys;
  /** Whether the log began with the key, so that no older version ran. */
  let isOfNewLog = false;

  const whyNot = ({ type, data: { key_id: id } }: KeyEvent, atMs: number): string | undefined => {
    const number = rules.begun.findIndex(({ keyId }) => keyId === id);
    const begun = rules.begun[number];
    const isOver = begun !== undefined && atMs + graceMs > begun.atMs + rolloutMs;
    const isRequired = number >= 0 && number <= (rules.required.at(-1)?.from ?? -1);
    if (isUnknown(id)) return `the audit has not got the key ${id}`;
    if (isRequired) return `the key ${id} was required or replaced before`;
    if (type === 'LogKeyBegan') return begun && !isOver ? `the key ${id} began before` : undefined;
    if (!begun) return `the key ${id} is required but never began`;
    return isOver || isOfNewLog ? undefined : `the key ${id} is required within its day`;
  };
  const whyNotSigned = (raw: RawEvent, signature: Signature): string | undefined => {
    const key = common.get(signature.keyId);
    if (!key) return `the audit has not got its key ${signature.keyId} that all services share`;
    if (!isSignedBy(key, signature, raw))
      return 'its signature with the key that all services share does not match it';
    return maySign(rules, key.id, raw.position)
      ? undefined
      : `the key ${key.id} that all services share was replaced before it`;
  };
  let unverified = 0;
  return {
    /** Why services don't trust this signature of an event; undefined also if there is no key. */
    whyNotTrusted: (raw: RawEvent, signature: Signature): string | undefined => {
      if (common.size > 0) return whyNotSigned(raw, signature);
      unverified += 1;
      return undefined;
    },
    unverified: () => unverified,
    /** @returns whether services still require signatures, as far as unsigned records count */
    takeUnsigned: (raw: RawEvent, atMs: number): boolean => {
      const event = readKeyEvent(raw);
      const place = { position: raw.position, revision: raw.revision, atMs };
      if (!event || isUnknown(event.data.key_id) || !countsUnsigned(rules, event, place))
        return false;
      rules = evolveLogKeys(rules, event, place);
      return rules.required.length > 0;
    },
    /**
     * To be called with each signed event. `isFirst`: no other event of the gateway is before it.
     * @returns what begins with it: the day of a key once more, or that a key is required
     */
    take: (raw: RawEvent, { atMs, isFirst, flag }: Taken): 'again' | 'required' | undefined => {
      const event = raw.stream === logKeysStream ? readKeyEvent(raw) : undefined;
      if (!event) return undefined;
      const why = whyNot(event, atMs) ?? whyNotOwn(raw, event);
      flag('log.keys', why);
      if (why !== undefined) return undefined;
      const { length } = rules.begun;
      rules = evolveLogKeys(rules, event, { position: raw.position, atMs });
      isOfNewLog = isFirst;
      if (event.type === 'LogKeyRequired') return 'required';
      return rules.begun.length === length ? 'again' : undefined;
    },
  };
}

/** Who has not got a key may not begin or require it, so services ignore such a record. */
function whyNotOwn({ metadata }: RawEvent, { data }: KeyEvent): string | undefined {
  const signedWith = readCommonSignature(metadata)?.keyId ?? 'no key';
  return signedWith === data.key_id
    ? undefined
    : `it is about the key ${data.key_id} and signed with ${signedWith} of those that all services share`;
}

const isCommon = ({ service }: LogKey): boolean => service === commonName;

/** Undefined for another event, and for one that can't be read, which the pass reports. */
function readKeyEvent(raw: RawEvent): KeyEvent | undefined {
  try {
    const { type, data } = decodeLogEvent(toStoredEvent(raw));
    return 'key_id' in data ? ({ type, data } as KeyEvent) : undefined;
  } catch {
    return undefined;
  }
}
