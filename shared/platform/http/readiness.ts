/** For `notReady`: undefined once `ask` is answered, or why not. `what`: what is asked. */
export const unlessAnswered =
  (what: string, ask: () => Promise<unknown>) => (): Promise<string | undefined> =>
    ask().then(
      () => undefined,
      () => `${what} does not answer`,
    );
