import type { JsonSchema } from '../openapi/json-schema.ts';
import { escapeHtml, inline } from './markdown.ts';

/** The fields of an object, one a row, those of objects within it by their path. */
export function schemaTable(schema: JsonSchema): string {
  const rows = rowsOf(schema, '');
  return `<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

const maxDepth = 5;

function rowsOf({ properties = {}, required = [] }: JsonSchema, path: string, depth = 0): string[] {
  if (depth > maxDepth) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const at = `${path}${name}`;
    const isRequired = required.includes(name) ? ' <small>required</small>' : '';
    const cells = [
      `<code>${escapeHtml(at)}</code>${isRequired}`,
      typeOf(property),
      inline(property.description ?? ''),
    ];
    return [
      `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
      ...rowsOf(property, `${at}.`, depth + 1),
      ...(property.items ? rowsOf(property.items, `${at}[].`, depth + 1) : []),
    ];
  });
}

function typeOf({ anyOf, enum: values, items, type = 'any', format }: JsonSchema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => `<code>${escapeHtml(value)}</code>`).join(' ');
  if (items) return items.properties ? 'array of objects' : `array of ${typeOf(items)}`;
  return escapeHtml(format === undefined ? type : `${type} (${format})`);
}
