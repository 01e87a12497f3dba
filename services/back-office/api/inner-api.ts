import { Hono } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { OperatorIdentity, AdminEnv } from './authentication.ts';
import type { AdminDependencies } from './dependencies.ts';
import { apiRoutes } from './routes.ts';
import { checkRole } from './roles.ts';

/** Requests to the API from within this process, for a user whom the caller has authenticated. */
export type InnerCall = {
  operator: OperatorIdentity;
  requestId: string;
  body?: unknown;
  /** Instead of `body`: bytes of this type. */
  file?: { bytes: Uint8Array<ArrayBuffer>; type: string } | undefined;
};
/**
 * Calls the API as a request would, with the same routes, roles and checks: there is no second way
 * in.
 * @throws Problem as the API would answer
 */
export type InnerApi = (request: string, call: InnerCall) => Promise<unknown>;

/** The API without its HTTP edge, for the console. */
export function createInnerApi(dependencies: AdminDependencies): InnerApi {
  const app = new Hono<AdminEnv>();
  app.use(async (c, next) => {
    const { operator, requestId } = c.env as InnerCall;
    c.set('operator', operator);
    c.set('requestId', requestId);
    await next();
  }, checkRole);
  for (const register of apiRoutes) register(app, dependencies);
  app.notFound(() => {
    throw new Problem('route_not_found');
  });
  app.onError((error) => {
    throw error;
  });
  return async (request, call) => {
    const [method = '', path = ''] = request.split(' ');
    const { body, file } = call;
    const response = await app.request(
      path,
      {
        method,
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
        ...(file && { headers: { 'content-type': file.type }, body: file.bytes }),
      },
      call,
    );
    return response.status === 204 ? undefined : response.json();
  };
}
