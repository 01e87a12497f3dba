/** The keywords of JSON Schema that the document uses where a type depends on them. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  const?: string;
  enum?: readonly string[];
  description?: string;
  anyOf?: readonly Schema[];
  oneOf?: readonly Pick<Schema, 'required'>[];
  allOf?: readonly Conditional[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  required?: readonly string[];
};

type Conditional = { if: Schema; then: Schema };
type Fields = Pick<Schema, 'properties' | 'required'>;

/** Whether a type is for requests, in which an optional field may also be `undefined`. */
type Direction = 'request' | 'answer';

/** A schema as TypeScript. @throws for a schema that it does not fully support */
export function schemaType(schema: Schema, direction: Direction): string {
  if (schema.$ref !== undefined) return schemaName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((each) => schemaType(each, direction)).join(' | ');
  if (schema.oneOf) return exactlyOne(schema, direction);
  if (schema.allOf) return conditional(schema, direction);
  const { type } = schema;
  if (typeof type === 'object')
    return type.map((each) => schemaType({ ...schema, type: each }, direction)).join(' | ');
  switch (type) {
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `Readonly<Record<string, ${schemaType(schema.additionalProperties, direction)}>>`
        : objectType(schema, direction);
    case 'array':
      return `readonly (${schemaType(schema.items ?? {}, direction)})[]`;
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
      return 'number';
    case 'number':
      return 'DecimalText';
    case 'boolean':
    case 'null':
      return type;
    case undefined:
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

export const schemaName = (reference: string): string =>
  reference.slice(reference.lastIndexOf('/') + 1);

function objectType({ properties = {}, required = [] }: Fields, direction: Direction): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const comment =
      property.description === undefined
        ? ''
        : `/** ${property.description.replaceAll('*/', '* /')} */\n`;
    if (required.includes(name)) return `${comment}${name}: ${schemaType(property, direction)};`;
    const orUndefined = direction === 'request' ? ' | undefined' : '';
    return `${comment}${name}?: ${schemaType(property, direction)}${orUndefined};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

/** `oneOf` of required fields: one variant for each, which must not have the others. */
function exactlyOne({ oneOf = [], ...schema }: Schema, direction: Direction): string {
  const alternatives = oneOf.flatMap(({ required = [] }) => required);
  const shared = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !alternatives.includes(name),
  );
  const variants = alternatives.map((chosen) => {
    const own = schema.properties?.[chosen];
    if (!own) throw new Error(`${chosen} is required and not described`);
    const properties = { [chosen]: own, ...Object.fromEntries(shared) };
    const others = alternatives
      .filter((name) => name !== chosen)
      .map((name) => `${name}?: undefined;`);
    const type = objectType(
      { properties, required: [...(schema.required ?? []), chosen] },
      direction,
    );
    return type.replace(/\}$/, `${others.join('\n')}\n}`);
  });
  return variants.join(' | ');
}

/** `allOf` of if-then over the value of one field: one variant for each of its values. */
function conditional(
  { allOf = [], properties = {}, required = [] }: Schema,
  direction: Direction,
): string {
  const variants = allOf.map(({ if: condition, then }) => {
    const [[field, given] = ['', undefined]] = Object.entries(condition.properties ?? {});
    const value = given?.const;
    const base = properties[field];
    if (!base?.enum || value === undefined)
      throw new Error(`no variants by ${JSON.stringify(condition)}`);
    return objectType(
      {
        // Other constraints in `then` narrow values, such as today's banks: a newer gateway may
        // know more of them.
        properties: { ...properties, [field]: { const: value } },
        required: [...required, ...(then.required ?? [])],
      },
      direction,
    );
  });
  return variants.join(' | ');
}
