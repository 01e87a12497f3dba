import type { StoredEvent, StoredReport } from '#shared/platform/event-store/types.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** The metadata of an event (`EventMetadata`): who acted, and what caused it. */
type ReadMetadata = Omit<EventEnvelope, 'event' | 'atMs' | keyof StoredEvent> & {
  metadata: StoredEvent['metadata'];
  /** What is wrong with it. */
  problem?: string;
};

const unreadable = { correlation_id: '', actor: '', schema_version: 0 };
const actor = /^(merchant|member|payer|operator|provider|service|auditor):./u;
const issuer = /^(member|operator):./u;

/**
 * Reads metadata. Events of one append carry the same bytes besides their signature, so the last
 * result is reused.
 * @param unsigned the bytes without the signature
 */
export function createMetadataReader(): (bytes: Buffer, unsigned?: Buffer) => ReadMetadata {
  let last: { unsigned: Buffer; read: ReadMetadata } | undefined;
  return (bytes, unsigned = bytes) => {
    if (last?.unsigned.equals(unsigned) === true) return last.read;
    const read = readMetadata(bytes);
    last = { unsigned, read };
    return read;
  };
}

function readMetadata(bytes: Buffer): ReadMetadata {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { actor: '', metadata: unreadable, problem: 'the metadata is not JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null)
    return { actor: '', metadata: unreadable, problem: 'the metadata is not an object' };
  const fields = parsed as Record<string, unknown>;
  const text = (name: string) => typeof fields[name] === 'string' && fields[name] !== '';
  const actorId = typeof fields['actor'] === 'string' ? fields['actor'] : '';
  const version = fields['schema_version'];
  const { key_id: keyId, token_id: tokenId, causation_id: causationId, report } = fields;
  const linkIssuers = fields['link_issuers'];
  const { correlation_id: correlationId } = fields;
  const problems = [
    ...(text('correlation_id') ? [] : ['no correlation_id']),
    ...(actor.test(actorId) ? [] : [`the actor is ${JSON.stringify(fields['actor'] ?? null)}`]),
    ...(isVersion(version) ? [] : [`schema_version is ${JSON.stringify(version ?? null)}`]),
    ...(causationId === undefined || isUuid(causationId)
      ? []
      : [`causation_id is ${JSON.stringify(causationId)}`]),
    ...misplaced(fields, { name: 'key_id', of: 'merchant:' }),
    ...misplaced(fields, { name: 'token_id', of: 'operator:' }),
    ...(linkIssuers === undefined || (areActors(linkIssuers) && actorId.startsWith('member:'))
      ? []
      : [`link_issuers of ${actorId} is ${JSON.stringify(linkIssuers)}`]),
    ...(report === undefined || (isReport(report) && actorId.startsWith('provider:'))
      ? []
      : [`a report of ${actorId} is ${isReport(report) ? 'there' : 'none'}`]),
  ];
  return {
    actor: actorId,
    ...(typeof correlationId === 'string' && { correlationId }),
    ...(typeof keyId === 'string' && { keyId }),
    ...(typeof tokenId === 'string' && { tokenId }),
    ...(areActors(linkIssuers) && { linkIssuers }),
    ...(isUuid(causationId) && { causationId }),
    ...(isReport(report) && { report }),
    metadata: {
      correlation_id: typeof correlationId === 'string' ? correlationId : '',
      actor: actorId,
      schema_version: isVersion(version) ? version : 0,
      ...(typeof keyId === 'string' && { key_id: keyId }),
      ...(typeof tokenId === 'string' && { token_id: tokenId }),
      ...(isUuid(causationId) && { causation_id: causationId }),
    },
    ...(problems.length > 0 && { problem: problems.join(', ') }),
  };
}

const areActors = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each) => typeof each === 'string' && issuer.test(each));

function isReport(value: unknown): value is StoredReport {
  if (typeof value !== 'object' || value === null) return false;
  const {
    id,
    timestamp,
    secret_hint: hint,
    sealed = '',
    unsealed,
    ...more
  } = value as Record<string, unknown>;
  const texts = [id, timestamp, hint, sealed].every((each) => typeof each === 'string');
  // An unknown field may hold personal data.
  const hasValidUnsealed =
    unsealed === undefined || (unsealed === 'key_unreadable' && sealed === '');
  return texts && hasValidUnsealed && Object.keys(more).length === 0;
}

/** Only callers of an API have a key or token. Events from before there were such ids name none. */
function misplaced(
  fields: Record<string, unknown>,
  { name, of }: { name: string; of: string },
): string[] {
  const id = fields[name];
  if (id === undefined) return [];
  if (typeof id !== 'string' || id === '') return [`${name} is ${JSON.stringify(id)}`];
  return String(fields['actor']).startsWith(of) ? [] : [`a ${name} of ${String(fields['actor'])}`];
}

const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

const isVersion = (version: unknown): version is number =>
  Number.isInteger(version) && Number(version) >= 1;
