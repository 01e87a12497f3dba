/**
 * The provider names that routes may use; each has its connector in `index.ts`. Separate, for
 * services that call no provider.
 */
export const providerNames = ['sandbox', 'bank'] as const;
