import { sql, type Kysely } from 'kysely';
import { firstTokenId, type Holder } from '../../authentication.ts';
import { fromDatabase } from '../../database.ts';
import type { SignInLink } from './links.ts';
import type { Notice } from '../notice.ts';
import { formTokenOf, hashOf, isProof, newSecret, proofOf, seal, unseal } from './secrets.ts';
import type { ConsoleDatabase } from './tables.ts';

/** A signed-in user. */
export type Session = {
  readonly holder: Holder;
  /** The cookie's value. */
  readonly secret: string;
  /** What each form of this session carries, so that no other site can have made it. */
  readonly formToken: string;
  /** What the next page says of the action before it; said once (`takeNotice`). */
  readonly notice?: Notice | undefined;
};

/** A session as it is kept: whose it is has still to be asked of the tokens that are in force. */
export type KeptSession = Omit<Session, 'holder'> & {
  /** Of a token that was issued by command. */
  readonly tokenId?: string;
  /** Whether it was opened with the token of that hash. */
  isOf(tokenHash: string): boolean;
};

export type SessionLimits = {
  /** Without a request for so long, a session ends. */
  idleMs: number;
  /** However busy it is, a session ends after so long. */
  lifetimeMs: number;
  maxSessions: number;
  /** Of one token; the oldest gives way. */
  maxPerHolder: number;
};

export const sessionLimits = ({ production }: { production: boolean }): SessionLimits => ({
  idleMs: (production ? 15 : 60) * 60_000,
  lifetimeMs: 12 * 3_600_000,
  maxSessions: 1_000,
  maxPerHolder: 10,
});

/** Each @throws Problem not_ready when the database does not answer. */
export type Sessions = {
  /** Begins a session; returns its secret, which only the browser keeps. */
  open(holder: Holder): Promise<string>;
  /** Takes a link that signs in; false where it was taken before, on whichever instance. */
  takeLink(link: SignInLink): Promise<boolean>;
  /** The session of a secret, unless it has ended. */
  find(secret: string): Promise<KeptSession | undefined>;
  /** On every instance: none finds it from the answer on. */
  close(secret: string): Promise<void>;
  keepNotice(session: Session, notice: Notice): Promise<void>;
  /** What is to be said now; undefined if another page says it. */
  takeNotice(session: Session): Promise<Notice | undefined>;
};

/** A row is written for a request only when it has grown older than this share of the idle time. */
const seenShare = 60;
/** A link is remembered this much longer than it works: instances' clocks differ. */
const keptPastMs = 3_600_000;

/**
 * Sessions of the console, within bounds, in PostgreSQL: every instance knows each at once, and its
 * end. The bounds on their number may be passed by one for each instance that opens one at the same
 * moment.
 */
export function createSessions(
  db: Kysely<ConsoleDatabase>,
  limits: SessionLimits,
  now = () => Date.now(),
): Sessions {
  /** Makes room: what has ended, and the oldest where there would be too many. */
  const clear = async (token: string) => {
    await db
      .deleteFrom('console.session')
      .where((row) =>
        row.or([
          row('opened_at', '<=', new Date(now() - limits.lifetimeMs)),
          row('seen_at', '<=', new Date(now() - limits.idleMs)),
          row('session_hash', 'in', (own) =>
            own
              .selectFrom('console.session')
              .select('session_hash')
              .where('token', '=', token)
              .orderBy('opened_at', 'desc')
              .offset(limits.maxPerHolder - 1),
          ),
        ]),
      )
      .execute();
    await db
      .deleteFrom('console.session')
      .where('session_hash', 'in', (all) =>
        all
          .selectFrom('console.session')
          .select('session_hash')
          .orderBy('opened_at', 'desc')
          .offset(limits.maxSessions - 1),
      )
      .execute();
    await sql`delete from console.sent where not exists (
      select from console.session where session.session_hash = sent.session_hash)`.execute(db);
  };
  const open = async (holder: Holder) => {
    const token = holder.tokenId === firstTokenId ? `fixed:${holder.name}` : holder.tokenId;
    // What can't be cleared now, beside another who does, is with the next sign-in.
    await clear(token).catch(() => undefined);
    const secret = newSecret();
    const at = new Date(now());
    const proof = proofOf(secret, holder.tokenHash);
    await db
      .insertInto('console.session')
      .values({ session_hash: hashOf(secret), token, proof, opened_at: at, seen_at: at, notice: null })
      .execute();
    return secret;
  };
  const find = async (secret: string): Promise<KeptSession | undefined> => {
    const session_hash = hashOf(secret);
    const row = await db
      .selectFrom('console.session')
      .selectAll()
      .where('session_hash', '=', session_hash)
      .executeTakeFirst();
    if (!row) return undefined;
    const { token, proof, notice } = row;
    const unusedMs = now() - row.seen_at.getTime();
    if (unusedMs >= limits.idleMs || now() - row.opened_at.getTime() >= limits.lifetimeMs) return undefined;
    if (unusedMs >= limits.idleMs / seenShare)
      await db
        .updateTable('console.session')
        .set({ seen_at: new Date(now()) })
        .where('session_hash', '=', session_hash)
        .execute();
    return {
      secret,
      formToken: formTokenOf(secret),
      ...(!token.startsWith('fixed:') && { tokenId: token }),
      isOf: (tokenHash) => isProof(proof, secret, tokenHash),
      ...(notice && { notice: unseal(secret, notice) as Notice | undefined }),
    };
  };

  const takeLink = async ({ id, expiresAt }: SignInLink) => {
    await db
      .deleteFrom('console.used_link')
      .where('expires_at', '<=', new Date(now() - keptPastMs))
      .execute();
    const { numInsertedOrUpdatedRows: taken } = await db
      .insertInto('console.used_link')
      .values({ id, expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return taken === 1n;
  };

  return {
    takeLink: (link) => fromDatabase(takeLink(link)),
    open: (holder) => fromDatabase(open(holder)),
    find: (secret) => fromDatabase(find(secret)),
    close: async (secret) => {
      const closing = db.deleteFrom('console.session').where('session_hash', '=', hashOf(secret));
      await fromDatabase(closing.execute());
    },
    keepNotice: async ({ secret }, notice) => {
      const keeping = db
        .updateTable('console.session')
        .set({ notice: seal(secret, notice) })
        .where('session_hash', '=', hashOf(secret));
      await fromDatabase(keeping.execute());
    },
    takeNotice: async ({ secret, notice }) => {
      if (notice === undefined) return undefined;
      const taking = db
        .updateTable('console.session')
        .set({ notice: null })
        .where('session_hash', '=', hashOf(secret))
        .where('notice', 'is not', null);
      const { numUpdatedRows } = await fromDatabase(taking.executeTakeFirst());
      return numUpdatedRows > 0n ? notice : undefined;
    },
  };
}
