/** What is kept of an answer, and what is read of it before the connection is given up. */
const keptBytes = 1_024;
const maxBytes = 64 * 1_024;

/** The body of an answer as it comes. */
export type Answer = {
  /** False when it is more than anybody wants to read. */
  add(chunk: Buffer): boolean;
  /** What came of its first KiB, as text that PostgreSQL takes. */
  text(): string;
};

export function createAnswer(): Answer {
  let kept: Buffer | undefined;
  let size = 0;
  return {
    add: (chunk) => {
      if (size < keptBytes) {
        const part = chunk.subarray(0, keptBytes - size);
        kept = kept ? Buffer.concat([kept, part]) : Buffer.from(part);
      }
      size += chunk.length;
      return size <= maxBytes;
    },
    // In streaming mode a character that the bound has cut in two is left out.
    text: () => (kept ? new TextDecoder().decode(kept, { stream: true }).replaceAll('\0', '\u{FFFD}') : ''),
  };
}
