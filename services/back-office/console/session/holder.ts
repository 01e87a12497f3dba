import { firstTokenId, type Holder } from '../../api/authentication.ts';

/** The prefix of holders with a configured token, before the name. */
export const fixedHolder = 'fixed:';

/** Whose a session is: the id of an issued token, else `fixed:` and the name. */
export const operatorHolderKey = ({ tokenId, name }: Holder): string =>
  tokenId === firstTokenId ? `${fixedHolder}${name}` : tokenId;
