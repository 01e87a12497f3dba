import {
  recipientSchema,
  type OperationEvent,
  type OperationEventOf,
  type OperationRequest,
  type OpenedFields,
  type PlainRequest,
  type RequestTexts,
  type Recipient,
  type Requisites,
  type SealedFields,
  type SealedName,
  type SealedRequisites,
  type StoredRequisites,
} from '#shared/domain/operation/events.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { StoredReport } from '#shared/platform/event-store/types.ts';
import {
  omitSealable,
  parseOpened,
  pickSealable,
  sealedFields,
  sealedNames,
} from '#shared/domain/operation/fields/request.ts';
import type { OpenedRecipients } from '#shared/domain/operation/fields/snapshot.ts';
import type { ShopClient, PersonalKeys } from './keys.ts';
import { sealReport, type SignedReport } from './signed-report.ts';
import { hmac, readKeyId, open, sealValue, type PersonalKey } from './sealed-value.ts';

/** With what the provider does not get. */
type SealableRequest = PlainRequest & RequestTexts & OpenedFields;

/** Of a request, or of a row, in which an absent field is null. */
type FieldsOrNull = { [Name in SealedName]?: SealedFields[Name] | null };

/** Encrypts ("seals") personal data with the key of one client. */
export type Sealer = {
  keyId: string;
  request(operationId: string, plain: SealableRequest): OperationRequest;
  /** An operation's event, whose requisites are in plain text. */
  event(operationId: string, event: OperationEvent): OperationEvent;
  /** A keyed hash of a text: only those with the key can compare it. */
  bodyHash(operationId: string, text: string): PersonalHash;
  report(operationId: string, signed: SignedReport): StoredReport;
  /** A text of a context, such as a row of a file. */
  text(about: string, plain: string): string;
};

type PersonalHash = { key_id: string; hmac: string };

/** `erased`: a part of it was sealed with a key that is destroyed. */
export type DecryptedRecipients = OpenedRecipients & { erased: boolean };

type Acceptance = OperationEventOf<'AttemptAccepted'>;

/** Whether a decision has personal data in it that is not sealed: the requisites of a provider. */
export const hasPersonalData = (
  event: OperationEvent,
): event is Acceptance & { data: { requisites: Requisites } } =>
  event.type === 'AttemptAccepted' &&
  event.data.requisites !== undefined &&
  !('sealed' in event.data.requisites);

/** The replacement for a sealed value that is erased. */
export const erasedMark = { sealed: 'erased' } as const;

/** Seals and opens personal data, which happens only at the gateway's boundaries. */
export type PersonalData = {
  /** @throws when the store does not answer */
  sealer(client: ShopClient): Promise<Sealer>;
  /**
   * For data that comes after an operation's end: undefined if its client was erased, because that
   * gets no new key.
   * @throws as `sealer`
   */
  sealerAfterEnd(client: ShopClient): Promise<Sealer | undefined>;
  /**
   * The recipient and the encrypted fields of an operation, in plain text.
   * @throws when the store does not answer for the key
   */
  open(operation: Operation): Promise<DecryptedRecipients>;
  /**
   * The encrypted fields of an operation's request or row in plain text, without those that are
   * erased.
   * @throws when the store does not answer for the key
   */
  openFields(operationId: string, stored: FieldsOrNull): Promise<OpenedFields>;
  /**
   * The content of an operation's event with personal data in plain text, or `erasedMark` in its
   * place.
   * @throws when the store does not answer for the key
   */
  openEvent(operationId: string, event: OperationEvent): Promise<OperationEvent>;
  /**
   * `Sealer.bodyHash` under an earlier key; undefined once that is destroyed. @throws when the
   * store does not answer for it
   */
  bodyHashUnder(
    keyId: string,
    about: { operationId: string; text: string },
  ): Promise<PersonalHash | undefined>;
  /** What `Sealer.text` made; undefined once it is erased. @throws as `open` */
  openText(sealed: string, about: string): Promise<string | undefined>;
};

/** The part that is needed to apply a provider's report. */
export type ReportSealers = Pick<PersonalData, 'sealer' | 'sealerAfterEnd'>;

export function createPersonalData(keys: PersonalKeys): PersonalData {
  const opening = createOpening(keys);
  return {
    sealer: async (client) => sealerWith(await keys.forSealing(client)),
    sealerAfterEnd: async (client) => {
      const key = await keys.forSealingAfterEnd(client);
      return key && sealerWith(key);
    },
    open: async ({ operationId, request, accepted }) => {
      const { destination } = request;
      const opened: DecryptedRecipients = { erased: false };
      if (destination) {
        const recipient = await opening.recipient(destination, aboutDestination(operationId));
        if (recipient) opened.destination = recipient;
        else opened.erased = true;
      }
      if (accepted?.requisites) {
        const about = aboutRequisites(operationId, accepted.attempt);
        const recipient = await opening.recipient(accepted.requisites, about);
        if (recipient) opened.requisites = recipient;
        else opened.erased = true;
      }
      const fields = await opening.fields(operationId, request);
      if (Object.keys(fields).length > 0) opened.fields = fields;
      if (Object.keys(sealedFields(request)).some((name) => !(name in fields)))
        opened.erased = true;
      return opened;
    },
    openFields: opening.fields,
    openEvent: async (operationId, event) => {
      const { type, data } = event;
      if (type === 'OperationAdmitted')
        return { type, data: await admittedInClear(opening, operationId, data) };
      if (type !== 'AttemptAccepted' || !data.requisites) return event;
      const about = aboutRequisites(operationId, data.attempt);
      return {
        type,
        data: { ...data, requisites: await opening.requisites(data.requisites, about) },
      };
    },
    bodyHashUnder: async (keyId, { operationId, text }) => {
      const key = await keys.forOpening(keyId);
      return key && { key_id: keyId, hmac: hmac(key, aboutBody(operationId), text) };
    },
    openText: opening.text,
  };
}

