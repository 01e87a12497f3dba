import type { EventEnvelope } from '../report/findings/report-violation.ts';

/** Tracks since when events name the id of the API key or token that caused them. */
export type Naming = {
  /** Notes that an event names one. */
  begin(envelope: EventEnvelope): void;
  /**
   * Whether an event without one should have named one. Older events are counted instead. `strict`:
   * its operation began after ids were introduced.
   */
  mustName(envelope: EventEnvelope, of: { strict: boolean; shopId?: string | undefined }): boolean;
  /** One line of text; empty if every event names one. */
  notes(): string[];
};

/** During a rollout, the old version still runs alongside the new one. */
const rolloutMs = 24 * 3_600_000;

export function createNaming(shopId?: string): Naming {
  let beganMs: number | undefined;
  let olderOfAll = 0;
  let olderInScope = 0;
  const isRequired = ({ atMs }: EventEnvelope): boolean =>
    beganMs !== undefined && (olderOfAll === 0 || atMs > beganMs + rolloutMs);
  return {
    begin: ({ atMs }) => void (beganMs ??= atMs),
    mustName: (envelope, of) => {
      if (of.strict || isRequired(envelope)) return true;
      olderOfAll += 1;
      if (shopId === undefined || of.shopId === shopId) olderInScope += 1;
      return false;
    },
    notes: () =>
      olderInScope === 0
        ? []
        : [
            `${olderInScope} events of merchants and operators are older than the ids of keys and tokens`,
          ],
  };
}
