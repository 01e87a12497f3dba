import { decodeOperatorEvent, type Role } from '#shared/domain/operator/events.ts';
import { reportViolation, type Seen } from '../report/findings/report-violation.ts';
import type { Report } from '../report/findings/findings.ts';
import { commands, consequences, graceMs, whatIsDone } from './commands.ts';
import { isMembers } from './members.ts';

type Token = { name: string; role: Role; endsMs: number };

/**
 * Tracks which tokens were valid when, and checks that each command was within its token's role.
 */
export type Authority = {
  /**
   * Checks who caused an event by the tokens issued before it.
   * @throws when a token's event can't be decoded
   */
  take(context: { report: Report }, seen: Seen): void;
  /**
   * Whether an admin did it: by the token that the event names or, if it names none, by any token
   * with the actor's name.
   */
  isAdmins(seen: Seen): boolean;
};

const prefix = 'operator:';
/** ADMIN_TOKEN comes from configuration: the log has no event for it. */
const first: [string, Token] = ['first', { name: 'admin', role: 'admin', endsMs: Infinity }];

export function createAuthority(): Authority {
  const tokens = new Map<string, Token>([first]);

  /** The tokens that the event may have been caused with. */
  const heldBy = ({ actor, tokenId }: Seen): Token[] => {
    const name = actor.slice(prefix.length);
    const known = tokenId === undefined ? [...tokens.values()] : [tokens.get(tokenId)];
    return known.filter((token) => token?.name === name) as Token[];
  };
  const mayBe = (seen: Seen, roles: readonly Role[]): boolean =>
    heldBy(seen).some(({ role, endsMs }) => roles.includes(role) && seen.atMs < endsMs + graceMs);

  const applyEvent = (seen: Seen): void => {
    const { type, data } = decodeOperatorEvent(seen);
    if (type === 'AdminTokenIssued') {
      const { token_id: id, name, role, expires_at: expiresAt } = data;
      const endsMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
      if (id !== first[0]) tokens.set(id, { name, role, endsMs });
      return;
    }
    const revoked = tokens.get(data.token_id);
    if (revoked) revoked.endsMs = Math.min(revoked.endsMs, seen.atMs);
  };

  return {
    take: (context, seen) => {
      const problem = whatIsWrong(seen, { heldBy, mayBe });
      if (problem !== undefined)
        reportViolation(context, seen, { rule: 'authority.role', message: problem });
      if (seen.event.stream === 'operators') applyEvent(seen);
    },
    isAdmins: (seen) => seen.actor.startsWith(prefix) && mayBe(seen, ['admin']),
  };
}

function whatIsWrong(
  seen: Seen,
  tokens: { heldBy(seen: Seen): Token[]; mayBe(seen: Seen, roles: readonly Role[]): boolean },
): string | undefined {
  const what = whatIsDone(seen);
  const command = commands.get(what);
  const { actor, tokenId } = seen;
  const who = tokenId === undefined ? actor : `${actor} (token ${tokenId})`;
  // Checked in `members.ts`.
  if (isMembers(seen)) return undefined;
  if (!actor.startsWith(prefix))
    return command && !command.alsoByItself
      ? `${what} by ${actor}, which is not an operator`
      : undefined;
  if (command) {
    if (tokens.mayBe(seen, command.roles)) return undefined;
    return `${what} by ${who}, without a valid token of a role that allows it (${command.roles.join(', ')})`;
  }
  if (!consequences.has(what)) return `${what} by ${who} is not a command of operators`;
  return tokens.heldBy(seen).length > 0 ? undefined : `${what} by ${who}, who never had a token`;
}
