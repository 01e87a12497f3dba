import type { AppendEffort } from './append.ts';
import type { EventSigner } from './signature.ts';
import type { AppendOutcome, AppendRequest } from './types.ts';

type Append = (request: AppendRequest, effort?: AppendEffort) => Promise<AppendOutcome>;

/** A store whose appends are signed. */
export function signAppends<Store extends { append: Append }>(
  store: Store,
  signer: EventSigner,
): Store {
  return { ...store, append: (request, effort) => store.append({ ...request, signer }, effort) };
}
