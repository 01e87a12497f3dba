import type { NamingRule } from '../../authority/naming.ts';
import type { PersonalKeyFacts } from '../entities/entity.ts';
import type { AuditContext } from '../pass/context.ts';
import { noteUse } from '../personal/judge-personal.ts';
import { listKeyIds, type ClientRef } from '../personal/own-keys.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';

type WrappedKey = NonNullable<PersonalKeyFacts['wrapped']>;

/**
 * Why a client's key can't have been unreadable; undefined if it may have been, or the auditor has
 * no keys.
 */
export function whyReadable(
  context: AuditContext,
  envelope: EventEnvelope,
  client: ClientRef,
): string | undefined {
  const { keys, opened } = context.reports;
  if (!keys) return undefined;
  let readable = false;
  for (const keyId of listKeyIds(context, client)) {
    const { destroyed, wrapped } = noteUse(context, envelope, keyId);
    if (destroyed) continue;
    if (!wrapped) return undefined;
    try {
      keys.masters.unwrap(keyId, wrapped);
    } catch {
      return whyUnreadable(opened, wrapped);
    }
    opened.begin(wrapped);
    readable = true;
  }
  return readable
    ? 'its callback has no body because the key of its client was unreadable, but that key opens'
    : undefined;
}

/** A key that the auditor can't open is older than those that it can. */
export const whyUnreadable = (opened: NamingRule, wrapped: WrappedKey): string | undefined =>
  opened.mustName(wrapped, { strict: false })
    ? `the key of its client does not open with master key ${wrapped.master_key_id}, although older keys open`
    : undefined;
