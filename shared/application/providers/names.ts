/**
 * The names that routes may use; each has its connector in `index.ts`. In a file of its own for
 * services that call no provider.
 */
export const providerNames = ['sandbox', 'bank'] as const;
