import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { checkAnswers } from '../simulation/checks/answers.ts';
import { checkAcknowledged, checkAdjusted } from './checks/acknowledged.ts';
import type { Find, BrokenRule } from '#infra/verify/harness/tests/finding.ts';
import { checkWebhooks, requiredWebhooks } from './checks/webhooks.ts';
import type { StoryRun } from './load/acted.ts';
import type { ChaosLoad } from './load/load.ts';
import type { WebhookArrival } from './sink.ts';

/** The result of a run: the requests and responses, the log, the webhooks. */
export type RunEvidence = ChaosLoad & {
  /** By stream, of all that was requested. */
  readonly log: ReadonlyMap<string, readonly StoredEvent[]>;
  readonly arrivals: readonly WebhookArrival[];
  /** Webhooks without a valid signature. */
  readonly faults: readonly string[];
};

/**
 * Checks what the audit can't see from inside: whether everything that merchants received is true,
 * and arrived.
 */
export function judgeRun({
  acted,
  adjusted,
  stuck,
  log,
  arrivals,
  faults,
}: RunEvidence): BrokenRule[] {
  const findings: BrokenRule[] = [];
  const find: Find = (what, shows) => void findings.push({ what, shows });
  const cameTo = Map.groupBy(arrivals, ({ operationId }) => operationId);
  for (const each of acted) {
    const { story, responses, operationId = '' } = each;
    const reportBroken: Find = (what, shows) => find(what, { key: story.key, operationId, shows });
    const events = operationLog(log, each);
    for (const what of each.stuck) reportBroken(what);
    checkAnswers({ operationId, type: story.slot.type, responses }, reportBroken);
    checkAcknowledged(each, events, reportBroken);
    checkWebhooks(requiredWebhooks(events), cameTo.get(operationId) ?? [], reportBroken);
    cameTo.delete(operationId);
  }
  for (const id of cameTo.keys()) find('a webhook reports what nobody requested', id);
  for (const each of adjusted) checkAdjusted(each, (stream) => log.get(stream) ?? [], find);
  for (const what of stuck) find(what);
  for (const fault of faults) find('a webhook has no valid signature', fault);
  return findings;
}

/** The streams of all that was requested. */
export const touchedStreams = ({ acted, adjusted }: ChaosLoad): string[] => [
  ...acted.flatMap(({ operationId }) => (operationId ? [operationStream(operationId)] : [])),
  ...new Set(adjusted.map(({ shopId, currency }) => ledgerStream(shopId, currency))),
];

export const operationLog = (
  log: RunEvidence['log'],
  { operationId = '' }: StoryRun,
): readonly StoredEvent[] => log.get(operationStream(operationId)) ?? [];
