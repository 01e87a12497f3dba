import type { RequestTexts, SealedFields, SealedName } from '../events.ts';
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
