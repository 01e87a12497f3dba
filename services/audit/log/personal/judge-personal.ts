import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { personalParts } from '#shared/domain/operation/fields/request.ts';
import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import {
  decodeErasureEvent,
  decodePersonalKeyEvent,
  erasurePrefix,
  personalKeyPrefix,
} from '#shared/domain/personal-data/events.ts';
import type { AuditedEntity, PersonalKeyFacts } from '../entities/entity.ts';
import { clientOfFiles } from '#shared/application/payout-batches/waiting-files.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../pass/context.ts';
import { clientKey, isItsKey, type ClientRef } from './own-keys.ts';
import { auditedSealedPattern } from './sealed-pattern.ts';

/** From this event version on, personal data is sealed. */
const sealedSince = 2;
/** From this event version on, the bare hash of an admission covers no personal data. */
const hashedApartSince = 3;

/** A key's entity has the name of the key's stream, also for events of other streams. */
const findKeyEntity = ({ entities }: AuditContext, keyId: string): AuditedEntity =>
  entities.of(`${personalKeyPrefix}${keyId}`);
const findOrAddFacts = (entity: AuditedEntity): PersonalKeyFacts =>
  (entity.personalKey ??= { events: 0, erasureEvents: 0 });

/** Checks an event of a client's key or of its erasure. @throws when it can't be decoded */
export function judgePersonal(context: AuditContext, envelope: EventEnvelope): void {
  const { stream } = envelope.event;
  if (stream.startsWith(erasurePrefix)) return judgeErasure(context, envelope);
  const { type, data } = decodePersonalKeyEvent(envelope);
  const facts = findOrAddFacts(findKeyEntity(context, data.key_id));
  if (`${personalKeyPrefix}${data.key_id}` !== stream)
    createFlag(context, envelope)('log.wrong_stream', `it names key ${data.key_id}`);
  checkRevision(context, envelope, facts.events);
  facts.events += 1;
  const flag = createFlag(context, envelope, facts.shopId);
  if (type === 'PersonalKeyRetired') {
    if (!facts.requested)
      flag('personal.key_destroyed', 'the key is retired, but no operator requested an erasure');
    if (facts.retired) flag('personal.key_destroyed', 'the key is retired twice');
    facts.retired = true;
    return;
  }
  // With another content, nothing that it encrypts could be read any more.
  if (facts.created || facts.retired)
    return flag('setup.order', 'the key is created again, or after it was retired');
  facts.shopId ??= data.shop_id;
  facts.created = true;
  const wrapped = context.reports.wrappedKey(data, envelope.atMs);
  if (wrapped) facts.wrapped = wrapped;
}

function judgeErasure(context: AuditContext, envelope: EventEnvelope): void {
  const event = decodeErasureEvent(envelope);
  const keyId = envelope.event.stream.slice(erasurePrefix.length);
  const facts = findOrAddFacts(findKeyEntity(context, keyId));
  checkRevision(context, envelope, facts.erasureEvents);
  facts.erasureEvents += 1;
  if (event.type === 'PersonalDataErased') {
    const isExpected = facts.requested && facts.destroyed && !facts.erased;
    facts.erased = true;
    if (isExpected) return;
    const message = 'it is erased twice, or its key was not destroyed before';
    return createFlag(context, envelope, facts.shopId)('personal.erasure', message);
  }
  const { key_id: named, shop_id: shopId, client_id: clientId } = event.data;
  const flag = createFlag(context, envelope, shopId);
  if (!isItsKey(context, { shopId, clientId }, keyId))
    flag('personal.client_key', 'it erases a key that its client does not have');
  const client = clientKey({ shopId, clientId });
  context.reports.erasures.set(client, (context.reports.erasures.get(client) ?? 0) + 1);
  if (named !== keyId) flag('log.wrong_stream', `it erases key ${named}`);
  if (!envelope.actor.startsWith('operator:'))
    flag('personal.erasure', `${envelope.actor} requested it`);
  if (facts.requested) flag('personal.erasure', 'it is requested twice');
  facts.shopId ??= shopId;
  facts.requested ??= { position: envelope.event.position, atMs: envelope.atMs };
}

function checkRevision(context: AuditContext, envelope: EventEnvelope, expected: number): void {
  if (envelope.event.revision === expected) return;
  const message = `revision ${envelope.event.revision} follows where ${expected} is expected`;
  createFlag(context, envelope)('log.revision_gap', message);
}

/** Applies the deletion of a key's stream: requested here, lost history elsewhere. */
export function judgeDestroyedKey(
  context: AuditContext,
  envelope: Pick<EventEnvelope, 'event'>,
): void {
  const facts = findOrAddFacts(
    findKeyEntity(context, envelope.event.stream.slice(personalKeyPrefix.length)),
  );
  facts.destroyed = true;
  context.reports.erase(facts);
  if (facts.requested) return;
  const message = 'the key is destroyed, but no operator requested an erasure';
  createFlag(context, envelope, facts.shopId)('personal.key_destroyed', message);
}

