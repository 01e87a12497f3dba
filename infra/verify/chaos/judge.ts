import { checkAnswers } from '#infra/verify/simulation/checks/answers.ts';
import type { Find } from '#infra/verify/simulation/checks/find.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { checkAcknowledged, checkAdjusted } from './checks/acknowledged.ts';
import { checkWebhooks, owedBy } from './checks/webhooks.ts';
import type { Load } from './load/load.ts';
import type { Arrival } from './sink.ts';

/** A rule that was broken, with what shows it. */
export type Finding = { readonly what: string; readonly shows?: unknown };

/** What a run left: the requests and responses, the log, the webhooks. */
export type Evidence = Load & {
  /** By stream, of all that was asked for. */
  readonly log: ReadonlyMap<string, readonly StoredEvent[]>;
  readonly arrivals: readonly Arrival[];
  /** Webhooks without a valid signature. */
  readonly faults: readonly string[];
};

/** What the audit can not see from inside: whether all that merchants were told is so, and came. */
export function judge({ operations, adjusted, log, arrivals, faults }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const find: Find = (what, shows) => void findings.push({ what, shows });
  const logOf = (stream: string) => log.get(stream) ?? [];
  const cameTo = Map.groupBy(arrivals, ({ operationId }) => operationId);
  for (const operation of operations) {
    const { operationId } = operation;
    const say: Find = (what, shows) => find(what, { operationId, shows });
    const events = logOf(operationStream(operationId));
    checkAnswers(operation, say);
    checkAcknowledged(operation, events, say);
    checkWebhooks(owedBy(events), cameTo.get(operationId) ?? [], say);
    cameTo.delete(operationId);
  }
  for (const id of cameTo.keys()) find('a webhook tells of what nobody asked for', id);
  for (const each of adjusted) checkAdjusted(each, logOf, find);
  for (const fault of faults) find('a webhook has no valid signature', fault);
  return findings;
}

/** The streams of all that was asked for. */
export const streamsOf = ({ operations, adjusted }: Load): string[] => [
  ...operations.map(({ operationId }) => operationStream(operationId)),
  ...new Set(adjusted.map(({ shopId, currency }) => ledgerStream(shopId, currency))),
];
