import { dayMs } from '#shared/domain/day.ts';
import type { EventEnvelope } from '../report/findings/report-violation.ts';

type EventTime = Pick<EventEnvelope, 'atMs'>;

export type NamingRule = ReturnType<typeof createNaming>;

/** During a rollout, the old version still runs alongside the new one. */
export const namingRolloutMs = dayMs;

/** Tracks since when events name the id of the API key or token that caused them. */
export function createNaming(shopId?: string) {
  let beganMs: number | undefined;
  let olderOfAll = 0;
  let olderInScope = 0;
  const isRequired = ({ atMs }: EventTime): boolean =>
    beganMs !== undefined && (olderOfAll === 0 || atMs > beganMs + namingRolloutMs);
  return {
    /** Notes that an event names one. */
    begin: ({ atMs }: EventTime) => void (beganMs ??= atMs),
    /**
     * Whether an event without one should have named one. Older events are counted instead.
     * `strict`: its operation began after ids were introduced.
     */
    mustName: (event: EventTime, of: { strict: boolean; shopId?: string | undefined }): boolean => {
      if (of.strict || isRequired(event)) return true;
      olderOfAll += 1;
      if (shopId === undefined || of.shopId === shopId) olderInScope += 1;
      return false;
    },
    /** One line of text; empty if every event names one. */
    notes: (): string[] =>
      olderInScope === 0
        ? []
        : [
            `${olderInScope} events of merchants and operators are older than the ids of keys and tokens`,
          ],
  };
}
