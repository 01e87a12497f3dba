import { createAdminClient } from './admin-client.ts';
import { readDemo, type Demo } from './demo-file.ts';
import { reachable } from './plan.ts';

type Env = Readonly<Record<string, string>>;

/** A link that signs in to the portal of the demo shop, once; undefined if there is none. */
export async function createPortalLink(
  env: Env,
  demo: Demo = readDemo(env['DATA_DIR'] ?? ''),
): Promise<string | undefined> {
  if (demo.member_id === undefined) return undefined;
  const base = `http://${reachable(env['LISTEN_HOST'] ?? '127.0.0.1')}:${env['ADMIN_PORT']}`;
  const admin = createAdminClient(base, env['ADMIN_TOKEN'] ?? '');
  const path = `/admin/v1/shops/${demo.shop_id}/members/${demo.member_id}/sign-in-links`;
  const { status, body } = await admin('POST', path);
  return status === 201 ? String(body['sign_in_url']) : undefined;
}
