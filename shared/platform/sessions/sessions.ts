import type { Kysely, Selectable } from 'kysely';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import {
  deriveFormToken,
  hashSecret,
  isProof,
  isSessionSecret,
  newSecret,
  deriveProof,
  sealWithSecret,
  unseal,
} from './secrets.ts';
import type { SessionDatabase } from './tables.ts';

/** A stored session; whether its holder still has access must be checked elsewhere. */
export type StoredSession<Notice> = {
  /** The cookie's value. */
  readonly secret: string;
  /** The token in each form of this session, which another site can't know. */
  readonly formToken: string;
  /** The user that was given to `open`. */
  readonly holder: string;
  /** Whether it was opened with the credential of that hash. */
  isOf(credentialHash: string): boolean;
  /** The notice that the next page shows once (`takeNotice`). */
  readonly notice?: Notice | undefined;
};

export type SessionLimits = {
  /** The session ends after this time without a request. */
  idleMs: number;
  /** The session ends after this time however busy it is. */
  lifetimeMs: number;
  maxSessions: number;
  /** Sessions of one holder; the oldest is ended beyond that. */
  maxPerHolder: number;
  /** Sessions of one group of holders, so that one group can't displace those of all others. */
  maxPerGroup: number;
};

export const sessionLimits = ({ production }: { production: boolean }): SessionLimits => ({
  idleMs: (production ? 15 : 60) * 60_000,
  lifetimeMs: 12 * 3_600_000,
  maxSessions: 20_000,
  maxPerHolder: 10,
  maxPerGroup: 200,
});

/** `group`: the prefix of the names of holders who share a bound, such as those of one shop. */
type SessionRequest = { holder: string; group?: string; credentialHash: string };

/** Every method throws Problem not_ready while the database does not answer. */
type Sessions<Notice> = {
  /** Begins a session, and returns its secret, which only the browser holds. */
  open(by: SessionRequest): Promise<string>;
  /**
   * The session of a secret, unless it has ended. `unseen`: not requested by a person, so it does
   * not extend the session.
   */
  find(secret: string, by?: { unseen?: boolean }): Promise<StoredSession<Notice> | undefined>;
  /** Ends the session on every instance. */
  close(secret: string): Promise<void>;
  /** Stores the notice that the next page of the session shows. */
  storeNotice(session: { secret: string }, notice: Notice): Promise<void>;
  /** Takes the pending notice; undefined if another page has it. */
  takeNotice(session: { secret: string; notice?: Notice | undefined }): Promise<Notice | undefined>;
};

/** The row is updated for a request only when it is older than this share of the idle time. */
const seenShare = 60;

/** Deletes ended sessions, and the oldest where there would be too many. */
async function makeRoom(
  db: Kysely<SessionDatabase>,
  limits: SessionLimits,
  { holder, group, nowMs }: { holder: string; group: string | undefined; nowMs: number },
): Promise<void> {
  await db
    .deleteFrom('session')
    .where((row) =>
      row.or([
        row('opened_at', '<=', new Date(nowMs - limits.lifetimeMs)),
        row('seen_at', '<=', new Date(nowMs - limits.idleMs)),
      ]),
    )
    .execute();
  const newest = db.selectFrom('session').select('session_hash').orderBy('opened_at', 'desc');
  const own = newest.where('token', '=', holder).offset(limits.maxPerHolder - 1);
  const surplus = [own, newest.offset(limits.maxSessions - 1)];
  if (group !== undefined)
    surplus.push(
      newest
        .where(({ fn, val }) => fn<boolean>('starts_with', ['token', val(group)]))
        .offset(limits.maxPerGroup - 1),
    );
  for (const hashes of surplus)
    await db.deleteFrom('session').where('session_hash', 'in', hashes).execute();
  await db
    .deleteFrom('sent')
    .where('session_hash', 'not in', (open) => open.selectFrom('session').select('session_hash'))
    .execute();
}

/** The row of a session, unless it has ended. */
async function readRow(
  db: Kysely<SessionDatabase>,
  limits: SessionLimits,
  { session_hash, nowMs }: { session_hash: string; nowMs: number },
): Promise<{ row: Selectable<SessionDatabase['session']>; unusedMs: number } | undefined> {
  const row = await db
    .selectFrom('session')
    .selectAll()
    .where('session_hash', '=', session_hash)
    .executeTakeFirst();
  if (!row) return undefined;
  const unusedMs = nowMs - row.seen_at.getTime();
  const ended = unusedMs >= limits.idleMs || nowMs - row.opened_at.getTime() >= limits.lifetimeMs;
  return ended ? undefined : { row, unusedMs };
}

/**
 * Sessions in PostgreSQL (`inSchema`), bounded in number and shared by all instances at once.
 * Instances that open sessions at the same moment may exceed a bound by one each.
 */
export function createSessions<Notice>(
  db: Kysely<SessionDatabase>,
  limits: SessionLimits,
  now = () => Date.now(),
): Sessions<Notice> {
  const open = async ({ holder, group, credentialHash }: SessionRequest) => {
    // If another sign-in deletes at the same time, the next one deletes the rest.
    await makeRoom(db, limits, { holder, group, nowMs: now() }).catch(() => undefined);
    const secret = newSecret();
    const at = new Date(now());
    const proof = deriveProof(secret, credentialHash);
    const session_hash = hashSecret(secret);
    await db
      .insertInto('session')
      .values({ session_hash, token: holder, proof, opened_at: at, seen_at: at, notice: null })
      .execute();
    return secret;
  };
  const find = async (
    secret: string,
    unseen: boolean,
  ): Promise<StoredSession<Notice> | undefined> => {
    const session_hash = hashSecret(secret);
    const session = await readRow(db, limits, { session_hash, nowMs: now() });
    if (!session) return undefined;
    const { token: holder, proof, notice } = session.row;
    if (!unseen && session.unusedMs >= limits.idleMs / seenShare)
      await db
        .updateTable('session')
        .set({ seen_at: new Date(now()) })
        .where('session_hash', '=', session_hash)
        .execute();
    return {
      secret,
      formToken: deriveFormToken(secret),
      holder,
      isOf: (credentialHash) => isProof(proof, secret, credentialHash),
      ...(notice && { notice: unseal(secret, notice) as Notice | undefined }),
    };
  };

  return {
    open: (by) => fromDatabase(open(by)),
    find: async (secret, { unseen = false } = {}) =>
      isSessionSecret(secret) ? fromDatabase(find(secret, unseen)) : undefined,
    close: async (secret) => {
      if (!isSessionSecret(secret)) return;
      const closing = db.deleteFrom('session').where('session_hash', '=', hashSecret(secret));
      await fromDatabase(closing.execute());
    },
    storeNotice: async ({ secret }, notice) => {
      const update = db
        .updateTable('session')
        .set({ notice: sealWithSecret(secret, notice) })
        .where('session_hash', '=', hashSecret(secret));
      await fromDatabase(update.execute());
    },
    takeNotice: async ({ secret, notice }) => {
      if (notice === undefined) return undefined;
      const taking = db
        .updateTable('session')
        .set({ notice: null })
        .where('session_hash', '=', hashSecret(secret))
        .where('notice', 'is not', null);
      const { numUpdatedRows } = await fromDatabase(taking.executeTakeFirst());
      return numUpdatedRows > 0n ? notice : undefined;
    },
  };
}
