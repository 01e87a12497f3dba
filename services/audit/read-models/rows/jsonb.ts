/** A value as PostgreSQL prints `jsonb`: keys by their length in bytes, then by their bytes. */
export function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([left], [right]) => {
    const [a, b] = [Buffer.from(left), Buffer.from(right)];
    return a.length - b.length || a.compare(b);
  });
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}: ${jsonbText(member)}`).join(', ')}}`;
}
