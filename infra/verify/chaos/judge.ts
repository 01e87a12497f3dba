import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { checkAnswers } from '../simulation/checks/answers.ts';
import { checkAcknowledged, checkAdjusted } from './checks/acknowledged.ts';
import type { Find, Finding } from '#infra/verify/harness/finding.ts';
import { checkWebhooks, owedBy } from './checks/webhooks.ts';
import type { Acted } from './load/acted.ts';
import type { Load } from './load/load.ts';
import type { Arrival } from './sink.ts';

/** The result of a run: the requests and responses, the log, the webhooks. */
export type Evidence = Load & {
  /** By stream, of all that was asked for. */
  readonly log: ReadonlyMap<string, readonly StoredEvent[]>;
  readonly arrivals: readonly Arrival[];
  /** Webhooks without a valid signature. */
  readonly faults: readonly string[];
};

/**
 * Checks what the audit can't see from inside: whether everything that merchants were told is true,
 * and arrived.
 */
export function judge({ acted, adjusted, stuck, log, arrivals, faults }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const find: Find = (what, shows) => void findings.push({ what, shows });
  const cameTo = Map.groupBy(arrivals, ({ operationId }) => operationId);
  for (const each of acted) {
    const { story, responses, operationId = '' } = each;
    const say: Find = (what, shows) => find(what, { key: story.key, operationId, shows });
    const events = logOf(log, each);
    for (const what of each.stuck) say(what);
    checkAnswers({ operationId, type: story.slot.type, responses }, say);
    checkAcknowledged(each, events, say);
    checkWebhooks(owedBy(events), cameTo.get(operationId) ?? [], say);
    cameTo.delete(operationId);
  }
  for (const id of cameTo.keys()) find('a webhook tells of what nobody asked for', id);
  for (const each of adjusted) checkAdjusted(each, (stream) => log.get(stream) ?? [], find);
  for (const what of stuck) find(what);
  for (const fault of faults) find('a webhook has no valid signature', fault);
  return findings;
}

/** The streams of all that was asked for. */
export const streamsOf = ({ acted, adjusted }: Load): string[] => [
  ...acted.flatMap(({ operationId }) => (operationId ? [operationStream(operationId)] : [])),
  ...new Set(adjusted.map(({ shopId, currency }) => ledgerStream(shopId, currency))),
];

export const logOf = (log: Evidence['log'], { operationId = '' }: Acted): readonly StoredEvent[] =>
  log.get(operationStream(operationId)) ?? [];
