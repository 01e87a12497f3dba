import { mostRecorded, type AuditEvent, type AuditRan } from '#shared/domain/audit/events.ts';
import type { KnownCheckpoint } from '../log/chain/history.ts';
import { judgedRules, listNotCompared, computeAuditOutcome } from '../report/audit-summary.ts';
import type { AuditRun } from '../report/run.ts';

const mostNotCompared = 20;
const longestReason = 500;

export function ranEvent({
  startedAt,
  timing,
  result,
  findings,
  checkpoints,
}: AuditRun): AuditEvent {
  const { shopId, asOfMs, chain, signedFrom } = result;
  const { since, written } = checkpoints;
  const data: AuditRan = {
    started_at: startedAt.toISOString(),
    seconds: Number(timing.seconds.toFixed(3)),
    outcome: computeAuditOutcome(result, findings),
    position: String(result.position),
    as_of: asOfMs === 0 ? null : new Date(asOfMs).toISOString(),
    ...(shopId !== undefined && { audited_shop_id: shopId }),
    events: result.events,
    operations: result.operations,
    entries: result.entries,
    open_operations: result.openOperations,
    money: result.money,
    callbacks: {
      stored: result.reports.stored,
      verified: result.reports.verified,
      failed: result.reports.failed,
    },
    journal: chain,
    ...(signedFrom !== undefined && { signed_from: String(signedFrom) }),
    rules: judgedRules(result, findings).map(({ rule, checked, violations }) => ({
      rule,
      looked_at: checked,
      violations,
    })),
    findings: findings
      .listed()
      .slice(0, mostRecorded)
      .map(({ rule, stream, revision, position, shopId: findingShopId }) => ({
        rule,
        stream,
        ...(revision !== undefined && { revision }),
        ...(position !== undefined && { position: String(position) }),
        ...(findingShopId !== undefined && { shop_id: findingShopId }),
      })),
    not_compared: listNotCompared(result).slice(0, mostNotCompared),
    ...(since && { since: { ...toCheckpointPlace(since), holds: since.holds } }),
    ...(written && {
      checkpoint: { ...toCheckpointPlace(written), signed_with: written.signedWith },
    }),
  };
  return { type: 'AuditRan', data };
}

const toCheckpointPlace = ({ position, events, hash, createdAt }: KnownCheckpoint) => ({
  position,
  events,
  hash,
  created_at: createdAt,
});

export function failedEvent(startedAt: Date, reason: string): AuditEvent {
  const seconds = Number(((Date.now() - startedAt.getTime()) / 1_000).toFixed(3));
  return {
    type: 'AuditFailed',
    data: { started_at: startedAt.toISOString(), seconds, reason: reason.slice(0, longestReason) },
  };
}
