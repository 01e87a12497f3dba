/** What providers can't do, by name; it comes with the command, from their connectors. */
export type Unsupported = {
  /** They send no callbacks, so they are polled. */
  callbacks: ReadonlySet<string>;
  /** They can't withdraw an attempt, so they are polled until it has ended. */
  withdrawal: ReadonlySet<string>;
};

export const allSupported: Unsupported = { callbacks: new Set(), withdrawal: new Set() };