/**
 * Checks the personal data in an operation's event against the keys. The event must be decodable.
 */
export function judgeSealed(context: AuditContext, envelope: EventEnvelope): void {
  const event = { type: envelope.type, data: envelope.data } as OperationEvent;
  for (const { what, value } of personalIn(event)) {
    const sealed = typeof value === 'object' && 'sealed' in value ? value.sealed : undefined;
    const [, keyId] = (sealed !== undefined && auditedSealedPattern.exec(sealed)) || [];
    const shopId = 'shop_id' in event.data ? event.data.shop_id : undefined;
    if (keyId === undefined) {
      if (sealed !== undefined || envelope.metadata.schema_version >= sealedSince)
        createFlag(context, envelope, shopId)('personal.in_clear', `${what} is not encrypted`);
      continue;
    }
    judgeKey(context, envelope, { keyId, client: clientIn(context, envelope), what });
  }
  if (event.type === 'OperationAdmitted') judgeBodyHash(context, envelope, event.data);
}

/** Checks that personal data in an event of a file of payouts is encrypted. */
export function judgeSealedFile(
  context: AuditContext,
  envelope: EventEnvelope,
  event: PayoutBatchEvent,
): void {
  const { shop_id: shopId } = event.data;
  for (const { what, clientId, sealed } of listSealedValues(event)) {
    const keyId = auditedSealedPattern.exec(sealed)?.[1];
    const client = { shopId, clientId };
    if (keyId !== undefined) judgeKey(context, envelope, { keyId, client, what });
    else
      createFlag(
        context,
        envelope,
        shopId,
      )('personal.in_clear', `${what} of a file of payouts is not encrypted`);
  }
}

function listSealedValues({ type, data }: PayoutBatchEvent) {
  if (type === 'PayoutBatchRowsStored')
    return data.rows.map(({ client_id: clientId, sealed }) => ({
      what: 'a row',
      clientId,
      sealed,
    }));
  if (type !== 'PayoutBatchChecked' || data.sealed_file === undefined) return [];
  const { clientId } = clientOfFiles(data.shop_id);
  return [{ what: 'the name', clientId, sealed: data.sealed_file }];
}

/** The client of an operation's event. */
const clientIn = ({ entities }: AuditContext, { event: { stream } }: EventEnvelope) =>
  entities.of(stream.slice(stream.indexOf('-') + 1)).operation;

type KeyUse = { keyId: string; client: ClientRef | undefined; what: string };

/** Checks the key that something of a client is encrypted with. */
function judgeKey(
  context: AuditContext,
  envelope: EventEnvelope,
  { keyId, client, what }: KeyUse,
): void {
  const { shopId: createdFor } = noteUse(context, envelope, keyId);
  if (!client) return;
  const { shopId } = client;
  const flag = createFlag(context, envelope, shopId);
  if (!isItsKey(context, client, keyId))
    flag('personal.client_key', `${what} is encrypted with a key that its client does not have`);
  else if (createdFor !== undefined && createdFor !== shopId)
    flag('personal.client_key', `${what} is encrypted with a key created for shop ${createdFor}`);
}

/** Checks that a key exists before anything is sealed with it. @returns the key's facts */
export function noteUse(
  context: AuditContext,
  envelope: EventEnvelope,
  keyId: string,
): PersonalKeyFacts {
  const facts = findOrAddFacts(findKeyEntity(context, keyId));
  if (facts.created || facts.destroyed) return facts;
  const { stream, revision, position } = envelope.event;
  facts.usedBefore ??= { stream, revision, position, atMs: envelope.atMs };
  return facts;
}

type Admission = Extract<OperationEvent, { type: 'OperationAdmitted' }>['data'];

/** A card or phone number in a bare hash can be found by brute force. */
function judgeBodyHash(
  context: AuditContext,
  envelope: EventEnvelope,
  { shop_id: shopId, body_hash: hash, request }: Admission,
) {
  const client = { shopId, clientId: request.client_id };
  const report = createFlag(context, envelope, shopId);
  const flag = (message: string) => report('personal.in_clear', message);
  // The content is as stored: before version 3 the hash is a text.
  if (typeof hash === 'string' || 'whole' in hash) {
    if (envelope.metadata.schema_version >= hashedApartSince)
      flag('body_hash is that of the whole body');
  } else if (hash.personal)
    judgeKey(context, envelope, { keyId: hash.personal.key_id, client, what: 'body_hash' });
  else if (personalParts(request).length > 0) flag('body_hash has no separate personal part');
}

function personalIn({ type, data }: OperationEvent) {
  if (type === 'AttemptAccepted')
    return data.requisites ? [{ what: 'requisites', value: data.requisites }] : [];
  return type === 'OperationAdmitted' ? personalParts(data.request) : [];
}
