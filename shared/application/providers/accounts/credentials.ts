import { z } from 'zod';

/** The credentials of an account with a provider: texts by name. */
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
   * Names of the fields that identify the account and give no access. They can't be changed: an
   * attempt is only polled at the account that it was submitted with.
   */
  identity: readonly string[];
  /**
   * Names of the secrets that verify callbacks. Processes that read no callbacks can't open them,
   * because they would allow forging callbacks.
   */
  callbacks: readonly string[];
  /** Examples of their form; they give no access. */
  example: Credentials;
};

/** The canonical text of credentials, as it is stored and compared. */
export const credentialsText = (credentials: Credentials): string =>
  JSON.stringify(
    Object.entries(credentials).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );

const storedSchema = z.array(z.tuple([z.string(), z.string()]));

/** @throws when it is not what `credentialsText` made */
export const credentialsIn = (text: string): Credentials =>
  Object.fromEntries(storedSchema.parse(JSON.parse(text)));

/** The names of what differs and must not. */
export const otherIdentity = (
  { identity }: CredentialsForm,
  { before, after }: { before: Credentials; after: Credentials },
): string[] => identity.filter((name) => before[name] !== after[name]);
