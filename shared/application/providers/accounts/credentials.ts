import { z } from 'zod';

/** What an account with a provider is opened by: texts by name. */
export type Credentials = Readonly<Record<string, string>>;

/** A key as it is sent in a header. */
export const secretText = z
  .string()
  .min(16, 'must have at least 16 characters')
  .max(500, 'must have at most 500 characters')
  .regex(/^[\x21-\x7e]*$/, 'must have no spaces, and letters, digits and signs of ASCII alone');

/** What a provider's credentials are. */
export type CredentialsForm = {
  schema: z.ZodObject<Record<string, z.ZodType<string>>>;
  /**
   * Names of what says which account it is, and opens nothing. It stays: what was submitted with
   * one account is never asked about in another, which does not know it.
   */
  identity: readonly string[];
  /**
   * Names of what callbacks are held against. Who reads no callbacks can't open it: it could sign
   * some.
   */
  callbacks: readonly string[];
  /** Examples of their form; they give no access. */
  example: Credentials;
};

/** The texts as they are stored and compared: the same credentials are the same text. */
export const textOf = (credentials: Credentials): string =>
  JSON.stringify(
    Object.entries(credentials).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );

/** @throws when it is not what `textOf` made */
export const credentialsIn = (text: string): Credentials =>
  Object.fromEntries(JSON.parse(text) as [string, string][]);

/** The names of what differs and must not. */
export const otherIdentity = (
  { identity }: CredentialsForm,
  { before, after }: { before: Credentials; after: Credentials },
): string[] => identity.filter((name) => before[name] !== after[name]);
