import type { Answer } from './answer.ts';

/** A file without quoted line breaks, as records by the names of its columns. */
export function recordsOf({ text }: Answer): Record<string, string>[] {
  const [names = [], ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    );
  return rows.map((row) =>
    Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])),
  );
}
