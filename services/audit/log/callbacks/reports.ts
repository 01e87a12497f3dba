import type { PersonalKeyCreated } from '#shared/domain/personal-data/events.ts';
import type { PersonalKeyFacts } from '../entities/entity.ts';
import { createNaming, type Naming } from '../../authority/naming.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { SignedReport } from './contradiction.ts';
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

/** Counts the stored callbacks and remembers which events each caused. */
export type Reports = {
  /** The keys to verify them with. */
  keys: ReportKeys | undefined;
  /** `facts`: of the key that seals the callback, if one does. */
  count(outcome: ReportOutcome, of: { shopId: string | undefined; facts?: PersonalKeyFacts }): void;
  /** An account with a provider was set up or changed. */
  takeAccount: ReturnType<typeof createAccountSecrets>['take'];
  /** Notes the hint of a secret that was not given. */
  missSecret(hint: string): void;
  /** A client's wrapped key, stored for later; undefined without the auditor's keys. */
  wrappedKey(created: PersonalKeyCreated): PersonalKeyFacts['wrapped'];
  /** A client's key is destroyed: data read with it before is no longer readable. */
  erase(facts: PersonalKeyFacts): void;
  figures(): ReportFigures;
  /** The previous event, if a callback caused it. */
  append: Append | undefined;
  /** Since when callbacks are stored. */
  since: Naming;
  /** The clients whose erasure was requested, as `clientOf` names them. */
  erased: Set<string>;
};

/** `signedReport`: undefined if it could not be read. */
export type Append = { envelope: EventEnvelope; signedReport: SignedReport | undefined };

/** `shopId`: only this shop's callbacks are counted. */
export function createReports(keys: ReportKeys | undefined, shopId?: string): Reports {
  const counts = Object.fromEntries(outcomes.map((each) => [each, 0])) as Record<
    ReportOutcome,
    number
  >;
  const missingSecrets = new Set<string>();
  const accounts = createAccountSecrets(keys);
  return {
    keys: accounts.keys,
    takeAccount: accounts.take,
    append: undefined,
    since: createNaming(shopId),
    erased: new Set(),
    count: (outcome, of) => {
      if (shopId !== undefined && of.shopId !== shopId) return;
      counts[outcome] += 1;
      if (!of.facts || outcome === 'erased') return;
      of.facts.reports ??= {};
      of.facts.reports[outcome] = (of.facts.reports[outcome] ?? 0) + 1;
    },
    missSecret: (hint) => void missingSecrets.add(hint),
    wrappedKey: ({ master_key_id, wrapped }) => (keys ? { master_key_id, wrapped } : undefined),
    erase: (facts) => {
      for (const outcome of outcomes) {
        const read = facts.reports?.[outcome] ?? 0;
        counts[outcome] -= read;
        counts.erased += read;
      }
      delete facts.reports;
    },
    figures: () => ({
      stored: outcomes.reduce((sum, each) => sum + counts[each], 0),
      ...counts,
      tried: keys !== undefined,
      missingSecrets: [...missingSecrets].toSorted(),
    }),
  };
}
