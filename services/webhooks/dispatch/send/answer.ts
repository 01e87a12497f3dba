/** How much of an answer is stored, and how much is read before the connection is closed. */
const excerptBytes = 1_024;
const maxBytes = 64 * 1_024;

/** Collects the body of an answer. */
type Answer = {
  /** False when the limit is exceeded. */
  add(chunk: Buffer): boolean;
  /** The first KiB as text that PostgreSQL accepts. */
  text(): string;
};

export function createAnswer(): Answer {
  let body: Buffer | undefined;
  let size = 0;
  return {
    add: (chunk) => {
      if (size < excerptBytes) {
        const part = chunk.subarray(0, excerptBytes - size);
        body = body ? Buffer.concat([body, part]) : Buffer.from(part);
      }
      size += chunk.length;
      return size <= maxBytes;
    },
    // In streaming mode a character that was cut in two is left out.
    text: () =>
      body ? new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\u{FFFD}') : '',
  };
}
