import { hash, timingSafeEqual } from 'node:crypto';
import { GRPC } from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';

/** The one user of a node that has one. */
export type User = { readonly name: string; readonly password: string };

/** Of the node that `npm start` starts. */
export const userName = 'gateway';

/** What anyone may call on the real server, too: clients ask before they send who they are. */
const OPEN = /^\/event_store\.client\.(?:server_features|gossip)\./;

const ACCESS_DENIED: GrpcStatus = {
  code: GRPC.permissionDenied,
  message: 'Access Denied',
  trailers: { exception: 'access-denied' },
};
const UNAUTHENTICATED: GrpcStatus = { code: GRPC.unauthenticated, message: 'Unauthenticated' };

/** Why a call is refused; undefined if it is not. A node without a user refuses none. */
type CheckUser = (path: string, authorization: string | undefined) => GrpcStatus | undefined;

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

export function createCheckUser(user: User | undefined): CheckUser {
  if (user === undefined) return () => undefined;
  const credentials = Buffer.from(`${user.name}:${user.password}`).toString('base64');
  const expected = digest(`Basic ${credentials}`);
  return (path, authorization) => {
    if (OPEN.test(path)) return undefined;
    if (authorization === undefined) return ACCESS_DENIED;
    return timingSafeEqual(digest(authorization), expected) ? undefined : UNAUTHENTICATED;
  };
}
