/**
 * One sentence for the usual failures of a start: a busy port, one that needs privileges, a full
 * disk. Undefined for all others.
 */
export function startFailure(error: unknown): string | undefined {
  const { code, syscall, address, port, path } = (error ?? {}) as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is in use: stop what listens there, or set another port`;
  if (code === 'EACCES' && syscall === 'listen')
    return `Port ${port} of ${address} needs more rights than this user has: set another port`;
  if (code === 'ENOSPC')
    return `The disk is full${path === undefined ? '' : `, at ${path}`}: free some space, then start again`;
  return undefined;
}
