import type { Operation } from '#shared/domain/operation/state.ts';
import type { Evidence } from '#shared/domain/evidence/events.ts';
import { LRUCache } from 'lru-cache';
import type { Origin } from '#shared/application/commands/origin.ts';
import { materialiseEvidence } from '#shared/application/receipts/evidence.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import type { ReceiptEvidence } from '#shared/api/bodies/receipt-evidence.ts';
import { evidenceWithoutMoney, viewEvidence } from './receipts.ts';

type EvidenceReader = {
  /** The receipts of an operation as known now. Never throws. */
  of(operation: Operation, origin: Origin): Promise<ReceiptEvidence>;
};

/** A merchant waits for the answer. */
const waitMs = 2_000;
/** Evidence never changes once it is recorded. */
const maxCached = 10_000;

/**
 * Reads evidence, and requests missing evidence from the provider; concurrent reads of one
 * operation share one request.
 */
export function createEvidenceReader({
  store,
  providers,
  links,
  logger,
}: Pick<MerchantDependencies, 'store' | 'providers' | 'links' | 'logger'>): EvidenceReader {
  const cache = new LRUCache<string, Evidence>({ max: maxCached });
  const requests = new Map<string, Promise<Evidence | undefined>>();

  async function requestEvidence(
    operation: Operation,
    origin: Origin,
  ): Promise<Evidence | undefined> {
    const bounds = { timeoutMs: waitMs };
    const result = await materialiseEvidence({ store, providers }, operation, { bounds, origin });
    if (result.outcome === 'known') return result.evidence;
    logger.warn(
      { operationId: operation.operationId, cause: result.cause },
      'the provider returned no evidence of transfers',
    );
    return undefined;
  }

  async function cachedOrRequested(
    operation: Operation,
    origin: Origin,
  ): Promise<Evidence | undefined> {
    const { operationId } = operation;
    const cached = cache.get(operationId);
    if (cached) return cached;
    const request =
      requests.get(operationId) ??
      requestEvidence(operation, origin).finally(() => requests.delete(operationId));
    requests.set(operationId, request);
    const evidence = await request;
    if (!evidence) return undefined;
    cache.set(operationId, evidence);
    return evidence;
  }

  return {
    of: async (operation, origin) => {
      const withoutMoney = evidenceWithoutMoney(operation);
      if (withoutMoney) return withoutMoney;
      const evidence = await cachedOrRequested(operation, origin);
      return evidence
        ? viewEvidence(evidence, links)
        : { receipt_evidence_status: 'unavailable', receipts: [] };
    },
  };
}
