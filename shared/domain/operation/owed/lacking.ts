/** What providers do not do, by their names: it comes in with the command, as their connectors say it. */
export type Lacking = {
  /** They report nothing by themselves: they are asked. */
  callbacks: ReadonlySet<string>;
  /** They take no attempt back: none is owed, and what comes of it is asked for until it has ended. */
  withdrawal: ReadonlySet<string>;
};

export const lackingNothing: Lacking = { callbacks: new Set(), withdrawal: new Set() };
