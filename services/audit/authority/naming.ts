import type { Seen } from '../findings/accuse.ts';

/**
 * From this version on events name the API key or the token that they were done with, by its id.
 */
export type Naming = {
  /** An event names one. */
  begin(seen: Seen): void;
  /**
   * Whether an event that names none should have. Older ones are counted. `strict`: its operation
   * is younger than these ids.
   */
  wasOwed(seen: Seen, of: { strict: boolean; shopId?: string | undefined }): boolean;
  /** A line of text; undefined if every event names one. */
  tell(): string[];
};

/** While a new version is rolled out, the one before goes on beside it. */
const rolloutMs = 24 * 3_600_000;

export function createNaming(shopId?: string): Naming {
  let beganMs: number | undefined;
  let older = 0;
  let told = 0;
  const isOwed = ({ atMs }: Seen): boolean =>
    beganMs !== undefined && (older === 0 || atMs > beganMs + rolloutMs);
  return {
    begin: ({ atMs }) => void (beganMs ??= atMs),
    wasOwed: (seen, of) => {
      if (of.strict || isOwed(seen)) return true;
      older += 1;
      if (shopId === undefined || of.shopId === shopId) told += 1;
      return false;
    },
    tell: () =>
      told === 0
        ? []
        : [`${told} events of merchants and operators are older than the ids of keys and tokens`],
  };
}
