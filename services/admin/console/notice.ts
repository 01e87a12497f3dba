import type { Secret } from '#shared/application/pages/secret-once.ts';

/** An event that an action wrote, as the log has it. */
export type WrittenEvent = { type: string; stream: string; revision: number; id: string };

/** What a page says once about the action before it. */
export type Notice = {
  /** What was done, in the user's language. */
  done: string;
  /** Empty: nothing changed. `unread`: it was done, but the log can't be read now. */
  events: readonly WrittenEvent[] | 'unread';
  /** It came to nothing. */
  inVain?: boolean;
  /** What became of each of several. */
  outcomes?: readonly Outcome[];
  /** Shown this once: a key, a token, a signing secret. */
  secret?: Secret;
};

/** Of one of several commands that were given together. */
export type Outcome = { id: string; href: string; text: string; done: boolean };
