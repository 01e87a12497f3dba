import { hash, randomBytes } from 'node:crypto';
import type { Holder } from '../../authentication.ts';
import type { Notice } from '../notice.ts';

/** Somebody who has signed in. It lives in this process alone: a restart signs everybody out. */
export type Session = {
  readonly holder: Holder;
  /** What each form of this session carries, so that no other site can have made it. */
  readonly formToken: string;
  readonly openedAt: number;
  seenAt: number;
  /** What the next page says of the action before it; said once. */
  notice?: Notice | undefined;
  /** Where forms that were sent already led to, by their one-time ids: a form that comes twice is done once. */
  readonly sent: Map<string, Promise<string>>;
};

export type SessionLimits = {
  /** Without a request for so long, a session ends. */
  idleMs: number;
  /** However busy it is, a session ends after so long. */
  lifetimeMs: number;
  maxSessions: number;
  /** Of one person or program; the oldest gives way. */
  maxPerHolder: number;
};

export const sessionLimits: SessionLimits = {
  idleMs: 60 * 60_000,
  lifetimeMs: 12 * 3_600_000,
  maxSessions: 1_000,
  maxPerHolder: 10,
};

export type Sessions = {
  /** Begins a session; returns its secret, which only the browser keeps. */
  open(holder: Holder): string;
  /** The session of a secret, unless it has ended. */
  find(secret: string): Session | undefined;
  close(secret: string): void;
};

/** Sessions of the console: random secrets, kept by their hashes, within bounds. */
export function createSessions(limits = sessionLimits, now = () => Date.now()): Sessions {
  // Insertion order is the order of opening: the first is the oldest.
  const sessions = new Map<string, Session>();
  const ended = ({ openedAt, seenAt }: Session) =>
    now() - openedAt >= limits.lifetimeMs || now() - seenAt >= limits.idleMs;
  const same = (left: Holder, right: Holder) => left.tokenId === right.tokenId && left.name === right.name;

  return {
    open: (holder) => {
      for (const [key, session] of sessions) if (ended(session)) sessions.delete(key);
      const own = [...sessions].filter(([, session]) => same(session.holder, holder));
      const [oldestOwn] = own.length >= limits.maxPerHolder ? own : [];
      const [oldest] = sessions.size >= limits.maxSessions ? sessions : [];
      const leaving = oldestOwn ?? oldest;
      if (leaving) sessions.delete(leaving[0]);
      const secret = randomBytes(32).toString('base64url');
      const formToken = randomBytes(18).toString('base64url');
      const at = now();
      sessions.set(keyOf(secret), { holder, formToken, openedAt: at, seenAt: at, sent: new Map() });
      return secret;
    },
    find: (secret) => {
      const key = keyOf(secret);
      const session = sessions.get(key);
      if (!session) return undefined;
      if (ended(session)) {
        sessions.delete(key);
        return undefined;
      }
      session.seenAt = now();
      return session;
    },
    close: (secret) => void sessions.delete(keyOf(secret)),
  };
}

/** Looked up by hash: what a comparison's time could tell is nothing about the secret. */
const keyOf = (secret: string): string => hash('sha256', secret, 'hex');
