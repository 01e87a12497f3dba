import {
  decodeEvidenceEvent,
  evidenceStream,
  type Evidence,
  type EvidenceEvent,
} from '#shared/domain/evidence/events.ts';
import {
  evidenceInLegs,
  legsToShow,
  materialise,
  type Awaits,
} from '#shared/domain/evidence/materialise.ts';
import type { Leg } from '#shared/domain/operation/events.ts';
import { findAttempt, type Operation } from '#shared/domain/operation/state.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { attemptRef } from '#shared/application/providers/connector.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { toMetadata } from '#shared/application/commands/new-events.ts';
import type { CallBounds, Providers } from '#shared/application/providers/connector.ts';
import { hashToUuid } from './uuid.ts';

export type MaterialisedEvidence =
  | { outcome: 'known'; evidence: Evidence }
  /** Evidence is never partial: retry later. */
  | { outcome: 'unavailable'; cause: string };

/** How long after a leg its provider may still get the evidence. */
const lagMs = 10 * 60_000;

/** The provider's clock may be wrong in both directions. */
const isRecent: Awaits = ({ completed_at: at }) => Math.abs(Date.now() - Date.parse(at)) < lagMs;

/**
 * The evidence as it is stored: the operation's own legs, or as it was fetched. @throws when the
 * log can't be read
 */
export async function readEvidence(
  store: EventStore,
  operation: Operation,
  deadlineMs = 5_000,
): Promise<Evidence | undefined> {
  const own = evidenceInLegs(operation, hashToUuid);
  if (own) return own;
  const [first] = await store.read(evidenceStream(operation.operationId), {
    maxCount: 1,
    deadlineMs,
  });
  return first && decodeEvidenceEvent(first).data;
}

/**
 * The evidence of a terminal operation with money: its own legs if its provider reported them as
 * the evidence, else fetched from the provider for the first caller, and stored for later ones.
 * Idempotent; never throws.
 */
export async function materialiseEvidence(
  { store, providers }: { store: EventStore; providers: Providers },
  operation: Operation,
  { bounds, origin }: { bounds: CallBounds; origin: Origin },
): Promise<MaterialisedEvidence> {
  const unavailable = (cause: string) => ({ outcome: 'unavailable', cause }) as const;
  try {
    const stored = await readEvidence(store, operation, bounds.timeoutMs);
    if (stored) return { outcome: 'known', evidence: stored };
    const fetched = await fetchEvidence(providers, operation, bounds);
    if (fetched.outcome === 'unavailable') return fetched;
    const evidence = materialise(operation, fetched.items, {
      uuidOf: hashToUuid,
      awaits: isRecent,
    });
    if (!evidence) return unavailable('the provider does not show all of the money yet');
    const event: EvidenceEvent = { type: 'EvidenceMaterialised', data: evidence };
    const appended = await store.append({
      stream: evidenceStream(operation.operationId),
      expectedRevision: -1,
      events: [{ ...event, id: newId(), metadata: toMetadata(origin, event.type) }],
      deadlineMs: bounds.timeoutMs,
    });
    if (appended.outcome === 'appended') return { outcome: 'known', evidence };
    const first = await readEvidence(store, operation, bounds.timeoutMs);
    return first
      ? { outcome: 'known', evidence: first }
      : unavailable('the event store did not decide');
  } catch (error) {
    return unavailable(error instanceof Error ? error.message : 'the event store is unavailable');
  }
}

const asShown = (leg: Leg) => ({ ...leg, synthetic: false });

async function fetchEvidence(providers: Providers, operation: Operation, bounds: CallBounds) {
  // No provider has evidence of money that an operator approved.
  if (legsToShow(operation).length === 0) return { outcome: 'known', items: [] } as const;
  const attempt = operation.accepted && findAttempt(operation, operation.accepted.attempt);
  const connector = attempt && providers.get(attempt.route.provider);
  if (!attempt || !connector)
    return { outcome: 'unavailable', cause: 'no connector for the provider' } as const;
  // Its legs are all the evidence that it has.
  if (!connector.evidence)
    return { outcome: 'known', items: legsToShow(operation).map(asShown) } as const;
  return connector.evidence(attemptRef(operation, attempt), bounds);
}
