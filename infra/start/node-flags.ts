/**
 * What each process of `npm start` is started with; `npm ci` compiles under the same, since what was compiled under
 * others is not taken from the cache. The young space is 8 MB at most: with all that V8 allows, 32 MB, a collection of
 * it holds up the gateway for up to 40 ms each second, and all processes together hold 150 MB more.
 */
export const nodeFlags = ['--max-semi-space-size=8'] as const;
