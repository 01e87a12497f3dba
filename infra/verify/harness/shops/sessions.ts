import { askAdmin } from './merchant.ts';
import type { TestStack } from '../stacks/test-stack.ts';

/** A session in the console or the portal, with the token of its forms. */
type TestSession = { cookie: string; formToken: string };

/** Signs in to the console with the token of the stack's first admin. */
export const signInToConsole = ({ urls, adminToken }: TestStack): Promise<TestSession> =>
  signIn(urls.admin, { token: adminToken, to: '/' });

/** The portal's sign-in link of a new admin of the shop, as an operator issues it. */
export async function portalLink(stack: TestStack, shopId: string): Promise<URL> {
  const added = { name: 'Anna', role: 'admin' };
  const { body: member } = await askAdmin(stack, 'POST', `/shops/${shopId}/members`, added);
  return new URL(String(member.sign_in_url));
}

/** Signs in to the portal as an admin of the shop. */
export async function signInToPortal(stack: TestStack, shopId: string): Promise<TestSession> {
  const link = (await portalLink(stack, shopId)).searchParams.get('link') ?? '';
  return signIn(stack.urls.portal, { link, to: '/' });
}

async function signIn(origin: string, fields: Record<string, string>): Promise<TestSession> {
  const answer = await fetch(`${origin}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const page = await (await fetch(`${origin}/`, { headers: { cookie } })).text();
  const [, formToken] = /name="form_token" value="([^"]+)"/.exec(page) ?? [];
  if (formToken === undefined) throw new Error(`${origin} refused the sign-in`);
  return { cookie, formToken };
}
