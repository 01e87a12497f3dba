import { jsonbText } from './jsonb.ts';
import { between, none, type RowIndex } from './row-index.ts';
import { auditedTables, type Put } from './tables.ts';

/**
 * PostgreSQL can't store U+0000 or half of a surrogate pair. Read models store another character
 * instead.
 */
function storedText(value: string): string {
  const wellFormed = value.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

/** A value as the comparison reads it from PostgreSQL; times and intervals in milliseconds. */
function cellText(value: unknown, type: string): string {
  if (value === null || value === undefined) return none;
  if (value instanceof Date) return String(value.getTime());
  if (typeof value === 'object') return storedText(jsonbText(value));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return type === 'interval' ? String(Number.parseInt(text, 10)) : storedText(text);
}

/** @throws for a row without the audit's own value of its money or outcome */
export const putInto =
  (index: Pick<RowIndex, 'put'>): Put =>
  (table, projected, { own = {}, position }) => {
    const { columns, key } = auditedTables[table];
    const texts = new Map<string, string>();
    for (const { name, type, isOwn } of columns) {
      const isGiven = Object.hasOwn(own, name);
      if (isOwn && !isGiven)
        throw new Error(`gateway.${table}.${name} needs a formula of the audit's own`);
      const value = isGiven ? own[name] : (projected as Record<string, unknown>)[name];
      texts.set(name, cellText(value, type));
    }
    const keyText = key.map((name) => texts.get(name) ?? none).join(between);
    index.put({ table, key: keyText, row: [...texts.values()].join(between), position });
  };

/**
 * What a projection makes of an event. Undefined where it can't apply the event: there it stops,
 * which the audit reports.
 */
export function projectOrSkip<Value>(project: () => Value): Value | undefined {
  try {
    return project();
  } catch {
    return undefined;
  }
}
