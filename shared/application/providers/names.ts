/** The names that routes may use; each has its connector in `index.ts`. Apart from it for whoever calls no provider. */
export const providerNames = ['sandbox', 'bank'] as const;
