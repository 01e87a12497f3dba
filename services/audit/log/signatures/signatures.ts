import { isFiller } from '#shared/application/log/filler.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import {
  isSignedBy,
  readCommonSignature,
  readEventSignature,
  type LogKey,
  type Signature,
} from '#shared/platform/event-store/signature.ts';
import { createFlag, type FlagViolation } from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import { createAbsence } from './absence.ts';
import { createSigningKeyUse } from './key-use.ts';

export type Signatures = ReturnType<typeof createSignatures>;

/** `service`: whose key has signed it; undefined if that is not known. */
type SignedMetadata = {
  /** The metadata without the signature, by which equal metadata are recognised. */
  metadata: Buffer;
  service?: string;
};

/**
 * Checks that every event is signed since events are, by a key of a service that was in use then.
 * @param keys undefined: only whether there is a signature is checked
 */
export function createSignatures(keys: readonly LogKey[] | undefined, report: Report) {
  const byId = new Map(keys?.map((key) => [key.id, key]));
  const use = createSigningKeyUse(keys ?? []);
  const fillers = createFillers(report);
  const absence = createAbsence(keys);
  const counts = { verified: 0, unverified: 0 };
  /** The latest time of an event, so that a time that was set back opens nothing again. */
  let latestMs = 0;

  const verify = (event: RawEvent, signature: Signature, flag: FlagViolation) => {
    const key = byId.get(signature.keyId);
    if (!key) {
      flag('log.signature', `the audit has not got its key ${signature.keyId}`);
      return undefined;
    }
    if (!isSignedBy(key, signature, event)) {
      if (!fillers.add(event))
        flag('log.signature', `its signature with the key of ${key.service} does not match it`);
      return undefined;
    }
    fillers.end(event);
    absence.judgeCommon(event, flag);
    flag('log.signature', use.whyEnded(key, latestMs));
    counts.verified += 1;
    return key.service;
  };

  return {
    /**
     * To be called with each event of a stream of the gateway.
     * @param atMs its time, as far as that is believed
     */
    take: (
      event: RawEvent,
      { atMs, flag }: { atMs: number; flag: FlagViolation },
    ): SignedMetadata => {
      const { metadata } = event;
      latestMs = Math.max(latestMs, atMs);
      const signature = readEventSignature(metadata);
      if (!signature) {
        absence.judge(event, { atMs, latestMs, flag });
        return { metadata };
      }
      const service = keys && verify(event, signature, flag);
      if (!keys) counts.unverified += 1;
      // One that is not verified may have been made up, on a log that has none.
      if (!keys || service !== undefined) absence.begin(event, { atMs, latestMs, flag });
      const unsigned = readCommonSignature(metadata)?.signed ?? signature.signed;
      return { metadata: unsigned, ...(service !== undefined && { service }) };
    },
    /** Checks what needs the whole log. */
    end: fillers.judge,
    isVerifying: keys !== undefined,
    /** The position of the first event whose signature was verified; undefined if none was. */
    from: (): number | undefined => (keys ? absence.began()?.position : undefined),
    verified: (): number => counts.verified,
    /** Signatures that were not verified, because there is no key. */
    unverified: (): number => counts.unverified,
    /** What the report says of signatures. */
    notes: (): string[] => [
      ...(counts.unverified > 0
        ? [`${counts.unverified} signatures were not verified: LOG_SIGNING_KEYS is not set`]
        : []),
      ...absence.notes(),
      ...(keys && !absence.began() ? ['no event of the log is signed'] : []),
    ],
  };
}

/**
 * A move to another store fills revisions that the source no longer has with copies of the next
 * event, whose signature is for its own revision: they prove nothing besides it. Nothing else makes
 * such copies, so a `LogMoved` follows them, and their ids are those of their places.
 */
function createFillers(report: Report) {
  const waiting = new Map<string, RawEvent>();
  let unmoved: RawEvent[] = [];
  const flagged = (event: RawEvent) =>
    createFlag({ report }, { event })('log.signature', 'its signature is that of no later event');
  const judge = (filler: RawEvent, next: RawEvent) => {
    const isCopy = filler.metadata.equals(next.metadata) && filler.data.equals(next.data);
    if (!isCopy) flagged(filler);
  };
  return {
    /** @returns whether the event may be one */
    add: (event: RawEvent): boolean => {
      if (!isFiller(event)) return false;
      unmoved.push(event);
      const before = waiting.get(event.stream);
      if (before) judge(before, event);
      waiting.set(event.stream, event);
      return true;
    },
    /** A signed event, which those before it must be copies of. */
    end: (event: RawEvent): void => {
      if (event.type === 'LogMoved') unmoved = [];
      if (waiting.size === 0) return;
      const before = waiting.get(event.stream);
      if (before) judge(before, event);
      waiting.delete(event.stream);
    },
    judge: (): void => {
      for (const filler of waiting.values()) flagged(filler);
      for (const filler of unmoved)
        if (!waiting.has(filler.stream))
          createFlag({ report }, { event: filler })(
            'log.signature',
            'it repeats the next event, as in a move of the log, but the log was not moved after it',
          );
    },
  };
}
