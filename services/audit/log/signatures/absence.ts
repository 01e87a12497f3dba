import { logKeysStream } from '#shared/domain/log/events.ts';
import { rolloutMs } from '#shared/domain/log/keys.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { readCommonSignature, type LogKey } from '#shared/platform/event-store/signature.ts';
import type { FlagViolation } from '../../report/findings/report-violation.ts';
import { createLogKeys } from './log-keys.ts';

/** A note names no more of them. */
const mostNamed = 20;

/**
 * Checks that every event is signed, since events are.
 * @param keys undefined: it is not known which there are
 */
export function createAbsence(keys: readonly LogKey[] | undefined) {
  const logKeys = createLogKeys(keys);
  let older = 0;
  const rollout: RawEvent[] = [];
  let began: { position: number; ms: number } | undefined;
  /** Since when an older version may run: since then, or since the day of a key began again. */
  let rolloutSinceMs = 0;
  /** Since when services decide upon nothing that lacks the signature which all of them verify. */
  let requiredAt: number | undefined;
  return {
    /** The first signed event began it. */
    begin: (
      event: RawEvent,
      { atMs, latestMs, flag }: { atMs: number; latestMs: number; flag: FlagViolation },
    ): void => {
      const isFirst = began === undefined && older === 0;
      const { position } = event;
      if (began === undefined) rolloutSinceMs = latestMs;
      began ??= { position, ms: latestMs };
      const change = logKeys.take(event, { atMs, isFirst, flag });
      if (change === 'again') rolloutSinceMs = latestMs;
      if (change === 'required') requiredAt ??= position;
    },
    began: () => began,
    judge: (
      event: RawEvent,
      { atMs, latestMs, flag }: { atMs: number; latestMs: number; flag: FlagViolation },
    ): void => {
      if (event.stream === logKeysStream) {
        if (logKeys.takeUnsigned(event, atMs)) requiredAt ??= event.position;
        return flag('log.unsigned', 'it has no signature, and what is about keys always has one');
      }
      if (began === undefined && requiredAt !== undefined)
        return flag('log.unsigned', `it has no signature, required since position ${requiredAt}`);
      if (began === undefined) return void (older += 1);
      const isOver = requiredAt !== undefined || latestMs > rolloutSinceMs + rolloutMs;
      if (older > 0 && !isOver) return void rollout.push(event);
      const since = new Date(began.ms).toISOString();
      flag('log.unsigned', `it has no signature, and events are signed since ${since}`);
    },
    /** Checks an event that its service has signed. */
    judgeCommon: (event: RawEvent, flag: FlagViolation): void => {
      const common = readCommonSignature(event.metadata);
      if (common) flag('log.signature', logKeys.whyNotTrusted(event, common));
      else if (requiredAt !== undefined)
        flag(
          'log.unsigned',
          `it lacks the signature that all services verify since position ${requiredAt}`,
        );
    },
    notes: (): string[] => [
      ...(began && older > 0 ? [`${older} events are older than signatures`] : []),
      ...noteRollout(rollout),
      ...(keys && logKeys.unverified() > 0
        ? [
            `${logKeys.unverified()} common signatures were not verified: LOG_SIGNING_KEYS has no log=…`,
          ]
        : []),
    ],
  };
}

/** What an instance of a version without signatures, or anybody, appended during the upgrade. */
function noteRollout(events: readonly RawEvent[]): string[] {
  if (events.length === 0) return [];
  const named = events
    .slice(0, mostNamed)
    .map(({ type, stream, revision }) => `${type} at revision ${revision} of ${stream}`);
  const more = events.length - named.length;
  return [
    `${events.length} unsigned events follow the first signed one within its day: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  ];
}
