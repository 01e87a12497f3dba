import type { JsonSchema } from '#shared/api/openapi/json-schema.ts';
import { tableHtml } from '../markdown/blocks.ts';
import { escapeHtml } from '../markdown/escape.ts';
import { inline } from '../markdown/inline.ts';

type SchemaTexts = { field: string; type: string; meaning: string; required: string };

/** The fields of an object, one a row; those of nested objects by their path. */
export function schemaTable(schema: JsonSchema, texts: SchemaTexts): string {
  return tableHtml(
    [texts.field, texts.type, texts.meaning],
    renderRows(schema, { path: '', texts }),
  );
}

const maxDepth = 5;

function renderRows(
  { properties = {}, required = [] }: JsonSchema,
  { path, texts, depth = 0 }: { path: string; texts: SchemaTexts; depth?: number },
): string[][] {
  if (depth > maxDepth) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const at = `${path}${name}`;
    const isRequired = required.includes(name)
      ? `<br><small class="muted">${texts.required}</small>`
      : '';
    const within = { texts, depth: depth + 1 };
    return [
      [
        `<code>${escapeHtml(at)}</code>${isRequired}`,
        describeType(property),
        inline(property.description ?? ''),
      ],
      ...renderRows(property, { path: `${at}.`, ...within }),
      ...(property.items ? renderRows(property.items, { path: `${at}[].`, ...within }) : []),
    ];
  });
}

function describeType({ anyOf, enum: values, items, type = 'any', format }: JsonSchema): string {
  if (anyOf) return anyOf.map(describeType).join(' or ');
  if (values) return values.map((value) => `<code>${escapeHtml(value)}</code>`).join(' ');
  if (items) return items.properties ? 'array of objects' : `array of ${describeType(items)}`;
  const named = [type].flat().join(' or ');
  return escapeHtml(format === undefined ? named : `${named} (${format})`);
}
