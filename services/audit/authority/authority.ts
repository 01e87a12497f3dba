import { decodeOperatorEvent, type Role } from '#shared/domain/operator/events.ts';
import { createFlag, type EventEnvelope } from '../report/findings/report-violation.ts';
import type { Report } from '../report/findings/findings.ts';
import { commands, consequences, graceMs, whatIsDone } from './commands.ts';
import { isMembers } from './members.ts';

type Token = { name: string; role: Role; endsMs: number };

export type Authority = ReturnType<typeof createAuthority>;

const prefix = 'operator:';
/** ADMIN_TOKEN comes from configuration: the log has no event for it. */
const first: [string, Token] = ['first', { name: 'admin', role: 'admin', endsMs: Infinity }];

/**
 * Tracks which tokens were valid when, and checks that each command was within its token's role.
 */
export function createAuthority() {
  const tokens = new Map<string, Token>([first]);

  /** The tokens that the event may have been caused with. */
  const heldBy = ({ actor, tokenId }: EventEnvelope): Token[] => {
    const name = actor.slice(prefix.length);
    const candidates = tokenId === undefined ? [...tokens.values()] : [tokens.get(tokenId)];
    return candidates.filter((token) => token?.name === name) as Token[];
  };
  const mayBe = (envelope: EventEnvelope, roles: readonly Role[]): boolean =>
    heldBy(envelope).some(
      ({ role, endsMs }) => roles.includes(role) && envelope.atMs < endsMs + graceMs,
    );

  const applyEvent = (envelope: EventEnvelope): void => {
    const { type, data } = decodeOperatorEvent(envelope);
    if (type === 'AdminTokenIssued') {
      const { token_id: id, name, role, expires_at: expiresAt } = data;
      const endsMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
      if (id !== first[0]) tokens.set(id, { name, role, endsMs });
      return;
    }
    const revoked = tokens.get(data.token_id);
    if (revoked) revoked.endsMs = Math.min(revoked.endsMs, envelope.atMs);
  };

  return {
    /**
     * Checks who caused an event by the tokens issued before it.
     * @throws when a token's event can't be decoded
     */
    take: (context: { report: Report }, envelope: EventEnvelope): void => {
      const flag = createFlag(context, envelope);
      flag('authority.role', whatIsWrong(envelope, { heldBy, mayBe }));
      if (envelope.event.stream === 'operators') applyEvent(envelope);
    },
    /**
     * Whether an operator with one of the roles did it: by the token that the event names or, if it
     * names none, by any token with the actor's name.
     */
    hasRole: (envelope: EventEnvelope, roles: readonly Role[]) =>
      envelope.actor.startsWith(prefix) && mayBe(envelope, roles),
  };
}

function whatIsWrong(
  envelope: EventEnvelope,
  tokens: {
    heldBy(envelope: EventEnvelope): Token[];
    mayBe(envelope: EventEnvelope, roles: readonly Role[]): boolean;
  },
): string | undefined {
  const what = whatIsDone(envelope);
  const command = commands.get(what);
  const { actor, tokenId } = envelope;
  const caller = tokenId === undefined ? actor : `${actor} (token ${tokenId})`;
  // Checked in `members.ts`.
  if (isMembers(envelope)) return undefined;
  if (!actor.startsWith(prefix))
    return command && !command.alsoByItself
      ? `${what} by ${actor}, which is not an operator`
      : undefined;
  if (command) {
    if (tokens.mayBe(envelope, command.roles)) return undefined;
    return `${what} by ${caller}, without a valid token of a role that allows it (${command.roles.join(', ')})`;
  }
  if (!consequences.has(what)) return `${what} by ${caller} is not a command of operators`;
  return tokens.heldBy(envelope).length > 0
    ? undefined
    : `${what} by ${caller}, who never had a token`;
}
