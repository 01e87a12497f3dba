import { z } from 'zod';
import { memberPrefix } from '#shared/domain/member/events.ts';
import { roles } from '#shared/domain/operator/events.ts';
import { maxExpiresInS, type IssuedToken } from '#shared/domain/operator/operators.ts';
import { issueAdminToken, revokeAdminToken } from '#shared/application/operators/tokens.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';

/** Every token expires, so that a forgotten one does not stay valid forever. */
const defaultExpiresInS = 90 * 86_400;

/** Tokens for the admin API, each with a role and a name that its commands carry. */
export function registerTokens(app: AdminApp, dependencies: AdminDependencies): void {
  const { store, registry, fixedTokens } = dependencies;
  const reservedNames = new Set(fixedTokens.map(({ name }) => asRead(name)));
  const tokenBody = z.strictObject({
    // Commands carry the name, so the name of the first token is reserved.
    name: nameText
      .refine((name) => !reservedNames.has(asRead(name)), 'is the name of the first token')
      // Nor a name like those of merchants' members in events.
      .refine((name) => !asRead(name).startsWith(memberPrefix), 'can not begin with member:'),
    role: z.enum(roles),
    expires_in_s: z.int().min(1).max(maxExpiresInS).default(defaultExpiresInS),
  });

  app.post('/admin/v1/tokens', async (c) => {
    const { name, role, expires_in_s: expiresInS } = validate(tokenBody, await readJson(c));
    const request = { name, role, expiresInS };
    const { tokenId, token } = await issueAdminToken(store, request, operatorOrigin(c));
    // Read back, because later lists show the log's time.
    const issued = (await fromStore(registry.list())).find((each) => each.tokenId === tokenId);
    if (!issued) throw new Error('the log does not show the token that it took');
    // The only time that the token is shown.
    return c.json({ ...viewToken(issued), token }, 201);
  });

  app.get('/admin/v1/tokens', async (c) => {
    const tokens = await fromStore(registry.list());
    return c.json({ tokens: tokens.map(viewToken) });
  });

  app.delete('/admin/v1/tokens/:token_id', async (c) => {
    const tokenId = readPathId(c.req.param('token_id'));
    await revokeAdminToken(store, tokenId, operatorOrigin(c));
    return c.body(null, 204);
  });
}

/** A name normalised for comparison: without case, invisible characters and outer blanks. */
const asRead = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase();

function viewToken(token: IssuedToken) {
  const name = (actor: string | undefined) => actor?.replace(/^operator:/, '') ?? null;
  return {
    token_id: token.tokenId,
    name: token.name,
    role: token.role,
    hint: token.hint,
    created_at: token.createdAt,
    created_by: name(token.createdBy),
    expires_at: token.expiresAt ?? null,
    revoked_at: token.revokedAt ?? null,
    revoked_by: name(token.revokedBy),
  };
}
