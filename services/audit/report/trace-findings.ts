import type { AuditFinding } from './findings/findings.ts';
import { createdMs } from '#shared/platform/event-store/reading/raw-event.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { createMetadataReader } from '../log/pass/metadata.ts';

/** The event that a finding is about, without its content. */
type FoundEvent = { id: string; type: string; at: string; actor: string };
export type TracedFinding = AuditFinding & { event?: FoundEvent };

/** Findings beyond this number are listed without their events. */
const mostTraced = 1_000;

export async function traceFindings(
  log: Pick<RawLog, 'at'>,
  findings: readonly AuditFinding[],
): Promise<TracedFinding[]> {
  const metadataOf = createMetadataReader();
  const traced: TracedFinding[] = [];
  for (const [index, finding] of findings.entries()) {
    const { position } = finding;
    const event =
      position === undefined || index >= mostTraced ? undefined : await log.at(position);
    if (!event || event.position !== position || event.stream !== finding.stream) {
      traced.push(finding);
      continue;
    }
    const { id, type } = event;
    const at = new Date(createdMs(event)).toISOString();
    traced.push({ ...finding, event: { id, type, at, actor: metadataOf(event.metadata).actor } });
  }
  return traced;
}
