import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { holderOfFixed, type FixedToken, type Holder } from '../../api/authentication.ts';

/** How long a link can be used. */
const validMs = 15 * 60_000;

export type SignInLink = { id: string; expiresAt: Date; holder: Holder };

/** The path of a sign-in link that works once. Only holders of a configured token can make one. */
export function signInPath(token: string, nowMs: number): string {
  const signed = `${randomBytes(16).toString('base64url')}.${nowMs + validMs}`;
  const mac = computeMac(createHash('sha256').update(token, 'utf8').digest(), signed);
  return `/sign-in?link=${signed}.${mac.toString('base64url')}`;
}

/** The content of a link; undefined if it is forged or has expired. */
export function readLink(
  link: string,
  { fixedTokens, nowMs }: { fixedTokens: readonly FixedToken[]; nowMs: number },
): SignInLink | undefined {
  const [, signed = '', id = '', expires, mac = ''] =
    /^(([\w-]{22})\.(\d{1,15}))\.([\w-]{43})$/.exec(link) ?? [];
  const macBytes = Buffer.from(mac, 'base64url');
  const [made] = fixedTokens.filter(({ sha256 }) => {
    const right = computeMac(sha256, signed);
    return right.length === macBytes.length && timingSafeEqual(right, macBytes);
  });
  if (!made || Number(expires) <= nowMs) return undefined;
  return { id, expiresAt: new Date(Number(expires)), holder: holderOfFixed(made) };
}

/** The digest is not stored anywhere: knowing it means having the token. */
const computeMac = (digest: Buffer, signed: string) =>
  createHmac('sha256', digest).update(`sign-in ${signed}`).digest();
