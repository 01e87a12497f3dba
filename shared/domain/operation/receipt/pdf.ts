/** PDF readers search this many bytes for the header; some files have a few bytes before it. */
const pdfHeaderWithinBytes = 1024;

/** Whether the content is a PDF, whatever name or type was sent with it (R9.3). */
export function isPdf(content: Uint8Array): boolean {
  return Buffer.from(content.subarray(0, pdfHeaderWithinBytes)).includes('%PDF-');
}
