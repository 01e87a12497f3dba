import type { z } from 'zod';
import type { FieldEntry, Place } from './entry.ts';
import type { Snapshot } from './snapshot.ts';
import { operationFields } from './table.ts';

type Fields = typeof operationFields;
type FieldName = keyof Fields;

type ExcludedPlace<Name extends FieldName> = Fields[Name] extends {
  notIn: readonly (infer Excluded)[];
}
  ? Excluded
  : never;
type NameIn<Where extends Place> = {
  [Name in FieldName]: Where extends ExcludedPlace<Name> ? never : Name;
}[FieldName];
type Value<Name extends FieldName> = ReturnType<Fields[Name]['value']>;
type AlwaysPresent<Name extends FieldName> = undefined extends Value<Name> ? never : Name;

/** The operation object as it is shown there. */
export type OperationObject<Where extends Place> = {
  -readonly [Name in NameIn<Where> as AlwaysPresent<Name>]: Value<Name>;
} & {
  -readonly [Name in Exclude<NameIn<Where>, AlwaysPresent<NameIn<Where>>>]?: Exclude<
    Value<Name>,
    undefined
  >;
};

const entries = Object.entries(operationFields) as [FieldName, FieldEntry][];
const entriesIn = (place: Place) => entries.filter(([, { notIn }]) => !notIn?.includes(place));
const byPlace: Readonly<Record<Place, readonly [FieldName, FieldEntry][]>> = {
  create: entriesIn('create'),
  state: entriesIn('state'),
  list: entriesIn('list'),
  webhook: entriesIn('webhook'),
  operators: entriesIn('operators'),
};

/** The operation object for a place, with the fields that have a value. */
export function operationObject<Where extends Place>(
  place: Where,
  operation: Snapshot,
): OperationObject<Where> {
  const object: Record<string, unknown> = {};
  for (const [name, { value }] of byPlace[place]) {
    const found = value(operation);
    if (found !== undefined) object[name] = found;
  }
  return object as OperationObject<Where>;
}

/** The schemas of the object's fields in a place, with their sentences. */
export const fieldSchemas = <Where extends Place>(place: Where) =>
  Object.fromEntries(
    byPlace[place].map(([name, { schema, about }]) => [
      name,
      about === undefined ? schema : schema.meta({ description: about }),
    ]),
  ) as unknown as { [Name in NameIn<Where>]: Fields[Name]['schema'] & z.ZodType };

/** The form of webhooks that first had each field which was added later. */
export const webhookForms: ReadonlyMap<string, number> = new Map(
  entries.flatMap(([name, { webhookSince }]) =>
    webhookSince === undefined ? [] : [[name, webhookSince]],
  ),
);
