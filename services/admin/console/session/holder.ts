import { firstTokenId, type Holder } from '../../authentication.ts';

/** What the sessions of a token that is configuration are known by, before its name. */
export const fixedHolder = 'fixed:';

/** Whose a session is: the id of an issued token, else `fixed:` and the name. */
export const holderKey = ({ tokenId, name }: Holder): string =>
  tokenId === firstTokenId ? `${fixedHolder}${name}` : tokenId;
