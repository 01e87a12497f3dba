import { hash, randomUUID } from 'node:crypto';

/** A random id, for events and anything that must not be predictable. */
export const newId = (): string => randomUUID();

/**
 * A value's JSON with the keys in order: two bodies that differ in key order or white space are
 * one.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}

/**
 * The value of a text that `JSON.stringify` made; undefined for another: of a member that is there
 * twice, its reader may take the other one.
 */
export function parsePlainJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** SHA-256, in hexadecimal, of the body as a JSON value: what "the same body" means (R4.2). */
export function hashBody(body: unknown): string {
  return hash('sha256', canonicalJson(body), 'hex');
}
