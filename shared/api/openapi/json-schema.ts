import { z } from 'zod';

/** The keywords that are looked at, and all others. */
export type JsonSchema = {
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: string[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  [keyword: string]: unknown;
};

/** The schemas of a document, each under its name, and how to refer to them. */
export type SchemaNames = {
  /**
   * A reference to the schema, which is registered under its name.
   * @throws when another schema has the name already
   */
  refer(name: string, schema: z.ZodType, rules?: Readonly<JsonSchema>): { $ref: string };
  /** All that was referred to, in the order of their names. */
  all(): Record<string, JsonSchema>;
};

/** JSON Schema (2020-12, which OpenAPI 3.1 takes as it is) from the schemas that validate. */
export function createSchemaNames(): SchemaNames {
  const named = new Map<string, JsonSchema>();
  return {
    refer: (name, schema, rules = {}) => {
      const described = { ...toJsonSchema(schema), ...rules };
      const earlier = named.get(name);
      if (earlier && JSON.stringify(earlier) !== JSON.stringify(described)) {
        throw new Error(`two schemas are called ${name}`);
      }
      named.set(name, described);
      return { $ref: `#/components/schemas/${name}` };
    },
    all: () =>
      Object.fromEntries([...named].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/**
 * As it may be sent: what a client must not rely on (that nothing is ever added to an answer) is
 * not promised.
 */
function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return described as JsonSchema;
}
