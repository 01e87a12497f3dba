import { z } from 'zod';
import {
  operationRequestSchema,
  type OpenedFields,
  type OperationRequest,
  type RequestTexts,
  type SealedFields,
  type SealedName,
} from '../events.ts';
import type { operationColumns } from './columns.ts';
import type { FieldEntry, RequestText } from './entry.ts';
import { operationFields } from './table.ts';

type Fields = typeof operationFields;
type TextName = {
  [Name in keyof Fields]: Fields[Name] extends { request: object } ? Name : never;
}[keyof Fields];

const entries = Object.entries(operationFields) as [keyof Fields, FieldEntry][];

/** The texts of a create's body. */
export const requestTexts = Object.fromEntries(
  entries.flatMap(([name, { request }]) => (request ? [[name, request]] : [])),
) as { [Name in TextName]: Fields[Name]['request'] & RequestText };

/** The fields of a create that are stored encrypted. */
export const sealedNames = entries.flatMap(([name, { sealed }]) =>
  sealed ? [name] : [],
) as SealedName[];

/** The texts of a create that are stored as they were sent, and can't be erased. */
export const clearTexts = entries.flatMap(([name, { request, sealed }]) =>
  request && !sealed ? [name] : [],
) as (keyof RequestTexts | 'merchant_operation_id')[];

/** Those of the stored request. The operation's key is stored outside of it. */
export const storedTexts = clearTexts.filter((name) => name !== 'merchant_operation_id');

type CopiedFields = RequestTexts & SealedFields;
const copiedNames: readonly (keyof CopiedFields)[] = [...storedTexts, ...sealedNames];

const pick = <Source extends object, Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
) =>
  Object.fromEntries(
    names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])),
  ) as Pick<Source, Name>;

/** The texts of a body that are stored as they were sent. */
export const pickTexts = (body: RequestTexts): RequestTexts => pick(body, storedTexts);

/** The fields of a body that are stored encrypted. */
export const pickSealable = (body: OpenedFields): OpenedFields => pick(body, sealedNames);

/** The rest of a body. */
export const omitSealable = <Body extends object>(body: Body): Omit<Body, SealedName> =>
  Object.fromEntries(
    Object.entries(body).filter(([name]) => !sealedNames.some((sealed) => sealed === name)),
  ) as Omit<Body, SealedName>;

/** What is only copied of a stored request: its texts, and its encrypted fields as they are. */
export const copiedFields = (request: CopiedFields): CopiedFields => pick(request, copiedNames);

/** The encrypted fields of a stored request, as they are. */
export const sealedFields = (request: SealedFields): SealedFields => pick(request, sealedNames);

type RequestColumns = {
  [Name in keyof CopiedFields & keyof typeof operationColumns]-?:
    | Exclude<CopiedFields[Name], undefined>
    | (undefined extends CopiedFields[Name] ? null : never);
};

/** The columns of gateway.operations that are copied from the stored request. */
export const requestColumns = (request: CopiedFields): RequestColumns =>
  Object.fromEntries(
    copiedNames
      .filter((name) => 'column' in operationFields[name])
      .map((name) => [name, request[name] ?? null]),
  ) as RequestColumns;

/** Encrypted fields as they are stored. */
export const sealedFieldsSchema = z.object(
  Object.fromEntries(sealedNames.map((name) => [name, operationRequestSchema.shape[name]])),
) as unknown as z.ZodType<SealedFields>;

/** A decrypted field. @throws if it is of another kind */
export const parseOpened = (name: SealedName, value: unknown): unknown => {
  const parsed = operationRequestSchema.shape[name].parse({ opened: value });
  return parsed && 'opened' in parsed ? parsed.opened : undefined;
};

/** The encrypted fields of a request whose event was opened, as far as they were decrypted. */
export const openedFields = (request: SealedFields): OpenedFields =>
  Object.fromEntries(
    sealedNames.flatMap((name) => {
      const value = request[name];
      // Of an event that this version does not know, it may be anything.
      return value instanceof Object && 'opened' in value ? [[name, value.opened]] : [];
    }),
  );

/** The personal parts of a stored request, by name. */
export const personalParts = ({
  client_ip: address,
  destination,
  ...request
}: OperationRequest) => [
  ...(address === undefined ? [] : [{ what: 'client_ip', value: address }]),
  ...(destination ? [{ what: 'destination', value: destination }] : []),
  ...Object.entries(sealedFields(request)).flatMap(([what, value]) =>
    value ? [{ what, value }] : [],
  ),
];
