import { decodeProviderEvent, providerStream } from '#shared/domain/provider/events.ts';
import { defaultAccount } from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';

export const breakerTypes = ['payment', 'payout'] as const;
type BreakerType = (typeof breakerTypes)[number];

/** A process's last report on its calls to a provider; `opened` while it was skipped. */
export type BreakerReport = { at: Date; opened?: { calls: number; unknown: number } };
export type BreakerReports = Partial<Record<BreakerType, BreakerReport>>;

/** One type may have many reports since the other's last one; older ones are not searched. */
const newestRead = 100;

/** The state of breakers by provider, if any was reported. @throws Problem not_ready */
export async function readBreakers(
  store: Pick<EventStore, 'read'>,
  providers: readonly string[],
): Promise<ReadonlyMap<string, BreakerReports>> {
  const reports = new Map<string, BreakerReports>();
  await Promise.all(
    providers.map(async (name) => {
      const stream = providerStream(name);
      const events = await fromStore(
        store.read(stream, { direction: 'backwards', maxCount: newestRead }),
      );
      const ofName: BreakerReports = {};
      for (const stored of events) {
        const { type, data } = decodeProviderEvent(stored);
        // One account's wrong key is no fault of the provider.
        if (data.account !== undefined && data.account !== defaultAccount) continue;
        const opened = type === 'ProviderBreakerOpened' && {
          opened: { calls: data.calls, unknown: data.unknown },
        };
        // A report without a type counted both together.
        for (const of of data.type ? [data.type] : breakerTypes)
          ofName[of] ??= { at: stored.created, ...opened };
      }
      if (events.length > 0) reports.set(name, ofName);
    }),
  );
  return reports;
}

export const viewBreakers = (reports: BreakerReports | undefined) => ({
  payment: viewBreaker(reports?.payment),
  payout: viewBreaker(reports?.payout),
});

function viewBreaker(report: BreakerReport | undefined) {
  if (!report) return null;
  const { at, opened } = report;
  return { state: opened ? 'failing' : 'closed', since: at.toISOString(), ...opened };
}
