import { z } from 'zod';
import type { PersonalData, Sealer } from '../personal-data/personal-data.ts';

/** What people recognise a file by. */
const labelSchema = z.object({
  /** None of a file that was sent to the API. */
  name: z.string().optional(),
  /** Of the bytes that were sent first, in hexadecimal. */
  sha256: z.string(),
});
export type FileLabel = z.infer<typeof labelSchema>;

const aboutLabel = (batchId: string) => `${batchId} file`;
const mostCharacters = 255;

/**
 * Encrypted: a name may be personal, and from the hash of a short file a number could be found by
 * trying values.
 */
export function sealLabel(
  sealer: Pick<Sealer, 'text'>,
  batchId: string,
  { name, sha256 }: { name: string | undefined; sha256: string },
): string {
  const label: FileLabel = { sha256, ...(name !== undefined && { name: tidyName(name) }) };
  return sealer.text(aboutLabel(batchId), JSON.stringify(label));
}

/** A file's name on one line, without its folder. */
const tidyName = (name: string): string =>
  Array.from((name.split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{C}+/gu, ' ').trim())
    .slice(0, mostCharacters)
    .join('');

/** Undefined of an older file, and once it is erased. @throws when the key can't be read */
export async function openLabel(
  personal: Pick<PersonalData, 'openText'>,
  { batchId, sealed }: { batchId: string; sealed: string | null | undefined },
): Promise<FileLabel | undefined> {
  if (sealed === null || sealed === undefined) return undefined;
  const text = await personal.openText(sealed, aboutLabel(batchId));
  return text === undefined ? undefined : labelSchema.parse(JSON.parse(text));
}
