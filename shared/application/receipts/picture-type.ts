/** The picture type of a payer's file by its first bytes, whatever its name. */
export function pictureType(content: Uint8Array): string | undefined {
  const head = Buffer.from(content.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1A\n')) return 'image/png';
  if (head.startsWith('\xFF\xD8\xFF')) return 'image/jpeg';
  // RIFF, four bytes of length, WEBP
  return head.startsWith('RIFF') && head.startsWith('WEBP', 8) ? 'image/webp' : undefined;
}
