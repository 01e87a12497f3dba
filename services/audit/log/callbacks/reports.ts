import type { PersonalKeyCreated } from '#shared/domain/personal-data/events.ts';
import type { PersonalKeyFacts } from '../entities/entity.ts';
import { createNaming } from '../../authority/naming.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { SignedClaim } from './contradiction.ts';
import { createAccountSecrets } from './account-secrets.ts';
import { outcomes, type ReportOutcome } from './outcomes.ts';
import type { ReportKeys } from './verify-report.ts';

export type ReportFigures = Record<ReportOutcome, number> & {
  stored: number;
  /** Whether the keys to verify them were given. */
  tried: boolean;
  /** Hints of the secrets that are missing. */
  missingSecrets: readonly string[];
};

export type CallbackReports = ReturnType<typeof createReports>;

/** `signedReport`: undefined if it could not be read. */
export type Append = { envelope: EventEnvelope; signedReport: SignedClaim | undefined };

/**
 * Counts the stored callbacks and remembers which events each caused. `shopId`: only this shop's
 * callbacks are counted.
 */
export function createReports(keys: ReportKeys | undefined, shopId?: string) {
  const counts = Object.fromEntries(outcomes.map((each) => [each, 0])) as Record<
    ReportOutcome,
    number
  >;
  const missingSecrets = new Set<string>();
  const accounts = createAccountSecrets(keys);
  return {
    /** The keys to verify them with. */
    keys: accounts.keys,
    /** An account with a provider was set up or changed. */
    takeAccount: accounts.take,
    /** The previous event, if a callback caused it. */
    append: undefined as Append | undefined,
    /** Since when callbacks are stored. */
    since: createNaming(shopId),
    /** Since when the clients' keys open with the auditor's keys. */
    opened: createNaming(),
    /** How often the erasure of a client was requested, by `clientKey`. */
    erasures: new Map<string, number>(),
    /** `facts`: of the key that seals the callback, if one does. */
    count: (
      outcome: ReportOutcome,
      of: { shopId: string | undefined; facts?: PersonalKeyFacts },
    ): void => {
      if (shopId !== undefined && of.shopId !== shopId) return;
      counts[outcome] += 1;
      if (!of.facts || outcome === 'erased') return;
      of.facts.reports ??= {};
      of.facts.reports[outcome] = (of.facts.reports[outcome] ?? 0) + 1;
    },
    /** Notes the hint of a secret that was not given. */
    missSecret: (hint: string) => void missingSecrets.add(hint),
    /** A client's wrapped key, stored for later; undefined without the auditor's keys. */
    wrappedKey: (
      { master_key_id, wrapped }: PersonalKeyCreated,
      atMs: number,
    ): PersonalKeyFacts['wrapped'] => (keys ? { master_key_id, wrapped, atMs } : undefined),
    /** A client's key is destroyed: data read with it before is no longer readable. */
    erase: (facts: PersonalKeyFacts): void => {
      for (const outcome of outcomes) {
        const read = facts.reports?.[outcome] ?? 0;
        counts[outcome] -= read;
        counts.erased += read;
      }
      delete facts.reports;
    },
    figures: (): ReportFigures => ({
      stored: outcomes.reduce((sum, each) => sum + counts[each], 0),
      ...counts,
      tried: keys !== undefined,
      missingSecrets: [...missingSecrets].toSorted(),
    }),
  };
}
