import type { PersonalKeyCreated } from '#shared/domain/personal-data/events.ts';
import type { PersonalKeyFacts } from '../dossier/dossier.ts';
import { createNaming, type Naming } from '../authority/naming.ts';
import type { Seen } from '../findings/accuse.ts';
import type { Told } from './contradiction.ts';
import { outcomes, type ReportOutcome } from './outcomes.ts';
import type { ReportKeys } from './verify-report.ts';

export type ReportFigures = Record<ReportOutcome, number> & {
  kept: number;
  /** Whether the auditor gave what it takes to verify them. */
  tried: boolean;
  /** Of the secrets that are missing. */
  missingSecrets: readonly string[];
};

/** Counts the callbacks that are kept with the events that they added. */
export type Reports = {
  /** What the auditor gave to verify them. */
  keys: ReportKeys | undefined;
  /** `facts`: of the key that seals it, where something is sealed. */
  count(outcome: ReportOutcome, of: { shopId: string | undefined; facts?: PersonalKeyFacts }): void;
  /** The hint of a secret that was not given. */
  missSecret(hint: string): void;
  /** A client's key, as it is needed later; undefined if the auditor gave no keys. */
  wrappedKey(created: PersonalKeyCreated): PersonalKeyFacts['wrapped'];
  /** A client's key is destroyed: whatever was read with it before, nobody reads it now. */
  erase(facts: PersonalKeyFacts): void;
  figures(): ReportFigures;
  /** The event before, where it came of a callback. */
  append: Append | undefined;
  /** Since when callbacks are kept. */
  since: Naming;
  /** The clients whose erasure was asked for, as `clientOf` names them. */
  erased: Set<string>;
};

/** `told`: undefined if it could not be read. */
export type Append = { seen: Seen; told: Told | undefined };

/** `shopId`: whose reports alone are counted. */
export function createReports(keys: ReportKeys | undefined, shopId?: string): Reports {
  const counts = Object.fromEntries(outcomes.map((each) => [each, 0])) as Record<
    ReportOutcome,
    number
  >;
  const missingSecrets = new Set<string>();
  return {
    keys,
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
      kept: outcomes.reduce((sum, each) => sum + counts[each], 0),
      ...counts,
      tried: keys !== undefined,
      missingSecrets: [...missingSecrets].toSorted(),
    }),
  };
}
