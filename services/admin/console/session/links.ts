import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { holderOfFixed, type FixedToken, type Holder } from '../../authentication.ts';

/** For so long a link can be used, once. */
const validMs = 15 * 60_000;

export type SignInLink = { id: string; expiresAt: Date; holder: Holder };

/** The path of a link that signs in, once, whoever opens it: made by those who have a token of the configuration. */
export function signInPath(token: string, nowMs: number): string {
  const signed = `${randomBytes(16).toString('base64url')}.${nowMs + validMs}`;
  const mac = macOf(createHash('sha256').update(token, 'utf8').digest(), signed);
  return `/sign-in?link=${signed}.${mac.toString('base64url')}`;
}

/** What a link says; nothing where no such token made it, or where it is too old. */
export function readLink(
  link: string,
  { fixedTokens, nowMs }: { fixedTokens: readonly FixedToken[]; nowMs: number },
): SignInLink | undefined {
  const [, signed = '', id = '', expires, mac = ''] =
    /^(([\w-]{22})\.(\d{1,15}))\.([\w-]{43})$/.exec(link) ?? [];
  const given = Buffer.from(mac, 'base64url');
  const [made] = fixedTokens.filter(({ sha256 }) => {
    const right = macOf(sha256, signed);
    return right.length === given.length && timingSafeEqual(right, given);
  });
  if (!made || Number(expires) <= nowMs) return undefined;
  return { id, expiresAt: new Date(Number(expires)), holder: holderOfFixed(made) };
}

/** The digest is kept nowhere: who knows it has the token, or is the service. */
const macOf = (digest: Buffer, signed: string) =>
  createHmac('sha256', digest).update(`sign-in ${signed}`).digest();
