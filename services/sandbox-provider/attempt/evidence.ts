import type { WireEvidence } from '#shared/application/providers/sandbox/wire.ts';
import type { SubmittedAttempt } from './record.ts';

/**
 * The evidence for an attempt's money; undefined if the provider can't respond now. `partial`: the
 * newest leg is known by its amount alone.
 */
export function toWireEvidence({ submission, legs }: SubmittedAttempt): WireEvidence | undefined {
  const { evidence } = submission.options;
  if (evidence === 'unavailable') return undefined;
  const lacking = evidence === 'partial' ? legs.length - 1 : -1;
  return {
    status: lacking >= 0 ? 'partial' : 'complete',
    items: legs.map((leg, index) => ({
      ...leg,
      file: leg.file && index !== lacking,
      synthetic: index === lacking,
    })),
  };
}
