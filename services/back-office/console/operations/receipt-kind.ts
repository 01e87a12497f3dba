/**
 * What a payer's file is as a picture, by its first bytes; whatever its name was. Only types that a
 * browser shows as a picture and nothing else: no SVG, which may hold script.
 */
export function pictureType(content: Uint8Array): string | undefined {
  const head = Buffer.from(content.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1A\n')) return 'image/png';
  if (head.startsWith('\xFF\xD8\xFF')) return 'image/jpeg';
  // RIFF, four bytes of length, WEBP
  return head.startsWith('RIFF') && head.startsWith('WEBP', 8) ? 'image/webp' : undefined;
}
