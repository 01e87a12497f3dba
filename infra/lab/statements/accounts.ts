import { defaultAccount } from '#shared/domain/statements/events.ts';

/** An account with a provider, and how its statements come in. */
export type Account = {
  provider: 'sandbox' | 'bank';
  account: string;
  by: 'provider' | 'file';
  /** How many of a hundred operations go by it. */
  share: number;
};

const sandbox: Account = {
  provider: 'sandbox',
  account: defaultAccount,
  by: 'provider',
  share: 35,
};
const east: Account = { provider: 'sandbox', account: 'east', by: 'provider', share: 20 };
const bank: Account = { provider: 'bank', account: defaultAccount, by: 'provider', share: 25 };
const branch: Account = { provider: 'bank', account: 'branch', by: 'file', share: 20 };

/** Two with each provider; the second one with the bank sends files. */
export const accounts = [sandbox, east, bank, branch] as const;

/** The other one with the same provider, which takes lines that are not its own. */
export const siblingOf = ({ provider, account }: Account): Account =>
  accounts.find((each) => each.provider === provider && each.account !== account) ?? sandbox;

/** A route by it, or a connector of its provider, tries this one first. */
export const elsewhereOf = ({ provider }: Account): Account =>
  provider === 'bank' ? sandbox : bank;

/** Its transfers are called by their number there. */
export const isAtBank = ({ provider, by }: Account): boolean =>
  provider === 'bank' && by === 'provider';