type Decryption = ReturnType<typeof createOpening>;

/** Decrypts. */
function createOpening(keys: PersonalKeys) {
  /** Undefined if it is erased. */
  const text = async (sealed: string, about: string): Promise<string | undefined> => {
    const key = await keys.forOpening(readKeyId(sealed));
    return key && open(sealed, key, about);
  };
  /** Undefined if it is erased. */
  const recipient = async (
    stored: StoredRequisites,
    about: string,
  ): Promise<Recipient | undefined> => {
    if (!('sealed' in stored)) return toRecipient(stored);
    const opened = await text(stored.sealed, about);
    return opened === undefined ? undefined : recipientSchema.parse(JSON.parse(opened));
  };
  /** Decrypts requisites: with the bank, and with `erasedMark` instead of erased data. */
  const requisites = async (stored: StoredRequisites, about: string): Promise<StoredRequisites> => {
    if (!('sealed' in stored)) return stored;
    const { sealed: _, ...bank } = stored;
    return { ...((await recipient(stored, about)) ?? erasedMark), ...bank };
  };
  /** Undefined if it is erased. */
  const field = async (
    stored: NonNullable<SealedFields[SealedName]>,
    { operationId, name }: { operationId: string; name: SealedName },
  ): Promise<unknown> => {
    if ('opened' in stored) return stored.opened;
    const opened = await text(stored.sealed, aboutField(operationId, name));
    return opened === undefined ? undefined : parseOpened(name, JSON.parse(opened));
  };
  const fields = async (operationId: string, stored: FieldsOrNull): Promise<OpenedFields> => {
    const opened: Record<string, unknown> = {};
    for (const name of sealedNames) {
      const value = stored[name];
      const plain = value ? await field(value, { operationId, name }) : undefined;
      if (plain !== undefined) opened[name] = plain;
    }
    return opened;
  };
  return { text, recipient, requisites, fields };
}

type AdmittedData = OperationEventOf<'OperationAdmitted'>['data'];

async function admittedInClear(
  opening: Decryption,
  operationId: string,
  data: AdmittedData,
): Promise<AdmittedData> {
  const { client_ip: address, destination } = data.request;
  const opened = await opening.fields(operationId, data.request);
  const fields = Object.keys(sealedFields(data.request)).map((name) => [
    name,
    name in opened ? { opened: opened[name as SealedName] } : erasedMark,
  ]);
  const text =
    typeof address === 'object'
      ? await opening.text(address.sealed, aboutAddress(operationId))
      : address;
  const request = {
    ...data.request,
    ...(address !== undefined && { client_ip: text ?? erasedMark }),
    ...(destination && {
      destination: await opening.requisites(destination, aboutDestination(operationId)),
    }),
    ...(Object.fromEntries(fields) as SealedFields),
  };
  // From the hash of a whole body, the number could be found by brute force.
  const bodyHash = 'whole' in data.body_hash ? { whole: 'withheld' } : data.body_hash;
  return { ...data, body_hash: bodyHash, request };
}

const aboutAddress = (operationId: string) => `${operationId} client_ip`;
const aboutDestination = (operationId: string) => `${operationId} destination`;
const aboutField = (operationId: string, name: string) => `${operationId} ${name}`;
const aboutBody = (operationId: string) => `${operationId} body`;
const aboutRequisites = (operationId: string, attempt: number) =>
  `${operationId} requisites ${attempt}`;

function sealerWith(key: PersonalKey): Sealer {
  const recipient = (requisites: Requisites, about: string): SealedRequisites => {
    const { number: _number, name: _name, ...bank } = requisites;
    return { sealed: sealValue(JSON.stringify(toRecipient(requisites)), key, about), ...bank };
  };
  return {
    keyId: key.keyId,
    request: (operationId, { client_ip: clientIp, destination, ...rest }) => ({
      ...omitSealable(rest),
      ...(clientIp !== undefined && {
        client_ip: { sealed: sealValue(clientIp, key, aboutAddress(operationId)) },
      }),
      ...(destination && { destination: recipient(destination, aboutDestination(operationId)) }),
      ...Object.fromEntries(
        Object.entries(pickSealable(rest)).map(([name, value]) => [
          name,
          { sealed: sealValue(JSON.stringify(value), key, aboutField(operationId, name)) },
        ]),
      ),
    }),
    event: (operationId, event) => {
      if (!hasPersonalData(event)) return event;
      const { attempt, requisites } = event.data;
      const sealed = recipient(requisites, aboutRequisites(operationId, attempt));
      return { ...event, data: { ...event.data, requisites: sealed } };
    },
    bodyHash: (operationId, text) => ({
      key_id: key.keyId,
      hmac: hmac(key.key, aboutBody(operationId), text),
    }),
    report: (operationId, signed) => sealReport(operationId, signed, key),
    text: (about, plain) => sealValue(plain, key, about),
  };
}

function toRecipient({ number, name }: Requisites): Recipient {
  return { number, ...(name !== undefined && { name }) };
}
